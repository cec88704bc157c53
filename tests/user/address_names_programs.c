/*
 * Names in programs as users have them: C++, Rust, python3, node, static, stripped with
 * and without a file of symbols, deleted, in another file system. Each is built here,
 * prints addresses and waits; what is missing on this machine is skipped.
 *
 */
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/folder.h"
#include "test.h"

#include "user/address_names.h"

/* Prints the address of work() and where here() returned to, which is in inner(), which
 * is inlined in outer(). */
static const char c_text[] =
	"#include <stdio.h>\n"
	"__attribute__((noinline)) void *here(void) { return __builtin_return_address(0); }\n"
	"static inline __attribute__((always_inline)) void *inner(void)\n"
	"{\n"
	"	void *p = here();\n"			/* line 5 */
	"	__asm__ volatile(\"\" : \"+r\"(p));\n"
	"	return p;\n"
	"}\n"
	"__attribute__((noinline)) void *outer(void)\n"
	"{\n"
	"	return inner();\n"			/* line 11 */
	"}\n"
	"__attribute__((noinline)) static int work(int x) { return x + getchar(); }\n"
	"int main(void)\n"
	"{\n"
	"	printf(\"%p %p\\n\", (void *)work, outer());\n"
	"	fflush(stdout);\n"
	"	return work(0);\n"
	"}\n";
static const char cpp_text[] =
	"#include <cstdio>\n"
	"namespace ns { template <class T> struct box {\n"
	"	__attribute__((noinline)) static T get(T x) { return x + getchar(); } }; }\n"
	"int main() { std::printf(\"%p 0\\n\", (void *)ns::box<int>::get); fflush(stdout);\n"
	"	return ns::box<int>::get(0); }\n";
static const char rust_text[] =
	"mod deep { #[inline(never)] pub fn work(x: usize) -> usize {\n"
	"	let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap(); x + s.len() } }\n"
	"fn main() { println!(\"{:x} 0\", deep::work as usize); std::process::exit(deep::work(0) as i32); }\n";
static const char python_text[] =
	"import ctypes, sys\n"
	"print('%x 0' % ctypes.cast(ctypes.pythonapi.PyLong_FromLong, ctypes.c_void_p).value)\n"
	"sys.stdout.flush(); sys.stdin.readline()\n";

struct program {
	pid_t pid;
	int in, out;
	uint64_t addresses[2];
};

/* Runs a command in the folder; true: it was successful. */
__attribute__((format(printf, 1, 2))) static bool shell(const char *fmt, ...)
{
	char command[2048];
	int n = snprintf(command, sizeof(command), "cd %s && exec >log 2>&1; ", folder());
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command + n, sizeof(command) - (size_t)n, fmt, ap);
	va_end(ap);
	return !system(command);
}

static void write_text(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder(), name);
	f = fopen(path, "w");
	REQUIRE(f);
	fputs(text, f);
	fclose(f);
}

static struct program start(const char *command)
{
	struct program p = { 0 };
	int in[2], out[2];
	char line[128] = "";

	REQUIRE(!pipe2(in, 02000000) && !pipe2(out, 02000000));
	p.pid = fork();
	if (!p.pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		if (chdir(folder()))
			_exit(127);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p.in = in[1];
	p.out = out[0];
	for (size_t n = 0; n < sizeof(line) - 1 && read(p.out, line + n, 1) == 1 && line[n] != '\n';)
		n++;
	REQUIRE(sscanf(line, "%lx %lx", &p.addresses[0], &p.addresses[1]) == 2);
	return p;
}

static void stop(struct program *p)
{
	close(p->in);
	close(p->out);
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
}

struct names {
	struct address_names *u;
	struct arena a;
	struct stack_frame *f;
	int n;
};

/* The frames of the program's addresses, which are looked up when it has ended. */
static struct names names_of(struct program *p, bool lines)
{
	struct names x = { .u = address_names_open(lines, 0) };
	uint32_t space = address_names_note(x.u, (uint32_t)p->pid, 0, p->addresses, 2);

	stop(p);
	x.f = address_names_resolve(x.u, space, p->addresses, p->addresses[1] ? 2 : 1, &x.a, &x.n);
	return x;
}

static void done(struct names *x)
{
	address_names_close(x->u);
	arena_fini(&x->a);
}

static const char *why(const struct names *x)
{
	const struct address_names_reason *r = address_names_reason(x->u, 0);

	return r ? r->why : NULL;
}

static void build_c(void)
{
	write_text("c.c", c_text);
	REQUIRE(shell("gcc -O2 -g -fno-optimize-sibling-calls -o c c.c"));
}

static void check_c(struct program p, const char *module)
{
	struct names x = names_of(&p, false);

	REQUIRE(x.n == 2);
	CHECK_STR(x.f[0].name, "work");
	CHECK_EQ(x.f[0].offset, 0);
	CHECK_STR(x.f[0].module, module);
	CHECK_STR(x.f[1].name, "outer");
	CHECK(x.f[1].offset > 0 && x.f[1].address == p.addresses[1]);
	done(&x);
}

TEST(pie_static_and_fixed)
{
	build_c();
	check_c(start("exec ./c"), "c");
	REQUIRE(shell("gcc -O2 -static -o static c.c && gcc -O2 -no-pie -o fixed c.c"));
	check_c(start("exec ./static"), "static");
	check_c(start("exec ./fixed"), "fixed");
}

TEST(stripped)
{
	struct program p;
	struct names x;

	build_c();
	REQUIRE(shell("strip -o stripped c"));
	p = start("exec ./stripped");
	x = names_of(&p, false);
	REQUIRE(x.n == 2);
	CHECK(!x.f[0].name);
	CHECK_STR(x.f[0].module, "stripped");
	CHECK(x.f[0].offset > 0 && x.f[0].offset % 4096 == p.addresses[0] % 4096);
	CHECK_STR(why(&x), "frames: the file has no name for it: it is stripped, or no function");
	done(&x);
}

TEST(debug_link)
{
	struct program p;
	struct names x;

	build_c();
	/* by the build-id, and where there is none by the checksum */
	REQUIRE(shell("objcopy --only-keep-debug c c.debug && strip -o linked c && "
		      "objcopy --add-gnu-debuglink=c.debug linked"));
	check_c(start("exec ./linked"), "linked");
	REQUIRE(shell("gcc -O2 -g -Wl,--build-id=none -o c c.c && objcopy --only-keep-debug c c.debug && "
		      "strip -o linked c && objcopy --add-gnu-debuglink=c.debug linked"));
	check_c(start("exec ./linked"), "linked");
	REQUIRE(shell("echo >>c.debug"));
	p = start("exec ./linked");
	x = names_of(&p, false);
	CHECK(x.n == 2 && !x.f[0].name);
	done(&x);
}

TEST(packed_debug_data)
{
	if (!shell("xz --version"))
		SKIP("no xz");
	build_c();
	REQUIRE(shell("objcopy --only-keep-debug c mini && strip --strip-debug mini -o mini2 && "
		      "xz -f mini2 && strip -o packed c && "
		      "objcopy --add-section .gnu_debugdata=mini2.xz packed"));
	check_c(start("exec ./packed"), "packed");
	/* a bomb: what some kilobytes unpack to has a bound */
	REQUIRE(shell("head -c 300M /dev/zero | xz -0 >bomb && strip -o packed c && "
		      "objcopy --add-section .gnu_debugdata=bomb packed"));
	struct program p = start("exec ./packed");
	struct names x = names_of(&p, false);

	CHECK(x.n == 2 && !x.f[0].name);
	done(&x);
}

TEST(deleted)
{
	struct program p;

	if (getuid())
		SKIP("needs root for /proc/PID/map_files");
	build_c();
	REQUIRE(shell("cp c gone"));
	p = start("exec ./gone");
	REQUIRE(shell("rm gone && echo another >gone"));
	check_c(p, "gone");
}

TEST(another_file_system)
{
	if (getuid() || !shell("unshare -m true"))
		SKIP("needs root and mount namespaces");
	build_c();
	REQUIRE(shell("mkdir -p inside"));
	check_c(start("exec unshare -m sh -c 'mount -t tmpfs none inside && cp c inside/hidden && "
		      "exec inside/hidden'"), "hidden");
}

TEST(lines_and_inlined)
{
	struct program p;
	struct names x;

	build_c();
	p = start("exec ./c");
	x = names_of(&p, true);
	if (address_names_no_lines(x.u)) {
		done(&x);
		SKIP("no libdw.so.1");
	}
	REQUIRE(x.n == 3);
	CHECK_STR(x.f[0].name, "work");
	CHECK_EQ(x.f[0].line, 13);
	CHECK_STR(x.f[1].name, "inner");
	CHECK_EQ(x.f[1].kind, FRAME_INLINED);
	CHECK_EQ(x.f[1].line, 5);
	CHECK_STR(x.f[2].name, "outer");
	CHECK_EQ(x.f[2].kind, FRAME_USER);
	CHECK_EQ(x.f[2].line, 11);
	REQUIRE(x.f[2].file);
	CHECK_STR(strrchr(x.f[2].file, '/'), "/c.c");
	done(&x);
}

static void check_first(const char *command, const char *name)
{
	struct program p = start(command);
	struct names x = names_of(&p, false);

	REQUIRE(x.n == 1);
	CHECK_STR(x.f[0].name, name);
	done(&x);
}

TEST(cplusplus)
{
	if (!shell("g++ --version"))
		SKIP("no g++");
	write_text("cpp.cc", cpp_text);
	REQUIRE(shell("g++ -O2 -o cpp cpp.cc"));
	check_first("exec ./cpp", "ns::box<int>::get");
}

TEST(rust)
{
	if (!shell("rustc --version"))
		SKIP("no rustc");
	write_text("r.rs", rust_text);
	REQUIRE(shell("rustc -O -o rust r.rs"));
	check_first("exec ./rust", "r::deep::work");
}

TEST(python)
{
	if (!shell("python3 -c 'import ctypes'"))
		SKIP("no python3");
	write_text("p.py", python_text);
	check_first("exec python3 p.py", "PyLong_FromLong");
}

/* Code that V8 compiled while it ran, which only its map has a name for. */
TEST(node)
{
	static const char text[] =
		"function burn(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s; }\n"
		"for (let i = 0; i < 3000; i++) burn(1000);\n"
		"const lines = require('fs').readFileSync(`/tmp/perf-${process.pid}.map`, 'utf8').split('\\n');\n"
		"const last = lines.filter(l => / [A-Za-z]+:[*^]burn /.test(l)).pop();\n"
		"console.log((last || '0 0').split(' ')[0] + ' 0'); process.stdin.resume();\n";
	struct program p;
	struct names x;
	char path[64];

	if (!shell("node --version"))
		SKIP("no node");
	write_text("n.js", text);
	p = start("exec node --perf-basic-prof n.js");
	if (!p.addresses[0]) {
		stop(&p);
		SKIP("node compiled nothing");
	}
	x = names_of(&p, false);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", p.pid);
	unlink(path);
	REQUIRE(x.n == 1);
	CHECK_EQ(x.f[0].kind, FRAME_JIT);
	CHECK(x.f[0].name && strstr(x.f[0].name, "burn"));
	done(&x);
}
