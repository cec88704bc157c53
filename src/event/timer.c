/* `every 1s` as a source: a row each interval, on one CPU. */
#include "lang/diag_tags.h"
#include "plan/source.h"

static const struct cat_event timer_event = {
	.kind = CAT_TIMER, .system = "", .name = "timer", .exclusive = true, .interrupt = true,
};

static bool recognise(const struct ast_source *s)
{
	return s->kind == AS_TIMER;
}

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	struct source_match *m;

	if (s->interval_ns < INTERVAL_LEAST_NS)
		return;
	m = arena_new(env->arena, struct source_match);
	m->event = &timer_event;
	m->attach = ATTACH_TIMER;
	m->interval_ns = (uint64_t)s->interval_ns;
	m->name = arena_strndup(env->arena, loc_text(s->loc).p, (size_t)loc_text(s->loc).n);
	m->short_name = "timer";
	m->loc = s->loc;
	vec_push(env->arena, out, m);
}

static void report(struct source_env *env, const struct ast_source *s)
{
	diag_error(env->diag, DIAG_OUT_OF_RANGE, s->loc, "a timer's interval must be at least 1ms");
}

const struct source_ops source_timer = {
	.name = "timer", .form = "every DURATION", .help = "a timer: a row each interval",
	.example = "cpu@1hz, every 1s | count by event",
	.recognise = recognise, .find = find, .report = report,
};
