/*
 * start: who runs on each CPU where the range that is read begins. The first switch of a CPU
 * tells: the thread that it takes off ran since the start. Nobody is told where the CPU's events
 * are missing before its first switch.
 */
#include "trace/impl.h"

#define TELLS "sched_switch"

const struct cat_event *rec_start_event(struct recorded *r)
{
	return map_get_str(&r->names, str_of(TELLS)) ? &r->start : NULL;
}

bool rec_start_is_told_by(const struct recorded *r, const struct rec_class *c)
{
	const struct cat_event *event = &r->start;

	return !strcmp(c->name->name, TELLS) && map_get(&r->asked, &event, sizeof(event));
}

void rec_start_init(struct recorded *r, const struct ctf_options *range)
{
	r->begin_ns = range->has_begin ? range->begin_ns : INT64_MIN;
	r->started = arena_array(&r->arena, uint64_t, RECORDED_CPUS_MOST / 64);
}

static void start(struct recorded *r, uint32_t cpu)
{
	r->started[cpu / 64] |= 1ull << cpu % 64;
}

static bool is_started(const struct recorded *r, uint32_t cpu)
{
	return cpu >= RECORDED_CPUS_MOST || r->started[cpu / 64] >> cpu % 64 & 1;
}

void rec_start_packet(struct recorded *r, const struct ctf_stream *s, bool lossy)
{
	struct rec_stream *seen = &r->streams[s->number];
	uint32_t cpu = r->record.cpu;

	if (!seen->since_ns)
		seen->since_ns = s->packet_ns;
	if (lossy && !is_started(r, cpu))
		start(r, cpu);
}

bool rec_start_make(struct recorded *r, struct record *rec)
{
	int64_t since_ns = r->streams[r->event->stream->number].since_ns;

	if (is_started(r, rec->cpu))
		return false;
	start(r, rec->cpu);
	rec->time_ns = (uint64_t)(since_ns > r->begin_ns ? since_ns : r->begin_ns);
	return true;
}
