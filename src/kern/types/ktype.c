/*
 * ktype.c: BTF files, their index, and finding types by name.
 *
 * A file is mapped where the kernel shares it (6.16, commit a539e2a6d51d),
 * else read. One pass checks that every type lies within the file and notes
 * where it begins; names and references are checked when they are followed,
 * so a made-up file can give wrong answers but no access outside of it.
 * There is no hash of names: the strings are unique, so a name is searched as
 * text and its offset compared with those of the types, which costs less for
 * the few names that a query has than a hash of 150,000 would.
 */
#define _GNU_SOURCE	/* memmem */
#include "kern/types/ktype_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#define FILE_BYTES_MOST (256u << 20)

/* ---- reading ---- */

static bool file_read(struct ktype_file *f, int fd)
{
	size_t cap = f->bytes + 1, n = 0;
	ssize_t got = 1;

	f->data = xmalloc(cap);
	while (n < cap && got > 0) {
		got = read(fd, f->data + n, cap - n);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			n += (size_t)got;
	}
	f->bytes = n;
	return got >= 0 && n > 0;
}

static bool file_load(struct ktype_file *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool ok;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || st.st_size <= 0 || st.st_size > FILE_BYTES_MOST) {
		close(fd);
		errno = EINVAL;
		return false;
	}
	f->bytes = (size_t)st.st_size;
	f->data = mmap(NULL, f->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	f->mapped = f->data != MAP_FAILED;
	ok = f->mapped || file_read(f, fd);
	close(fd);
	return ok;
}

static void file_free(struct ktype_file *f)
{
	if (f->program)
		free((char *)f->strings);
	if (f->mapped)
		munmap(f->data, f->bytes);
	else
		free(f->data);
	free(f->offsets);
}

/* Bytes after struct btf_type: of each of a kind, and of each of its members. */
static const struct payload { uint8_t known, fixed, each; } payloads[32] = {
	[BTF_KIND_INT] = { 1, 4, 0 }, [BTF_KIND_VAR] = { 1, 4, 0 }, [BTF_KIND_DECL_TAG] = { 1, 4, 0 },
	[BTF_KIND_ARRAY] = { 1, sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { 1, 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { 1, 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { 1, 0, sizeof(struct btf_enum) },
	[BTF_KIND_ENUM64] = { 1, 0, sizeof(struct btf_enum64) },
	[BTF_KIND_FUNC_PROTO] = { 1, 0, sizeof(struct btf_param) },
	[BTF_KIND_DATASEC] = { 1, 0, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_PTR] = { 1, 0, 0 }, [BTF_KIND_FWD] = { 1, 0, 0 }, [BTF_KIND_TYPEDEF] = { 1, 0, 0 },
	[BTF_KIND_VOLATILE] = { 1, 0, 0 }, [BTF_KIND_CONST] = { 1, 0, 0 },
	[BTF_KIND_RESTRICT] = { 1, 0, 0 }, [BTF_KIND_FUNC] = { 1, 0, 0 },
	[BTF_KIND_FLOAT] = { 1, 0, 0 }, [BTF_KIND_TYPE_TAG] = { 1, 0, 0 },
};

/* -1: a kind that is not known here: what follows it can't be found then. */
static long payload_bytes(const struct btf_type *t)
{
	const struct payload *p = &payloads[KIND_OF(t)];

	return p->known ? p->fixed + VLEN_OF(t) * (long)p->each : -1;
}

const struct btf_type *ktype_next(const struct btf_type *t)
{
	return (const void *)((const uint8_t *)(t + 1) + payload_bytes(t));
}

const struct btf_type *ktype_file_at(const struct ktype_file *f, uint32_t i)
{
	const struct btf_type *t = (const void *)(f->types + f->offsets[i / KTYPE_STEP]);

	for (i %= KTYPE_STEP; i; i--)
		t = ktype_next(t);
	return t;
}

void ktype_file_index(struct ktype_file *f)
{
	uint32_t at = f->known_bytes, room = f->types_bytes / 12 / KTYPE_STEP + 1;

	if (room > f->room) {
		f->room = room;
		f->offsets = xrealloc(f->offsets, f->room * sizeof(*f->offsets));
	}
	while (f->types_bytes - at >= sizeof(struct btf_type)) {
		long more = payload_bytes((const void *)(f->types + at));

		if (more < 0 || (size_t)more > f->types_bytes - at - sizeof(struct btf_type))
			break;
		if (f->n % KTYPE_STEP == 0)
			f->offsets[f->n / KTYPE_STEP] = at;
		f->n++;
		at += (uint32_t)sizeof(struct btf_type) + (uint32_t)more;
	}
	f->known_bytes = at;
}

static bool file_parse(struct ktype_file *f)
{
	const struct btf_header *h = (const void *)f->data;
	size_t body;

	if (f->bytes < sizeof(*h) || h->magic != BTF_MAGIC || h->version != BTF_VERSION ||
	    h->hdr_len < sizeof(*h) || h->hdr_len > f->bytes || h->hdr_len % 4)
		return false;
	body = f->bytes - h->hdr_len;
	if (h->type_off > body || h->type_len > body - h->type_off || h->type_off % 4 ||
	    h->str_off > body || h->str_len > body - h->str_off || !h->str_len)
		return false;
	f->types = f->data + h->hdr_len + h->type_off;
	f->strings = (const char *)f->data + h->hdr_len + h->str_off;
	f->strings_bytes = h->str_len;
	/* a module's strings go on where those of vmlinux end: only these begin empty */
	if ((f->strings[0] && !f->strings_base) || f->strings[h->str_len - 1])
		return false;
	f->types_bytes = h->type_len;
	ktype_file_index(f);
	return true;
}

/* Adds the file as the next one; NULL with errno when it is none. */
static struct ktype_file *file_open(struct ktypes *k, const char *path, const char *module)
{
	struct ktype_file *f = arena_new(&k->arena, struct ktype_file);
	const struct ktype_file *base = k->files.n ? k->files.v[0] : NULL;

	if (!file_load(f, path))
		return NULL;
	f->module = module ? arena_strdup(&k->arena, module) : NULL;
	f->first = base ? base->first + base->n : 1;
	f->strings_base = base ? base->strings_bytes : 0;
	if (!file_parse(f) || (uint64_t)f->first + f->n > 0xffffff) {
		file_free(f);
		errno = EINVAL;
		return NULL;
	}
	vec_push(&k->arena, &k->files, f);
	return f;
}

struct ktypes *ktypes_open(const char *path, const char *module_dir, struct err *e)
{
	struct ktypes *k = xcalloc(1, sizeof(*k));
	int code;

	if (file_open(k, path, NULL)) {
		k->module_dir = module_dir ? arena_strdup(&k->arena, module_dir) : NULL;
		return k;
	}
	code = -errno;
	if (code == -EINVAL)
		err_push(e, code, "%s is no BTF that can be read", path);
	else
		err_push(e, code, "cannot read the kernel's types (BTF) from %s: %s", path,
			 strerror(-code));
	e->unable = true;
	ktypes_close(k);
	return NULL;
}

void ktypes_close(struct ktypes *k)
{
	if (!k)
		return;
	for (int i = 0; i < k->files.n; i++)
		file_free(k->files.v[i]);
	arena_fini(&k->arena);
	free(k);
}

/* ---- modules ---- */

static void module_open(struct ktypes *k, const char *name)
{
	char path[512];

	if (!strcmp(name, "vmlinux") || k->files.n >= (int)KTYPE_MADE)
		return;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", k->module_dir, name) < sizeof(path))
		file_open(k, path, name);
}

int ktype_module(struct ktypes *k, const char *name)
{
	for (int again = 0; again < 2; again++) {
		for (int i = 0; i < k->files.n; i++)
			if (!name || (k->files.v[i]->module && !strcmp(k->files.v[i]->module, name)))
				return i;
		if (k->module_dir && !strchr(name, '/'))
			module_open(k, name);
	}
	return -1;
}

static void modules_open_all(struct ktypes *k)
{
	DIR *d;

	if (k->all_modules || !k->module_dir)
		return;
	k->all_modules = true;
	d = opendir(k->module_dir);
	if (!d)
		return;
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		if (e->d_name[0] != '.')
			module_open(k, e->d_name);
	closedir(d);
}

/* ---- types by number ---- */

static const struct ktype_file *file_of(const struct ktypes *k, uint32_t ktype)
{
	uint32_t i = KTYPE_FILE(ktype);

	return i < (uint32_t)k->files.n ? k->files.v[i] : NULL;
}

const struct btf_type *ktype_raw(const struct ktypes *k, uint32_t ktype)
{
	const struct ktype_file *f = file_of(k, ktype);
	uint32_t id = KTYPE_ID(ktype);

	if (!f || id < f->first || id - f->first >= f->n)
		return NULL;
	return ktype_file_at(f, id - f->first);
}

const char *ktype_string(const struct ktypes *k, uint32_t ktype, uint32_t offset)
{
	const struct ktype_file *f = file_of(k, ktype);

	if (!f)
		return "";
	if (offset < f->strings_base)
		f = k->files.v[0];
	offset -= f->strings_base;
	return offset < f->strings_bytes ? f->strings + offset : "";
}

bool ktype_is_program(const struct ktypes *k, uint32_t ktype)
{
	uint32_t i = KTYPE_FILE(ktype);

	return i < (uint32_t)k->files.n && k->files.v[i]->program;
}

uint32_t ktype_ref(const struct ktypes *k, uint32_t from, uint32_t id)
{
	const struct ktype_file *base = k->files.v[0];

	if (id < base->first + base->n && !ktype_is_program(k, from))
		return id;
	id = KTYPE_FILE(from) << 24 | KTYPE_ID(id);
	return ktype_raw(k, id) ? id : 0;
}

uint32_t ktype_strip(struct ktypes *k, uint32_t ktype)
{
	const uint32_t skip = KIND_BIT(BTF_KIND_TYPEDEF) | KIND_BIT(BTF_KIND_CONST) |
		KIND_BIT(BTF_KIND_VOLATILE) | KIND_BIT(BTF_KIND_RESTRICT) |
		KIND_BIT(BTF_KIND_TYPE_TAG);
	const struct btf_type *t = ktype_raw(k, ktype);

	for (int i = 0; t && i < KTYPE_DEPTH && KIND_BIT(KIND_OF(t)) & skip; i++) {
		ktype = ktype_ref(k, ktype, t->type);
		t = ktype_raw(k, ktype);
	}
	return t ? ktype : 0;
}

static uint32_t program_define(struct ktypes *k, uint32_t ktype)
{
	const struct ktype_program *p = k->files.v[KTYPE_FILE(ktype)]->program;
	void **slot = map_put(&k->arena, &k->defined, &ktype, sizeof(ktype));
	const struct btf_type *t;
	uint32_t id;

	if (!*slot) {
		id = p->define(p->self, KTYPE_ID(ktype));
		id = KTYPE_FILE(ktype) << 24 | KTYPE_ID(id);
		t = ktype_raw(k, id);
		/* the same number, for all that is not a struct: there are no members */
		if (!t || !(KIND_BIT(KIND_OF(t)) & (KIND_BIT(BTF_KIND_STRUCT) | KIND_BIT(BTF_KIND_UNION))))
			id = ktype;
		*slot = (void *)(uintptr_t)id;
	}
	return (uint32_t)(uintptr_t)*slot;
}

uint32_t ktype_define(struct ktypes *k, uint32_t ktype)
{
	const struct btf_type *t;
	uint32_t full;

	ktype = ktype_strip(k, ktype);
	t = ktype_raw(k, ktype);
	if (!t || KIND_OF(t) != BTF_KIND_FWD)
		return ktype;
	if (ktype_is_program(k, ktype))
		return program_define(k, ktype);
	full = ktype_struct(k, str_of(ktype_string(k, ktype, t->name_off)));
	return full ? full : ktype;
}

/* ---- types by name ---- */

uint32_t ktype_file_string(const struct ktype_file *f, struct str name)
{
	char needle[256];
	const char *at;

	if (name.n <= 0 || (size_t)name.n + 2 > sizeof(needle) || memchr(name.p, 0, name.n))
		return 0;
	needle[0] = 0;
	memcpy(needle + 1, name.p, name.n);
	needle[name.n + 1] = 0;
	at = memmem(f->strings, f->strings_bytes, needle, name.n + 2);
	return at ? f->strings_base + (uint32_t)(at + 1 - f->strings) : 0;
}

/* Which type begins at this offset; UINT32_MAX: it is within one. */
static uint32_t type_at(const struct ktype_file *f, uint32_t offset)
{
	uint32_t low = 0, high = (f->n - 1) / KTYPE_STEP, i;
	const uint8_t *t;

	while (low < high) {
		uint32_t middle = high - (high - low) / 2;

		if (f->offsets[middle] <= offset)
			low = middle;
		else
			high = middle - 1;
	}
	i = low * KTYPE_STEP;
	for (t = f->types + f->offsets[low]; t < f->types + offset; i++)
		t = (const void *)ktype_next((const void *)t);
	return t == f->types + offset ? i : UINT32_MAX;
}

/* Looks at all words, also those that are no type's name: several times quicker than to go from
 * type to type. */
static uint32_t find_named(const struct ktype_file *f, uint32_t name_off, uint32_t kinds)
{
	const wchar_t *words = (const void *)f->types, *at = words, *end = words + f->known_bytes / 4;

	_Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "a word of BTF");
	while (name_off && (at = wmemchr(at, (wchar_t)name_off, (size_t)(end - at)))) {
		uint32_t i = type_at(f, (uint32_t)(at - words) * 4);

		if (i != UINT32_MAX && KIND_BIT(KIND_OF((const struct btf_type *)at)) & kinds)
			return i;
		at++;
	}
	return UINT32_MAX;
}

static uint32_t find_in(const struct ktypes *k, uint32_t file, struct str name, uint32_t kinds)
{
	const struct ktype_file *f = k->files.v[file];
	uint32_t i = find_named(f, ktype_file_string(f, name), kinds);

	if (i == UINT32_MAX && file && !f->program)
		i = find_named(f, ktype_file_string(k->files.v[0], name), kinds);
	return i == UINT32_MAX ? 0 : file << 24 | (f->first + i);
}

/* Answers are kept, "none" too. */
static uint32_t *found_before(struct ktypes *k, struct str name, uint32_t kinds)
{
	char key[264];
	void **slot;

	if (name.n < 0 || (size_t)name.n > sizeof(key) - sizeof(kinds))
		return NULL;
	memcpy(key, &kinds, sizeof(kinds));
	memcpy(key + sizeof(kinds), name.p, name.n);
	slot = map_put(&k->arena, &k->found, key, (int)sizeof(kinds) + name.n);
	if (!*slot) {
		*slot = arena_new(&k->arena, uint32_t);
		*(uint32_t *)*slot = UINT32_MAX;
	}
	return *slot;
}

static uint32_t find_loaded(struct ktypes *k, struct str name, uint32_t kinds)
{
	uint32_t id = 0;

	for (int i = 0; i < k->files.n && !id; i++)
		if (!k->files.v[i]->program)
			id = find_in(k, (uint32_t)i, name, kinds);
	return id;
}

uint32_t ktype_find(struct ktypes *k, struct str name, uint32_t kinds)
{
	uint32_t *known = found_before(k, name, kinds);

	if (!known)
		return 0;
	if (*known != UINT32_MAX)
		return *known;
	*known = find_loaded(k, name, kinds);
	if (!*known && !k->all_modules) {
		modules_open_all(k);
		*known = find_loaded(k, name, kinds);
	}
	return *known;
}

uint32_t ktype_struct(struct ktypes *k, struct str name)
{
	return ktype_find(k, name, KIND_BIT(BTF_KIND_STRUCT) | KIND_BIT(BTF_KIND_UNION));
}

uint32_t ktype_enum(struct ktypes *k, struct str name)
{
	return ktype_find(k, name, KIND_BIT(BTF_KIND_ENUM) | KIND_BIT(BTF_KIND_ENUM64));
}

uint32_t ktype_typedef(struct ktypes *k, struct str name)
{
	return ktype_find(k, name, KIND_BIT(BTF_KIND_TYPEDEF));
}

uint32_t ktype_function(struct ktypes *k, struct str name)
{
	return find_in(k, 0, name, KIND_BIT(BTF_KIND_FUNC));
}

/* ---- tracepoints ---- */

/* The FUNC_PROTO of a function, or 0: typedefs have the types of the parameters but not
 * their names. */
static uint32_t function_proto(struct ktypes *k, const char *prefix, struct str name)
{
	char text[256];
	uint32_t id;

	snprintf(text, sizeof(text), "%s%.*s", prefix, STR_ARG(name));
	id = find_in(k, 0, str_of(text), KIND_BIT(BTF_KIND_FUNC));
	return id ? ktype_ref(k, id, ktype_raw(k, id)->type) : 0;
}

static bool call_params(struct ktypes *k, uint32_t types, uint32_t names, struct ktype_call *c)
{
	const struct btf_type *t = ktype_raw(k, types), *n = ktype_raw(k, names);
	const struct btf_param *tp, *np = NULL;

	if (!t || KIND_OF(t) != BTF_KIND_FUNC_PROTO || !VLEN_OF(t))
		return false;
	tp = (const void *)(t + 1);
	if (n && KIND_OF(n) == BTF_KIND_FUNC_PROTO && VLEN_OF(n) == VLEN_OF(t))
		np = (const void *)(n + 1);
	c->n_params = VLEN_OF(t) - 1;
	c->params = arena_array(&k->arena, struct ktype_param, c->n_params + 1);
	for (int i = 0; i < c->n_params; i++) {
		const char *name = np ? ktype_string(k, names, np[i + 1].name_off) : "";

		c->params[i].name = *name ? name : arena_printf(&k->arena, "arg%d", i);
		c->params[i].ktype = ktype_ref(k, types, tp[i + 1].type);
	}
	return true;
}

bool ktype_tracepoint(struct ktypes *k, struct str name, struct ktype_call *call)
{
	char text[256];
	uint32_t id, ptr, proto, names;

	if (name.n > 128)
		return false;
	snprintf(text, sizeof(text), "btf_trace_%.*s", STR_ARG(name));
	id = find_in(k, 0, str_of(text), KIND_BIT(BTF_KIND_TYPEDEF));
	ptr = ktype_strip(k, id);
	if (!id || !ptr || KIND_OF(ktype_raw(k, ptr)) != BTF_KIND_PTR)
		return false;
	proto = ktype_strip(k, ktype_ref(k, ptr, ktype_raw(k, ptr)->type));
	names = function_proto(k, "__traceiter_", name);
	if (!names)
		names = function_proto(k, "__bpf_trace_", name);
	call->id = id;
	return call_params(k, proto, names, call);
}

void ktype_each_tracepoint(struct ktypes *k, void (*each)(void *arg, const char *name),
			   void *arg)
{
	static const char prefix[] = "btf_trace_";
	const struct ktype_file *f = k->files.v[0];
	const struct btf_type *t = (const void *)f->types;

	for (uint32_t i = 0; i < f->n; i++, t = ktype_next(t)) {
		const char *name;

		if (KIND_OF(t) != BTF_KIND_TYPEDEF)
			continue;
		name = ktype_string(k, 0, t->name_off);
		if (!strncmp(name, prefix, sizeof(prefix) - 1))
			each(arg, name + sizeof(prefix) - 1);
	}
}
