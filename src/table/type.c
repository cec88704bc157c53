/* The types' names and the fixed types. See type.h. */
#include "table/type.h"

static const struct {
	const char *name;
	bool word;
} rows[] = {
#define TYPE(kind, text, is_word) [TY_##kind] = { .name = text, .word = is_word },
#include "table/type.def"
#undef TYPE
};

const struct type type_int = { .kind = TY_INT, .is_signed = true, .size = 8 };
const struct type type_uint = { .kind = TY_INT, .size = 8 };
const struct type type_bool = { .kind = TY_BOOL, .size = 8, .dense = 2 };
const struct type type_duration = { .kind = TY_DURATION, .is_signed = true, .size = 8 };
const struct type type_size = { .kind = TY_SIZE, .is_signed = true, .size = 8 };
const struct type type_time = { .kind = TY_TIME, .size = 8 };
const struct type type_real = { .kind = TY_REAL, .is_signed = true, .size = 8 };
const struct type type_none = { .kind = TY_NONE, .size = 8 };
const struct type type_poison = { .kind = TY_POISON, .size = 8 };

static const struct enum_value task_states[STATES] = {
	[STATE_RUNNING] = { "running", STATE_RUNNING },
	[STATE_PREEMPTED] = { "preempted", STATE_PREEMPTED },
	[STATE_SLEEPING] = { "sleeping", STATE_SLEEPING },
	[STATE_DISK] = { "disk", STATE_DISK },
	[STATE_STOPPED] = { "stopped", STATE_STOPPED },
	[STATE_TRACED] = { "traced", STATE_TRACED },
	[STATE_IDLE] = { "idle", STATE_IDLE },
	[STATE_DEAD] = { "dead", STATE_DEAD },
};

const struct enum_desc task_state_enum = { "task_state", task_states, STATES };
const struct type type_task_state = { .kind = TY_ENUM, .size = 8, .dense = STATES, .en = &task_state_enum };

const char *type_name(const struct type *t)
{
	return rows[t->kind].name;
}

bool type_is_word(const struct type *t)
{
	return rows[t->kind].word;
}

uint32_t type_head_bytes(const struct type *t)
{
	return t->kind == TY_ARGS || t->kind == TY_PATH ? TEXT_HEAD_BYTES : 0;
}
