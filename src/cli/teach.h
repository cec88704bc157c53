/*
 * teach: what `culprit help` teaches of the language. Its parts are rows of the very tables
 * that the compiler reads, so what is taught is what there is.
 */
#ifndef CLI_TEACH_H
#define CLI_TEACH_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct teach_row {
	const char *name;		/* what it is found by: "hist" */
	const char *form, *takes;	/* as it is written: "hist", "(e)" */
	const char *help;
	const char *example;		/* a query; NULL: there is none of such a thing */
};

struct teach_part {
	const char *name;		/* "aggregations" */
	const char *about;
	const char *more;		/* below its rows, or NULL */
	bool (*row)(int i, struct teach_row *r);	/* false past the end */
};

extern const struct teach_part teach_parts[];		/* ends with a NULL name */

/* The five first queries, which docs/language.md begins with, too. */
void teach_first(struct buf *b);
/* `culprit help language`. */
void teach_language(struct buf *b);
/* One part, or all rows of this name. False: there is no such thing. */
bool teach_part(struct buf *b, const char *name);
bool teach_rows(struct buf *b, const char *name);
/* "COMMAND NAME  ABOUT" in a line, if its name or text has the word. */
void teach_mention(struct buf *b, const char *command, const char *name, struct str about,
		   const char *word);
/* A line for each row that has the word in its text. */
void teach_mentions(struct buf *b, const char *word);
/* The part or row whose name is nearest, or NULL. */
const char *teach_nearest(const char *name);

#endif
