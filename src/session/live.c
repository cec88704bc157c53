/* The running machine: programs go into its kernel. See live.h. */
#include "session/live.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kern/cpus.h"
#include "kern/knames.h"
#include "kern/live/live.h"
#include "kern/live/scope.h"
#include "kern/live/targets.h"

struct running {
	struct live *live;
	struct targets *targets;
	struct knames *names;
};

static struct live_target *of(struct target *t)
{
	return (struct live_target *)t;
}

static int prepare(struct target *target, struct spec *spec, struct err *e)
{
	struct live_target *t = of(target);
	struct plan_options *to = &spec->options;
	struct features *f = &t->features;

	to->cpus_possible = (uint32_t)cpus_possible();
	to->pid_namespaced = scope_pid_namespaced();
	if (to->pid_namespaced)
		scope_pid_namespace(&to->pid_ns_dev, &to->pid_ns_inode);
	to->nested = scope_nested(to->pids, to->n_pids, scope_nested(to->tids, to->n_tids, 0));
	if (!t->kernel)
		t->kernel = kernel_catalog_open(e, f);
	if (!t->kernel)
		return -ENOTSUP;
	target->catalog = kernel_catalog_catalog(t->kernel);
	to->has.tp_btf = feature_has(f, FEATURE_TP_BTF);
	to->has.task_storage = feature_has(f, FEATURE_TASK_STORAGE);
	to->has.tracefs = feature_has(f, FEATURE_TRACEFS);
	to->has.unwind = feature_has(f, FEATURE_UNWIND);
	to->has.no_percpu_hash = f->off[FEATURE_PERCPU_HASH];
	return 0;
}

static void settle(struct target *t)
{
	if (of(t)->kernel && !of(t)->lasts)
		kernel_catalog_settle(of(t)->kernel);
}

static void unload(struct loaded *l)
{
	struct running *r = l->self;

	knames_close(r->names);
	live_close(r->live);
	targets_close(r->targets);
	free(r);
	*l = (struct loaded){ NULL };
}

static int load(struct target *t, const struct spec *spec, struct compile *c, struct loaded *to, struct err *e)
{
	struct running *r = xcalloc(1, sizeof(*r));
	struct live_options o = {
		.cpus = c->options.cpus, .n_cpus = c->options.n_cpus, .command = spec->command,
		.cost = spec->cost, .lines = spec->lines, .budget_percent = spec->budget_percent,
		.wake_fd = spec->stop_fd, .features = &of(t)->features, .scope = &c->options,
	};

	o.targets = r->targets = targets_open(&c->options);
	r->live = live_open(c->image, c->plan, &o, e);
	*to = (struct loaded){ .self = r, .meminfo = scope_meminfo };
	if (!r->live) {
		unload(to);
		return -EINVAL;
	}
	to->executor = live_executor(r->live);
	r->names = knames_open(&to->executor->wall);
	knames_stacks(r->names, live_stacks(r->live));
	to->names = knames_names(r->names);
	return 0;
}

static const struct target_ops ops = {
	.prepare = prepare, .settle = settle, .load = load, .unload = unload,
};

void live_target_init(struct live_target *t)
{
	*t = (struct live_target){ .target = { .ops = &ops } };
}

void live_target_fini(struct live_target *t)
{
	kernel_catalog_close(t->kernel);
	features_fini(&t->features);
}

void live_target_cost(const struct loaded *l, struct buf *out)
{
	live_cost(((const struct running *)l->self)->live, out);
}

double live_target_budget_used(const struct loaded *l)
{
	return live_budget_used(((const struct running *)l->self)->live);
}
