/*
 * What this machine can trace: each row of kern/feature.def is tried and said, and for
 * what is lacking what it costs and how to get it.
 */
#include <stdio.h>
#include <sys/utsname.h>

#include "cli/cmd.h"
#include "cli/trace.h"
#include "kern/feature.h"

static void add_row(struct buf *b, struct features *f, int id)
{
	const struct feature_row *r = feature_row((enum feature_id)id);
	bool has = feature_has(f, (enum feature_id)id);

	buf_printf(b, "  %-3s  %-18s %s\n", has ? "yes" : "no", r->name, r->gives);
	if (!has)
		buf_printf(b, "       %-18s needs %s; without it: %s\n", "", r->since, r->without);
}

/* What decides whether anything can be traced at all. */
static bool can_trace(struct features *f)
{
	return feature_has(f, FEATURE_CAP_BPF) && feature_has(f, FEATURE_CAP_PERFMON) &&
	       (feature_has(f, FEATURE_BTF) || feature_has(f, FEATURE_TRACEFS));
}

static void add_advice(struct buf *b, struct features *f)
{
	if (!feature_has(f, FEATURE_CAP_BPF) || !feature_has(f, FEATURE_CAP_PERFMON))
		buf_puts(b, "Run culprit as root, or once: setcap cap_bpf,cap_perfmon+ep "
			 "/path/to/culprit\n"
			 "In a container: --cap-add BPF --cap-add PERFMON (and SYS_ADMIN for tracefs)\n");
	if (!feature_has(f, FEATURE_TRACEFS))
		buf_puts(b, "For tracefs, as root: mount -t tracefs tracefs /sys/kernel/tracing\n");
	if (!feature_has(f, FEATURE_BTF))
		buf_puts(b, "For types: a kernel with CONFIG_DEBUG_INFO_BTF=y, as distributions build "
			 "them\n");
}

static int doctor_machine(void)
{
	struct features f = { 0 };
	struct buf b = { 0 };
	struct utsname u;
	int status;

	uname(&u);
	status = can_trace(&f) ? END_DONE : END_UNABLE;
	buf_printf(&b, "Linux %s on %s: %s\n\n", u.release, u.machine,
		   status ? "nothing can be traced here, see below" :
		   feature_has(&f, FEATURE_KPROBE) || feature_has(&f, FEATURE_FENTRY) ?
		   "events, system calls, samples and functions can be traced" :
		   "events, system calls, samples and functions of programs can be traced, "
		   "those of the kernel cannot");
	for (int i = 0; i < FEATURES; i++)
		add_row(&b, &f, i);
	buf_putc(&b, '\n');
	add_advice(&b, &f);
	put(&b);
	buf_fini(&b);
	features_fini(&f);
	return status;
}

static int run(struct options *o, struct err *e)
{
	return o->trace ? trace_doctor(o->trace, e) : doctor_machine();
}

int cmd_doctor(char **argv)
{
	return run_wordless("doctor", option_doctor, argv, run);
}
