/* What all periods are made with: their actions, the slots of their records, looks at those that are open. */
#include "plan/build_period.h"

#include <string.h>

#include "lang/diag_tags.h"

struct b_period *build_known_period(struct build *b, const void *of)
{
	for (int i = 0; i < b->periods.n; i++)
		if (b->periods.v[i]->of == of)
			return b->periods.v[i];
	return NULL;
}

struct b_period *build_new_period(struct build *b, const void *of, struct loc loc)
{
	struct b_period *p = arena_new(b->arena, struct b_period);

	p->of = of;
	p->plan = arena_new(b->arena, struct p_period);
	*p->plan = (struct p_period){ .id = b->periods.n, .loc = loc, .c_dropped = -1,
		.c_unmatched = -1, .c_restarted = -1, .c_abandoned = -1, .c_too_deep = -1,
		.c_let_go = -1, .c_denied = -1, .name = "" };
	vec_push(b->arena, &b->periods, p);
	return p;
}

static struct p_action *add_action(struct build *b, struct b_action *e, enum act_kind kind,
				   const struct b_period *p)
{
	struct p_period *period = p->plan;
	struct p_action *a = arena_new(b->arena, struct p_action);

	a->kind = (uint8_t)kind;
	a->calls = e->calls;
	a->at_return = e->at_return;
	a->loc = e->loc;
	a->period = period;
	e->plan = a;
	vec_push(b->arena, &e->event->actions[kind == ACT_END && p->outlives ? ACT_KINDS : kind],
		 a);
	return a;
}

void build_add_actions(struct build *b, struct b_period *p)
{
	for (int i = 0; i < p->begins.n; i++)
		add_action(b, &p->begins.v[i], ACT_BEGIN, p);
	for (int i = 0; i < p->ends.n; i++)
		add_action(b, &p->ends.v[i], ACT_END, p);
	for (int i = 0; i < p->vias.n; i++)
		add_action(b, &p->vias.v[i], ACT_VIA, p);
}

bool build_is_param(const struct b_period *p, struct str name)
{
	for (int k = 0; k < p->begins.n; k++) {
		const struct cat_syscall *c = p->begins.v[k].side.syscall;
		const struct cat_function *f = p->begins.v[k].side.function;
		const struct cat_field *params = f ? f->params : c ? c->params : NULL;

		for (int i = 0; i < (f ? f->n_params : c ? c->n_params : 0); i++)
			if (str_is(name, params[i].name))
				return true;
	}
	return false;
}

bool build_is_asked(const struct b_period *p)
{
	const struct p_period *period = p->plan;

	return period->listable || period->looked_up || period->tickets.n || period->split;
}

#define NAMES_BYTES_MOST 100

const char *build_name_list(struct build *b, const char *names, const char *name)
{
	size_t n = names ? strlen(names) : 0;

	if (!n)
		return name;
	if (n > NAMES_BYTES_MOST)
		return strstr(names, ", ...") ? names : arena_printf(b->arena, "%s, ...", names);
	return arena_printf(b->arena, "%s, %s", names, name);
}

/* ---- the record ---- */

static bool same_values(const struct b_period *p, struct px *const *a, struct px *const *b)
{
	bool any = false;

	for (int i = 0; i < p->begins.n + p->vias.n; i++) {
		if (!a[i] != !b[i] || (a[i] && !px_equal(a[i], b[i])))
			return false;
		any |= a[i] != NULL;
	}
	return any;
}

int build_slot(struct build *b, struct b_period *p, struct p_slot slot, struct px **values)
{
	int n = p->plan->slots.n;
	struct px ***grown;

	for (int i = 0; i < n; i++)
		if (same_values(p, p->slots[i], values)) {
			p->plan->slots.v[i].may_none |= slot.may_none;
			return i;
		}
	grown = arena_array(b->arena, struct px **, n + 1);
	vec_push(b->arena, &p->plan->slots, slot);
	if (n)
		memcpy(grown, p->slots, sizeof(*grown) * (size_t)n);
	grown[n] = values;
	p->slots = grown;
	return n;
}

int build_row_slot(struct build *b, struct b_period *p, struct type type)
{
	struct px **none = arena_array(b->arena, struct px *, p->begins.n + p->vias.n);

	return build_slot(b, p, (struct p_slot){ .type = type }, none);
}

/* ---- looked up ---- */

struct p_look *build_look(struct build *b, struct b_period *p, struct b_action *at)
{
	struct p_look *look;

	for (int i = 0; i < p->readers.n; i++)
		if (p->readers.v[i].at == at)
			return p->readers.v[i].look;
	look = arena_new(b->arena, struct p_look);
	look->period = p->plan;
	p->plan->looked_up = true;
	vec_push(b->arena, &p->readers, ((struct reader){ at, look }));
	if (at->side.event && at->side.event->interrupt) {
		diag_error(b->diag, DIAG_NO_OWNER, at->loc,
			   "%s runs in an interrupt: it belongs to no thread", at->side.name);
		diag_help(b->diag, "select the period by a key: in SOURCE on KEY");
	}
	return look;
}
