/*
 * From the addresses of a process to frames: what an offset in a file is called is found
 * once and kept.
 */
#include "user/address_names.h"
#include "base/map.h"
#include "base/vec.h"
#include "user/address_spaces.h"
#include "user/debug_info.h"
#include "user/function_name.h"

#include <stdlib.h>

#define KNOWN_BYTES_MOST ((size_t)64 << 20)
#define INLINED_MOST 32

static const char *const why_texts[UNNAMED_WHYS] = {
	[UNNAMED_ENDED] = "frames: the process ended before its mappings were read",
	[UNNAMED_ELSEWHERE] = "frames: the process is not in culprit's own PID namespace, where it has another number",
	[UNNAMED_REFUSED] = "frames: the mappings of the process may not be read",
	[UNNAMED_DROPPED] = "frames: there were too many processes to keep the mappings of all",
	[UNNAMED_UNMAPPED] = "frames: nothing is mapped there",
	[UNNAMED_NO_JIT] = "frames: code made at run time, without a perf-PID.map",
	[UNNAMED_BAD_JIT] = "frames: the perf-PID.map is no plain file of the process's user or of root",
	[UNNAMED_CUT_JIT] = "frames: the perf-PID.map has more than is kept",
	[UNNAMED_NOT_IN_JIT] = "frames: code made at run time that is not in the perf-PID.map",
	[UNNAMED_GONE] = "frames: the program's file is gone",
	[UNNAMED_NO_ELF] = "frames: the file is no 64-bit ELF file",
	[UNNAMED_NO_SYMBOL] = "frames: the file has no name for it: it is stripped, or no function",
	[UNNAMED_TOO_MANY] = "frames: more files are mapped than can be kept",
	[UNNAMED_BAD_LINES] = "frames: the file's debug information is damaged, or too much to read",
};

/* What is known of a place in a file. */
struct known {
	bool sigreturn;
	enum unnamed_why why;		/* UNNAMED_WHYS: it has a name */
	int n;
	struct stack_frame *frames;
};

struct address_names {
	struct address_spaces *spaces;
	struct arena arena;
	struct map known;
	struct map jit_names;
	bool lines, has_libdw;
	struct address_names_reason reasons[UNNAMED_WHYS];
};

struct address_names *address_names_open(bool lines, int64_t clock_ahead_ns)
{
	struct address_names *u = xcalloc(1, sizeof(*u));

	u->lines = lines;
	u->has_libdw = lines && debug_info_there();
	u->spaces = address_spaces_open(clock_ahead_ns);
	for (int i = 0; i < UNNAMED_WHYS; i++)
		u->reasons[i] = (struct address_names_reason){
			.id = i == UNNAMED_BAD_LINES ? LOSS_NO_LINE : LOSS_NO_NAME,
			.why = why_texts[i],
		};
	return u;
}

void address_names_close(struct address_names *u)
{
	if (!u)
		return;
	address_spaces_close(u->spaces);
	arena_fini(&u->arena);
	free(u);
}

const char *address_names_no_lines(const struct address_names *u)
{
	return u->lines && !u->has_libdw ?
		"--lines needs libdw.so.1, which is not on this machine" : NULL;
}

const struct address_names_reason *address_names_reason(const struct address_names *u, int i)
{
	for (int k = 0; k < UNNAMED_WHYS; k++)
		if (u->reasons[k].frames && !i--)
			return &u->reasons[k];
	return NULL;
}

void address_names_notice(struct address_names *u, const struct notice *n)
{
	address_spaces_notice(u->spaces, n);
}

uint32_t address_names_note(struct address_names *u, uint32_t pid, uint64_t time_ns,
			    const uint64_t *addresses, int n)
{
	return address_spaces_note(u->spaces, pid, time_ns, addresses, n);
}

uint32_t address_names_note_again(struct address_names *u, uint32_t space, const uint64_t *addresses, int n)
{
	return address_spaces_note_again(u->spaces, space, addresses, n);
}

/* ---- names ---- */

/* An unreadable byte in a name must not get to a terminal. */
static const char *shown(struct arena *a, struct str name)
{
	char *text = (char *)function_name_shown(a, name);

	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127)
			*p = '?';
	return text;
}

/* What is inlined comes before the function's own frame, which is given. */
static void add_lines(struct address_names *u, struct mapped_file *file, uint64_t addr, struct arena *a,
		      struct known *k)
{
	struct source_lines *lines = mapped_files_lines(address_spaces_files(u->spaces), file);
	struct source_line found[INLINED_MOST];
	int n = lines ? source_lines_find(lines, addr, a, found, INLINED_MOST) : 0;
	struct stack_frame own = k->frames[0];

	if (lines && source_lines_trouble(lines))
		u->reasons[UNNAMED_BAD_LINES].frames++;
	if (!n)
		return;
	k->n = n;
	k->frames = arena_array(a, struct stack_frame, n);
	for (int i = 0; i < n; i++) {
		struct stack_frame *f = &k->frames[i];

		*f = own;
		f->file = found[i].file;
		f->line = found[i].line;
		if (i + 1 < n) {
			f->name = found[i].name;
			f->kind = FRAME_INLINED;
			f->offset = 0;
		}
	}
}

static bool is_signal_frame(const struct mapped_file *file, const struct symbol_table *table, uint64_t offset)
{
	struct elf_symbol sym;
	bool inside = symbol_table_find(table, offset, &sym) && sym.name.n && sym.offset;

	return !inside && symbol_table_is_sigreturn(file->fd, offset);
}

/* exact: the place itself is meant, else it is the byte before a return address. */
static void look_up(struct address_names *u, struct mapped_file *file, uint64_t offset, bool exact,
		    struct arena *a, struct known *k)
{
	struct symbol_table *table = mapped_files_table(address_spaces_files(u->spaces), file);
	struct stack_frame *f = arena_new(a, struct stack_frame);
	struct elf_symbol sym;

	*k = (struct known){ .why = file->gone ? UNNAMED_GONE : UNNAMED_NO_ELF, .n = 1, .frames = f };
	*f = (struct stack_frame){ .module = file->module, .kind = FRAME_USER, .offset = offset };
	if (!table)
		return;
	k->sigreturn = !exact && is_signal_frame(file, table, offset + 1);
	k->why = UNNAMED_NO_SYMBOL;
	if (!symbol_table_find(table, offset + k->sigreturn, &sym))
		return;
	f->offset = (sym.name.n ? sym.offset : sym.addr) + (!exact && !k->sigreturn);
	if (sym.name.n) {
		f->name = shown(a, sym.name);
		k->why = UNNAMED_WHYS;
	}
	if (u->has_libdw)
		add_lines(u, file, sym.addr, a, k);
}

static const struct known *known_at(struct address_names *u, const struct mapping *m, uint64_t address,
				    bool exact, struct arena *a)
{
	struct {
		struct mapped_file *file;
		uint64_t offset;
		uint64_t exact;
	} key = { m->file, address - m->start + m->offset, exact };
	struct known *k = map_get(&u->known, &key, sizeof(key));

	if (k)
		return k;
	if (u->arena.bytes < KNOWN_BYTES_MOST) {
		a = &u->arena;
		k = arena_new(a, struct known);
		*map_put(a, &u->known, &key, sizeof(key)) = k;
	} else {
		k = arena_new(a, struct known);
	}
	look_up(u, m->file, key.offset, exact, a, k);
	return k;
}

struct frames {
	struct arena *arena;
	VEC(struct stack_frame) out;
};

static struct stack_frame *add_unknown(struct address_names *u, struct frames *f, uint64_t address,
				       enum unnamed_why why)
{
	struct stack_frame *x = vec_add(f->arena, &f->out);

	u->reasons[why].frames++;
	x->address = address;
	x->kind = FRAME_USER;
	return x;
}

/* The name in memory that lasts: there are many stacks and few names. */
static const char *kept(struct address_names *u, struct str name, struct arena *a)
{
	void **known;

	if (u->arena.bytes >= KNOWN_BYTES_MOST)
		return shown(a, name);
	known = map_put_str(&u->arena, &u->jit_names, name);
	if (!*known)
		*known = (void *)shown(&u->arena, name);
	return *known;
}

static void add_jit(struct address_names *u, struct address_space *s, uint64_t address, bool exact,
		    struct frames *f)
{
	uint64_t now_ns = address_spaces_now_ns(u->spaces), begin;
	struct stack_frame *x;
	struct str name;
	enum unnamed_why why;
	struct perf_map *jit = address_spaces_jit(u->spaces, s, now_ns, &why);

	if (jit && !perf_map_find(jit, address - !exact, now_ns, &name, &begin)) {
		why = perf_map_is_cut(jit) ? UNNAMED_CUT_JIT : UNNAMED_NOT_IN_JIT;
		jit = NULL;
	}
	if (!jit) {
		add_unknown(u, f, address, why)->kind = FRAME_JIT;
	} else {
		x = vec_add(f->arena, &f->out);
		x->name = kept(u, name, f->arena);
		x->address = address;
		x->offset = address - begin;
		x->kind = FRAME_JIT;
	}
}

/* A variable: an object's data is mapped behind its code, with nothing of others between. */
static bool add_data(struct address_names *u, const struct address_space *s, uint64_t address, struct frames *f)
{
	const struct mapping *m = address_space_before(s, address);
	const struct symbol_table *table =
		m && m->file ? mapped_files_table(address_spaces_files(u->spaces), m->file) : NULL;
	struct stack_frame *x;
	struct elf_symbol sym;

	if (!table || !symbol_table_find_data(table, m->offset, address - m->start, &sym))
		return false;
	x = vec_add(f->arena, &f->out);
	*x = (struct stack_frame){ .name = kept(u, sym.name, f->arena), .module = m->file->module,
				   .kind = FRAME_USER, .offset = sym.offset, .address = address };
	return true;
}

/* Adds the frames of one address; true: the next one is exact, not a return address. */
static bool add_frames(struct address_names *u, struct address_space *s, uint64_t address, bool exact,
		       struct frames *f)
{
	enum unnamed_why why;
	const struct mapping *m = address_space_at(s, address - !exact, &why);
	const struct known *k;

	if (!m && exact && why == UNNAMED_UNMAPPED && add_data(u, s, address, f))
		return false;
	if (!m || !m->file) {
		if (m && m->why == UNNAMED_NO_JIT)
			add_jit(u, s, address, exact, f);
		else
			add_unknown(u, f, address, m ? (enum unnamed_why)m->why : why);
		return false;
	}
	k = known_at(u, m, address - !exact, exact, f->arena);
	if (k->why == UNNAMED_NO_ELF && m->why == UNNAMED_NO_JIT) {
		add_jit(u, s, address, exact, f);
		return false;
	}
	if (k->why != UNNAMED_WHYS)
		u->reasons[k->why].frames++;
	for (int i = 0; i < k->n; i++) {
		struct stack_frame *x = vec_add(f->arena, &f->out);

		*x = k->frames[i];
		x->address = address;
	}
	return k->sigreturn;
}

int address_names_reach(const struct address_names *u, uint32_t space, const uint64_t *addresses, int n)
{
	struct address_space *s = address_spaces_find(u->spaces, space);
	enum unnamed_why why;

	while (s && n > 1 && !address_space_at(s, addresses[n - 1] - 1, &why) && why == UNNAMED_UNMAPPED)
		n--;
	return n;
}

struct stack_frame *address_names_resolve(struct address_names *u, uint32_t space,
					  const uint64_t *addresses, int n, struct arena *a,
					  int *n_frames)
{
	struct frames f = { .arena = a };
	struct address_space *s = address_spaces_find(u->spaces, space);
	bool exact = true;

	for (int i = 0; i < n; i++) {
		if (s)
			exact = add_frames(u, s, addresses[i], exact, &f);
		else
			add_unknown(u, &f, addresses[i], UNNAMED_DROPPED);
	}
	*n_frames = f.out.n;
	return f.out.v;
}
