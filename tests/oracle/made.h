/*
 * made: one program over random made events, run in each way.
 */
#ifndef ORACLE_MADE_H
#define ORACLE_MADE_H

#include "oracle/trial.h"
#include "replay/made.h"
#include "replay/replay.h"
#include "session/compile.h"

/* ---- events as text ---- */

static void put_declarations(struct buf *out)
{
	for (int k = 0; k < KINDS; k++) {
		buf_printf(out, "event %s", made_dialect.kinds[k]);
		for (int f = 0; f < FIELDS; f++)
			if (k == KIND_V || fields[f].in_w)
				buf_printf(out, " %s:%s", fields[f].name, fields[f].type);
		buf_putc(out, '\n');
	}
}

static void put_value(struct chooser *c, struct buf *out, struct value *v, int f)
{
	if (f >= NUMBERS) {
		*v = (struct value){ .text = str_of(texts[below(c, TEXTS)]) };
		buf_printf(out, " %s=\"%s\"", fields[f].name, v->text.p);
		return;
	}
	*v = number(cut(draw_number(c), fields[f].bits, fields[f].is_signed));
	buf_printf(out, fields[f].is_signed ? " %s=%" PRId64 : " %s=%" PRIu64, fields[f].name, v->bits);
}

/* Two in each second. */
static uint64_t moment_ns(int i)
{
	return (uint64_t)(i / 2 + 1) * NS_PER_S + (uint64_t)(i % 2) * (4 * NS_PER_S / 10);
}

static void put_events(struct chooser *c, struct buf *out, struct moment *moments)
{
	put_declarations(out);
	for (int i = 0; i < EVENTS; i++) {
		struct moment *m = &moments[i];

		*m = (struct moment){ .kind = (uint8_t)below(c, KINDS), .cpu = below(c, CPUS),
				      .tid = 1 + below(c, THREADS), .time_ns = moment_ns(i) };
		buf_printf(out, "%" PRIu64 ".%d cpu=%d tid=%d %s", m->time_ns / NS_PER_S, i % 2 * 4,
			   m->cpu, m->tid, made_dialect.kinds[m->kind]);
		for (int f = 0; f < FIELDS; f++) {
			m->fields[f] = no_value;
			if (below(c, 8) && (m->kind == KIND_V || fields[f].in_w))
				put_value(c, out, &m->fields[f], f);
		}
		buf_putc(out, '\n');
	}
}

/* ---- one program ---- */

static void run_made(struct trial *t, struct compile *c, struct made *m, bool checked)
{
	struct err e = { .arena = c->arena };
	struct made_reader reader = { m, 0 };
	struct record_source source = made_source(&reader);
	struct replay_options how = { .checked = checked };
	struct run_options o = { .plan = c->plan, .image = c->image, .checked = checked };
	struct replay *replay = replay_open(&e, c->plan, c->image, &how, &source);

	follow(t, replay ? replay_executor(replay) : NULL, &o, &e);
	replay_close(replay);
}

/* Compiles a text up to a pass, for the options that are given with it. */
static struct compile *compiled(struct trial *t, const struct catalog *catalog, const struct buf *text,
				bool as_emitted, char stop_after)
{
	struct param_value *given = arena_array(t->arena, struct param_value, PARAMS);
	struct compile *c = arena_new(t->arena, struct compile);

	*c = (struct compile){ .arena = t->arena, .diag.arena = t->arena, .catalog = catalog, .params = given,
			       .text = { "query", { text->p, (int)text->n } },
			       .options = { .has = { .replay = true, .task_storage = true }, .uid = -1, .cpus_possible = CPUS,
					    .as_emitted = as_emitted } };
	for (int i = 0; i < PARAMS && text == &t->query; i++)
		if (t->params[i].given)
			given[c->n_params++] = (struct param_value){ param_names[i], t->params[i].value };
	compile_run(c, stop_after);
	return c;
}

/* Compiled with the peephole or without, and run in both modes of the interpreter. False: it is
 * none of the language. */
static bool try_way(struct trial *t, struct made *m, bool as_emitted)
{
	static const char *const ways[2][2] = { { "native", "checked" },
						{ "native, as emitted", "checked, as emitted" } };
	struct catalog catalog = made_catalog(m);
	struct compile *c = compiled(t, &catalog, &t->query, as_emitted, 0);

	if (c->diag.errors) {
		diag_print(&c->diag, &t->mistakes);
		return false;
	}
	find_pairs(t, c->plan);
	for (int checked = 1; checked >= 0 && !t->wrong.n; checked--) {
		t->how = ways[as_emitted][checked];
		run_made(t, c, m, checked);
	}
	return true;
}

/* A program with the values of its parameters in their places has the same plan. */
static void try_params(struct trial *t, struct made *m, struct chooser choices)
{
	struct catalog catalog = made_catalog(m);
	struct buf text = { 0 }, plans[2] = { 0 };
	struct compile *c;

	put_program(&(struct generator){ .dialect = t->dialect, .choices = choices, .in_place = true, .out = &text });
	c = compiled(t, &catalog, &t->query, false, 'p');
	plan_print(c->plan, &plans[0]);
	c = compiled(t, &catalog, &text, false, 'p');
	if (!c->diag.errors)
		plan_print(c->plan, &plans[1]);
	if (plans[0].n != plans[1].n || memcmp(plans[0].p, plans[1].p, plans[0].n)) {
		t->how = arena_printf(t->arena, "in place:\n%.*s\n%.*s\n%.*s", (int)text.n, text.p,
				      (int)plans[0].n, plans[0].p, (int)plans[1].n, plans[1].p);
		tell(t, "another plan", 0, 0);
	}
	buf_fini(&plans[0]);
	buf_fini(&plans[1]);
	buf_fini(&text);
}

/* One program over its events, as they are chosen. False: it is none of the language. */
static bool trial_run(struct trial *t, struct chooser query, struct chooser events)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct generator g = { .dialect = &made_dialect, .choices = query, .out = &t->query };
	struct made *m;
	bool is_program;

	t->dialect = g.dialect;
	put_program(&g);
	memcpy(t->params, g.params, sizeof(t->params));
	put_events(&events, &t->events, t->moments);
	m = made_read(&a, (struct str){ t->events.p, (int)t->events.n }, &e);
	t->arena = &a;
	is_program = m && try_way(t, m, false);
	if (is_program)
		try_params(t, m, query);
	if (m && try_way(t, m, true) != is_program)
		tell(t, "it compiles only with the peephole, or without", 0, 0);
	arena_fini(&a);
	return is_program;
}

#endif
