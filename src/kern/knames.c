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
#include "kern/ksyms.h"
#include "kern/stacks.h"

#define KEPT_MOST 100000
#define CGROUP_ROOT "/sys/fs/cgroup"

struct kind {
	struct map kept;			/* number -> name, or no_name */
	const char *(*find)(struct knames *k, uint64_t number);
};

struct knames {
	struct arena arena;
	const struct wall *wall;
	struct kind disk, user, group, cgroup, ksym;
	struct ksyms *ksyms;
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

static const char *find_symbol(struct knames *k, uint64_t addr)
{
	const struct ksym *s = ksyms_at(k->ksyms, addr);

	return !s ? NULL : arena_printf(&k->arena, "%s+%#llx", s->name, (unsigned long long)s->offset);
}

struct knames *knames_open(const struct wall *wall)
{
	struct knames *k = xcalloc(1, sizeof(*k));

	k->wall = wall;
	k->ksyms = ksyms_open();
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
	ksyms_close(k->ksyms);
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

static uint64_t name_time(void *self, uint64_t time_ns)
{
	return wall_ns(((struct knames *)self)->wall, time_ns);
}

void knames_stacks(struct knames *k, struct stacks *s)
{
	k->stacks = s;
	if (s)
		ksyms_ready(k->ksyms);
}

static const struct stack *name_stack(void *self, struct arena *a, const void *id, int bytes)
{
	struct knames *k = self;

	return stacks_show(k->stacks, k->ksyms, a, id, bytes);
}

struct names knames_names(struct knames *k)
{
	return (struct names){
		.self = k, .disk = name_disk, .user = name_user, .group = name_group,
		.cgroup = name_cgroup, .ksym = name_ksym, .wall_ns = name_time,
		.stack = k->stacks ? name_stack : NULL,
	};
}
