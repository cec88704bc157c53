/* The registry of the functions. To add one: func/x.c, by theme, and a row in func.def. */
#include "func/func.h"

const struct func_ops *const func_registry[] = {
#define FUNC(name) &func_##name,
#include "func/func.def"
#undef FUNC
	NULL
};
