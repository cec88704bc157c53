/*
 * Names of addresses in user space: of this process, of one that has ended, of one that
 * became another program. No privilege.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#include "kern/live/notices.h"
#include "user/address_names.h"
#include "user/perf_map.h"

static struct stack_frame one(struct address_names *u, uint32_t space, uint64_t address, struct arena *a)
{
	int n;
	struct stack_frame *f = address_names_resolve(u, space, &address, 1, a, &n);

	return n == 1 ? f[0] : (struct stack_frame){ .name = "not one frame" };
}

__attribute__((noinline)) static int named_function(int x)
{
	return x + (int)getpid();
}

#define HERE ((uint64_t)(uintptr_t)named_function)

TEST(address_names_names_this_process)
{
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	uint64_t addresses[] = { HERE, HERE + 4, (uint64_t)(uintptr_t)getpid + 1, 1 };
	uint32_t space = address_names_note(u, (uint32_t)getpid(), 0, addresses, 3);
	struct stack_frame *f;
	int n;

	CHECK(space != 0);
	CHECK_EQ(address_names_note(u, (uint32_t)getpid(), 0, addresses, 3), space);
	f = address_names_resolve(u, space, addresses, 4, &a, &n);
	REQUIRE(n == 4);
	CHECK_STR(f[0].name, "named_function");
	CHECK_EQ(f[0].offset, 0);
	CHECK_STR(f[0].module, "address_names");
	CHECK_STR(f[1].name, "named_function");
	CHECK_EQ(f[1].offset, 4);
	CHECK_EQ(f[1].address, HERE + 4);
	CHECK_STR(f[2].module, "libc.so.6");
	CHECK(f[2].name != NULL);
	CHECK(!f[3].name && !f[3].module);
	REQUIRE(address_names_reason(u, 0));
	CHECK_EQ(address_names_reason(u, 0)->frames, 1);
	CHECK(!address_names_reason(u, 1));
	address_names_close(u);
	arena_fini(&a);
}

/* A child whose code is where ours is. It waits until the pipe is closed. */
static pid_t child(int *release)
{
	int ends[2];
	pid_t pid;
	char c;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		(void)!read(ends[0], &c, 1);
		_exit(0);
	}
	close(ends[0]);
	*release = ends[1];
	return pid;
}

TEST(address_names_names_what_has_ended)
{
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	uint64_t address = HERE;
	uint32_t noted, late;
	int release;
	pid_t pid = child(&release);

	REQUIRE(pid > 0);
	noted = address_names_note(u, (uint32_t)pid, 0, &address, 1);
	close(release);
	waitpid(pid, NULL, 0);
	CHECK_STR(one(u, noted, HERE, &a).name, "named_function");
	pid = child(&release);
	close(release);
	waitpid(pid, NULL, 0);
	late = address_names_note(u, (uint32_t)pid, 0, &address, 1);
	CHECK(late != noted);
	CHECK(!one(u, late, HERE, &a).name);
	REQUIRE(address_names_reason(u, 0));
	CHECK_STR(address_names_reason(u, 0)->why, "frames: the process ended before its mappings were read");
	address_names_close(u);
	arena_fini(&a);
}

/* ---- what was told of a process that is gone ---- */

#define GONE 4194300u			/* no process has such a number */

static uint64_t code_base, code_offset, code_end;	/* this program's code */
static char code_path[4096], code_dev[32];
static uint64_t code_inode;

static struct notice told(enum notice_kind kind, uint32_t pid, uint64_t time_ns)
{
	return (struct notice){ .kind = kind, .pid = pid, .time_ns = time_ns };
}

/* This program's code, mapped at `start` in the process. */
static struct notice mapped(uint32_t pid, uint64_t time_ns, uint64_t start)
{
	struct notice n = told(NOTICE_MAP, pid, time_ns);

	n.map = (struct maps_line){ .start = start, .end = start + (code_end - code_base),
				     .offset = code_offset, .inode = code_inode,
				     .executable = true, .path = code_path };
	REQUIRE(sscanf(code_dev, "%x:%x", &n.map.dev_major, &n.map.dev_minor) == 2);
	return n;
}

static void find_own_code(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[5000], perms[5];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %4s %lx %31s %lu %4095s", &code_base, &code_end, perms,
			   &code_offset, code_dev, &code_inode, code_path) == 7 &&
		    code_base <= HERE && HERE < code_end)
			break;
	REQUIRE(f && code_base <= HERE && HERE < code_end);
	fclose(f);
}

TEST(address_names_knows_what_it_was_told)
{
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	uint32_t first, second, child;
	struct notice n;

	find_own_code();
	n = told(NOTICE_EXEC, GONE, 100);
	address_names_notice(u, &n);
	n = mapped(GONE, 110, 0x10000);
	address_names_notice(u, &n);
	n = told(NOTICE_FORK, GONE + 1, 120);
	n.parent = GONE;
	address_names_notice(u, &n);
	n = told(NOTICE_EXEC, GONE, 200);
	address_names_notice(u, &n);
	n = mapped(GONE, 210, 0x9000000);
	address_names_notice(u, &n);
	/* by the time of the stack, whatever came since */
	first = address_names_note(u, GONE, 150, NULL, 0);
	second = address_names_note(u, GONE, 250, NULL, 0);
	child = address_names_note(u, GONE + 1, 250, NULL, 0);
	CHECK(first != second && first != child);
	CHECK_EQ(address_names_note(u, GONE, 0, NULL, 0), second);
	CHECK_STR(one(u, first, HERE - code_base + 0x10000, &a).name, "named_function");
	CHECK_STR(one(u, child, HERE - code_base + 0x10000, &a).name, "named_function");
	CHECK_STR(one(u, second, HERE - code_base + 0x9000000, &a).name, "named_function");
	CHECK(!one(u, second, HERE - code_base + 0x10000, &a).name);
	CHECK_STR(address_names_reason(u, 0)->why, "frames: nothing is mapped there");
	address_names_close(u);
	arena_fini(&a);
}

/* exec has taken the new memory, which the stack is of, and has not told of it yet. */
TEST(address_names_mends_what_an_exec_was_late_to_tell)
{
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	uint64_t old, new, stack[2] = { 0, 5 };
	uint32_t before, space;
	struct notice n = told(NOTICE_EXEC, GONE, 100);

	find_own_code();
	old = HERE - code_base + 0x10000;
	stack[0] = new = HERE - code_base + 0x9000000;
	address_names_notice(u, &n);
	n = mapped(GONE, 110, 0x10000);
	address_names_notice(u, &n);
	before = address_names_note(u, GONE, 190, NULL, 0);
	n = told(NOTICE_EXEC, GONE, 200);
	address_names_notice(u, &n);
	CHECK_EQ(address_names_note_again(u, before, &old, 1), before);
	CHECK_EQ(address_names_note_again(u, before, stack, 2), before);
	n = mapped(GONE, 210, 0x9000000);
	address_names_notice(u, &n);
	CHECK_EQ(address_names_note_again(u, before, &old, 1), before);
	space = address_names_note_again(u, before, stack, 2);
	CHECK(space != before);
	CHECK_STR(one(u, space, new, &a).name, "named_function");
	address_names_close(u);
	arena_fini(&a);
}

/* The parent's mappings stay its own when the child maps something else there. */
TEST(address_names_keeps_a_parents_mappings)
{
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	uint64_t addresses[] = { HERE, 5, 6 };
	struct notice n = told(NOTICE_FORK, GONE, 100);
	uint32_t child, own;

	find_own_code();
	n.parent = (uint32_t)getpid();		/* which was there before */
	address_names_notice(u, &n);
	n = mapped(GONE, 110, code_base);
	n.map.end = n.map.start + 1;
	address_names_notice(u, &n);
	child = address_names_note(u, GONE, 120, NULL, 0);
	own = address_names_note(u, (uint32_t)getpid(), 0, addresses, 1);
	CHECK(!one(u, child, HERE, &a).name);
	CHECK_STR(one(u, own, HERE, &a).name, "named_function");
	CHECK_EQ(address_names_reach(u, own, addresses, 3), 1);
	CHECK_EQ(address_names_reach(u, own, addresses, 1), 1);
	address_names_close(u);
	arena_fini(&a);
}

/* A hundred thousand processes that nobody asks for do not push one out that has a stack. */
TEST(address_names_keeps_what_has_stacks)
{
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	uint64_t address = HERE;
	uint32_t own = address_names_note(u, (uint32_t)getpid(), 0, &address, 1);
	struct notice n;

	for (uint32_t i = 0; i < 100000; i++) {
		n = told(NOTICE_EXEC, GONE + i, 100 + i);
		address_names_notice(u, &n);
	}
	CHECK_STR(one(u, own, HERE, &a).name, "named_function");
	n = told(NOTICE_LOST, 0, 0);
	address_names_notice(u, &n);
	CHECK_STR(one(u, own, HERE, &a).name, "named_function");
	address_names_close(u);
	arena_fini(&a);
}

/* ---- what the process makes at run time ---- */

static const char *map_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	return path;
}

static void write_map(uint64_t begin, const char *names[], int n)
{
	FILE *f = fopen(map_path(), "w");

	REQUIRE(f);
	for (int i = 0; i < n; i++)
		fprintf(f, "%lx %x %s\n", begin + 64 * (uint64_t)i, 64, names[i]);
	fclose(f);
}

static const char *why(const struct address_names *u)
{
	return address_names_reason(u, 0) ? address_names_reason(u, 0)->why : NULL;
}

TEST(address_names_reads_a_jit_map)
{
	static const char *names[] = { "first", "second \033[2J bell", "third" };
	char *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)code, addresses[] = { at + 3, at + 128 };
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	struct stack_frame *f;
	uint32_t space;
	int n;

	unlink(map_path());
	REQUIRE(code != MAP_FAILED);
	write_map(at, names, 3);
	space = address_names_note(u, (uint32_t)getpid(), 0, addresses, 2);
	unlink(map_path());
	f = address_names_resolve(u, space, addresses, 2, &a, &n);
	REQUIRE(n == 2);
	CHECK_STR(f[0].name, "first");
	CHECK_EQ(f[0].offset, 3);
	CHECK_EQ(f[0].kind, FRAME_JIT);
	/* 128 is where a call returns to that is in the one before */
	CHECK_STR(f[1].name, "second ?[2J bell");
	CHECK_EQ(f[1].offset, 64);
	CHECK(!one(u, space, at + 192, &a).name);
	CHECK_STR(why(u), "frames: code made at run time that is not in the perf-PID.map");
	address_names_close(u);
	munmap(code, 4096);
	arena_fini(&a);
}

/* What lies in a folder where everybody writes is believed only when it is ours. */
TEST(address_names_distrusts_a_jit_map)
{
	static const char *names[] = { "planted" };
	char *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = (uint64_t)(uintptr_t)code;
	struct arena a = { 0 };

	REQUIRE(code != MAP_FAILED);
	for (int way = getuid() ? 1 : 0; way < 4; way++) {
		struct address_names *u = address_names_open(false, 0);
		uint32_t space;
		char other[80];

		unlink(map_path());
		snprintf(other, sizeof(other), "%s.other", map_path());
		write_map(at, names, 1);
		if (way == 0) {
			REQUIRE(!chown(map_path(), 1234, 1234));
		} else {
			REQUIRE(!rename(map_path(), other));
			REQUIRE(!(way == 1 ? symlink(other, map_path()) :
				  way == 2 ? mkfifo(map_path(), 0644) : mkdir(map_path(), 0755)));
		}
		space = address_names_note(u, (uint32_t)getpid(), 0, &at, 1);
		CHECK(!one(u, space, at, &a).name);
		CHECK_STR(why(u), "frames: the perf-PID.map is no plain file of the process's user or of root");
		address_names_close(u);
		unlink(other);
		unlink(map_path());
		rmdir(map_path());
	}
	munmap(code, 4096);
	arena_fini(&a);
}

TEST(perf_map_believes_the_latest)
{
	static const char text[] = "1000 100 old\nnonsense\n1000\n1040 20 new\n1080 0 empty\n"
		"ffffffffffffffff 10 over\n2000 10 \n3000 10 cut";
	size_t room = 1 << 20;
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct perf_map *j = perf_map_adopt(fd, &room);
	struct str name;
	uint64_t begin;

	REQUIRE(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	CHECK(perf_map_find(j, 0x1050, 1, &name, &begin) && str_is(name, "new") && begin == 0x1040);
	CHECK(perf_map_find(j, 0x1070, 1, &name, &begin) && str_is(name, "old") && begin == 0x1000);
	CHECK(!perf_map_find(j, 0x1100, 1, &name, &begin));
	CHECK(!perf_map_find(j, 0x2000, 1, &name, &begin));
	CHECK(!perf_map_find(j, 0x3000, 1, &name, &begin));
	/* what was half a line is a whole one later */
	REQUIRE(write(fd, "off\n1000 10 newest\n", 19) == 19);
	CHECK(perf_map_find(j, 0x3000, 10000000000, &name, &begin) && str_is(name, "cutoff"));
	CHECK(perf_map_find(j, 0x1008, 10000000000, &name, &begin) && str_is(name, "newest"));
	CHECK(room < 1 << 20);
	perf_map_close(j);
	CHECK_EQ(room, 1 << 20);
}

TEST(perf_map_takes_no_more_than_it_may)
{
	size_t room = 10000;
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct perf_map *j = perf_map_adopt(fd, &room);
	struct str name;
	uint64_t begin;

	for (int i = 0; i < 1000; i++)
		dprintf(fd, "%x 10 name\n", 0x1000 + 16 * i);
	CHECK(perf_map_find(j, 0x1000, 1, &name, &begin));
	CHECK(!perf_map_find(j, 0x1000 + 16 * 999, 1, &name, &begin));
	CHECK(perf_map_is_cut(j));
	perf_map_close(j);
}

/* ---- the kernel's own code in each process; another program in the same process ---- */

TEST(address_names_names_the_vdso)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOLOAD | RTLD_NOW);
	void *f = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	uint64_t address = (uint64_t)(uintptr_t)f;
	struct stack_frame x;

	if (!f) {
		address_names_close(u);
		SKIP("no vdso");
	}
	x = one(u, address_names_note(u, (uint32_t)getpid(), 0, &address, 1), address, &a);
	CHECK(x.name && strstr(x.name, "clock_gettime"));
	CHECK_STR(x.module, "[vdso]");
	address_names_close(u);
	arena_fini(&a);
}

TEST(address_names_tells_an_exec)
{
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	uint64_t address = HERE, elsewhere = 1;
	int go[2], out[2];
	uint32_t before, after = 0;
	pid_t pid;
	char c;

	REQUIRE(!pipe(go) && !pipe(out));
	pid = fork();
	if (!pid) {
		close(go[1]);
		(void)!read(go[0], &c, 1);
		dup2(go[0], 0);
		dup2(out[1], 1);
		execlp("sh", "sh", "-c", "echo; read x", NULL);
		_exit(1);
	}
	close(go[0]);
	close(out[1]);
	before = address_names_note(u, (uint32_t)pid, 0, &address, 1);
	REQUIRE(write(go[1], "x", 1) == 1 && read(out[0], &c, 1) == 1);
	/* an address that is nowhere makes it look, when it is time */
	for (int i = 0; i < 100; i++) {
		after = address_names_note(u, (uint32_t)pid, 0, &elsewhere, 1);
		if (after != before)
			break;
		usleep(10000);
	}
	CHECK(after != before);
	CHECK_STR(one(u, before, HERE, &a).name, "named_function");
	CHECK(!one(u, after, HERE, &a).name);
	close(go[1]);
	close(out[0]);
	waitpid(pid, NULL, 0);
	address_names_close(u);
	arena_fini(&a);
}

/* Handlers return to a few instructions that nobody called: the frame is not the function
 * before them, and the one after it is where the signal came, not a return address. */
static uint64_t handler_addresses[3];

static void handler(int number)
{
	uint64_t *frame = __builtin_frame_address(0);

	(void)number;
	handler_addresses[0] = HERE;
	handler_addresses[1] = frame[1];
	handler_addresses[2] = HERE;	/* the first instruction: one less is another function */
}

TEST(address_names_knows_signal_frames)
{
	struct address_names *u = address_names_open(false, 0);
	struct arena a = { 0 };
	struct stack_frame *f;
	int n;

	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	f = address_names_resolve(u, address_names_note(u, (uint32_t)getpid(), 0, handler_addresses, 3),
				  handler_addresses, 3, &a, &n);
	REQUIRE(n == 3);
	CHECK_STR(f[1].module, "libc.so.6");
	CHECK_STR(f[2].name, "named_function");
	CHECK_EQ(f[2].offset, 0);
	address_names_close(u);
	arena_fini(&a);
}
