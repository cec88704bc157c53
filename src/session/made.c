/* See made.h. */
#include "session/made.h"

#include <errno.h>
#include <stdlib.h>

struct reading {
	struct replay *replay;
	struct made_reader reader;
	struct record_source source;
};

static int prepare(struct target *t, struct spec *spec, struct err *e)
{
	(void)t, (void)e;
	spec->options.has = (struct plan_features){ .replay = true };
	spec->options.cpus_possible = 1;
	return 0;
}

static void unload(struct loaded *l)
{
	struct reading *r = l->self;

	replay_close(r->replay);
	free(r);
	*l = (struct loaded){ NULL };
}

static int load(struct target *t, const struct spec *spec, struct compile *c, struct loaded *to, struct err *e)
{
	struct reading *r = xcalloc(1, sizeof(*r));

	(void)spec;
	r->reader.made = ((struct made_target *)t)->made;
	r->source = made_source(&r->reader);
	r->replay = replay_open(e, c->plan, c->image, &(struct replay_options){ .limits = true }, &r->source);
	*to = (struct loaded){ .self = r };
	if (!r->replay) {
		unload(to);
		return -EINVAL;
	}
	to->executor = replay_executor(r->replay);
	return 0;
}

static const struct target_ops ops = { .prepare = prepare, .load = load, .unload = unload };

void made_target_init(struct made_target *t, struct made *made)
{
	*t = (struct made_target){ .catalog = made_catalog(made), .made = made };
	t->target = (struct target){ &ops, &t->catalog };
}
