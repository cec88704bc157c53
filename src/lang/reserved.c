/* Names that no parameter of a program's function has: see catalog.h. */
#include "lang/catalog.h"

bool cat_is_reserved(struct str name)
{
	static const char *const names[] = {
#define COMMON(id, text, ...) text,
#include "lang/common.def"
#undef COMMON
		"duration", "depth",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}
