/*
 * task: which thread an event ran in, and what programs keep in it.
 *
 * A thread is its number; number 0 is one idle thread a CPU. The number is known when
 * the event's record says it. What is kept dies with the thread (vm_task_exit).
 */
#include <stdlib.h>

#include "vm/vm.h"

#define IDLE (1ull << 32)		/* bit of the id of an idle thread, + CPU */

static uint32_t id_hash(uint64_t id)
{
	return (uint32_t)((id * 0x9e3779b97f4a7c15u) >> 32);
}

static struct vm_task **slot_of(struct vm_task **slots, uint32_t cap, uint64_t id)
{
	uint32_t i = id_hash(id) & (cap - 1);

	while (slots[i] && slots[i]->id != id)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static void grow(struct vm_tasks *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : 64;
	struct vm_task **slots = xcalloc(cap, sizeof(*slots));

	for (uint32_t i = 0; i < t->cap; i++)
		if (t->slots[i])
			*slot_of(slots, cap, t->slots[i]->id) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
}

struct vm_task *vm_task_current(struct vm_tasks *t, const struct record *rec)
{
	uint64_t id = (uint32_t)rec->words[RECORD_TID];
	struct vm_task **slot;

	if (!(rec->valid & RECORD_BIT(RECORD_TID)))
		return NULL;
	if (id == 0)
		id = IDLE | rec->cpu;
	if (t->n >= t->cap / 2)
		grow(t);
	slot = slot_of(t->slots, t->cap, id);
	if (!*slot) {
		*slot = xcalloc(1, sizeof(**slot));
		(*slot)->id = id;
		t->n++;
	}
	return *slot;
}

void *vm_task_storage(struct vm_tasks *t, struct vm_task *task, const struct vm_map *m,
		      const void *init, bool create)
{
	void **value;

	if (!task->storage) {
		if (!create)
			return NULL;
		task->storage = xcalloc((size_t)t->n_storages, sizeof(*task->storage));
	}
	value = &task->storage[m->storage];
	if (!*value && create) {
		*value = xcalloc(1, m->value_stride);
		if (init)
			memcpy(*value, init, m->value_bytes);
	}
	return *value;
}

/* false: there was none */
static bool forget(struct vm_task *task, int storage)
{
	if (!task->storage || !task->storage[storage])
		return false;
	free(task->storage[storage]);
	task->storage[storage] = NULL;
	return true;
}

void vm_task_exit(struct vm_tasks *t, struct vm_task *task)
{
	for (int i = 0; task->storage && i < t->n_storages; i++)
		free(task->storage[i]);
	free(task->storage);
	task->storage = NULL;
}

uint64_t vm_tasks_abandon(struct vm_tasks *t, int storage)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->cap; i++)
		if (t->slots[i])
			n += forget(t->slots[i], storage);
	return n;
}

void vm_tasks_fini(struct vm_tasks *t)
{
	for (uint32_t i = 0; i < t->cap; i++) {
		if (t->slots[i])
			vm_task_exit(t, t->slots[i]);
		free(t->slots[i]);
	}
	free(t->slots);
}
