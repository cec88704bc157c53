/* The functions of the language: see plan/func.h. */
#ifndef FUNC_FUNC_H
#define FUNC_FUNC_H

#include "plan/func.h"

#define FUNC(name) extern const struct func_ops func_##name;
#include "func/func.def"
#undef FUNC

extern const struct func_ops *const func_registry[];	/* ends with NULL */

#endif
