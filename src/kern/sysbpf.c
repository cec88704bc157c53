/* bpf(2) and perf_event_open(2): see sysbpf.h. No policy here. */
#include "kern/sysbpf.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int call(int cmd, union bpf_attr *attr, size_t bytes)
{
	long r;

	do
		r = syscall(SYS_bpf, cmd, attr, bytes);
	while (r < 0 && errno == EAGAIN && cmd == BPF_PROG_LOAD);
	return r < 0 ? -errno : (int)r;
}

static uint64_t pointer(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void copy_name(char *to, const char *from)
{
	size_t n = strnlen(from, BPF_OBJ_NAME_LEN - 1);

	memcpy(to, from, n);
}

int sysbpf_map_create(const struct sysbpf_map *m)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = m->type;
	attr.key_size = m->key_bytes;
	attr.value_size = m->value_bytes;
	attr.max_entries = m->max_entries;
	attr.map_flags = m->flags;
	attr.inner_map_fd = (uint32_t)m->inner_fd;
	attr.btf_fd = (uint32_t)m->btf_fd;
	attr.btf_key_type_id = m->btf_key_id;
	attr.btf_value_type_id = m->btf_value_id;
	copy_name(attr.map_name, m->name);
	return call(BPF_MAP_CREATE, &attr, sizeof(attr));
}

static int element(int cmd, int fd, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)fd;
	attr.key = pointer(key);
	attr.value = pointer(value);
	return call(cmd, &attr, sizeof(attr));
}

int sysbpf_map_update(int fd, const void *key, const void *value)
{
	return element(BPF_MAP_UPDATE_ELEM, fd, key, value);
}

int sysbpf_map_lookup(int fd, const void *key, void *value)
{
	return element(BPF_MAP_LOOKUP_ELEM, fd, key, value);
}

int sysbpf_map_delete(int fd, const void *key)
{
	return element(BPF_MAP_DELETE_ELEM, fd, key, NULL);
}

int sysbpf_map_next_key(int fd, const void *key, void *next)
{
	return element(BPF_MAP_GET_NEXT_KEY, fd, key, next);
}

int sysbpf_map_freeze(int fd)
{
	return element(BPF_MAP_FREEZE, fd, NULL, NULL);
}

int sysbpf_map_batch(int cmd, int fd, const void *in, void *out, void *keys, void *values,
		     uint32_t *count)
{
	union bpf_attr attr;
	int code;

	memset(&attr, 0, sizeof(attr));
	attr.batch.map_fd = (uint32_t)fd;
	attr.batch.in_batch = pointer(in);
	attr.batch.out_batch = pointer(out);
	attr.batch.keys = pointer(keys);
	attr.batch.values = pointer(values);
	attr.batch.count = *count;
	code = call(cmd, &attr, sizeof(attr));
	*count = code == 0 || code == -ENOENT ? attr.batch.count : 0;
	return code;
}

int sysbpf_prog_load(const struct sysbpf_prog *p)
{
	static const char licence[] = "Dual BSD/GPL";
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = p->type;
	attr.expected_attach_type = p->expected_attach;
	attr.attach_btf_id = p->btf_id;
	attr.attach_btf_obj_fd = (uint32_t)p->btf_fd;
	attr.insns = pointer(p->insns);
	attr.insn_cnt = p->n_insns;
	attr.license = pointer(licence);
	copy_name(attr.prog_name, p->name);
	attr.prog_btf_fd = (uint32_t)p->functions_btf_fd;
	if (p->n_functions) {
		attr.func_info = pointer(p->functions);
		attr.func_info_rec_size = sizeof(*p->functions);
		attr.func_info_cnt = p->n_functions;
	}
	if (p->log) {
		attr.log_level = 1;
		attr.log_buf = pointer(p->log);
		attr.log_size = p->log_bytes;
	}
	return call(BPF_PROG_LOAD, &attr, sizeof(attr));
}

int sysbpf_prog_run(int fd, const void *args, uint32_t bytes)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)fd;
	attr.test.ctx_in = pointer(args);
	attr.test.ctx_size_in = bytes;
	return call(BPF_PROG_TEST_RUN, &attr, sizeof(attr));
}

int sysbpf_prog_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	memset(info, 0, sizeof(*info));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info = pointer(info);
	attr.info.info_len = sizeof(*info);
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
}

int sysbpf_btf_load(const void *btf, uint32_t bytes)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = pointer(btf);
	attr.btf_size = bytes;
	return call(BPF_BTF_LOAD, &attr, sizeof(attr));
}

/* Is it the kernel's BTF of this module, and not one that a program brought? */
static bool is_btf_of(int fd, const char *module)
{
	char name[64] = "";
	struct bpf_btf_info info = { .name = pointer(name), .name_len = sizeof(name) };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info = pointer(&info);
	attr.info.info_len = sizeof(info);
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) == 0 && info.kernel_btf &&
	       !strcmp(name, module);
}

int sysbpf_btf_of_module(const char *module)
{
	union bpf_attr attr;
	uint32_t id = 0;

	for (;;) {
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		fd = call(BPF_BTF_GET_NEXT_ID, &attr, sizeof(attr));
		if (fd < 0)
			return fd;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.btf_id = id;
		fd = call(BPF_BTF_GET_FD_BY_ID, &attr, sizeof(attr));
		if (fd >= 0 && is_btf_of(fd, module))
			return fd;
		if (fd >= 0)
			close(fd);
		else if (fd != -ENOENT)		/* gone meanwhile */
			return fd;
	}
}

int sysbpf_raw_tracepoint_open(int prog_fd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = (uint32_t)prog_fd;
	return call(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
}

int sysbpf_link_uprobes(int prog_fd, uint32_t attach, const struct sysbpf_uprobes *u)
{
	struct {
		uint32_t prog_fd, target_fd, attach_type, flags;
		uint64_t path, offsets, ref_ctr_offsets, cookies;
		uint32_t n, multi_flags, pid;
	} own = {
		.prog_fd = (uint32_t)prog_fd, .attach_type = attach,
		.path = pointer(u->path), .offsets = pointer(u->offsets),
		.ref_ctr_offsets = pointer(u->semaphores),
		.cookies = pointer(u->cookies), .n = u->n, .pid = (uint32_t)u->pid,
		.multi_flags = u->returns,
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	memcpy(&attr, &own, sizeof(own));
	return call(BPF_LINK_CREATE, &attr, sizeof(attr));
}

int sysbpf_link_kprobes(int prog_fd, uint32_t attach, const struct sysbpf_kprobes *k)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog_fd;
	attr.link_create.attach_type = attach;
	attr.link_create.kprobe_multi.flags = k->returns ? BPF_F_KPROBE_MULTI_RETURN : 0;
	attr.link_create.kprobe_multi.cnt = k->n;
	if (k->addresses)
		attr.link_create.kprobe_multi.addrs = pointer(k->addresses);
	else
		attr.link_create.kprobe_multi.syms = pointer(k->symbols);
	attr.link_create.kprobe_multi.cookies = pointer(k->cookies);
	return call(BPF_LINK_CREATE, &attr, sizeof(attr));
}

int sysbpf_link_info(int fd, struct sysbpf_link_info *info)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	memset(info, 0, sizeof(*info));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info = pointer(info);
	attr.info.info_len = sizeof(*info);
	return call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
}

int sysbpf_link_perf(int prog_fd, int perf_fd, uint64_t cookie)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog_fd;
	attr.link_create.target_fd = (uint32_t)perf_fd;
	attr.link_create.attach_type = BPF_PERF_EVENT;
	attr.link_create.perf_event.bpf_cookie = cookie;
	return call(BPF_LINK_CREATE, &attr, sizeof(attr));
}

int sysbpf_enable_stats(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	return call(BPF_ENABLE_STATS, &attr, sizeof(attr));
}

static int perf_open(struct perf_event_attr *attr, int pid, int cpu)
{
	long fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

int sysbpf_perf_open(struct perf_event_attr *attr, int cpu)
{
	return perf_open(attr, -1, cpu);
}

int sysbpf_perf_open_pid(struct perf_event_attr *attr, int pid)
{
	return perf_open(attr, pid, -1);
}
