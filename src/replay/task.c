/*
 * task: which thread an event ran in, and what programs keep in it.
 *
 * A thread is its number; number 0 is one idle thread a CPU. The number is known when
 * the event's record says it. What is kept dies with the thread (rp_task_exit).
 */
#include <stdlib.h>

#include "replay/vm.h"

#define IDLE (1ull << 32)		/* bit of the id of an idle thread, + CPU */

static uint32_t id_hash(uint64_t id)
{
	return (uint32_t)((id * 0x9e3779b97f4a7c15u) >> 32);
}

static struct rp_task **slot_of(struct rp_task **slots, uint32_t cap, uint64_t id)
{
	uint32_t i = id_hash(id) & (cap - 1);

	while (slots[i] && slots[i]->id != id)
		i = (i + 1) & (cap - 1);
	return &slots[i];
}

static void grow(struct rp_tasks *t)
{
	uint32_t cap = t->cap ? t->cap * 2 : 64;
	struct rp_task **slots = xcalloc(cap, sizeof(*slots));

	for (uint32_t i = 0; i < t->cap; i++)
		if (t->slots[i])
			*slot_of(slots, cap, t->slots[i]->id) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
}

struct rp_task *rp_task_current(struct rp_tasks *t, const struct record *rec)
{
	uint64_t id = (uint32_t)rec->words[RECORD_TID];
	struct rp_task **slot;

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

void *rp_task_storage(struct rp_tasks *t, struct rp_task *task, const struct rp_map *m,
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
static bool forget(struct rp_task *task, int storage)
{
	if (!task->storage || !task->storage[storage])
		return false;
	free(task->storage[storage]);
	task->storage[storage] = NULL;
	return true;
}

void rp_task_exit(struct rp_tasks *t, struct rp_task *task)
{
	for (int i = 0; task->storage && i < t->n_storages; i++)
		free(task->storage[i]);
	free(task->storage);
	task->storage = NULL;
}

uint64_t rp_tasks_abandon(struct rp_tasks *t, int storage)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < t->cap; i++)
		if (t->slots[i])
			n += forget(t->slots[i], storage);
	return n;
}

void rp_tasks_fini(struct rp_tasks *t)
{
	for (uint32_t i = 0; i < t->cap; i++) {
		if (t->slots[i])
			rp_task_exit(t, t->slots[i]);
		free(t->slots[i]);
	}
	free(t->slots);
}
