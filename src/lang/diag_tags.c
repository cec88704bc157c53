/* The tags of a query's mistakes. A new one is a row of diag.def. */
#include "lang/diag_tags.h"

#include <stddef.h>

#define DIAG(id, tag, meaning) const char DIAG_##id[] = tag;
#include "lang/diag.def"
#undef DIAG

const struct diag_row diag_rows[] = {
#define DIAG(id, tag, meaning) { tag, meaning },
#include "lang/diag.def"
#undef DIAG
	{ NULL, NULL }
};
