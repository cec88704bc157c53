/*
 * format: how a value of each type is shown. Shared by all views; pure
 * functions that append to a buf. To add a type write a row in format.c.
 *
 * Texts and names come from anybody. What a function appends is harmless on a terminal
 * only where its declaration says "escaped".
 */
#ifndef VIEW_FORMAT_H
#define VIEW_FORMAT_H

#include "base/buf.h"
#include "base/str.h"
#include "table/names.h"
#include "table/table.h"

/* Which of a type's forms. None is "-" in every one but RAW, where it is "". */
enum form {
	FORM_ADAPTED,	/* for people: "1.2 ms", "4 KiB" */
	FORM_UNIT,	/* a plain number in the unit of the header: 1234.567 */
	FORM_RAW,	/* for programs: ns, bytes, ns since the epoch; names as names */
};

/* The first key of the row of all that found no room in its table. */
#define FORMAT_OTHER "(other)"
#define FORMAT_OTHER_BYTES 7

/* Escaped by escape_text but in FORM_RAW; so is the ( of a text that is FORMAT_OTHER.
 * FORM_RAW is as it came: the view escapes it for its own syntax. */
void format_cell(struct buf *b, enum form form, const struct type *t, const struct cell *c,
		 const struct names *names);
/* FORM_RAW is a number as JSON writes one (else it is a text). */
bool format_is_number(const struct type *t, const struct cell *c);
bool format_is_numeric(const struct type *t);	/* that of its integers is */

/* The unit of FORM_UNIT, "us", or NULL. */
const char *format_unit(const struct type *t);
/* The unit of FORM_RAW where it is not evident, "ns", or NULL. */
const char *format_raw_unit(const struct type *t);
bool format_is_right(const struct type *t);	/* a column of them is aligned to the right */
bool format_is_block(const struct type *t);	/* it is shown as lines of its own, if there is room */
/* How wide a column of rows that stream is, before any is known. */
int format_width(const struct type *t);

/* Digits, a unit: nothing to escape. "1.2 ms"; "4 KiB" */
void format_duration(struct buf *b, double ns);
void format_size(struct buf *b, double bytes);
void format_real(struct buf *b, double x);
/* HH:MM:SS, local time; with .mmm */
void format_time(struct buf *b, uint64_t wall_ns, bool milliseconds);
uint64_t format_wall_ns(const struct names *names, uint64_t time_ns);

/* ---- words with names, not escaped: format_flags.c ---- */

void format_errno(struct buf *b, int64_t value);
void format_signal(struct buf *b, int64_t value);
void format_flags(struct buf *b, const struct enum_desc *en, uint64_t value);
/* A disk request's: "ReadAhead-Metadata-Read", as bcc's biolatency -F, the
 * higher bit first. en has operations by number and flags by mask, or by bit if
 * a name begins with `__`, under the kernel's names or as they are to be shown;
 * without it only the operation is known. */
void format_request(struct buf *b, const struct enum_desc *en, uint64_t value);

/* ---- text: escape.c ---- */

/*
 * Makes text of anybody harmless for a terminal: control characters, what is not
 * UTF-8 and what changes the direction of writing become \n, \t or \xNN; a backslash
 * is doubled.
 */
void escape_text(struct buf *b, const char *p, int n);
/* For a file of text: as escape_text, but tab, CR, LF and the backslash stay. */
void escape_file(struct buf *b, const char *p, int n);
/* For a field of CSV: what escape_file changes becomes U+EFNN, byte by byte, and so does each
 * byte of such a character and the ( of a text `(other)`: different texts stay different. */
void escape_csv(struct buf *b, const char *p, int n);
/* What stands in a JSON string, without the quotes. A byte 0xNN that is not UTF-8
 * becomes U+EFNN, and so does each byte of such a character. */
void escape_json(struct buf *b, const char *p, int n);
/* For Markdown: text that escape_text made harmless, as it is or as code: nothing in it is markup, or
 * ends a table's cell. */
void escape_markdown(struct buf *b, const char *p, int n);
/* For a label of Prometheus, or its line of help, which has no quotes: as escape_csv, but tab and CR, too;
 * then \\ \n and, quoted, \". */
void escape_prometheus(struct buf *b, const char *p, int n, bool quoted);
/* The first bytes of text that take at most `columns` on a terminal, never part
 * of a character. */
int text_fit(const char *p, int n, int columns);
int text_columns(const char *p, int n);

/* ---- print "FORMAT": printf.c ---- */

/*
 * C's conversions d i u x X o c p f e g s and %%, with flags, width and precision
 * (no `*`), l and h ignored. NULL, or what is wrong with it for these columns.
 * columns NULL: the conversions alone are checked. Stacks behind the others need none.
 */
const char *format_check(struct arena *a, struct str format, const struct column *columns, int n);
/* Values are escaped, the format's own text is not. Returns how many columns it has shown. */
int format_row(struct buf *b, struct str format, const struct column *columns, int n,
	       const struct cell *cells, const struct names *names);

#endif
