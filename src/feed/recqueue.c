#include "feed/recqueue.h"

#include <stdlib.h>
#include <string.h>

enum { QUEUE_SPARE = 4 << 20 }; /* beyond the limit, for what is small and must not be missing: links, states, marks */

enum status recqueue_init(struct recqueue *q, size_t limit, struct err *e)
{
	memset(q, 0, sizeof(*q));
	q->limit = limit;
	return wake_init(&q->wake, e);
}

void recqueue_fini(struct recqueue *q)
{
	struct rec_item *i, *next;

	for (i = recqueue_take(q); i; i = next) {
		next = i->next;
		free(i);
	}
	wake_fini(&q->wake);
}

void recqueue_push(struct recqueue *q, struct rec_item *newest, struct rec_item *oldest)
{
	struct rec_item *head = atomic_load_explicit(&q->newest, memory_order_relaxed);

	do {
		oldest->next = head;
	} while (!atomic_compare_exchange_weak_explicit(&q->newest, &head, newest, memory_order_release, memory_order_relaxed));
	wake_raise(&q->wake);
}

struct rec_item *recqueue_take(struct recqueue *q)
{
	struct rec_item *i = atomic_exchange_explicit(&q->newest, NULL, memory_order_acquire), *list = NULL;

	while (i) {
		struct rec_item *next = i->next;

		i->next = list;
		list = i;
		i = next;
	}
	return list;
}

void recqueue_leave(struct recqueue *q, struct rec_item *i)
{
	atomic_fetch_sub(&q->bytes, i->bytes);
}

void recqueue_free(struct recqueue *q, struct rec_item *i)
{
	recqueue_leave(q, i);
	free(i);
}

struct rec_item *recqueue_item(struct recqueue *q, enum item_kind kind, const char *text, size_t n)
{
	size_t bytes = sizeof(struct rec_item) + n + 1, limit = q->limit;
	struct rec_item *i = NULL;

	if (n < 4096)
		limit += QUEUE_SPARE;
	if (atomic_fetch_add(&q->bytes, bytes) + bytes <= limit)
		i = malloc(bytes);
	if (!i) {
		atomic_fetch_sub(&q->bytes, bytes);
		/* What is kept for snapshots only leaves no hole. */
		if (kind == ITEM_FRAME || kind == ITEM_EVENT) {
			atomic_fetch_add(&q->missed, 1);
			atomic_fetch_add(&q->dropped, 1);
		}
		wake_raise(&q->wake);
		return NULL;
	}
	*i = (struct rec_item){ .bytes = bytes, .kind = kind, .f = { .feed = REC_NO_FEED, .text = i->data, .n = n } };
	if (n)
		memcpy(i->data, text, n);
	i->data[n] = 0;
	return i;
}
