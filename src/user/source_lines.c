/*
 * The question is an address; the answer a line for each function, innermost first:
 * the line number, a NUL, the file, a NUL, the name, a NUL; the last one has no name.
 */
#include "user/source_lines.h"
#include "user/child_reader.h"
#include "user/debug_info.h"
#include "user/function_name.h"

#include <stdlib.h>
#include <string.h>

#define MS_MOST 20000

struct source_lines {
	struct elf_file debug;
	struct child_reader *child;
};

/* ---- in the child ---- */

static const char *name_of(const struct libdw *l, Dwarf_Die *die)
{
	static const unsigned int kinds[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *name = l->dwarf_attr_integrate(die, kinds[i], &attribute) ?
			l->dwarf_formstring(&attribute) : NULL;

		if (name && strnlen(name, FUNCTION_NAME_BYTES_MOST) < FUNCTION_NAME_BYTES_MOST)
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

	for (int depth = 0; depth < DEBUG_INFO_DEPTH_MOST && !l->dwarf_child(&parent, &die); depth++) {
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
	struct debug_info *u = self;
	const struct libdw *l = &u->l;
	Dwarf_Die chain[DEBUG_INFO_DEPTH_MOST];
	struct debug_range *unit, *function;
	const char *file = NULL;
	Dwarf_Line *line;
	int number = 0;
	uint64_t addr;

	if (bytes != sizeof(addr))
		return;
	memcpy(&addr, question, sizeof(addr));
	unit = debug_info_unit(u, addr);
	if (!unit)
		return;
	line = l->dwarf_getsrc_die(&unit->die, addr);
	if (line) {
		l->dwarf_lineno(line, &number);
		file = l->dwarf_linesrc(line, NULL, NULL);
	}
	function = debug_info_function(u, unit, addr);
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
	return debug_info_open(fd, true, why);
}

/* ---- in culprit ---- */

struct source_lines *source_lines_open(int fd, const char *path, const char *root)
{
	static const struct child_reader_work work = { begin, answer, MS_MOST };
	struct source_lines *u = xcalloc(1, sizeof(*u));
	struct elf_file own = { .fd = -1 };

	u->debug.fd = -1;
	if (!elf_file_adopt(&own, fd) && !elf_file_head(&own)) {
		elf_file_sections(&own);
		fd = elf_file_dwarf(&own, path, root, &u->debug);
		if (fd >= 0)
			u->child = child_reader_start(&work, fd);
	}
	own.fd = -1;
	elf_file_close(&own);
	if (!u->child) {
		source_lines_close(u);
		return NULL;
	}
	return u;
}

void source_lines_close(struct source_lines *u)
{
	if (!u)
		return;
	child_reader_stop(u->child);
	elf_file_close(&u->debug);
	free(u);
}

/* The next text of the answer; NULL: it is cut off. */
static const char *next(const char **at, const char *end)
{
	const char *text = *at, *nul = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

	*at = nul ? nul + 1 : end;
	return nul ? text : NULL;
}

int source_lines_find(struct source_lines *u, uint64_t addr, struct arena *a, struct source_line *out, int most)
{
	struct buf answer = { 0 };
	const char *at, *end;
	int n = 0;

	if (!child_reader_ask(u->child, &addr, sizeof(addr), &answer) || !answer.n) {
		buf_fini(&answer);
		return 0;
	}
	at = answer.p;
	end = at + answer.n;
	while (n < most) {
		const char *line = next(&at, end), *file = next(&at, end), *name = next(&at, end);

		if (!name)
			break;
		out[n] = (struct source_line){
			.line = atoi(line), .file = *file ? arena_strdup(a, file) : NULL,
			.name = *name && n + 1 < most ? function_name_shown(a, str_of(name)) : NULL,
		};
		if (!out[n++].name)
			break;
	}
	buf_fini(&answer);
	return n && (out[0].file || n > 1) ? n : 0;
}

const char *source_lines_trouble(const struct source_lines *u)
{
	return child_reader_trouble(u->child);
}
