/* Events of the plan, each asked for in one way, and their names and numbers. */
#include "plan/build_event.h"

#include <string.h>

int build_event_number(struct build *b, const char *short_name)
{
	void **slot = map_put_str(b->arena, &b->event_numbers, str_of(short_name));
	struct enum_value *v = *slot;

	if (!v) {
		*slot = v = arena_new(b->arena, struct enum_value);
		*v = (struct enum_value){ short_name, SYSCALL_MOST + 1 + b->names_of_events.n };
		vec_push(b->arena, &b->names_of_events, *v);
	}
	return (int)v->value;
}

/* What is looked up twice is a function twice; in some libraries one is there by two names. */
static bool has_same_calls(const struct cat_function *a, const struct cat_function *b)
{
	return source_func_within(a, b) == WITHIN_ALWAYS && source_func_within(b, a) == WITHIN_ALWAYS;
}

bool build_is_another_name(const struct b_action *e, const struct source_match *m)
{
	return e->match->event == m->event && e->match->functions.n == 1 && m->functions.n == 1
	       && m->functions.v[0]->path && has_same_calls(e->match->functions.v[0], m->functions.v[0]);
}

static bool same_functions(const struct p_event *e, const struct source_match *m)
{
	if (e->functions.n != m->functions.n || (e->functions.n && e->attach != m->attach))
		return false;
	for (int i = 0; i < e->functions.n; i++) {
		const struct cat_function *a = e->functions.v[i].function, *b = m->functions.v[i];

		if (a != b && (!has_same_calls(a, b) || strcmp(a->symbol, b->symbol)))
			return false;
	}
	return true;
}

/* Of one event of the catalog: is it asked for in the same way? A program for both ends belongs to
 * one period: the call's cookie is its own. */
static bool same_event(const struct p_event *e, const struct source_match *m)
{
	return !attach_is_session(m->attach) && same_functions(e, m) && e->sample.perf_type == m->sample.perf_type
	    && e->sample.perf_config == m->sample.perf_config && e->sample.freq == m->sample.freq
	    && e->sample.value == m->sample.value && e->interval_ns == m->interval_ns;
}

struct b_event *build_event(struct build *b, const struct source_match *m)
{
	void **of_event = map_put(b->arena, &b->events_of, &m->event, sizeof(m->event));
	struct b_event *p;

	for (p = *of_event; p; p = p->next)
		if (same_event(p->plan, m))
			return p;
	p = arena_new(b->arena, struct b_event);
	p->next = *of_event;
	*of_event = p;
	p->plan = arena_new(b->arena, struct p_event);
	*p->plan = (struct p_event){
		.id = b->events.n, .attach = m->attach, .cat = m->event, .sample = m->sample,
		.interval_ns = m->interval_ns, .loc = m->loc,
		.name = m->calls.n ? (m->event->kind == CAT_SYSCALL_ENTER
				      ? "raw_syscalls:sys_enter" : "raw_syscalls:sys_exit")
				   : m->name,
		.why = m->why,
	};
	for (int i = 0; i < m->functions.n; i++)
		vec_push(b->arena, &p->plan->functions, ((struct p_function){
			m->functions.v[i], build_event_number(b, m->functions.v[i]->name) }));
	vec_push(b->arena, &b->events, p);
	return p;
}

void build_name_events(struct build *b)
{
	struct enum_desc *names = b->plan->event_names;
	VEC(struct enum_value) all = { 0 };

	for (int i = 0; i < b->periods.n; i++)
		for (int k = 0; k < build_n_actions(b->periods.v[i]); k++) {
			const struct source_match *m = build_action_at(b->periods.v[i], k)->match;

			for (int n = 0; n < m->calls.n; n++)
				vec_push(b->arena, &all, ((struct enum_value){ m->calls.v[n]->name,
									      m->calls.v[n]->nr }));
		}
	for (int i = 0; i < b->rows.n; i++)
		for (int n = 0; n < b->rows.v[i]->match->calls.n; n++) {
			const struct cat_syscall *s = b->rows.v[i]->match->calls.v[n];

			vec_push(b->arena, &all, ((struct enum_value){ s->name, s->nr }));
		}
	vec_push(b->arena, &all, ((struct enum_value){ "(unknown)", SYSCALL_MOST }));
	for (int i = 0; i < b->names_of_events.n; i++)
		vec_push(b->arena, &all, b->names_of_events.v[i]);
	names->name = "event";
	names->values = all.v;
	names->n = all.n;
	b->plan->n_event_numbers = (uint32_t)(SYSCALL_MOST + 1 + b->names_of_events.n);
}
