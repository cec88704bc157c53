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

#include "base/map.h"
#include "base/vec.h"

#define KEPT_MOST 100000
#define CGROUP_ROOT "/sys/fs/cgroup"

struct symbol {
	uint64_t addr;
	const char *name;
};

struct kind {
	struct map kept;			/* number -> name, or no_name */
	const char *(*find)(struct knames *k, uint64_t number);
};

struct knames {
	struct arena arena;
	int64_t wall_offset_ns;
	struct kind disk, user, group, cgroup, ksym;
	VEC(struct symbol) symbols;		/* by address */
	bool symbols_read;
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

static void read_symbols(struct knames *k)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256], type;
	unsigned long long addr;

	k->symbols_read = true;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %c %255s", &addr, &type, name) != 3 || !addr ||
		    !strchr("tTwW", type))
			continue;
		*vec_add(&k->arena, &k->symbols) =
			(struct symbol){ addr, arena_strdup(&k->arena, name) };
	}
	if (f)
		fclose(f);
	if (k->symbols.n)
		qsort(k->symbols.v, (size_t)k->symbols.n, sizeof(*k->symbols.v), by_address);
}

static const char *find_symbol(struct knames *k, uint64_t addr)
{
	int lo = 0, hi;
	const struct symbol *s;

	if (!k->symbols_read)
		read_symbols(k);
	for (hi = k->symbols.n; lo < hi;) {
		int mid = lo + (hi - lo) / 2;

		if (k->symbols.v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	s = &k->symbols.v[lo - 1];
	return arena_printf(&k->arena, "%s+%#llx", s->name, (unsigned long long)(addr - s->addr));
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

struct names knames_names(struct knames *k)
{
	return (struct names){
		.self = k, .disk = name_disk, .user = name_user, .group = name_group,
		.cgroup = name_cgroup, .ksym = name_ksym, .wall_ns = wall_ns,
	};
}
