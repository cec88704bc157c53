/*
 * feature.c: rows of feature.def and their tests. A test is cheap: it looks for a
 * file, a name in BTF, or makes one system call. What BTF names is known to this kernel;
 * that it also works shows when it is used, and then the error says so.
 * To add a feature write a row and its test here.
 */
#include "kern/feature.h"
#include "kern/sysbpf.h"
#include "kern/types/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BTF_FILE "/sys/kernel/btf/vmlinux"
#define BTF_MODULES "/sys/kernel/btf"

/* ---- capabilities ---- */

static bool has_cap(unsigned int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &head, data))
		return false;
	return data[cap / 32].effective & 1u << cap % 32;
}

static bool has_cap_admin(struct features *f)
{
	(void)f;
	return has_cap(CAP_SYS_ADMIN);
}

static bool has_cap_bpf(struct features *f)
{
	return has_cap(CAP_BPF) || feature_has(f, FEATURE_CAP_ADMIN);
}

static bool has_cap_perfmon(struct features *f)
{
	return has_cap(CAP_PERFMON) || feature_has(f, FEATURE_CAP_ADMIN);
}

/* ---- files ---- */

/* Reads the begin of a file; NULL when it can't be read. */
static char *first_bytes(const char *path, char *buf, size_t bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = read(fd, buf, bytes - 1);
	close(fd);
	if (n < 0)
		return NULL;
	buf[n] = 0;
	return buf;
}

static bool has_btf(struct features *f)
{
	const uint16_t magic = BTF_MAGIC;
	char start[sizeof(magic) + 1];

	(void)f;
	return first_bytes(BTF_FILE, start, sizeof(start)) && !memcmp(start, &magic, sizeof(magic));
}

static bool has_btf_mmap(struct features *f)
{
	int fd = open(BTF_FILE, O_RDONLY | O_CLOEXEC);
	void *p;

	(void)f;
	if (fd < 0)
		return false;
	p = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return false;
	munmap(p, (size_t)sysconf(_SC_PAGESIZE));
	return true;
}

static bool has_tracefs(struct features *f)
{
	(void)f;
	return tracefs_find(true) != NULL;
}

static bool has_nohz_full(struct features *f)
{
	char buf[64];

	(void)f;
	return first_bytes("/sys/devices/system/cpu/nohz_full", buf, sizeof(buf)) &&
	       buf[0] >= '0' && buf[0] <= '9';
}

static bool has_cgroup2(struct features *f)
{
	struct statfs s;

	(void)f;
	return !statfs("/sys/fs/cgroup", &s) && s.f_type == CGROUP2_SUPER_MAGIC;
}

static bool has_kprobe(struct features *f)
{
	(void)f;
	return access("/sys/bus/event_source/devices/kprobe/type", R_OK) == 0;
}

static bool has_uprobe(struct features *f)
{
	(void)f;
	return access("/sys/bus/event_source/devices/uprobe/type", R_OK) == 0;
}

/* A program to try things with: return 0. */
static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* ---- names in BTF ---- */

static bool has_enumerator(struct features *f, const char *name)
{
	struct ktypes *k = features_types(f);
	struct type t;
	int64_t value;

	return k && ktype_enumerator(k, str_of(name), &value, &t);
}

static bool has_function(struct features *f, const char *name)
{
	struct ktypes *k = features_types(f);

	return k && ktype_function(k, str_of(name)) != 0;
}

static bool has_probe_missed(struct features *f)
{
	struct ktypes *k = features_types(f);
	struct cat_member link, missed;

	return k && ktype_member(k, ktype_struct(k, str_of("bpf_link_info")), str_of("kprobe_multi"), &link)
	    && ktype_member(k, link.type.ktype, str_of("missed"), &missed);
}

static bool has_tp_btf(struct features *f)
{
	return has_enumerator(f, "BPF_TRACE_RAW_TP");
}

static bool has_task_storage(struct features *f)
{
	return has_enumerator(f, "BPF_MAP_TYPE_TASK_STORAGE");
}

/* The second is for a table that grows as processes come, in programs on samples. */
static bool has_unwind(struct features *f)
{
#ifdef __x86_64__
	return has_enumerator(f, "BPF_FUNC_loop") && has_function(f, "bpf_mem_alloc_init");
#else
	return false && f;
#endif
}

static bool has_ksyms(struct features *f)
{
	return has_function(f, "bpf_snprintf") && access("/proc/kallsyms", F_OK) == 0;
}

static bool has_kprobe_multi(struct features *f)
{
	return has_enumerator(f, "BPF_TRACE_KPROBE_MULTI") &&
	       has_function(f, "register_fprobe_ips");
}

static bool has_kprobe_session(struct features *f)
{
	return has_enumerator(f, "BPF_TRACE_KPROBE_SESSION") &&
	       feature_has(f, FEATURE_KPROBE_MULTI);
}

/*
 * A link that must be refused, for its process -1 (EINVAL). Before 6.10 it is the folder
 * that is refused (EBADF): these kernels take the number of a process for that of a
 * thread, commit 46ba0e49b642, and are not to be used.
 */
static bool has_uprobe_link(struct features *f, uint32_t attach)
{
	static const uint64_t offset = 1;
	const struct sysbpf_uprobes u = { .path = "/", .offsets = &offset, .n = 1, .pid = -1 };
	const struct sysbpf_prog p = {
		.name = "uprobe", .type = BPF_PROG_TYPE_KPROBE, .expected_attach = attach,
		.insns = nothing, .n_insns = 2,
	};
	int prog = feature_has(f, FEATURE_UPROBE) ? sysbpf_prog_load(&p) : -1, link;

	if (prog < 0)
		return false;
	link = sysbpf_link_uprobes(prog, attach, &u);
	close(prog);
	return link == -EINVAL;
}

static bool has_uprobe_multi(struct features *f)
{
	return has_enumerator(f, "BPF_TRACE_UPROBE_MULTI") &&
	       has_uprobe_link(f, SYSBPF_UPROBE_MULTI);
}

static bool has_uprobe_session(struct features *f)
{
	return has_enumerator(f, "BPF_TRACE_UPROBE_SESSION") &&
	       has_uprobe_link(f, SYSBPF_UPROBE_SESSION);
}

/* ---- system calls ---- */

/* True also when only the permission lacks: the kernel has it, see cap_bpf. */
static bool has_map(uint32_t type, uint32_t key, uint32_t value, uint32_t entries)
{
	struct sysbpf_map m = {
		.name = "try", .type = type, .key_bytes = key, .value_bytes = value, .max_entries = entries,
	};
	int fd = sysbpf_map_create(&m);

	if (fd < 0)
		return fd == -EPERM;
	close(fd);
	return true;
}

static bool has_ringbuf(struct features *f)
{
	(void)f;
	return has_map(BPF_MAP_TYPE_RINGBUF, 0, 0, (uint32_t)sysconf(_SC_PAGESIZE));
}

static bool has_percpu_hash(struct features *f)
{
	(void)f;
	return has_map(BPF_MAP_TYPE_PERCPU_HASH, 8, 8, 1);
}

/* Since 4.17, so in all kernels that have the rest: what can lack is CONFIG_BPF_EVENTS. */
static bool has_raw_tp(struct features *f)
{
	return has_function(f, "bpf_raw_tp_link_attach") || has_tp_btf(f);
}

/* Some kernels load such a program but can't change their code to call it, so one is
 * attached for a moment to a function that only the kernel's own tests call. */
static bool can_enter(struct features *f, const char *function)
{
	struct ktypes *k = features_types(f);
	struct sysbpf_prog p = {
		.name = "fentry", .type = BPF_PROG_TYPE_TRACING,
		.expected_attach = BPF_TRACE_FENTRY, .insns = nothing, .n_insns = 2,
		.btf_id = k ? ktype_function(k, str_of(function)) : 0,
	};
	int prog = p.btf_id ? sysbpf_prog_load(&p) : -1, link = -1;

	if (prog < 0)
		return false;
	link = sysbpf_raw_tracepoint_open(prog);
	if (link >= 0)
		close(link);
	close(prog);
	return link >= 0;
}

static bool has_fentry(struct features *f)
{
	return can_enter(f, "bpf_fentry_test1");
}

/* The kernel's own test of it, made with it: it has seven. */
static bool has_fentry_stack(struct features *f)
{
	return can_enter(f, "bpf_modify_return_test2");
}

static bool has_bpf_stats(struct features *f)
{
	int fd = sysbpf_enable_stats();

	(void)f;
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool has_membarrier(struct features *f)
{
	long mask = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	(void)f;
	return mask > 0 && mask & MEMBARRIER_CMD_GLOBAL;
}

static bool has_perf_event(uint32_t type, uint64_t config)
{
	struct perf_event_attr a = {
		.size = sizeof(a), .type = type, .config = config, .disabled = 1,
		.sample_period = 1000000,
	};
	long fd = syscall(SYS_perf_event_open, &a, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return false;
	close((int)fd);
	return true;
}

static bool has_cpu_clock(struct features *f)
{
	(void)f;
	return has_perf_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

static bool has_cycles(struct features *f)
{
	(void)f;
	return has_perf_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}

/* ---- the rows ---- */

static const struct {
	struct feature_row row;
	bool (*test)(struct features *f);
} rows[] = {
#define FEATURE(id, name_, gives_, since_, without_, test_)				\
	[FEATURE_##id] = {								\
		.row = { .name = name_, .gives = gives_, .since = since_,		\
			 .without = without_ },						\
		.test = test_,								\
	},
#include "kern/feature.def"
#undef FEATURE
};

bool feature_has(struct features *f, enum feature_id id)
{
	if (f->off[id])
		return false;
	if (!f->known[id]) {
		f->has[id] = rows[id].test(f);
		f->known[id] = true;
	}
	return f->has[id];
}

bool feature_force_off(struct features *f, const char *name)
{
	for (int i = 0; i < FEATURES; i++)
		if (!strcmp(rows[i].row.name, name)) {
			/* What was found out with it may depend on it. */
			memset(f->known, 0, sizeof(f->known));
			f->off[i] = true;
			return true;
		}
	return false;
}

const struct feature_row *feature_row(enum feature_id id)
{
	return &rows[id].row;
}

struct ktypes *features_types(struct features *f)
{
	if (f->off[FEATURE_BTF])
		return NULL;
	if (!f->types_tried) {
		f->types_tried = true;
		f->types_err.arena = &f->arena;
		f->types = ktypes_open(BTF_FILE, BTF_MODULES, &f->types_err);
	}
	return f->types;
}

void features_fini(struct features *f)
{
	ktypes_close(f->types);
	arena_fini(&f->arena);
	*f = (struct features){ 0 };
}
