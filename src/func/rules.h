/*
 * rules: what the functions have in common: type rules and small emitters.
 */
#ifndef FUNC_RULES_H
#define FUNC_RULES_H

#include "bpf/cg.h"
#include "plan/check_in.h"
#include "plan/check_text.h"
#include "plan/check_type.h"
#include "plan/func.h"

bool func_is_number(const struct px *e);
/* Reports that argument arg is none. */
struct px *func_not_number(const struct func_call *c, int arg);
/* A number that is now called something else. */
struct px *func_as_kind(struct func_call *c, int kind);
/* Of a pointer to, or a struct of, this name? */
bool func_points_to(const struct func_call *c, const struct px *e, const char *name);

/* R0 = the argument, as it is. */
void func_emit_same(struct cg *cg, const struct px *e, as_label none);

#endif
