/*
 * skip: most queries are about few of a trace's events. The others are passed over
 * where they are decoded, before the streams are merged. What depends on them all the same:
 * the time that has passed, for intervals and timers, and the running threads' names and
 * numbers, which the contexts of any event tell.
 */
#include "trace/impl.h"

/* Each common field is in the contexts of every event or of none: no event tells another's. */
static bool each_tells_its_own(const struct recorded *r)
{
	for (int i = 0; i < RECORD_WORDS - RECORD_FIELDS_MOST; i++) {
		int n = 0;

		for (int k = 0; k < r->trace->n_classes; k++)
			n += r->classes[r->trace->classes[k]->number].commons[i] >= 0;
		if (n && n < r->trace->n_classes)
			return false;
	}
	return true;
}

void rec_skip(struct recorded *r)
{
	if (r->wants->time || ((r->needs & MODEL_TASKS) && !each_tells_its_own(r)))
		return;
	for (int i = 0; i < r->trace->n_classes; i++) {
		struct ctf_class *class = r->trace->classes[i];
		const struct rec_class *c = &r->classes[class->number];

		class->is_skipped = !c->n_outs && !c->lessons.n;
	}
}

uint64_t rec_last_ns(const struct recorded *r)
{
	int64_t last = (int64_t)r->record.time_ns;

	for (int i = 0; i < r->trace->n_streams; i++)
		if (r->trace->streams[i]->last_ns > last)
			last = r->trace->streams[i]->last_ns;
	return (uint64_t)last;
}
