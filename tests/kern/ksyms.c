/* Names of the kernel's code, as /proc/kallsyms has them. Needs privilege. test: serial */
#include <stdio.h>
#include <string.h>

#include "test.h"

#include "kern/feature.h"
#include "kern/ksyms.h"

#define EACH 500		/* of the kernel's functions one is asked for */

static struct ksyms *k;

static void open_names(void)
{
	struct features f = { 0 };
	bool can = feature_has(&f, FEATURE_CAP_BPF) && feature_has(&f, FEATURE_CAP_PERFMON);

	features_fini(&f);
	if (!can)
		SKIP("BPF is not permitted here");
	k = ksyms_open();
}

/* Is it one of the names of the address, and the module's? */
static bool is_named(FILE *f, long from, unsigned long address, const struct ksym *s)
{
	char line[512], name[256], module[64];
	unsigned long at;

	fseek(f, from, SEEK_SET);
	while (fgets(line, sizeof(line), f)) {
		int n = sscanf(line, "%lx %*c %255s [%63[^]]", &at, name, module);

		if (at == address && !strcmp(name, s->name))
			return n == 3 ? s->module && !strcmp(s->module, module) : !s->module;
		if (at != address && n > 1)
			return false;
	}
	return false;
}

TEST(names_as_kallsyms_has_them)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], kind;
	unsigned long at, before = 0;
	int lines = 0, asked = 0;

	open_names();
	REQUIRE(f);
	for (long from = 0; fgets(line, sizeof(line), f); from = ftell(f)) {
		const struct ksym *s;

		if (sscanf(line, "%lx %c", &at, &kind) != 2 || !at || strchr("tT", kind) == NULL || at == before)
			continue;
		before = at;
		if (lines++ % EACH)
			continue;
		asked++;
		s = ksyms_at(k, at);
		if (!s || s->offset || !is_named(f, from, at, s))
			TEST_FAIL("%s is %s+%#lx", line, s ? s->name : "nothing", s ? (long)s->offset : 0);
		fseek(f, from, SEEK_SET);
		if (!fgets(line, sizeof(line), f))
			break;
	}
	fclose(f);
	if (!asked)
		SKIP("kallsyms has no addresses here");
	CHECK(asked > 20);
	ksyms_close(k);
}

TEST(an_address_in_the_middle_has_an_offset)
{
	const struct ksym *s;
	uint64_t at = 0;
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512];

	open_names();
	REQUIRE(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, " T vfs_read\n"))
			at = strtoull(line, NULL, 16);
	fclose(f);
	if (!at)
		SKIP("kallsyms has no vfs_read here");
	s = ksyms_at(k, at + 9);
	REQUIRE(s);
	CHECK_STR(s->name, "vfs_read");
	CHECK_EQ(s->offset, 9);
	CHECK(!s->module);
	CHECK(ksyms_at(k, at + 9) == s);	/* asked for once */
	ksyms_close(k);
}

TEST(no_code_has_no_name)
{
	open_names();
	CHECK(!ksyms_at(k, 0));
	CHECK(!ksyms_at(k, 0x401000));
	CHECK(!ksyms_at(k, UINT64_MAX));
	ksyms_close(k);
}
