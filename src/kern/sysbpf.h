/*
 * sysbpf: bpf(2) and perf_event_open(2) as functions, nothing more.
 *
 * libbpf's own would load programs of its own first to find out what the kernel
 * can; what is needed here every kernel since 5.15 has. All return a descriptor
 * or 0, or a negative errno; descriptors are close-on-exec.
 */
#ifndef KERN_SYSBPF_H
#define KERN_SYSBPF_H

#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sysbpf_map {
	const char *name;
	uint32_t type, key_bytes, value_bytes, max_entries, flags;
	int btf_fd;			/* with key and value type: local storage; else 0 */
	uint32_t btf_key_id, btf_value_id;
	int inner_fd;			/* of a map of maps; else 0 */
};

int sysbpf_map_create(const struct sysbpf_map *m);
int sysbpf_map_update(int fd, const void *key, const void *value);
int sysbpf_map_lookup(int fd, const void *key, void *value);
int sysbpf_map_delete(int fd, const void *key);
int sysbpf_map_next_key(int fd, const void *key, void *next);
int sysbpf_map_freeze(int fd);
/* cmd: BPF_MAP_LOOKUP_BATCH or BPF_MAP_LOOKUP_AND_DELETE_BATCH. *count: in room, out
 * found, also with -ENOENT (that was all) and -ENOSPC (a hash bucket has more). */
int sysbpf_map_batch(int cmd, int fd, const void *in, void *out, void *keys, void *values,
		     uint32_t *count);

struct sysbpf_prog {
	const char *name;
	uint32_t type, expected_attach, btf_id;
	int btf_fd;			/* of the module whose btf_id it is; 0: vmlinux */
	const struct bpf_insn *insns;
	uint32_t n_insns;
	int functions_btf_fd;		/* types of its functions; else 0 */
	const struct bpf_func_info *functions;
	uint32_t n_functions;
	char *log;			/* or NULL */
	uint32_t log_bytes;
};

int sysbpf_prog_load(const struct sysbpf_prog *p);
/* Runs a raw tracepoint's program once, here and now; args: what it has as its arguments. */
int sysbpf_prog_run(int fd, const void *args, uint32_t bytes);
int sysbpf_prog_info(int fd, struct bpf_prog_info *info);
int sysbpf_btf_load(const void *btf, uint32_t bytes);
/* The kernel's own BTF of a module, a descriptor; -ENOENT: it has none. */
int sysbpf_btf_of_module(const char *module);
/* A BTF tracepoint's program runs until the descriptor is closed. */
int sysbpf_raw_tracepoint_open(int prog_fd);
/* Functions of one file: newer kernels' attach types, which linux/bpf.h here lacks. */
#define SYSBPF_UPROBE_MULTI 48
#define SYSBPF_UPROBE_SESSION 57

struct sysbpf_uprobes {
	const char *path;
	const uint64_t *offsets, *cookies;
	const uint64_t *semaphores;	/* offsets, too, or NULL: counted up while attached */
	uint32_t n;
	int32_t pid;			/* of this process only; 0: all */
	bool returns;			/* of UPROBE_MULTI: where they return */
};
/* attach: one of the above, as the program's expected_attach. */
int sysbpf_link_uprobes(int prog_fd, uint32_t attach, const struct sysbpf_uprobes *u);
#define SYSBPF_KPROBE_SESSION 56

struct sysbpf_kprobes {
	const char *const *symbols;
	const uint64_t *addresses;	/* or NULL: by the symbols */
	const uint64_t *cookies;
	uint32_t n;
	bool returns;			/* of KPROBE_MULTI: where they return */
};
int sysbpf_link_kprobes(int prog_fd, uint32_t attach, const struct sysbpf_kprobes *k);

/* What a link says of itself; what this kernel does not say is 0. */
#define SYSBPF_LINK_PERF_EVENT 7
#define SYSBPF_LINK_KPROBE_MULTI 8
#define SYSBPF_PERF_KPROBE 3
#define SYSBPF_PERF_KRETPROBE 4
struct sysbpf_link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint64_t addrs;
			uint32_t count, flags;
			uint64_t missed, cookies;
		} kprobe_multi;
		struct {
			uint32_t type, pad;
			uint64_t name;
			uint32_t name_bytes, offset;
			uint64_t addr, missed, cookie;
		} perf;
	} of;
};
int sysbpf_link_info(int fd, struct sysbpf_link_info *info);
/* A perf event's program, with the number that it reads as its cookie. */
int sysbpf_link_perf(int prog_fd, int perf_fd, uint64_t cookie);

/* Run statistics are kept while the descriptor is open. */
int sysbpf_enable_stats(void);

int sysbpf_perf_open(struct perf_event_attr *attr, int cpu);
/* The same for one thread's process, on any CPU. */
int sysbpf_perf_open_pid(struct perf_event_attr *attr, int pid);

#endif
