/* What the catalogs of made and of recorded events share. See plain.h. */
#include "lang/plain.h"

#include "lang/record.h"

/* The common fields are the same words of every record. */
static const struct cat_field commons[] = {
	{ .name = "pid", .type = { .kind = TY_PID, .is_signed = true, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_PID },
	{ .name = "tid", .type = { .kind = TY_TID, .is_signed = true, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_TID },
	{ .name = "ppid", .type = { .kind = TY_PID, .is_signed = true, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_PPID },
	{ .name = "comm", .type = { .kind = TY_STRING, .bytes = RECORD_COMM_BYTES },
	  .loc = LOC_RECORD, .index = RECORD_COMM },
	{ .name = "uid", .type = { .kind = TY_UID, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_UID },
	{ .name = "gid", .type = { .kind = TY_GID, .size = 4 },
	  .loc = LOC_RECORD, .index = RECORD_GID },
	{ .name = "cgroup", .type = { .kind = TY_CGROUP, .size = 8 },
	  .loc = LOC_RECORD, .index = RECORD_CGROUP },
};

const struct cat_field *plain_common(void *self, struct str name)
{
	(void)self;
	for (size_t i = 0; i < sizeof(commons) / sizeof(*commons); i++)
		if (str_is(name, commons[i].name))
			return &commons[i];
	return NULL;
}

uint32_t plain_struct(void *self, struct str name)
{
	(void)self;
	(void)name;
	return 0;
}

bool plain_member(void *self, uint32_t ktype, struct str name, struct cat_member *m)
{
	(void)self;
	(void)ktype;
	(void)name;
	(void)m;
	return false;
}

bool plain_member_at(void *self, uint32_t ktype, int i, const char **name,
			 struct cat_member *m)
{
	(void)i;
	*name = NULL;
	return plain_member(self, ktype, (struct str){ 0 }, m);
}

bool plain_element(void *self, uint32_t ktype, struct type *t, uint32_t *bytes, uint32_t *n)
{
	(void)self;
	(void)ktype;
	(void)t;
	(void)bytes;
	(void)n;
	return false;
}

bool plain_pointee(void *self, uint32_t ktype, struct type *t)
{
	(void)self;
	if (ktype != PLAIN_CHAR_TYPE)
		return false;
	*t = (struct type){ .kind = TY_STRING, .bytes = 128 };
	return true;
}

const char *plain_type_name(void *self, uint32_t ktype)
{
	(void)self;
	return ktype == PLAIN_CHAR_TYPE ? "char" : NULL;
}
