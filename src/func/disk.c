/* Disks and their requests. */
#include "func/rules.h"

static struct px *type_disk(struct func_call *c) { return func_as_kind(c, TY_DEVICE); }

const struct func_ops func_disk = {
	.name = "disk",
	.takes = "(device)",
	.help = "a device number as the disk's name",
	.example = "block:block_rq_issue | count by disk(dev)",
	.min_args = 1,
	.max_args = 1,
	.type = type_disk,
	.emit_word = func_emit_same,
};

struct req_name {
	const char *enumerator;
	char shown[12];
	bool is_bit;		/* the enumerator is the number of a bit */
};

/* The operations are the low 8 bits. */
static const struct req_name req_names[] = {
	{ "REQ_OP_READ", "Read", false },
	{ "REQ_OP_WRITE", "Write", false },
	{ "REQ_OP_FLUSH", "Flush", false },
	{ "REQ_OP_DISCARD", "Discard", false },
	{ "REQ_OP_SECURE_ERASE", "SecureErase", false },
	{ "REQ_OP_WRITE_ZEROES", "WriteZeroes", false },
	{ "REQ_OP_DRV_IN", "DrvIn", false },
	{ "REQ_OP_DRV_OUT", "DrvOut", false },
	{ "__REQ_SYNC", "Sync", true },
	{ "__REQ_META", "Metadata", true },
	{ "__REQ_PRIO", "Priority", true },
	{ "__REQ_NOMERGE", "NoMerge", true },
	{ "__REQ_IDLE", "Idle", true },
	{ "__REQ_FUA", "ForcedUnitA", true },
	{ "__REQ_RAHEAD", "ReadAhead", true },
	{ "__REQ_BACKGROUND", "Background", true },
	{ "__REQ_NOWAIT", "NoWait", true },
};

#define REQ_NAMES ((int)(sizeof(req_names) / sizeof(*req_names)))

static struct px *type_reqflags(struct func_call *c)
{
	const struct catalog *cat = c->env->catalog;
	struct enum_desc *en = arena_new(c->env->arena, struct enum_desc);
	struct enum_value *values;
	struct type t;
	int64_t n;

	if (!func_is_number(c->args[0]))
		return func_not_number(c, 0);
	en->name = "request flags";
	en->values = values = arena_array(c->env->arena, struct enum_value, REQ_NAMES);
	for (int i = 0; cat && i < REQ_NAMES; i++) {
		const struct req_name *r = &req_names[i];

		if (!cat->ops->enumerator(cat->self, str_of(r->enumerator), &n, &t))
			continue;
		if (r->is_bit && (n < 0 || n > 62))
			continue;
		values[en->n++] = (struct enum_value){ r->shown, r->is_bit ? (int64_t)1 << n : n };
	}
	c->x->type = (struct type){ .kind = TY_BLKFLAGS, .size = 4, .en = en };
	return c->x;
}

const struct func_ops func_reqflags = {
	.name = "reqflags",
	.takes = "(flags)",
	.help = "a disk request's cmd_flags by name: Sync-Write",
	.example = "block:block_rq_issue | count by reqflags(rq.cmd_flags)",
	.min_args = 1,
	.max_args = 1,
	.type = type_reqflags,
	.emit_word = func_emit_same,
};
