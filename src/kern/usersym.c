/*
 * From the addresses of a process to frames: what an offset in a file is called is found
 * once and kept.
 */
#include "kern/usersym.h"
#include "base/map.h"
#include "base/vec.h"
#include "kern/udwarf.h"
#include "kern/uname.h"
#include "kern/uspaces.h"

#include <stdlib.h>

#define KNOWN_BYTES_MOST ((size_t)64 << 20)
#define INLINED_MOST 32

static const char *const why_texts[UWHYS] = {
	[UWHY_ENDED] = "frames: the process ended before its mappings were read",
	[UWHY_ELSEWHERE] = "frames: the process is not in culprit's own PID namespace, where it has another number",
	[UWHY_REFUSED] = "frames: the mappings of the process may not be read",
	[UWHY_DROPPED] = "frames: there were too many processes to keep the mappings of all",
	[UWHY_UNMAPPED] = "frames: nothing is mapped there",
	[UWHY_NO_JIT] = "frames: code made at run time, without a perf-PID.map",
	[UWHY_BAD_JIT] = "frames: the perf-PID.map is no plain file of the process's user or of root",
	[UWHY_CUT_JIT] = "frames: the perf-PID.map has more than is kept",
	[UWHY_NOT_IN_JIT] = "frames: code made at run time that is not in the perf-PID.map",
	[UWHY_GONE] = "frames: the program's file is gone",
	[UWHY_NO_ELF] = "frames: the file is no 64-bit ELF file",
	[UWHY_UNNAMED] = "frames: the file has no name for it: it is stripped, or no function",
	[UWHY_TOO_MANY] = "frames: more files are mapped than can be kept",
	[UWHY_BAD_LINES] = "frames: the file's debug information is damaged, or too much to read",
};

/* What is known of a place in a file. */
struct known {
	bool sigreturn;
	enum uwhy why;			/* UWHYS: it has a name */
	int n;
	struct stack_frame *frames;
};

struct usersym {
	struct uspaces *spaces;
	struct arena arena;
	struct map known;
	struct map jit_names;
	bool lines, has_libdw;
	struct usersym_reason reasons[UWHYS];
};

struct usersym *usersym_open(bool lines, int64_t clock_ahead_ns)
{
	struct usersym *u = xcalloc(1, sizeof(*u));

	u->lines = lines;
	u->has_libdw = lines && udwarf_there();
	u->spaces = uspaces_open(clock_ahead_ns);
	for (int i = 0; i < UWHYS; i++)
		u->reasons[i] = (struct usersym_reason){
			.id = i == UWHY_BAD_LINES ? LOSS_NO_LINE : LOSS_NO_NAME,
			.why = why_texts[i],
		};
	return u;
}

void usersym_close(struct usersym *u)
{
	if (!u)
		return;
	uspaces_close(u->spaces);
	arena_fini(&u->arena);
	free(u);
}

const char *usersym_no_lines(const struct usersym *u)
{
	return u->lines && !u->has_libdw ?
		"--lines needs libdw.so.1, which is not on this machine" : NULL;
}

const struct usersym_reason *usersym_reason(const struct usersym *u, int i)
{
	for (int k = 0; k < UWHYS; k++)
		if (u->reasons[k].frames && !i--)
			return &u->reasons[k];
	return NULL;
}

void usersym_notice(struct usersym *u, const struct notice *n)
{
	uspaces_notice(u->spaces, n);
}

uint32_t usersym_note(struct usersym *u, uint32_t pid, uint64_t time_ns,
		      const uint64_t *addresses, int n)
{
	return uspaces_note(u->spaces, pid, time_ns, addresses, n);
}

uint32_t usersym_note_again(struct usersym *u, uint32_t space, const uint64_t *addresses, int n)
{
	return uspaces_note_again(u->spaces, space, addresses, n);
}

/* ---- names ---- */

/* An unreadable byte in a name must not get to a terminal. */
static const char *shown(struct arena *a, struct str name)
{
	char *text = (char *)uname_shown(a, name);

	for (char *p = text; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127)
			*p = '?';
	return text;
}

/* What is inlined comes before the function's own frame, which is given. */
static void add_lines(struct usersym *u, struct ufile *file, uint64_t addr, struct arena *a,
		      struct known *k)
{
	struct ulines *lines = ufiles_lines(uspaces_files(u->spaces), file);
	struct uline found[INLINED_MOST];
	int n = lines ? ulines_find(lines, addr, a, found, INLINED_MOST) : 0;
	struct stack_frame own = k->frames[0];

	if (lines && ulines_trouble(lines))
		u->reasons[UWHY_BAD_LINES].frames++;
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

static bool is_signal_frame(const struct ufile *file, const struct usymtab *table, uint64_t offset)
{
	struct usym sym;
	bool inside = usymtab_find(table, offset, &sym) && sym.name.n && sym.offset;

	return !inside && usymtab_is_sigreturn(file->fd, offset);
}

/* exact: the place itself is meant, else it is the byte before a return address. */
static void look_up(struct usersym *u, struct ufile *file, uint64_t offset, bool exact,
		    struct arena *a, struct known *k)
{
	struct usymtab *table = ufiles_table(uspaces_files(u->spaces), file);
	struct stack_frame *f = arena_new(a, struct stack_frame);
	struct usym sym;

	*k = (struct known){ .why = file->gone ? UWHY_GONE : UWHY_NO_ELF, .n = 1, .frames = f };
	*f = (struct stack_frame){ .module = file->module, .kind = FRAME_USER, .offset = offset };
	if (!table)
		return;
	k->sigreturn = !exact && is_signal_frame(file, table, offset + 1);
	k->why = UWHY_UNNAMED;
	if (!usymtab_find(table, offset + k->sigreturn, &sym))
		return;
	f->offset = (sym.name.n ? sym.offset : sym.addr) + (!exact && !k->sigreturn);
	if (sym.name.n) {
		f->name = shown(a, sym.name);
		k->why = UWHYS;
	}
	if (u->has_libdw)
		add_lines(u, file, sym.addr, a, k);
}

static const struct known *known_at(struct usersym *u, const struct umapped *m, uint64_t address,
				    bool exact, struct arena *a)
{
	struct {
		struct ufile *file;
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

static struct stack_frame *add_unknown(struct usersym *u, struct frames *f, uint64_t address,
				       enum uwhy why)
{
	struct stack_frame *x = vec_add(f->arena, &f->out);

	u->reasons[why].frames++;
	x->address = address;
	x->kind = FRAME_USER;
	return x;
}

/* The name in memory that lasts: there are many stacks and few names. */
static const char *kept(struct usersym *u, struct str name, struct arena *a)
{
	void **known;

	if (u->arena.bytes >= KNOWN_BYTES_MOST)
		return shown(a, name);
	known = map_put_str(&u->arena, &u->jit_names, name);
	if (!*known)
		*known = (void *)shown(&u->arena, name);
	return *known;
}

static void add_jit(struct usersym *u, struct uspace *s, uint64_t address, bool exact,
		    struct frames *f)
{
	uint64_t now_ns = uspaces_now_ns(u->spaces), begin;
	struct stack_frame *x;
	struct str name;
	enum uwhy why;
	struct ujit *jit = uspaces_jit(u->spaces, s, now_ns, &why);

	if (jit && !ujit_find(jit, address - !exact, now_ns, &name, &begin)) {
		why = ujit_is_cut(jit) ? UWHY_CUT_JIT : UWHY_NOT_IN_JIT;
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
static bool add_data(struct usersym *u, const struct uspace *s, uint64_t address, struct frames *f)
{
	const struct umapped *m = uspace_before(s, address);
	const struct usymtab *table = m && m->file ? ufiles_table(uspaces_files(u->spaces), m->file) : NULL;
	struct stack_frame *x;
	struct usym sym;

	if (!table || !usymtab_find_data(table, m->offset, address - m->start, &sym))
		return false;
	x = vec_add(f->arena, &f->out);
	*x = (struct stack_frame){ .name = kept(u, sym.name, f->arena), .module = m->file->module,
				   .kind = FRAME_USER, .offset = sym.offset, .address = address };
	return true;
}

/* Adds the frames of one address; true: the next one is exact, not a return address. */
static bool add_frames(struct usersym *u, struct uspace *s, uint64_t address, bool exact,
		       struct frames *f)
{
	enum uwhy why;
	const struct umapped *m = uspace_at(s, address - !exact, &why);
	const struct known *k;

	if (!m && exact && why == UWHY_UNMAPPED && add_data(u, s, address, f))
		return false;
	if (!m || !m->file) {
		if (m && m->why == UWHY_NO_JIT)
			add_jit(u, s, address, exact, f);
		else
			add_unknown(u, f, address, m ? (enum uwhy)m->why : why);
		return false;
	}
	k = known_at(u, m, address - !exact, exact, f->arena);
	if (k->why == UWHY_NO_ELF && m->why == UWHY_NO_JIT) {
		add_jit(u, s, address, exact, f);
		return false;
	}
	if (k->why != UWHYS)
		u->reasons[k->why].frames++;
	for (int i = 0; i < k->n; i++) {
		struct stack_frame *x = vec_add(f->arena, &f->out);

		*x = k->frames[i];
		x->address = address;
	}
	return k->sigreturn;
}

int usersym_reach(const struct usersym *u, uint32_t space, const uint64_t *addresses, int n)
{
	struct uspace *s = uspaces_find(u->spaces, space);
	enum uwhy why;

	while (s && n > 1 && !uspace_at(s, addresses[n - 1] - 1, &why) && why == UWHY_UNMAPPED)
		n--;
	return n;
}

struct stack_frame *usersym_resolve(struct usersym *u, uint32_t space,
				    const uint64_t *addresses, int n, struct arena *a,
				    int *n_frames)
{
	struct frames f = { .arena = a };
	struct uspace *s = uspaces_find(u->spaces, space);
	bool exact = true;

	for (int i = 0; i < n; i++) {
		if (s)
			exact = add_frames(u, s, addresses[i], exact, &f);
		else
			add_unknown(u, &f, addresses[i], UWHY_DROPPED);
	}
	*n_frames = f.out.n;
	return f.out.v;
}
