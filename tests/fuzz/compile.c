/*
 * fuzz: hostile queries against the events and types of this kernel: parser, checker
 * with members through BTF, and generator in the forms that the kernel gets. Bytes from
 * 0x80 at the end are options. Nothing is loaded, no privilege is needed; where the
 * kernel shows no types there is nothing to do.
 */
#include "kern/catalog/catalog.h"
#include "session/compile.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct catalog *catalog;

#define TABLE_ROWS 1000

static void know_event(void *arg, const char *name)
{
	struct str full = str_of(name);
	int colon = (int)strcspn(name, ":");

	(void)arg;
	catalog->ops->event(catalog->self, str_sub(full, 0, colon), str_sub(full, colon + 1, -1));
}

/* All events are looked up once, which takes seconds here: no input is to blame. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct arena arena;
	static struct features features;
	struct err e = { .arena = &arena };
	struct kernel_catalog *kernel = kernel_catalog_open(&e, &features);

	(void)argc;
	(void)argv;
	if (!kernel)
		return 0;
	catalog = kernel_catalog_catalog(kernel);
	catalog->ops->list(catalog->self, LIST_EVENTS, str_of("*"), know_event, NULL);
	return 0;
}

/* What is true for each program, whatever the query. */
static void check_image(const struct bpf_image *image)
{
	for (int i = 0; i < image->progs.n; i++) {
		const struct img_prog *p = &image->progs.v[i];

		if (p->n_insns < 2 || strlen(p->name) > 15)
			__builtin_trap();
	}
	for (int i = 0; i < image->maps.n; i++)
		if (strlen(image->maps.v[i].name) > 15)
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int64_t numbers[] = { 1, 2, 3 };
	static const int cpus[] = { 0, 5 };
	struct arena a = { 0 };
	struct buf out = { 0 };
	unsigned bits = 0;

	if (!catalog)
		return 0;
	for (; size && data[size - 1] >= 0x80; size--)
		bits = bits << 7 | (data[size - 1] & 0x7f);

	struct compile c = {
		.arena = &a, .catalog = catalog,
		.text = { "query", { (const char *)data, (int)size } },
		.options = {
			.has = { .tp_btf = !(bits & 1), .task_storage = !(bits & 2),
				 .tracefs = true },
			.pids = numbers, .n_pids = bits & 4 ? 3 : 0,
			.tids = numbers, .n_tids = bits & 8 ? 1 : 0,
			.comm_glob = bits & 16 ? "a*b?" : NULL, .uid = bits & 32 ? 1000 : -1,
			.follow = bits & 64, .self_pid = bits & 128 ? 0 : 77,
			.cgroup_id = bits & 256 ? 99 : 0, .cgroup_level = bits & 256 ? 2 : 0,
			.cpus = cpus, .n_cpus = bits & 512 ? 2 : 0,
			.pid_namespaced = bits & 1024, .interval_ns = bits & 2048 ? 1000 : 0,
			.timestamp = bits & 4096,
			.table_rows = bits & 8192 ? 1 : TABLE_ROWS, .max_open = TABLE_ROWS,
			.cpus_possible = 4,
		},
	};

	if (!compile_run(&c, 0)) {
		check_image(c.image);
		plan_print(c.plan, &out);
		image_print(c.image, &out);
	} else if (!c.diag.errors) {
		__builtin_trap();
	}
	diag_print(&c.diag, &out);
	buf_fini(&out);
	arena_fini(&a);
	return 0;
}
