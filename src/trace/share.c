/*
 * share: a trace whose streams several threads read: what makes an event's record
 * independent of all other events, and what of a reader is each thread's own.
 */
#include <stdlib.h>

#include "trace/impl.h"

/* ---- when that may be ---- */

/* What the model would tell of a thread whose contexts do not. */
#define MODEL_WORDS (RECORD_BIT(RECORD_PID) | RECORD_BIT(RECORD_TID) | \
		     RECORD_BIT(RECORD_PPID) | RECORD_BIT(RECORD_COMM))

/* Is the word in the contexts of all classes that become records, or never there? */
static bool is_own(const struct recorded *r, int word)
{
	int n = 0, with = 0, any = 0;

	for (int i = 0; i < r->trace->n_classes; i++) {
		const struct rec_class *c = &r->classes[r->trace->classes[i]->number];
		bool has = c->commons[word - RECORD_FIELDS_MOST] >= 0;

		any += has;
		n += c->n_outs > 0;
		with += c->n_outs && has;
	}
	return with == n || (!any && !(MODEL_WORDS & RECORD_BIT(word)));
}

/* Are all its values in the event itself? */
static bool has_all(const struct rec_class *c)
{
	for (int i = 0; i < c->n_outs; i++)
		for (int k = 0; k < c->outs[i].fetches.n; k++)
			if (rec_how_needs(c->outs[i].fetches.v[k].how))
				return false;
	return !c->keeps && !(c->n_outs && c->outs[0].is_start);
}

bool rec_tells_itself(const struct recorded *r)
{
	for (int i = 0; i < r->trace->n_classes; i++)
		if (!has_all(&r->classes[r->trace->classes[i]->number]))
			return false;
	for (int word = RECORD_FIELDS_MOST; r->needs && word < RECORD_WORDS; word++)
		if (r->common_words & RECORD_BIT(word) && !is_own(r, word))
			return false;
	return true;
}

/* ---- shares ---- */

struct recorded *recorded_share(struct recorded *r)
{
	struct recorded *s = xmalloc(sizeof(*s));

	*s = *r;
	s->arena = (struct arena){ 0 };
	s->trace = ctf_share(r->trace);
	s->texts = xmalloc(RECORDED_TEXTS_BYTES);
	s->disks = (struct map){ 0 };
	s->began = s->ended = true;
	rec_tasks_init(&s->tasks, r->needs);
	return s;
}

static void learn_disks(struct recorded *r, const struct recorded *from)
{
	for (int i = 0; i < from->disks.cap; i++) {
		const struct map_slot *slot = &from->disks.slots[i];
		struct rec_disk disk;
		uint64_t dev;

		if (!slot->value)
			continue;
		memcpy(&dev, slot->key, sizeof(dev));
		disk = *(const struct rec_disk *)slot->value;
		disk.name = arena_strdup(&r->arena, disk.name);
		rec_disk_learn(r, dev, disk);
	}
}

void recorded_unshare(struct recorded *r, struct recorded *const *shares, int n)
{
	struct ctf **traces = arena_array(&r->arena, struct ctf *, n);

	for (int i = 0; i < n; i++) {
		traces[i] = shares[i]->trace;
		learn_disks(r, shares[i]);
	}
	ctf_unshare(r->trace, traces, n);
}
