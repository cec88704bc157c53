/*
 * made_catalog: a small catalog for the tests of the checker: two events, a
 * system call, and C types with every kind of member.
 */
#ifndef MADE_CATALOG_H
#define MADE_CATALOG_H

#include "lang/catalog.h"

enum {
	KT_REQUEST = 1, KT_DISK, KT_INNER, KT_TASK, KT_INTS, KT_INNERS, KT_FLEX, KT_CHAR, KT_FILE,
	KT_PATH, KT_IP4, KT_IP6, KT_IN6, KT_INT, KT_UTASK
};

#define INT_OF(bytes, sign) { .kind = TY_INT, .size = (bytes), .is_signed = (sign) }
#define PTR_TO(to) { .kind = TY_PTR, .size = 8, .ktype = (to) }

static struct enum_value made_ops[] = { { "READ", 0 }, { "WRITE", 1 }, { "pid", 7 } };
static const struct enum_desc made_op_enum = { "made_op", made_ops, 3 };

static const struct made_member {
	uint32_t of;
	const char *name;
	struct cat_member m;
} made_members[] = {
	{ KT_REQUEST, "flags", { .type = INT_OF(4, false), .offset = 24 } },
	{ KT_REQUEST, "op", { .type = { .kind = TY_ENUM, .size = 4, .en = &made_op_enum },
			      .offset = 28 } },
	{ KT_REQUEST, "name", { .type = { .kind = TY_STRING, .bytes = 32 }, .offset = 32 } },
	{ KT_REQUEST, "disk", { .type = PTR_TO(KT_DISK), .offset = 64 } },
	{ KT_REQUEST, "in", { .type = { .kind = TY_STRUCT, .size = 8, .ktype = KT_INNER },
			      .offset = 80 } },
	{ KT_REQUEST, "other", { .type = PTR_TO(KT_DISK), .offset = 96, .via_union = true } },
	{ KT_REQUEST, "bits", { .type = INT_OF(4, false), .offset = 120, .bit_offset = 3,
				.bit_size = 5 } },
	{ KT_REQUEST, "ints", { .type = { .kind = TY_ARRAY, .size = 8, .ktype = KT_INTS },
				.offset = 128 } },
	{ KT_REQUEST, "items", { .type = { .kind = TY_ARRAY, .size = 8, .ktype = KT_INNERS },
				 .offset = 144 } },
	{ KT_REQUEST, "label", { .type = PTR_TO(KT_CHAR), .offset = 192 } },
	{ KT_REQUEST, "addr4", { .type = { .kind = TY_ARRAY, .size = 8, .ktype = KT_IP4 },
				 .offset = 200 } },
	{ KT_REQUEST, "in6", { .type = { .kind = TY_STRUCT, .size = 8, .ktype = KT_IN6 },
			       .offset = 204 } },
	{ KT_REQUEST, "numbers", { .type = PTR_TO(KT_INT), .offset = 224 } },
	{ KT_REQUEST, "flex", { .type = { .kind = TY_ARRAY, .size = 8, .ktype = KT_FLEX },
				.offset = 240 } },
	{ KT_DISK, "dev", { .type = { .kind = TY_DEVICE, .size = 4 }, .offset = 4 } },
	{ KT_DISK, "rq", { .type = PTR_TO(KT_REQUEST), .offset = 8 } },
	{ KT_INNER, "a", { .type = INT_OF(8, true), .offset = 0 } },
	{ KT_INNER, "b", { .type = INT_OF(4, true), .offset = 8 } },
	{ KT_TASK, "tgid", { .type = { .kind = TY_PID, .size = 4, .is_signed = true },
			     .offset = 8 } },
	{ KT_TASK, "pid", { .type = { .kind = TY_TID, .size = 4, .is_signed = true },
			    .offset = 4 } },
	{ KT_TASK, "flags", { .type = INT_OF(4, false), .offset = 16 } },
	{ KT_TASK, "utask", { .type = PTR_TO(KT_UTASK), .offset = 40 } },
	{ KT_UTASK, "depth", { .type = INT_OF(4, false), .offset = 8 } },
	{ KT_TASK, "comm", { .type = { .kind = TY_STRING, .bytes = 16 }, .offset = 24 } },
	{ KT_FILE, "f_path", { .type = { .kind = TY_STRUCT, .size = 8, .ktype = KT_PATH },
			       .offset = 16 } },
};

#define MADE_MEMBERS ((int)(sizeof(made_members) / sizeof(*made_members)))

static const char *const made_names[] = {
	[KT_REQUEST] = "request", [KT_DISK] = "disk", [KT_INNER] = "inner",
	[KT_TASK] = "task_struct", [KT_FILE] = "file", [KT_PATH] = "path", [KT_IN6] = "in6_addr",
	[KT_INT] = "int",
};

static const struct cat_field made_raw_state = {
	.name = "raw_state", .type = INT_OF(8, true), .loc = LOC_FORMAT, .offset = 40, .size = 8,
};

static const struct cat_field made_raw_peer = {
	.name = "peer", .type = { .kind = TY_ARRAY, .size = 8, .ktype = KT_IP4 }, .loc = LOC_FORMAT, .offset = 56, .size = 4,
};

static const struct cat_field issue_fields[] = {
	{ .name = "sector", .type = INT_OF(8, false), .loc = LOC_FORMAT, .offset = 8, .size = 8 },
	{ .name = "bytes", .type = { .kind = TY_SIZE, .size = 4 }, .loc = LOC_FORMAT, .offset = 16,
	  .size = 4, .from_args = "rq.flags" },
	{ .name = "cmd", .type = { .kind = TY_STRING, .bytes = 16 }, .loc = LOC_FORMAT,
	  .offset = 24, .size = 16, .from_args = "rq.name" },
	{ .name = "lost", .type = INT_OF(4, false), .loc = LOC_FORMAT, .offset = 20, .size = 4,
	  .from_args = "rq.not_there" },
	{ .name = "state", .type = { .kind = TY_ENUM, .size = 8, .dense = STATES,
				     .en = &task_state_enum }, .loc = LOC_FORMAT,
	  .raw = &made_raw_state, .from_raw = "taskstate(raw_state)" },
	{ .name = "pid", .type = { .kind = TY_TID, .size = 4, .is_signed = true },
	  .loc = LOC_FORMAT, .offset = 48, .size = 4 },
	{ .name = "peer", .type = { .kind = TY_IP, .bytes = 16 }, .loc = LOC_FORMAT, .raw = &made_raw_peer,
	  .from_raw = "ip(peer)" },
};
static const struct cat_field issue_args[] = {
	{ .name = "rq", .type = PTR_TO(KT_REQUEST), .loc = LOC_ARG },
	{ .name = "maybe", .type = PTR_TO(KT_REQUEST), .loc = LOC_ARG, .index = 1,
	  .maybe_null = true },
	{ .name = "count", .type = INT_OF(4, true), .loc = LOC_ARG, .index = 2 },
};
static const struct cat_event issue = {
	.kind = CAT_TRACEPOINT, .system = "block", .name = "issue", .n_fields = 7,
	.fields = issue_fields, .n_args = 3, .args = issue_args, .btf_id = 1, .perf_id = 1,
};
static const struct cat_field complete_fields[] = {
	{ .name = "error", .type = INT_OF(4, true), .loc = LOC_FORMAT, .offset = 8, .size = 4 },
	{ .name = "recorded", .type = INT_OF(8, true), .loc = LOC_RECORD },
};
static const struct cat_field complete_args[] = {
	{ .name = "rq", .type = PTR_TO(KT_REQUEST), .loc = LOC_ARG },
};
static const struct cat_event complete = {
	.kind = CAT_TRACEPOINT, .system = "block", .name = "complete", .n_fields = 2,
	.fields = complete_fields, .n_args = 1, .args = complete_args, .btf_id = 2, .perf_id = 2,
	.interrupt = true,
};
static const struct cat_field open_params[] = {
	{ .name = "filename", .type = { .kind = TY_PTR, .size = 8, .user = true,
					.ktype = KT_CHAR }, .loc = LOC_SYSARG },
	{ .name = "fd", .type = INT_OF(4, true), .loc = LOC_SYSARG, .index = 1 },
};
static const struct cat_syscall made_open = { .nr = 2, .name = "open", .n_params = 2, .params = open_params };
static const struct cat_event sys_enter = { .kind = CAT_SYSCALL_ENTER, .name = "sys_enter" };
static const struct cat_event sys_exit = { .kind = CAT_SYSCALL_EXIT, .name = "sys_exit" };

static uint32_t made_struct_type(void *self, struct str name)
{
	(void)self;
	for (uint32_t i = KT_REQUEST; i <= KT_IN6; i++)
		if (made_names[i] && str_is(name, made_names[i]))
			return i;
	return 0;
}

static bool made_member(void *self, uint32_t ktype, struct str name, struct cat_member *m)
{
	(void)self;
	for (int i = 0; i < MADE_MEMBERS; i++)
		if (made_members[i].of == ktype && str_is(name, made_members[i].name)) {
			*m = made_members[i].m;
			return true;
		}
	return false;
}

static bool made_member_at(void *self, uint32_t ktype, int i, const char **name,
			   struct cat_member *m)
{
	(void)self;
	for (int k = 0; k < MADE_MEMBERS; k++)
		if (made_members[k].of == ktype && !i--) {
			*name = made_members[k].name;
			*m = made_members[k].m;
			return true;
		}
	return false;
}

static bool made_element(void *self, uint32_t ktype, struct type *t, uint32_t *bytes, uint32_t *n)
{
	static const struct { struct type t; uint32_t bytes, n; } rows[] = {
		[KT_INTS] = { INT_OF(4, true), 4, 4 },
		[KT_INNERS] = { { .kind = TY_STRUCT, .size = 8, .ktype = KT_INNER }, 16, 3 },
		[KT_FLEX] = { INT_OF(4, true), 4, 0 },
		[KT_IP4] = { INT_OF(1, false), 1, 4 },
		[KT_IP6] = { INT_OF(1, false), 1, 16 },
	};

	(void)self;
	if (ktype > KT_IP6 || !rows[ktype].bytes)
		return false;
	*t = rows[ktype].t;
	*bytes = rows[ktype].bytes;
	*n = rows[ktype].n;
	return true;
}

static bool made_pointee(void *self, uint32_t ktype, struct type *t)
{
	(void)self;
	*t = (struct type){ .kind = TY_STRUCT, .size = 8, .ktype = ktype };
	if (ktype == KT_CHAR)
		*t = (struct type){ .kind = TY_STRING, .bytes = 128 };
	if (ktype == KT_INT)
		*t = (struct type)INT_OF(4, true);
	return ktype != 0;
}

static bool made_enumerator(void *self, struct str name, int64_t *value, struct type *t)
{
	(void)self;
	*t = (struct type){ .kind = TY_ENUM, .size = 4 };
	*value = 3;
	if (str_is(name, "__REQ_SYNC"))
		*value = 11;
	return str_is(name, "TCP_SYN_RECV") || str_is(name, "__REQ_SYNC");
}

static const char *made_ktype_name(void *self, uint32_t ktype)
{
	(void)self;
	return ktype <= KT_INT ? made_names[ktype] : NULL;
}

static const struct catalog_ops made_catalog_ops = {
	.struct_type = made_struct_type, .member = made_member, .member_at = made_member_at,
	.element = made_element, .pointee = made_pointee, .enumerator = made_enumerator,
	.ktype_name = made_ktype_name,
};
static const struct catalog made_catalog = { .ops = &made_catalog_ops };

#endif
