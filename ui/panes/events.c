/* Events: what happened, newest first. */
#include <stdio.h>
#include <string.h>

#include "base/time.h"
#include "ui/pane.h"
#include "ui/panes/parts.h"

enum { TIME_W = 8, TEXT_X = 10 };

struct state {
	bool pinned; /* false: the newest is in the first row */
	uint64_t seq; /* of the note in the first row, if pinned */
	int page;
};

/* How many notes are newer than the one on top; clears the pin if that one left the log. */
static unsigned top(struct state *s, const struct model *m)
{
	unsigned back;

	if (!s->pinned)
		return 0;
	if (s->seq >= m->note_seq || m->note_seq - 1 - s->seq >= m->notes_n) {
		s->pinned = s->seq < m->note_seq && m->notes_n > 0;
		back = s->pinned ? m->notes_n - 1 : 0;
	} else {
		back = (unsigned)(m->note_seq - 1 - s->seq);
	}
	/* No line is wasted at the end. */
	if (s->page > 0 && back + (unsigned)s->page > m->notes_n)
		back = m->notes_n > (unsigned)s->page ? m->notes_n - (unsigned)s->page : 0;
	return back;
}

static enum role role_of(enum note_kind kind)
{
	switch (kind) {
	case NOTE_REORG: return ROLE_ORPHAN;
	case NOTE_GAP:
	case NOTE_WARN: return ROLE_WARN;
	case NOTE_BAD: return ROLE_CRIT;
	case NOTE_INFO:
	case NOTE_LINK: break;
	}
	return ROLE_TEXT;
}

static void draw(struct pane *pane, const struct model *m, struct canvas *c, bool focus)
{
	struct state *s = pane->state;
	char foot[64] = "", clock[32];
	struct canvas in;
	unsigned first;

	s->page = c->at.h > 2 ? c->at.h - 2 : 0;
	first = top(s, m);
	if (first)
		snprintf(foot, sizeof(foot), "%u newer", first);
	in = canvas_sub(c, canvas_box(c, (struct rect){ .w = c->at.w, .h = c->at.h }, focus, "Events",
				      NULL, foot));
	for (int y = 0; y < s->page; y++) {
		const struct note *n = model_note_at(m, first + (unsigned)y);

		if (!n)
			break;
		canvas_text(&in, 1, y, TIME_W, ROLE_LABEL, 0, time_clock_utc(clock, sizeof(clock), n->wall));
		canvas_text(&in, TEXT_X, y, in.at.w - TEXT_X, role_of(n->kind), 0, n->text);
	}
	if (m->notes_n == 0)
		canvas_text(&in, 1, 0, in.at.w - 1, ROLE_DIM, 0, "nothing has happened yet");
}

static enum pane_result move(struct state *s, const struct model *m, long to)
{
	long last = (long)m->notes_n - (s->page > 0 ? s->page : 1);

	if (to > last)
		to = last;
	s->pinned = to > 0;
	if (s->pinned)
		s->seq = m->note_seq - 1 - (uint64_t)to;
	return PANE_DONE;
}

static enum pane_result command(struct pane *pane, const struct model *m, enum ui_cmd cmd)
{
	struct state *s = pane->state;
	long at = (long)top(s, m), page = s->page > 1 ? s->page : 2;

	switch (cmd) {
	case UI_DOWN: return move(s, m, at + 1);
	case UI_UP: return move(s, m, at - 1);
	case UI_PAGE_DOWN: return move(s, m, at + page - 1);
	case UI_PAGE_UP: return move(s, m, at - page + 1);
	case UI_HALF_DOWN: return move(s, m, at + page / 2);
	case UI_HALF_UP: return move(s, m, at - page / 2);
	case UI_OLDEST: return move(s, m, NOTES_KEPT);
	case UI_NEWEST:
	case UI_FOLLOW: return move(s, m, 0);
	case UI_BACK: return s->pinned ? move(s, m, 0) : PANE_IGNORED;
	default: return PANE_IGNORED;
	}
}

extern const struct pane_class pane_events;
const struct pane_class pane_events = {
	.name = "events",
	.title = "Events",
	.help = "reorgs, lost and restored connections, missed heads, what does not verify; newest first, in UTC",
	.wants = DIRTY_NOTES,
	.views = 1u << 1,
	.min_w = 30,
	.min_h = 3,
	.priority = 4,
	.state_size = sizeof(struct state),
	.draw = draw,
	.command = command,
};
