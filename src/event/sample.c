/*
 * Samples: `cpu@99hz`, `page-faults@1`, `cycles@1000000`.
 *
 * Kinds are rows: the kernel's generic perf events (perf_event_open(2)).
 * `@Nhz` samples N times a second, `@$P` as often as the parameter says, `@N` every N
 * events.
 */
#include <inttypes.h>
#include <linux/perf_event.h>

#include "event/rules.h"
#include "lang/diag_tags.h"

#define HZ_MOST 10000			/* a sample with its stack takes up to 30 us */

static const struct kind {
	const char *name;
	uint32_t type;
	uint64_t config;
	const char *rate;	/* that is proposed */
	uint64_t least;		/* events from one sample to the next: more often the machine does nothing else */
} kinds[] = {
	{ "cpu", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "99hz", 10000 },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "1", 0 },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "1", 0 },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "1", 0 },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "1", 0 },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "1", 0 },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "1000000", 10000 },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "1000000", 10000 },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "1000000", 1000 },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "1000", 0 },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "1000000", 10000 },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "1000", 0 },
};

static const struct cat_field fields[] = {
	{ .name = "ip", .type = { .kind = TY_KADDR, .size = 8 }, .loc = LOC_SAMPLE_IP },
	{ .name = "period", .type = { .kind = TY_INT, .size = 8 }, .loc = LOC_SAMPLE_PERIOD },
};

/* A sample is the running thread's own, though it comes by an interrupt. */
static const struct cat_event sample_event = {
	.kind = CAT_SAMPLE, .system = "", .name = "sample", .n_fields = 2, .fields = fields,
};

static const struct kind *kind_find(struct str name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_is(name, kinds[i].name))
			return &kinds[i];
	return NULL;
}

const char *source_sample_rate(struct str name)
{
	const struct kind *k = kind_find(name);

	return k ? k->rate : NULL;
}

static int at_sign(const struct ast_source *s)
{
	const char *at = memchr(s->text.p, '@', (size_t)s->text.n);

	return at ? (int)(at - s->text.p) : -1;
}

static bool recognise(const struct ast_source *s)
{
	return s->kind == AS_SOURCE && !s->quoted && at_sign(s) >= 0;
}

/* "99hz", "$hz" or "1000000"; false if it is none of them. */
static bool rate_parse(struct source_env *env, struct str t, struct p_sample *out)
{
	uint64_t v = 0;
	int64_t given;
	int i = 0;

	if (t.n && t.p[0] == '$') {
		out->freq = true;
		if (!env->number(env->arg, str_sub(t, 1, -1), &given))
			return false;
		out->value = (uint64_t)given;
		return given > 0 && given <= HZ_MOST;
	}
	for (; i < t.n && t.p[i] >= '0' && t.p[i] <= '9'; i++) {
		if (v > UINT32_MAX)
			return false;
		v = v * 10 + (uint64_t)(t.p[i] - '0');
	}
	out->value = v;
	out->freq = str_is(str_sub(t, i, -1), "hz") || str_is(str_sub(t, i, -1), "Hz");
	return i && v && (out->freq ? v <= HZ_MOST : i == t.n);
}

/* Who runs on each CPU where a trace, or the part of it that is read, begins. */
static bool is_start(struct str text)
{
	return str_is(text, "cpu@start");
}

static void find_start(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	const struct cat_event *e = env->catalog->ops->event(env->catalog->self, str_of(""), s->text);
	struct source_match *m;

	if (!e)
		return;
	m = arena_new(env->arena, struct source_match);
	m->event = e;
	m->attach = ATTACH_RECORD;
	m->name = m->short_name = e->name;
	m->loc = s->loc;
	vec_push(env->arena, out, m);
}

static bool is_too_often(const struct kind *k, const struct p_sample *rate)
{
	return !rate->freq && rate->value < k->least;
}

static void find(struct source_env *env, const struct ast_source *s, source_matches *out)
{
	int at = at_sign(s);
	const struct kind *k = kind_find(str_sub(s->text, 0, at));
	struct source_match *m;
	struct p_sample rate = { 0 };

	if (env->options->has.replay && is_start(s->text))
		find_start(env, s, out);
	if (!k || env->options->has.replay || !rate_parse(env, str_sub(s->text, at + 1, -1), &rate) ||
	    is_too_often(k, &rate))
		return;
	m = arena_new(env->arena, struct source_match);
	m->event = &sample_event;
	m->attach = ATTACH_SAMPLE;
	m->sample = rate;
	m->sample.perf_type = k->type;
	m->sample.perf_config = k->config;
	m->name = arena_strndup(env->arena, s->text.p, (size_t)s->text.n);
	m->short_name = m->name;
	m->loc = s->loc;
	vec_push(env->arena, out, m);
}

static void report(struct source_env *env, const struct ast_source *s)
{
	int at = at_sign(s);
	struct str name = str_sub(s->text, 0, at);
	const struct kind *k = kind_find(name);
	struct p_sample rate = { 0 };

	if (env->options->has.replay && is_start(s->text)) {
		diag_error(env->diag, DIAG_UNABLE, s->loc, "the trace has no sched_switch, which would tell who runs");
		return;
	}
	if (env->options->has.replay) {
		source_not_recorded(env, s, "samples");
		return;
	}
	if (is_start(s->text)) {
		diag_error(env->diag, DIAG_NO_EVENT, s->loc, "cpu@start is of a recorded trace");
		diag_help(env->diag, "of a list leave it out where tracing is live: cpu@start if $trace");
		return;
	}
	if (!k) {
		struct buf all = { 0 };

		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			buf_printf(&all, " %s", kinds[i].name);
		diag_error(env->diag, DIAG_UNKNOWN_SOURCE, s->loc, "'%.*s' cannot be sampled",
			   STR_ARG(name));
		diag_help(env->diag, "there are:%s", all.p);
		buf_fini(&all);
		return;
	}
	if (rate_parse(env, str_sub(s->text, at + 1, -1), &rate)) {
		diag_error(env->diag, DIAG_BAD_NUMBER, s->loc, "a sample every %" PRIu64 " %s is too often",
			   rate.value, k->type == PERF_TYPE_SOFTWARE ? "ns" : k->name);
		diag_help(env->diag, "write %.*shz for as many a second, or at least @%" PRIu64, STR_ARG(s->text),
			  k->least);
		return;
	}
	diag_error(env->diag, DIAG_BAD_NUMBER, s->loc,
		   "after '@' write a rate like 99hz (at most 10000hz) or a number of events");
}

const struct source_ops source_sample = {
	.name = "sample", .form = "cpu@99hz, page-faults@1",
	.help = "what is running, so many times a second or every so many events (cycles@1000000)",
	.example = "page-faults@1 | count by comm | every 1s",
	.recognise = recognise, .find = find, .report = report,
};
