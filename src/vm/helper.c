/*
 * helper: the kernel helpers that programs call, over the event at hand.
 *
 * One row each in `helpers`. Time, CPU and the running thread are the event's. Only
 * the event's own texts can be read through probe_read: every other address, also one
 * that a trace recorded, faults.
 */
#include <errno.h>
#include <stdlib.h>

#include "vm/vm.h"

/* ---- what a checked run may touch ---- */

void vm_grant(struct vm *vm, const void *at, uint64_t bytes, bool writable)
{
	if (vm->checked && at && vm->n_regions < VM_REGIONS_MOST)
		vm->regions[vm->n_regions++] =
			(struct vm_region){ (uint64_t)(uintptr_t)at, bytes, writable };
}

bool vm_may(const struct vm *vm, uint64_t at, uint64_t bytes, bool write)
{
	for (int i = 0; i < vm->n_regions; i++) {
		const struct vm_region *r = &vm->regions[i];

		if (at >= r->at && at - r->at <= r->bytes && bytes <= r->bytes - (at - r->at) &&
		    (r->writable || !write))
			return true;
	}
	return false;
}

static void *pointer(uint64_t at)
{
	return (void *)(uintptr_t)at;
}

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static uint64_t failed(int err)
{
	return (uint64_t)(int64_t)err;
}

/* An argument that points to memory of the program's. */
static bool memory(struct vm *vm, uint64_t at, uint64_t bytes, bool write)
{
	if (!vm->checked)
		return true;
	if (!vm_may(vm, at, bytes, write)) {
		vm->fault = "a helper's argument outside the program's memory";
		return false;
	}
	if (!write)
		return taint_given(vm, at, bytes);
	taint_filled(vm, at, bytes);
	return true;
}

static struct vm_map *map_arg(struct vm *vm, uint64_t at)
{
	struct vm_map *m = pointer(at);

	if (m >= vm->maps && m < vm->maps + vm->n_maps)
		return m;
	vm->fault = "a helper's argument is no table";
	return NULL;
}

/* ---- tables ---- */

static uint64_t map_lookup(struct vm *vm, const uint64_t *args)
{
	struct vm_map *m = map_arg(vm, args[0]);
	void *value;

	if (!m || !memory(vm, args[1], m->key_bytes, false))
		return 0;
	value = vm_map_lookup(m, pointer(args[1]));
	vm_grant(vm, value, m->value_bytes, true);
	return address(value);
}

static uint64_t map_update(struct vm *vm, const uint64_t *args)
{
	struct vm_map *m = map_arg(vm, args[0]);

	if (!m || !memory(vm, args[1], m->key_bytes, false) ||
	    !memory(vm, args[2], m->value_bytes, false))
		return 0;
	return failed(vm_map_update(m, pointer(args[1]), pointer(args[2]), args[3]));
}

static uint64_t map_delete(struct vm *vm, const uint64_t *args)
{
	struct vm_map *m = map_arg(vm, args[0]);

	if (!m || !memory(vm, args[1], m->key_bytes, false))
		return 0;
	return failed(vm_map_delete(m, pointer(args[1])));
}

static uint64_t task_storage_get(struct vm *vm, const uint64_t *args)
{
	struct vm_map *m = map_arg(vm, args[0]);
	void *value;

	if (!m || m->storage < 0 || !vm->task || args[1] != address(vm->task))
		return 0;
	if (args[2] && !memory(vm, args[2], m->value_bytes, false))
		return 0;
	value = vm_task_storage(&vm->tasks, vm->task, m, pointer(args[2]),
				args[3] & BPF_LOCAL_STORAGE_GET_F_CREATE);
	vm_grant(vm, value, m->value_bytes, true);
	return address(value);
}

/* ---- the ring: records wait in vm->ring until the event is done ---- */

static uint64_t ring_reserve(struct vm *vm, const uint64_t *args)
{
	uint64_t bytes = (args[1] + 7) & ~7ull, *head;

	if (!map_arg(vm, args[0]) || args[1] > VM_RING_BYTES ||
	    vm->ring_used + 8 + bytes > VM_RING_BYTES)
		return 0;
	head = vm->ring + vm->ring_used / 8;
	*head = args[1];
	vm->ring_used += 8 + (uint32_t)bytes;
	if (vm->checked)
		memset(head + 1, 0xa5, bytes);
	vm_grant(vm, head + 1, args[1], true);
	return address(head + 1);
}

static uint64_t ring_submit(struct vm *vm, const uint64_t *args)
{
	uint64_t *head = (uint64_t *)pointer(args[0]) - 1;

	if (head < vm->ring || head >= vm->ring + vm->ring_used / 8 || *head & RING_SUBMITTED) {
		vm->fault = "no record of the ring buffer";
		return 0;
	}
	*head |= RING_SUBMITTED;
	return 0;
}

/* Which processes have stacks: nobody here has to note what is mapped in them. */
static uint64_t ring_output(struct vm *vm, const uint64_t *args)
{
	memory(vm, args[1], args[2], false);
	return 0;
}

/* ---- the event ---- */

static uint64_t word(const struct vm *vm, int k)
{
	return vm->record->valid & RECORD_BIT(k) ? vm->record->words[k] : 0;
}

static uint64_t ktime(struct vm *vm, const uint64_t *args)
{
	(void)args;
	return vm->record->time_ns;
}

static uint64_t cpu(struct vm *vm, const uint64_t *args)
{
	(void)args;
	return vm->record->cpu;
}

static uint64_t pid_tgid(struct vm *vm, const uint64_t *args)
{
	(void)args;
	return word(vm, RECORD_PID) << 32 | (uint32_t)word(vm, RECORD_TID);
}

static uint64_t uid_gid(struct vm *vm, const uint64_t *args)
{
	(void)args;
	return word(vm, RECORD_GID) << 32 | (uint32_t)word(vm, RECORD_UID);
}

static uint64_t cgroup(struct vm *vm, const uint64_t *args)
{
	(void)args;
	return word(vm, RECORD_CGROUP);
}

static uint64_t task(struct vm *vm, const uint64_t *args)
{
	(void)args;
	return address(vm->task);
}

/* bpf_get_stack(ctx, buf, bytes, flags): bytes that were written */
static uint64_t get_stack(struct vm *vm, const uint64_t *args)
{
	const struct record_stack *s = args[3] & BPF_F_USER_STACK ? vm->record->ustack
								  : vm->record->kstack;
	uint64_t bytes = (uint32_t)args[2];

	if (!memory(vm, args[1], bytes, true))
		return 0;
	memset(pointer(args[1]), 0, bytes);
	if (!s)
		return 0;
	if (s->n < 0)
		return failed(-EFAULT);
	if (bytes > (uint64_t)s->n * 8)
		bytes = (uint64_t)s->n * 8;
	memcpy(pointer(args[1]), s->frames, bytes);
	return bytes;
}

/* ---- texts ---- */

/* The text at this address, which may be inside one, or NULL. */
static const char *text_at(const struct vm *vm, uint64_t at)
{
	uint64_t all = vm->record->strings & vm->record->valid;

	for (uint64_t left = all; left && at; left &= left - 1)
		if (vm->record->words[__builtin_ctzll(left)] == at)
			return pointer(at);
	for (uint64_t left = all; left && at; left &= left - 1) {
		uint64_t text = vm->record->words[__builtin_ctzll(left)];

		if (at > text && at - text <= strlen(pointer(text)))
			return pointer(at);
	}
	return NULL;
}

static uint64_t read_bytes(struct vm *vm, const uint64_t *args)
{
	uint64_t bytes = (uint32_t)args[1];
	const char *text = text_at(vm, args[2]);

	if (!memory(vm, args[0], bytes, true))
		return 0;
	if (!text || bytes > strlen(text) + 1) {
		memset(pointer(args[0]), 0, bytes);
		return failed(-EFAULT);
	}
	memcpy(pointer(args[0]), text, bytes);
	return 0;
}

/* How many bytes it took with the NUL; longer texts are cut. */
static uint64_t copy_text(char *to, uint64_t bytes, const char *text)
{
	size_t n;

	if (!bytes)
		return 0;
	n = strnlen(text, bytes - 1);
	memcpy(to, text, n);
	to[n] = '\0';
	return n + 1;
}

static uint64_t read_text(struct vm *vm, const uint64_t *args)
{
	uint64_t bytes = (uint32_t)args[1];
	const char *text = text_at(vm, args[2]);

	if (!memory(vm, args[0], bytes, true))
		return 0;
	if (text)
		return copy_text(pointer(args[0]), bytes, text);
	memset(pointer(args[0]), 0, bytes);
	return failed(-EFAULT);
}

static uint64_t comm(struct vm *vm, const uint64_t *args)
{
	uint64_t bytes = (uint32_t)args[1];
	const char *text = text_at(vm, word(vm, RECORD_COMM));

	if (!memory(vm, args[0], bytes, true))
		return 0;
	memset(pointer(args[0]), 0, bytes);
	copy_text(pointer(args[0]), bytes, text ? text : "");
	return 0;
}

static const struct {
	int id;
	vm_helper run;
} helpers[] = {
	{ BPF_FUNC_map_lookup_elem, map_lookup },
	{ BPF_FUNC_map_update_elem, map_update },
	{ BPF_FUNC_map_delete_elem, map_delete },
	{ BPF_FUNC_task_storage_get, task_storage_get },
	{ BPF_FUNC_ringbuf_reserve, ring_reserve },
	{ BPF_FUNC_ringbuf_submit, ring_submit },
	{ BPF_FUNC_ringbuf_output, ring_output },
	{ BPF_FUNC_ktime_get_ns, ktime },
	{ BPF_FUNC_get_smp_processor_id, cpu },
	{ BPF_FUNC_get_current_pid_tgid, pid_tgid },
	{ BPF_FUNC_get_current_uid_gid, uid_gid },
	{ BPF_FUNC_get_current_cgroup_id, cgroup },
	{ BPF_FUNC_get_current_task, task },
	{ BPF_FUNC_get_current_task_btf, task },
	{ BPF_FUNC_get_current_comm, comm },
	{ BPF_FUNC_get_stack, get_stack },
	{ BPF_FUNC_probe_read_kernel, read_bytes },
	{ BPF_FUNC_probe_read_user, read_bytes },
	{ BPF_FUNC_probe_read_kernel_str, read_text },
	{ BPF_FUNC_probe_read_user_str, read_text },
};

vm_helper vm_helper_find(int id)
{
	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++)
		if (helpers[i].id == id)
			return helpers[i].run;
	return NULL;
}
