#include "cmd/playback.h"

#include "ui/command.h"

#define STEP_NS (10 * NS_S)
#define EVENT_NS (2 * NS_S) /* an event is shown from so long before it on */

static const char letters[MARK_KINDS] = {
	[MARK_REORG] = 'r', [MARK_GAP] = 'g', [MARK_DOWN] = '!', [MARK_DROP] = '-', [MARK_USER] = 'm',
};

void playback_init(struct playback *p, struct app *a)
{
	struct recplace place[REPLAYBAR_MARKS];
	const struct recinfo *i = replay_info(a->replay);
	unsigned n = replay_places(a->replay, place, REPLAYBAR_MARKS);

	*p = (struct playback){ .bar.n = n };
	p->bar.all_ns = i->last_mono > i->start_mono ? i->last_mono - i->start_mono : 0;
	for (unsigned k = 0; k < n; k++) {
		p->bar.mark[k].at_ns = place[k].mono > i->start_mono ? place[k].mono - i->start_mono : 0;
		p->bar.mark[k].letter = letters[place[k].kind];
	}
}

const struct replaybar *playback_bar(struct playback *p, const struct app *a)
{
	const struct recinfo *i = replay_info(a->replay);
	struct replay_stats s;

	replay_stats(a->replay, &s);
	p->bar.paused = s.paused;
	p->bar.ended = s.ended && a->ended;
	p->bar.speed = s.speed;
	p->bar.at_ns = s.mono > i->start_mono ? s.mono - i->start_mono : 0;
	return &p->bar;
}

/* ns: since the start. */
static void go_to(struct app *a, const struct playback *p, uint64_t ns, struct err *e)
{
	uint64_t mono = replay_info(a->replay)->start_mono + (ns < p->bar.all_ns ? ns : p->bar.all_ns);

	if (ns > p->bar.at_ns && !a->ended)
		replay_forward(a->replay, mono);
	else if (ns < p->bar.at_ns && app_jump(a, mono, e) != ST_OK)
		return;
	e->code = ST_OK;
}

static void next_event(struct app *a, const struct playback *p, bool after, struct err *e)
{
	const struct replaybar *b = &p->bar;

	for (unsigned i = 0; i < b->n; i++) {
		uint64_t at = b->mark[after ? i : b->n - 1 - i].at_ns;

		/* Where the last step led to lies before its event. */
		if (after ? at > b->at_ns + EVENT_NS + NS_MS : at + NS_MS < b->at_ns) {
			go_to(a, p, at > EVENT_NS ? at - EVENT_NS : 0, e);
			return;
		}
	}
	err_set(e, ST_USAGE, after ? "no event after this" : "no event before this");
}

static void next_head(struct app *a, const struct playback *p, bool after, struct err *e)
{
	uint64_t start = replay_info(a->replay)->start_mono, mono = 0;
	struct replay_stats s;

	replay_pause(a->replay, true);
	replay_stats(a->replay, &s);
	if (!replay_head(a->replay, s.wall, after, &mono))
		err_set(e, ST_USAGE, after ? "no block after this" : "no block before this");
	else
		go_to(a, p, mono > start ? mono - start : 0, e);
}

static void change_speed(struct app *a, const struct playback *p, double factor)
{
	double v = (p->bar.speed > 0 ? p->bar.speed : 100) * factor;

	replay_speed(a->replay, v < 0.125 ? 0.125 : v > 100 ? 100 : v);
}

bool playback_key(struct playback *p, struct app *a, unsigned key, struct err *e)
{
	const struct replaybar *b = playback_bar(p, a);

	e->code = ST_OK;
	switch (key) {
	case ' ':
		replay_pause(a->replay, !b->paused);
		return true;
	case KEY_LEFT_:
		go_to(a, p, b->at_ns > STEP_NS ? b->at_ns - STEP_NS : 0, e);
		return true;
	case KEY_RIGHT_:
		go_to(a, p, b->at_ns + STEP_NS, e);
		return true;
	case '[': case ']':
		next_event(a, p, key == ']', e);
		return true;
	case ',': case '.':
		next_head(a, p, key == '.', e);
		return true;
	case '{': case '}':
		change_speed(a, p, key == '}' ? 2 : 0.5);
		return true;
	case KEY_BACKSPACE_:
		replay_speed(a->replay, 1);
		return true;
	default:
		return false;
	}
}
