/*
 * Names of disks, users, groups, cgroups and kernel addresses. Each is looked up once
 * and kept; a number without a name is kept as such, up to a bound. See knames.h.
 */
#include "kern/knames.h"

#include <fcntl.h>
#include <fts.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"
#include "kern/stacks.h"

#define KEPT_MOST 100000
#define CGROUP_ROOT "/sys/fs/cgroup"

struct symbol {
	uint64_t addr;
	uint32_t name;				/* place in symbol_names */
	const char *module;			/* NULL: the kernel's own */
};

struct kind {
	struct map kept;			/* number -> name, or no_name */
	const char *(*find)(struct knames *k, uint64_t number);
};

struct knames {
	struct arena arena;
	int64_t wall_offset_ns;
	struct kind disk, user, group, cgroup, ksym;
	struct symbol *symbols;			/* by address */
	int n_symbols, symbols_room;
	struct buf symbol_names;		/* a NUL behind each */
	bool symbols_read;
	struct map modules;			/* their names, each once */
	struct stacks *stacks;
};

static const char no_name[] = "";

static const char *keep(struct knames *k, struct kind *kind, uint64_t number)
{
	const char *name = map_get(&kind->kept, &number, sizeof(number));

	if (!name) {
		name = kind->find(k, number);
		name = name ? name : no_name;
		if (kind->kept.n < KEPT_MOST)
			*map_put(&k->arena, &kind->kept, &number, sizeof(number)) = (void *)name;
	}
	return name == no_name ? NULL : name;
}

/* dev as the kernel has it inside: 12 bits major, 20 bits minor. */
static const char *find_disk(struct knames *k, uint64_t dev)
{
	char path[64], link[PATH_MAX], *slash;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", (unsigned)(dev >> 20),
		 (unsigned)(dev & 0xfffff));
	n = readlink(path, link, sizeof(link) - 1);
	if (n <= 0)
		return NULL;
	link[n] = 0;
	slash = strrchr(link, '/');
	return arena_strdup(&k->arena, slash ? slash + 1 : link);
}

static const char *find_user(struct knames *k, uint64_t uid)
{
	struct passwd *p = getpwuid((uid_t)uid);

	return p ? arena_strdup(&k->arena, p->pw_name) : NULL;
}

static const char *find_group(struct knames *k, uint64_t gid)
{
	struct group *g = getgrgid((gid_t)gid);

	return g ? arena_strdup(&k->arena, g->gr_name) : NULL;
}

/* Remembers all that there are now: one walk for many. */
static const char *find_cgroup(struct knames *k, uint64_t id)
{
	char *roots[] = { (char *)CGROUP_ROOT, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	const char *found = NULL;
	FTSENT *at;

	while (walk && (at = fts_read(walk)) && k->cgroup.kept.n < KEPT_MOST) {
		const char *below = at->fts_path + strlen(CGROUP_ROOT);
		uint64_t number;
		void **slot;

		if (at->fts_info != FTS_D)
			continue;
		number = at->fts_statp->st_ino;
		slot = map_put(&k->arena, &k->cgroup.kept, &number, sizeof(number));
		if (!*slot)
			*slot = arena_strdup(&k->arena, *below ? below : "/");
		if (number == id)
			found = *slot;
	}
	if (walk)
		fts_close(walk);
	return found;
}

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Of a line behind its name: "\t[btrfs]". */
static const char *module_name(struct knames *k, const char *p)
{
	struct str name;
	void **slot;

	p += strspn(p, "\t ");
	if (*p != '[')
		return NULL;
	name = (struct str){ p + 1, (int)strcspn(p + 1, "]\n") };
	slot = map_put_str(&k->arena, &k->modules, name);
	if (!*slot)
		*slot = arena_strndup(&k->arena, name.p, (size_t)name.n);
	return *slot;
}

/* "ffffffff81000000 T _stext": of 200,000 lines, so by hand. */
static void read_symbol(struct knames *k, const char *line)
{
	uint64_t addr = 0;
	const char *p = line;
	size_t n;

	for (; *p > ' '; p++)
		addr = addr << 4 | (((uint64_t)*p & 15) + (*p > '9' ? 9 : 0));
	if (!addr || *p != ' ' || !p[1] || !strchr("tTwW", p[1]) || p[2] != ' ')
		return;
	p += 3;
	n = strcspn(p, "\t\n ");
	if (k->n_symbols == k->symbols_room) {
		k->symbols_room = k->symbols_room ? 2 * k->symbols_room : 1 << 16;
		k->symbols = xrealloc(k->symbols, (size_t)k->symbols_room * sizeof(*k->symbols));
	}
	k->symbols[k->n_symbols++] = (struct symbol){ addr, (uint32_t)k->symbol_names.n,
						      module_name(k, p + n) };
	buf_add(&k->symbol_names, p, n);
	buf_putc(&k->symbol_names, 0);
}

static bool is_sorted(const struct knames *k)
{
	for (int i = 1; i < k->n_symbols; i++)
		if (k->symbols[i].addr < k->symbols[i - 1].addr)
			return false;
	return true;
}

void knames_read(struct knames *k, FILE *f)
{
	char line[512];

	k->symbols_read = true;
	while (f && fgets(line, sizeof(line), f))
		read_symbol(k, line);
	if (!is_sorted(k))
		qsort(k->symbols, (size_t)k->n_symbols, sizeof(*k->symbols), by_address);
}

static void read_symbols(struct knames *k)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char piece[16384];

	if (f)
		setvbuf(f, piece, _IOFBF, sizeof(piece));
	knames_read(k, f);
	if (f)
		fclose(f);
}

/* The last symbol at or before the address, or NULL. */
static const struct symbol *symbol_at(struct knames *k, uint64_t addr)
{
	int lo = 0, hi;

	if (!k->symbols_read)
		read_symbols(k);
	for (hi = k->n_symbols; lo < hi;) {
		int mid = lo + (hi - lo) / 2;

		if (k->symbols[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &k->symbols[lo - 1] : NULL;
}

static const char *find_symbol(struct knames *k, uint64_t addr)
{
	const struct symbol *s = symbol_at(k, addr);

	return !s ? NULL : arena_printf(&k->arena, "%s+%#llx", k->symbol_names.p + s->name,
					(unsigned long long)(addr - s->addr));
}

void knames_frame(struct knames *k, struct stack_frame *f, bool returns)
{
	const struct symbol *s = symbol_at(k, f->address - returns);

	if (!s)
		return;
	f->name = k->symbol_names.p + s->name;
	f->module = s->module;
	f->offset = f->address - s->addr;
}

struct knames *knames_open(int64_t wall_offset_ns)
{
	struct knames *k = xcalloc(1, sizeof(*k));

	k->wall_offset_ns = wall_offset_ns;
	k->disk.find = find_disk;
	k->user.find = find_user;
	k->group.find = find_group;
	k->cgroup.find = find_cgroup;
	k->ksym.find = find_symbol;
	return k;
}

void knames_close(struct knames *k)
{
	if (!k)
		return;
	arena_fini(&k->arena);
	buf_fini(&k->symbol_names);
	free(k->symbols);
	free(k);
}

/* ---- struct names ---- */

#define NAME_OF(kind) \
	static const char *name_##kind(void *self, uint64_t number) \
	{ \
		struct knames *k = self; \
		return keep(k, &k->kind, number); \
	}

NAME_OF(disk)
NAME_OF(user)
NAME_OF(group)
NAME_OF(cgroup)
NAME_OF(ksym)

static uint64_t wall_ns(void *self, uint64_t time_ns)
{
	return time_ns + (uint64_t)((struct knames *)self)->wall_offset_ns;
}

void knames_stacks(struct knames *k, struct stacks *s)
{
	k->stacks = s;
}

static const struct stack *name_stack(void *self, struct arena *a, const void *id, int bytes)
{
	struct knames *k = self;

	return stacks_show(k->stacks, k, a, id, bytes);
}

struct names knames_names(struct knames *k)
{
	return (struct names){
		.self = k, .disk = name_disk, .user = name_user, .group = name_group,
		.cgroup = name_cgroup, .ksym = name_ksym, .wall_ns = wall_ns,
		.stack = k->stacks ? name_stack : NULL,
	};
}
