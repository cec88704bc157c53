/*
 * share: streams that several threads read side by side. A stream is read by one of them from
 * its begin to its end, with what is its own: registers, values, files. What the metadata
 * became is only read. Notes are put in the order of the streams, so that it does not matter
 * who was first.
 */
#include <stdlib.h>

#include "ctf/impl.h"

struct stream *reader_take_stream(struct reader *r)
{
	struct reader *of = r->of ? r->of : r;
	int turn = __atomic_fetch_add(&of->turn, 1, __ATOMIC_RELAXED);
	struct stream *s;

	if (turn >= of->streams.n)
		return NULL;
	s = r->of ? of->by_bytes[turn] : of->streams.v[turn];
	r->reading = s->pub.number;
	return s;
}

void reader_add_done(struct reader *r, struct stream *s, uint64_t bytes)
{
	struct ctf *of = r->of ? &r->of->pub : &r->pub;

	__atomic_fetch_add(&of->bytes_done, bytes, __ATOMIC_RELAXED);
	__atomic_fetch_add(&of->events_done, s->pub.events - s->events_done, __ATOMIC_RELAXED);
	s->events_done = s->pub.events;
}

/* The largest first: who ends last waits for the others as short as it can be. */
static int by_bytes(const void *a, const void *b)
{
	const struct stream *x = *(struct stream *const *)a, *y = *(struct stream *const *)b;

	if (x->pub.bytes != y->pub.bytes)
		return x->pub.bytes > y->pub.bytes ? -1 : 1;
	return x->pub.number - y->pub.number;
}

static void sort_streams(struct reader *r)
{
	int n = r->streams.n;

	r->by_bytes = arena_array(&r->arena, struct stream *, n + 1);
	for (int i = 0; i < n; i++)
		r->by_bytes[i] = r->streams.v[i];
	qsort(r->by_bytes, (size_t)n, sizeof(*r->by_bytes), by_bytes);
}

struct ctf *ctf_share(struct ctf *t)
{
	struct reader *of = (struct reader *)t, *r = xmalloc(sizeof(*r));

	if (!of->by_bytes)
		sort_streams(of);
	*r = *of;
	r->of = of;
	r->arena = (struct arena){ 0 };
	r->windows_bytes = 0;
	r->spare_windows = NULL;
	/* it reads one stream at a time; what it did not read to its end outlives it */
	window_spare(r, window_alloc(&of->arena));
	memset(&r->share_notes, 0, sizeof(r->share_notes));
	r->heap = arena_array(&r->arena, struct stream *, 1);
	r->scratch_regs = arena_array(&r->arena, uint64_t, of->n_scratch_regs);
	r->scratch_values = arena_array(&r->arena, struct ctf_value, of->n_scratch_values);
	return &r->pub;
}

/* Of one stream there are only notes of one share, in their order. */
static int by_stream(const void *a, const void *b)
{
	const struct share_note *x = a, *y = b;

	return x->stream != y->stream ? x->stream - y->stream : x->turn - y->turn;
}

void ctf_unshare(struct ctf *t, struct ctf *const *shares, int n)
{
	struct reader *r = (struct reader *)t;
	VEC(struct share_note) notes = { 0 };
	struct arena a = { 0 };

	for (int i = 0; i < n; i++) {
		struct reader *share = (struct reader *)shares[i];

		for (int k = 0; k < share->share_notes.n; k++)
			vec_push(&a, &notes, share->share_notes.v[k]);
	}
	if (notes.n)
		qsort(notes.v, (size_t)notes.n, sizeof(*notes.v), by_stream);
	for (int i = 0; i < notes.n; i++)
		reader_keep_note(r, arena_strdup(&r->arena, notes.v[i].text));
	arena_fini(&a);
	r->turn = r->streams.n;
	for (int i = 0; i < n; i++) {
		struct reader *share = (struct reader *)shares[i];

		r->windows_bytes += share->windows_bytes;
		arena_fini(&share->arena);
		free(share);
	}
}
