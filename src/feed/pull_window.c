#include "feed/pull_window.h"

#include <stdlib.h>

enum status window_init(struct pull_window *w, unsigned n, size_t text_limit)
{
	*w = (struct pull_window){ .n = n, .from = 1 };
	atomic_init(&w->next, 1);
	atomic_init(&w->head, 1);
	atomic_init(&w->busy, false);
	w->slots = calloc(n, sizeof(*w->slots));
	if (!w->slots)
		return ST_NOMEM;
	for (unsigned i = 0; i < n; i++) {
		atomic_init(&w->slots[i].state, SLOT_FREE);
		buf_init(&w->slots[i].text, text_limit);
	}
	return ST_OK;
}

void window_fini(struct pull_window *w)
{
	for (unsigned i = 0; w->slots && i < w->n; i++)
		buf_fini(&w->slots[i].text);
	free(w->slots);
	w->slots = NULL;
}

void window_range(struct pull_window *w, uint64_t from, uint64_t to)
{
	w->from = from;
	w->to = to;
	atomic_store(&w->next, from);
	atomic_store(&w->head, from);
}

struct pull_slot *window_take(struct pull_window *w)
{
	uint64_t n = atomic_load(&w->next);
	struct pull_slot *s;

	do {
		if (n > w->to || n - atomic_load(&w->head) >= w->n)
			return NULL;
	} while (!atomic_compare_exchange_weak(&w->next, &n, n + 1));
	/* Whoever had it before wrote it out before the head moved on. */
	s = &w->slots[n % w->n];
	s->number = n;
	s->tries = 0;
	s->due_ns = s->wait_ns = 0;
	s->err.code = ST_OK;
	s->linked = s->elsewhere = false;
	s->truth = 0;
	s->doubt[0] = 0;
	buf_clear(&s->text);
	atomic_store(&s->state, SLOT_TAKEN);
	return s;
}

/* The oldest slot if it has its end state. Certain only for who has busy: the head moves under nobody else's hand. */
static struct pull_slot *ripe(struct pull_window *w)
{
	uint64_t head = atomic_load(&w->head);
	struct pull_slot *s = &w->slots[head % w->n];
	int state = atomic_load(&s->state);

	return head <= w->to && (state == SLOT_DONE || state == SLOT_FAILED) ? s : NULL;
}

bool window_put(struct pull_window *w, struct pull_slot *s, enum slot_state state,
	bool (*fn)(void *ctx, struct pull_slot *s), void *ctx)
{
	bool moved = false;

	atomic_store(&s->state, state);
	/* Looked at again after busy is taken back: whoever put the next one meanwhile saw it and went away. */
	while (ripe(w) && !atomic_exchange(&w->busy, true)) {
		while ((s = ripe(w)) != NULL) {
			/* Nobody comes back to it: the window stays as it is. */
			if (!fn(ctx, s))
				return moved;
			atomic_store(&s->state, SLOT_FREE);
			atomic_fetch_add(&w->head, 1);
			moved = true;
		}
		atomic_store(&w->busy, false);
	}
	return moved;
}
