/*
 * dump: with --begin the events before are not read, but the state dump with which a
 * recording begins is: threads with their processes, parents and names, files, disks. What
 * changed between it and --begin is not known.
 */
#include "trace/impl.h"

#define DUMP_PREFIX "lttng_statedump_"
#define DUMP_BYTES_MOST (64u << 20)	/* of the trace, read in search of the dump's end */

static bool is_dump(const struct ctf_class *class)
{
	return str_has_prefix(str_of(class->name), DUMP_PREFIX);
}

/* How many dumps end: one of each kernel. */
static int count_ends(const struct recorded *r)
{
	const struct ctf_trace *last = NULL;
	int n = 0;

	for (int i = 0; i < r->trace->n_classes; i++) {
		const struct ctf_class *class = r->trace->classes[i];

		if (!strcmp(class->name, DUMP_PREFIX "end") && class->trace != last) {
			last = class->trace;
			n++;
		}
	}
	return n;
}

static void skip_all_but_dump(struct recorded *r, bool is_skipped)
{
	for (int i = 0; i < r->trace->n_classes; i++)
		r->trace->classes[i]->is_skipped = is_skipped && !is_dump(r->trace->classes[i]);
}

void rec_dump_learn(struct recorded *r, const struct ctf_options *range)
{
	struct ctf_options before = { .has_end = true, .end_ns = range->begin_ns };
	int left = count_ends(r);

	if (!range->has_begin || !left)
		return;
	skip_all_but_dump(r, true);
	ctf_begin(r->trace, &before);
	while (left && r->trace->bytes_done < DUMP_BYTES_MOST && (r->event = ctf_next(r->trace))) {
		const struct ctf_event *e = r->event;

		if (!is_dump(e->class))
			continue;
		r->record.time_ns = (uint64_t)e->time_ns;
		left -= !strcmp(e->class->name, DUMP_PREFIX "end");
		rec_learn(r, &r->classes[e->class->number], e,
			  e->stream->cpu >= 0 ? (uint32_t)e->stream->cpu : 0, WHEN_FIRST);
	}
	r->event = NULL;
	skip_all_but_dump(r, false);
}
