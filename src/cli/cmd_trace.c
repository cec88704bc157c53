/* Recorded traces: see cli/trace.h. */
#include "cli/trace.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/near.h"
#include "base/units.h"
#include "cli/cmd.h"
#include "trace/recorded.h"

#define FRACTION_BYTES 16
#define SECONDS_MOST 1000000000000	/* the year 33658: more are nanoseconds */

/* ---- times ---- */

/* ".5", "", of at most nine digits. */
static bool parse_fraction(const char *s, int64_t *ns)
{
	int64_t unit = NS_PER_S / 10;

	*ns = 0;
	if (!*s)
		return true;
	if (*s++ != '.' || !*s)
		return false;
	for (; isdigit((unsigned char)*s) && unit; s++, unit /= 10)
		*ns += (*s - '0') * unit;
	return !*s;
}

/* "1795164698.461718290" as events are printed, "1795164698", or nanoseconds since 1970. */
static bool parse_number(const char *s, int64_t *ns)
{
	char *end;
	int64_t v, fraction;

	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno || end == s || !isdigit((unsigned char)*s))
		return false;
	if (!*end && v >= SECONDS_MOST) {
		*ns = v;
		return true;
	}
	return parse_fraction(end, &fraction) && !__builtin_mul_overflow(v, NS_PER_S, &v) &&
	       !__builtin_add_overflow(v, fraction, ns);
}

/* "2026-11-20 08:51:39.5", in the local time that `print time` shows, or "...Z" in UTC; without the
 * date that of `first`. */
static bool parse_date(const char *s, int64_t first_ns, int64_t *ns)
{
	time_t first = (time_t)(first_ns / NS_PER_S);
	int n = (int)strlen(s);
	bool utc = n && s[n - 1] == 'Z';
	char digits[FRACTION_BYTES];
	struct tm tm = { 0 };
	int64_t fraction;
	const char *end;
	time_t t;

	end = strptime(s, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!end)
		end = strptime(s, "%Y-%m-%d %H:%M:%S", &tm);
	if (!end) {
		utc ? gmtime_r(&first, &tm) : localtime_r(&first, &tm);
		end = strptime(s, "%H:%M:%S", &tm);
	}
	if (!end || (int)strlen(end) < utc ||
	    snprintf(digits, sizeof(digits), "%.*s", (int)strlen(end) - utc, end) >= FRACTION_BYTES ||
	    !parse_fraction(digits, &fraction))
		return false;
	tm.tm_isdst = -1;
	t = utc ? timegm(&tm) : mktime(&tm);
	return !__builtin_mul_overflow((int64_t)t, NS_PER_S, ns) &&
	       !__builtin_add_overflow(*ns, fraction, ns);
}

static int parse_time(const char *option, const char *s, int64_t first_ns, int64_t *ns,
		      struct err *e)
{
	if (parse_number(s, ns) || parse_date(s, first_ns, ns))
		return 0;
	err_help(e, "2026-11-20 08:51:39.5 or 08:51:39, local as `print time` shows it, or with a Z "
		 "behind it UTC; 1795164698.461718290 as printed, "
		 "or nanoseconds since 1970");
	return err_push(e, -EINVAL, "--%s %s: this is not a time", option, s);
}

int trace_range(struct ctf *t, const struct options *o, struct ctf_options *range, struct err *e)
{
	const struct ctf_event *first;
	int64_t first_ns = 0;

	*range = (struct ctf_options){ .has_begin = o->begin, .has_end = o->end };
	if (!o->begin && !o->end)
		return 0;
	ctf_begin(t, &(struct ctf_options){ 0 });
	first = ctf_next(t);
	if (first)
		first_ns = first->time_ns;
	if (o->begin && parse_time("begin", o->begin, first_ns, &range->begin_ns, e))
		return -EINVAL;
	if (o->end && parse_time("end", o->end, first_ns, &range->end_ns, e))
		return -EINVAL;
	if (o->begin && o->end && range->end_ns < range->begin_ns)
		return err_push(e, -EINVAL, "--end %s is before --begin %s", o->end, o->begin);
	if (first && o->end && range->end_ns < first_ns)
		return err_push(e, -EINVAL, "--end %s: the trace begins at %" PRId64 ".%09" PRId64,
				o->end, first_ns / NS_PER_S, first_ns % NS_PER_S);
	return 0;
}

/* ---- what is said besides ---- */

void trace_progress(const struct ctf *t, struct trace_progress *p)
{
	struct timespec now;
	int64_t now_ms;
	uint64_t bytes = __atomic_load_n(&t->bytes_done, __ATOMIC_RELAXED);
	uint64_t events = __atomic_load_n(&t->events_done, __ATOMIC_RELAXED);

	if (!isatty(STDERR_FILENO))
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	if (!p->began_ms)
		p->began_ms = p->last_ms = now_ms;
	if (now_ms - p->last_ms < 1000)
		return;
	p->last_ms = now_ms;
	p->is_shown = true;
	fprintf(stderr, "\rculprit: %" PRIu64 "%% read, %.1f million events/s\033[K",
		t->bytes ? bytes * 100 / t->bytes : 100,
		(double)events / (double)(now_ms - p->began_ms) / 1e3);
}

void trace_progress_end(struct trace_progress *p)
{
	if (p->is_shown)
		fputs("\r\033[K", stderr);
	p->is_shown = false;
}

void trace_say_notes(const struct ctf *t, const struct options *o)
{
	for (int i = 0; i < t->n_notes && !o->quiet; i++)
		fprintf(stderr, "culprit: %s\n", t->notes[i]);
}

void trace_say_range(const struct ctf *t, const struct options *o)
{
	uint64_t events = 0;

	for (int i = 0; i < t->n_streams; i++)
		events += t->streams[i]->events;
	if (o->begin && !events && !o->quiet)
		fprintf(stderr, "culprit: the trace has no event from --begin %s %s%s\n", o->begin,
			o->end ? "to --end " : "on", o->end ? o->end : "");
}

/* ---- list events ---- */

static int no_events(struct ctf *t, struct str glob, struct err *e)
{
	const char **names = xcalloc((size_t)t->n_classes + 1, sizeof(*names)), *near;

	for (int i = 0; i < t->n_classes; i++)
		names[i] = t->classes[i]->name;
	near = str_nearest(glob, names, t->n_classes);
	if (near)
		err_help(e, "did you mean %s?", near);
	else
		err_help(e, "`culprit list events --trace PATH` shows what there is");
	free(names);
	err_push(e, -ENOENT, "the trace has no event '%.*s'", STR_ARG(glob));
	return err_print(e, END_WRONG);
}

static void add_fields(const struct ctf_class *c, struct buf *out)
{
	static const char *const words[CTF_SCOPES] = {
		NULL, "packet", NULL, "context", "context", "field",
	};

	for (int s = 0; s < CTF_SCOPES; s++)
		for (int i = 0; words[s] && c->scopes[s] && i < c->scopes[s]->n_members; i++) {
			const struct ctf_member *m = &c->scopes[s]->members[i];

			if (m->type->hidden)
				continue;
			buf_printf(out, "    %-8s %-24s ", words[s], m->name);
			ctf_print_type(m->type, out);
			buf_putc(out, '\n');
		}
}

/* By name; classes of one name (of several channels) one after the other. */
static int by_name(const void *a, const void *b)
{
	const struct ctf_class *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	return order ? order : (*x)->number - (*y)->number;
}

int trace_list(const struct options *o, const char *glob, struct err *e)
{
	struct ctf *t = ctf_open(e, o->trace);
	struct buf out = { 0 };
	const char *last = NULL;
	int status = END_DONE;

	if (!t)
		return err_print(e, END_FAILED);
	if (t->n_classes)
		qsort(t->classes, (size_t)t->n_classes, sizeof(*t->classes), by_name);
	for (int i = 0; i < t->n_classes; i++) {
		const struct ctf_class *c = t->classes[i];

		if (!str_glob(str_of(glob ? glob : "*"), str_of(c->name)) ||
		    (!o->verbose && last && !strcmp(last, c->name)))
			continue;
		buf_printf(&out, "%s\n", c->name);
		last = c->name;
		if (o->verbose)
			add_fields(c, &out);
	}
	if (!last)
		status = no_events(t, str_of(glob ? glob : "*"), e);
	put(&out);
	buf_fini(&out);
	trace_say_notes(t, o);
	ctf_close(t);
	return status;
}

/* ---- doctor ---- */

struct totals {
	uint64_t events, packets, bytes, lost_events, lost_packets, earlier_events, earlier_packets;
	int streams;
};

static void add_stream(struct totals *n, const struct ctf_stream *s)
{
	n->events += s->events;
	n->packets += s->packets;
	n->bytes += s->bytes;
	n->lost_events += s->discarded_events;
	n->lost_packets += s->discarded_packets;
	n->earlier_events += s->earlier_events;
	n->earlier_packets += s->earlier_packets;
	n->streams++;
}

static void add_env(struct buf *b, const struct ctf_trace *t, const char *name, const char *before)
{
	const char *text = ctf_env(t, name);

	if (text && *text)
		buf_printf(b, "%s%s", before, text);
}

static void add_trace(struct buf *b, const struct ctf *t, const struct ctf_trace *trace)
{
	struct totals n = { 0 };
	char size[UNITS_TEXT_BYTES];
	int classes = 0;

	for (int i = 0; i < t->n_streams; i++)
		if (t->streams[i]->trace == trace)
			add_stream(&n, t->streams[i]);
	for (int i = 0; i < t->n_classes; i++)
		classes += t->classes[i]->trace == trace;
	buf_printf(b, "%s: CTF %d", trace->path, trace->version);
	add_env(b, trace, "tracer_name", " by ");
	add_env(b, trace, "hostname", ", host ");
	add_env(b, trace, "domain", ", ");
	add_env(b, trace, "procname", " of ");
	add_env(b, trace, "vpid", " ");
	add_env(b, trace, "kernel_release", ", Linux ");
	buf_printf(b, "\n  %" PRIu64 " events of %d classes in %d streams, %" PRIu64
		   " packets, %s\n", n.events, classes, n.streams, n.packets,
		   units_format_size((int64_t)n.bytes, size));
	for (int i = 0; i < trace->n_clocks; i++)
		buf_printf(b, "  clock %s: %" PRIu64 " Hz%s\n", trace->clocks[i].name,
			   trace->clocks[i].frequency,
			   trace->clocks[i].is_absolute ? "" : ", not related to the time of day");
	buf_printf(b, "  lost: %" PRIu64 " events, %" PRIu64 " packets\n", n.lost_events,
		   n.lost_packets);
	if (n.earlier_packets)
		buf_printf(b, "  gone before its streams begin, in a ring that overwrites or an earlier "
			   "chunk: %" PRIu64 " packets; lost before: %" PRIu64 " events\n",
			   n.earlier_packets, n.earlier_events);
}

int trace_doctor(const char *path, struct err *e)
{
	struct ctf *t = ctf_open(e, path);
	const struct ctf_event *event;
	int64_t first = INT64_MAX, last = INT64_MIN;
	struct trace_progress progress = { 0 };
	struct buf b = { 0 };
	uint32_t n = 0;

	if (!t)
		return err_print(e, END_FAILED);
	ctf_begin(t, &(struct ctf_options){ .any_order = true });
	while ((event = ctf_next(t))) {
		if (!(++n & 0xfffff))
			trace_progress(t, &progress);
		if (!event->has_time)
			continue;
		first = event->time_ns < first ? event->time_ns : first;
		last = event->time_ns > last ? event->time_ns : last;
	}
	trace_progress_end(&progress);
	for (int i = 0; i < t->n_traces; i++)
		add_trace(&b, t, t->traces[i]);
	if (first <= last) {
		char text[UNITS_TEXT_BYTES];

		buf_printf(&b, "from %" PRId64 ".%09" PRId64 " on, for %s\n", first / NS_PER_S,
			   first % NS_PER_S, units_format_duration(last - first, text));
	}
	trace_add_tools(t, &b);
	put(&b);
	buf_fini(&b);
	trace_say_notes(t, &(struct options){ .quiet = false });
	ctf_close(t);
	return END_DONE;
}
