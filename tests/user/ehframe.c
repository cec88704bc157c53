/*
 * Frames out of .eh_frame: every row of libc's against what readelf says of it, all kinds
 * of rules, damaged files; then the tables of this process. No privilege.
 */
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "test.h"

#include "base/arena.h"
#include "kern/live/unwind.h"
#include "kern/live/unwind_tables.h"
#include "user/ehframe.h"

static bool read_file(const char *path, struct ehframe *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && ehframe_read(fd, f);

	if (fd >= 0)
		close(fd);
	return good;
}

static char libc_path[4096];
static uint64_t libc_base;

static int find_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (strstr(info->dlpi_name, "/libc.so")) {
		snprintf(libc_path, sizeof(libc_path), "%s", info->dlpi_name);
		libc_base = info->dlpi_addr;
	}
	return 0;
}

/* readelf's columns: "rsp+16" and "c-16" "u" "exp" or NULL; what is expected of them. */
static uint32_t rule_of(const char *cfa, const char *bp, const char *ra)
{
	unsigned offset = cfa[0] == 'r' && cfa[1] && cfa[2] ? (unsigned)atoi(cfa + 4) : 0;
	unsigned words = bp && bp[0] == 'c' ? (unsigned)-atoi(bp + 1) / 8 : 0;

	if (!strcmp(ra, "u"))
		return unwind_rule(UNWIND_END, 0, 0);
	if (strcmp(ra, "c-8") || (bp && bp[0] != 'c' && bp[0] != 'u' && bp[0] != 's'))
		return unwind_rule(UNWIND_NONE, 0, 0);
	if (!strncmp(cfa, "rsp", 3))
		return unwind_rule(UNWIND_SP, offset, words);
	if (!strncmp(cfa, "rbp", 3))
		return unwind_rule(UNWIND_BP, offset, words);
	return unwind_rule(UNWIND_NONE, 0, 0);
}

struct columns {
	int bp, ra;			/* number of the column, -1: none */
};

static struct columns columns_of(char *line)
{
	struct columns c = { -1, -1 };
	char *save;
	int n = 0;

	for (char *p = strtok_r(line, " \n", &save); p; p = strtok_r(NULL, " \n", &save), n++) {
		if (!strcmp(p, "rbp"))
			c.bp = n;
		else if (!strcmp(p, "ra"))
			c.ra = n;
	}
	return c;
}

TEST(as_readelf_says)
{
	char command[4200], line[512], *save;
	struct columns c = { -1, -1 };
	struct ehframe f;
	int rows = 0, other = 0;
	bool in_cie = false;
	FILE *p;

	dl_iterate_phdr(find_libc, NULL);
	if (!libc_path[0] || !read_file(libc_path, &f))
		SKIP("no libc.so of x86-64 here");
	snprintf(command, sizeof(command), "readelf --debug-dump=frames-interp %s", libc_path);
	p = popen(command, "r");
	REQUIRE(p);
	while (fgets(line, sizeof(line), p)) {
		char *word[20] = { 0 };
		uint32_t want;
		int n = 0;

		if (strstr(line, " CIE ") || strstr(line, " FDE "))
			in_cie = strstr(line, " CIE ") != NULL;
		if (strstr(line, "LOC")) {
			c = columns_of(line);
			continue;
		}
		if (in_cie || strstr(line, "FDE") || line[0] != '0')
			continue;
		for (char *w = strtok_r(line, " \n", &save); w && n < 20;
		     w = strtok_r(NULL, " \n", &save))
			if (w[0] != '(')	/* "r10 (r10)" */
				word[n++] = w;
		if (c.ra < 0 || n <= c.ra || n <= c.bp)
			continue;
		/* expressions: another test has their kinds */
		if (!strcmp(word[1], "exp")) {
			other++;
			continue;
		}
		want = rule_of(word[1], c.bp < 0 ? NULL : word[c.bp], word[c.ra]);
		rows++;
		if (ehframe_rule(&f, strtoull(word[0], NULL, 16)) != want)
			TEST_FAIL("%s: %#x, readelf: %#x (%s)", word[0],
				  ehframe_rule(&f, strtoull(word[0], NULL, 16)), want, word[1]);
	}
	pclose(p);
	printf("# %d rows, %d expressions\n", rows, other);
	CHECK(rows > 10000);
	ehframe_free(&f);
}

#define KINDS "tests/fuzz/corpus/ehframe/kinds"

TEST(kinds_of_rules)
{
	static const uint32_t want[] = {
		UNWIND_SP, UNWIND_SP, UNWIND_BP, UNWIND_AT_BP, UNWIND_BP, UNWIND_SP,
		UNWIND_SIGNAL, UNWIND_PLT, UNWIND_END, UNWIND_NONE,
	};
	struct ehframe f;

	REQUIRE(read_file(KINDS, &f));
	REQUIRE(f.n == sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < f.n; i++)
		CHECK_EQ(f.rows[i].rule & ((1u << UNWIND_KIND_BITS) - 1), want[i]);
	CHECK_EQ(f.rows[1].rule, unwind_rule(UNWIND_SP, 16, 2));
	CHECK_EQ(f.rows[3].rule, unwind_rule(UNWIND_AT_BP, 8, UNWIND_BP_AT_BP));
	CHECK_EQ(f.rows[7].rule, unwind_rule(UNWIND_PLT, 11 * 8, 0));
	ehframe_free(&f);
}

/* Each byte of it changed, and the file cut at each: nothing but another answer. */
TEST(damaged)
{
	static uint8_t image[65536], copy[65536];
	int fd = open(KINDS, O_RDONLY | O_CLOEXEC);
	ssize_t bytes = fd < 0 ? -1 : read(fd, image, sizeof(image));
	struct ehframe f;

	REQUIRE(bytes > 0);
	close(fd);
	for (ssize_t i = 0; i < bytes; i++) {
		memcpy(copy, image, (size_t)bytes);
		copy[i] ^= (uint8_t)(1 + i * 37 % 255);
		if (ehframe_read_memory(copy, (size_t)bytes, &f))
			ehframe_free(&f);
		if (ehframe_read_memory(image, (size_t)i, &f))
			ehframe_free(&f);
	}
}

static char maps[1 << 20];

/* The rule at an address as the walker finds it. */
static uint32_t walk_rule(const struct unwind_tables *t, const struct unwind_process *p, uint64_t at)
{
	for (uint64_t i = 0; i < p->n; i++) {
		const struct unwind_range *r = &p->ranges[i];

		if (at >= p->begins[i] && at - r->base < r->bytes)
			return unwind_tables_rule(t, r, at - r->base);
	}
	return unwind_rule(UNWIND_NONE, 0, 0);
}

TEST(tables_of_this_process)
{
	struct unwind_process *p = xcalloc(1, sizeof(*p));
	struct unwind_tables *t = unwind_tables_open(-1, -1, -1);
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;
	struct ehframe f;

	dl_iterate_phdr(find_libc, NULL);
	if (!libc_path[0] || !read_file(libc_path, &f))
		SKIP("no libc.so of x86-64 here");
	while ((got = read(fd, maps + n, sizeof(maps) - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	CHECK_EQ(unwind_ranges(t, maps, "/proc/self", 99, p), 0);
	for (uint64_t i = 1; i < p->n; i++)
		CHECK(p->begins[i] >= p->ranges[i - 1].base + p->ranges[i - 1].bytes);
	for (size_t i = 0; i < f.n; i++)
		CHECK_EQ(walk_rule(t, p, libc_base + f.rows[i].address), f.rows[i].rule);
	for (uint64_t at = f.rows[0].address; at < f.rows[f.n - 1].address; at += 61)
		CHECK_EQ(walk_rule(t, p, libc_base + at), ehframe_rule(&f, at));
	/* once more: the same rows */
	n = (size_t)unwind_tables_bytes(t);
	CHECK_EQ(unwind_ranges(t, maps, "/proc/self", 99, p), 0);
	CHECK_EQ(unwind_tables_bytes(t), n);
	CHECK_EQ(unwind_tables_dropped(t), 0);
	ehframe_free(&f);
	unwind_tables_close(t);
	free(p);
}

/* More mappings than a process has room for: files are below TMP/root. */
TEST(too_many_mappings)
{
	struct unwind_process *p = xcalloc(1, sizeof(*p));
	struct unwind_tables *t = unwind_tables_open(-1, -1, -1);
	char folder[] = "/tmp/ehframe.XXXXXX", path[64], here[4096];
	size_t at = 0;

	REQUIRE(mkdtemp(folder) && getcwd(here, sizeof(here)));
	snprintf(path, sizeof(path), "%s/root", folder);
	REQUIRE(!symlink(here, path));
	for (unsigned i = 0; i < UNWIND_RANGES_MOST + 44; i++)
		at += (size_t)snprintf(maps + at, sizeof(maps) - at,
				       "%x000-%x000 r-xp 00000000 fe:01 7 /" KINDS "\n",
				       0x1000 + i, 0x1001 + i);
	CHECK_EQ(unwind_ranges(t, maps, folder, 99, p), 44);
	CHECK_EQ(p->n, UNWIND_RANGES_MOST);
	CHECK_EQ(unwind_ranges(t, maps, "/nowhere", 99, p), 0);
	CHECK_EQ(p->n, 0);
	unlink(path);
	rmdir(folder);
	unwind_tables_close(t);
	free(p);
}
