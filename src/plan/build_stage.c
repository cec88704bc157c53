/* What every stage has: its kind, its number, the step of a branch that it is. */
#include "plan/build_stage.h"

#include "lang/diag_tags.h"

enum stage_class { CLASS_ROW, CLASS_SINK, CLASS_TABLE, CLASS_BOTH };

static const struct {
	enum stage_class class;
	const char *text;
} stage_rows[STAGES] = {
#define STAGE(id, name, cls, ...) [STAGE_##id] = { .class = CLASS_##cls, .text = name },
#include "lang/stage.def"
#undef STAGE
};

struct p_step *build_step(struct build *b, struct p_branch *br, enum step_kind kind,
			   struct loc loc)
{
	struct p_step *s = vec_add(b->arena, &br->steps);

	s->kind = (uint8_t)kind;
	s->loc = loc;
	s->global = -1;
	return s;
}

int64_t build_stage_number(struct build *b, const struct ast_stage *st)
{
	struct px *e = st->number_expr ? check_const(b->env, st->number_expr) : NULL;
	int64_t n = st->number;

	if (e && !px_is_number(e, &n)) {
		if (!px_is_poison(e))
			diag_error(b->diag, DIAG_TYPE_MISMATCH, st->loc, "'%s' needs a number, but this has type %s",
				   stage_rows[st->id].text, type_name(&e->type));
	} else if (n <= 0) {
		diag_error(b->diag, DIAG_OUT_OF_RANGE, e ? e->loc : st->loc, "'%s' needs a number above 0",
			   stage_rows[st->id].text);
	}
	return n;
}

bool build_is_sink(struct build *b, const struct ast_stage *st)
{
	return stage_rows[st->id].class == CLASS_SINK && cond_holds(b->env, &st->cond);
}

int build_find_sink(struct build *b, const ast_stages *stages, const struct ast_stage **sink)
{
	*sink = NULL;
	for (int i = 0; i < stages->n; i++) {
		const struct ast_stage *st = stages->v[i];

		if (build_is_sink(b, st)) {
			*sink = st;
			return i;
		}
		if (stage_rows[st->id].class == CLASS_TABLE && cond_holds(b->env, &st->cond)) {
			diag_error(b->diag, DIAG_STAGE_ORDER, st->loc,
				   "'%s' works on a table: put an aggregation before it",
				   stage_rows[st->id].text);
			diag_help(b->diag, "for example: | count by comm | %s ...; of single rows the longest: "
				  "| worst 3 by duration", stage_rows[st->id].text);
			return i;
		}
	}
	return stages->n;
}
