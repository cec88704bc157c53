/* Which files a program maps at its start: made here, with libraries that are found in each way. No privilege. */
#include "test.h"

#include "folder.h"

#include "base/buf.h"
#include "user/needed_files.h"

static void note(void *self, const char *path)
{
	const char *slash = strrchr(path, '/');

	buf_printf(self, " %s", slash ? slash + 1 : path);
}

/* The files' names, in order. */
static const char *needed(const char *name)
{
	static struct buf names;
	char path[256];

	buf_fini(&names);
	names = (struct buf){ 0 };
	snprintf(path, sizeof(path), "%s/%s", folder(), name);
	needed_files_each(path, note, &names);
	return names.n ? names.p : "";
}

static bool made(const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd %s && %s", folder(), command);
	return !system(line);
}

static bool has(const char *names, const char *name)
{
	return strstr(names, name) != NULL;
}

TEST(libraries_of_libraries)
{
	if (!made("mkdir -p in && echo 'int one(void) { return 1; }' >1.c && echo 'int one(void); int two(void) { return one(); }' >2.c && "
		  "echo 'int two(void); int main(void) { return two(); }' >3.c && "
		  "cc -shared -fPIC -o in/libone.so 1.c && cc -shared -fPIC -o in/libtwo.so 2.c -Lin -lone && "
		  "cc -o prog 3.c -Lin -ltwo -Wl,-rpath-link,in -Wl,-rpath,'$ORIGIN/in' 2>/dev/null"))
		SKIP("no compiler here");
	const char *names = needed("prog");

	CHECK(!strncmp(names, " prog ", 6));
	CHECK(has(names, " libtwo.so") && has(names, " libone.so"));
	CHECK(has(names, " ld-") || has(names, " ld."));
	CHECK(has(names, " libc.so"));
}

TEST(of_a_script_its_interpreter)
{
	CHECK(made("printf '#! /bin/sh -e\\n:\\n' >script && chmod +x script"));
	const char *names = needed("script");

	CHECK(!strncmp(names, " script sh", 10));
	CHECK(has(names, " libc."));
}

TEST(by_the_environment)
{
	CHECK(made("mkdir -p else && echo 'int one(void) { return 1; }' >1.c && cc -shared -fPIC -o else/libelse.so 1.c && "
		   "echo 'int one(void); int main(void) { return one(); }' >4.c && cc -o astray 4.c -Lelse -lelse"));
	CHECK(!has(needed("astray"), " libelse.so"));
	char path[256];

	snprintf(path, sizeof(path), "/nowhere:%s/else", folder());
	setenv("LD_LIBRARY_PATH", path, 1);
	CHECK(has(needed("astray"), " libelse.so"));
	unsetenv("LD_LIBRARY_PATH");
	snprintf(path, sizeof(path), "%s/else/libelse.so", folder());
	setenv("LD_PRELOAD", path, 1);
	CHECK(has(needed("script"), " libelse.so"));
	unsetenv("LD_PRELOAD");
}

/* Damaged ones are read as far as they go. */
TEST(damaged)
{
	CHECK_STR(needed("nothing"), "");
	CHECK(made("head -c 70 prog >short; cp prog bad; for i in $(seq 64 40 1000); do "
		   "printf '\\377\\377\\377\\377' | dd of=bad bs=1 seek=$i conv=notrunc 2>/dev/null; done"));
	CHECK(!strncmp(needed("short"), " short", 6));
	CHECK(!strncmp(needed("bad"), " bad", 4));
}
