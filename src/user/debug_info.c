/*
 * Compilation units and the functions of each are sorted by address, a unit's when one of
 * its addresses is asked for the first time: .debug_aranges is often not there, and
 * libdw's own search (dwarf_getscopes) looks at all that a unit has, each time.
 */
#include "user/debug_info.h"
#include "base/arena.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RANGES_MOST (4 << 20)
#define LIBRARY "libdw.so.1"
#define HUGE_BYTES (2u << 20)
#define HEAP_BYTES (32u << 20)		/* the most that malloc takes for a threshold */

bool debug_info_there(void)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	if (library)
		dlclose(library);
	return library;
}

static bool load(struct libdw *l)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return false;
#define LOAD(f) l->f = (__typeof__(f) *)dlsym(library, #f); if (!l->f) return false;
	LIBDW(LOAD)
#undef LOAD
	l->elf_version(EV_CURRENT);
	return true;
}

/* ---- what is where ---- */

static void add_ranges(const struct libdw *l, struct debug_ranges *r, Dwarf_Die *die, uint32_t unit)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = l->dwarf_ranges(die, at, &base, &begin, &end)) > 0 && r->n < RANGES_MOST) {
		if (begin >= end || !begin)
			continue;
		if (r->n == r->cap) {
			r->cap = r->cap ? r->cap * 2 : 64;
			r->v = xrealloc(r->v, r->cap * sizeof(*r->v));
		}
		r->v[r->n++] = (struct debug_range){ begin, end, *die, unit };
	}
}

static int by_begin(const void *a, const void *b)
{
	const struct debug_range *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static void sort(struct debug_ranges *r)
{
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_begin);
}

static struct debug_range *range_at(const struct debug_ranges *r, uint64_t addr)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->v[middle].begin <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < r->v[low - 1].end ? &r->v[low - 1] : NULL;
}

static void read_units(struct debug_info *u)
{
	const struct libdw *l = &u->l;
	Dwarf_Off at = 0, next;
	uint32_t cap = 0;
	size_t head;
	Dwarf_Die die;

	while (!l->dwarf_nextcu(u->dwarf, at, &next, &head, NULL, NULL, NULL) && u->n_units < RANGES_MOST) {
		if (l->dwarf_offdie(u->dwarf, at + head, &die)) {
			if (u->n_units == cap) {
				cap = cap ? cap * 2 : 64;
				u->units = xrealloc(u->units, cap * sizeof(*u->units));
			}
			add_ranges(l, &u->ranges, &die, u->n_units);
			u->units[u->n_units++] = (struct uunit){ .die = die };
		}
		if (next <= at)
			break;
		at = next;
	}
	sort(&u->ranges);
}

static void read_functions(const struct libdw *l, struct debug_ranges *to, Dwarf_Die *parent, uint32_t unit,
			   int depth)
{
	Dwarf_Die die;

	if (depth > DEBUG_INFO_DEPTH_MOST || l->dwarf_child(parent, &die))
		return;
	do {
		switch (l->dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			add_ranges(l, to, &die, unit);
			/* Rust and nested functions have more of them inside */
			read_functions(l, to, &die, unit, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			read_functions(l, to, &die, unit, depth + 1);
			break;
		}
	} while (!l->dwarf_siblingof(&die, &die));
}

struct debug_range *debug_info_unit(struct debug_info *u, uint64_t addr)
{
	return range_at(&u->ranges, addr);
}

struct debug_range *debug_info_function(struct debug_info *u, const struct debug_range *unit, uint64_t addr)
{
	struct uunit *known = &u->units[unit->unit];

	if (!known->read) {
		read_functions(&u->l, &known->functions, &known->die, unit->unit, 0);
		sort(&known->functions);
		known->read = true;
	}
	return range_at(&known->functions, addr);
}

/* libdw reads and unpacks every section that it knows: what nobody asks for has no bytes. */
static void leave_out(const struct libdw *l, Elf *elf, bool lines)
{
	static const char *const unread[] = {
		".debug_loclists", ".debug_loc", ".debug_aranges", ".debug_frame", ".debug_macro",
		".debug_macinfo", ".debug_pubnames", ".debug_pubtypes", ".debug_line",
	};
	size_t n = sizeof(unread) / sizeof(unread[0]) - lines, names;
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	if (l->elf_getshdrstrndx(elf, &names))
		return;
	while ((section = l->elf_nextscn(elf, section))) {
		const char *name = l->gelf_getshdr(section, &head) ?
			l->elf_strptr(elf, names, head.sh_name) : NULL;

		for (size_t i = 0; name && i < n; i++)
			if (!strcmp(name, unread[i])) {
				head.sh_type = SHT_NOBITS;
				l->gelf_update_shdr(section, &head);
			}
	}
}

/* What libdw reads and unpacks comes from huge pages, where the kernel has some: a page fault
 * each instead of 512. */
static void prepare_memory(void)
{
	char *room;

	mallopt(M_MMAP_THRESHOLD, HEAP_BYTES);
	mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
	room = malloc(HEAP_BYTES - HUGE_BYTES);
	if (room)
		madvise(room + (-(uintptr_t)room & (HUGE_BYTES - 1)), HEAP_BYTES - 2 * HUGE_BYTES,
			MADV_HUGEPAGE);
	free(room);
}

/* Read, not mapped: a file that shrinks meanwhile must not end in a signal. */
struct debug_info *debug_info_open(int fd, bool lines, const char **why)
{
	struct debug_info *u = xcalloc(1, sizeof(*u));
	Elf *elf;

	*why = "needs " LIBRARY " to be read, which is not on this machine";
	if (!load(&u->l))
		return NULL;
	prepare_memory();
	*why = "cannot be read: it is damaged";
	elf = u->l.elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		leave_out(&u->l, elf, lines);
	u->dwarf = elf ? u->l.dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	if (!u->dwarf)
		return NULL;
	read_units(u);
	return u;
}
