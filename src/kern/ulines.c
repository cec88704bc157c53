/*
 * The question is an address; the answer a line for each function, innermost first:
 * the line number, a NUL, the file, a NUL, the name, a NUL; the last one has no name.
 */
#include "kern/ulines.h"
#include "kern/uchild.h"
#include "kern/udwarf.h"
#include "kern/uname.h"

#include <stdlib.h>
#include <string.h>

#define MS_MOST 20000

struct ulines {
	struct uimage debug;
	struct uchild *child;
};

/* ---- in the child ---- */

static const char *name_of(const struct libdw *l, Dwarf_Die *die)
{
	static const unsigned int kinds[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *name = l->dwarf_attr_integrate(die, kinds[i], &attribute) ?
			l->dwarf_formstring(&attribute) : NULL;

		if (name && strnlen(name, UNAME_BYTES_MOST) < UNAME_BYTES_MOST)
			return name;
	}
	return "?";
}

static void add_place(struct buf *out, int line, const char *file)
{
	buf_printf(out, "%d", line);
	buf_putc(out, 0);
	buf_puts(out, file ? file : "");
	buf_putc(out, 0);
}

/* Where the unit calls the inlined function. */
static void call_place(const struct libdw *l, Dwarf_Die *unit, Dwarf_Die *die, struct buf *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file = 0, line = 0;
	const char *path = NULL;
	Dwarf_Files *files;
	size_t n;

	if (l->dwarf_attr(die, DW_AT_call_line, &attribute))
		l->dwarf_formudata(&attribute, &line);
	if (l->dwarf_attr(die, DW_AT_call_file, &attribute) &&
	    !l->dwarf_formudata(&attribute, &file) && !l->dwarf_getsrcfiles(unit, &files, &n) && file < n)
		path = l->dwarf_filesrc(files, file, NULL, NULL);
	add_place(out, (int)line, path);
}

/* The inlined functions around the address, outermost first. */
static int inlined(const struct libdw *l, Dwarf_Die *in, uint64_t addr, Dwarf_Die *out)
{
	Dwarf_Die parent = *in, die;
	int n = 0;

	for (int depth = 0; depth < UDWARF_DEPTH_MOST && !l->dwarf_child(&parent, &die); depth++) {
		bool found = false;

		do {
			int tag = l->dwarf_tag(&die);

			found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
				l->dwarf_haspc(&die, addr) > 0;
			if (found && tag == DW_TAG_inlined_subroutine)
				out[n++] = die;
		} while (!found && !l->dwarf_siblingof(&die, &die));
		if (!found)
			break;
		parent = die;
	}
	return n;
}

static void answer(void *self, const char *question, size_t bytes, struct buf *out)
{
	struct udwarf *u = self;
	const struct libdw *l = &u->l;
	Dwarf_Die chain[UDWARF_DEPTH_MOST];
	struct urange *unit, *function;
	const char *file = NULL;
	Dwarf_Line *line;
	int number = 0;
	uint64_t addr;

	if (bytes != sizeof(addr))
		return;
	memcpy(&addr, question, sizeof(addr));
	unit = udwarf_unit(u, addr);
	if (!unit)
		return;
	line = l->dwarf_getsrc_die(&unit->die, addr);
	if (line) {
		l->dwarf_lineno(line, &number);
		file = l->dwarf_linesrc(line, NULL, NULL);
	}
	function = udwarf_function(u, unit, addr);
	add_place(out, number, file);
	for (int i = function ? inlined(l, &function->die, addr, chain) : 0; i-- > 0;) {
		buf_puts(out, name_of(l, &chain[i]));
		buf_putc(out, 0);
		call_place(l, &unit->die, &chain[i], out);
	}
	buf_putc(out, 0);
}

static void *begin(int fd, const char **why)
{
	return udwarf_open(fd, true, why);
}

/* ---- in culprit ---- */

struct ulines *ulines_open(int fd, const char *path, const char *root)
{
	static const struct uchild_work work = { begin, answer, MS_MOST };
	struct ulines *u = xcalloc(1, sizeof(*u));
	struct uimage own = { .fd = -1 };

	u->debug.fd = -1;
	if (!uimage_adopt(&own, fd) && !uimage_head(&own)) {
		uimage_sections(&own);
		fd = uimage_dwarf(&own, path, root, &u->debug);
		if (fd >= 0)
			u->child = uchild_start(&work, fd);
	}
	own.fd = -1;
	uimage_close(&own);
	if (!u->child) {
		ulines_close(u);
		return NULL;
	}
	return u;
}

void ulines_close(struct ulines *u)
{
	if (!u)
		return;
	uchild_stop(u->child);
	uimage_close(&u->debug);
	free(u);
}

/* The next text of the answer; NULL: it is cut off. */
static const char *next(const char **at, const char *end)
{
	const char *text = *at, *nul = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

int ulines_find(struct ulines *u, uint64_t addr, struct arena *a, struct uline *out, int most)
{
	struct buf answer = { 0 };
	const char *at, *end;
	int n = 0;

	if (!uchild_ask(u->child, &addr, sizeof(addr), &answer) || !answer.n) {
		buf_fini(&answer);
		return 0;
	}
	at = answer.p;
	end = at + answer.n;
	while (n < most) {
		const char *line = next(&at, end), *file = next(&at, end), *name = next(&at, end);

		if (!name)
			break;
		out[n] = (struct uline){
			.line = atoi(line), .file = *file ? arena_strdup(a, file) : NULL,
			.name = *name && n + 1 < most ? uname_shown(a, str_of(name)) : NULL,
		};
		if (!out[n++].name)
			break;
	}
	buf_fini(&answer);
	return n && (out[0].file || n > 1) ? n : 0;
}

const char *ulines_trouble(const struct ulines *u)
{
	return uchild_trouble(u->child);
}
