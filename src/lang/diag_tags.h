/*
 * diag_tags: the tags of diag.def as names, and the table of them.
 *
 *	diag_error(d, DIAG_NO_FIELD, loc, "no field '%.*s'", ...)
 */
#ifndef LANG_DIAG_TAGS_H
#define LANG_DIAG_TAGS_H

#define DIAG(id, tag, meaning) extern const char DIAG_##id[];
#include "lang/diag.def"
#undef DIAG

struct diag_row {
	const char *tag, *meaning;
};

extern const struct diag_row diag_rows[];	/* ends with a NULL tag */

#endif
