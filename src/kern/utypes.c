/* What a program's child told of its functions goes, checked, to the kernel's types. */
#include "kern/utypes_impl.h"
#include "base/arena.h"
#include "kern/uchild.h"

#include <stdlib.h>
#include <string.h>

#define MS_MOST 10000

struct utypes {
	struct ktypes *types;
	uint32_t number;		/* the program's, there */
	struct uchild *child;
	struct ktype_program program;
};

/* Asks; the types of the answer are added, and its rows, `each` bytes each, must be n. */
static bool ask(struct utypes *u, enum utypes_question what, const void *about, size_t bytes,
		void *rows, size_t each, size_t n)
{
	struct buf question = { 0 }, answer = { 0 };
	struct utypes_head head;
	const char *at;
	bool ok;

	buf_putc(&question, (char)what);
	buf_add(&question, about, bytes);
	ok = u->child && uchild_ask(u->child, question.p, question.n, &answer) && answer.n >= sizeof(head);
	if (ok) {
		memcpy(&head, answer.p, sizeof(head));
		at = answer.p + sizeof(head);
		ok = answer.n == (uint64_t)sizeof(head) + head.rows_bytes + head.types_bytes +
				 head.strings_bytes && head.rows_bytes == each * n;
	}
	if (ok) {
		memcpy(rows, at, head.rows_bytes);
		at += head.rows_bytes;
		ok = ktype_grow(u->types, u->number, at, head.types_bytes, at + head.types_bytes,
				head.strings_bytes);
	}
	buf_fini(&question);
	buf_fini(&answer);
	return ok;
}

static uint32_t define(void *self, uint32_t id)
{
	uint32_t whole;

	return ask(self, UTYPES_DEFINE, &id, sizeof(id), &whole, sizeof(whole), 1) ? whole : 0;
}

struct utypes *utypes_open(struct ktypes *k, int fd)
{
	static const struct uchild_work work = { utypes_begin, utypes_answer, MS_MOST };
	struct utypes *u = xcalloc(1, sizeof(*u));

	u->types = k;
	u->program = (struct ktype_program){ define, u };
	u->number = ktype_add_program(k, &u->program);
	if (!u->number) {
		free(u);
		return NULL;
	}
	u->child = uchild_start(&work, fd);
	return u;
}

void utypes_settle(struct utypes *u)
{
	uchild_stop(u->child);
	u->child = NULL;
}

void utypes_close(struct utypes *u)
{
	utypes_settle(u);
	free(u);
}

bool utypes_signatures(struct utypes *u, const uint64_t *addresses, int n, struct usignature *out)
{
	return ask(u, UTYPES_SIGNATURES, addresses, (size_t)n * sizeof(*addresses), out, sizeof(*out),
		   (size_t)n);
}

uint32_t utypes_ktype(const struct utypes *u, uint32_t number)
{
	return number ? u->number << 24 | (number & 0xffffff) : 0;
}

static uint32_t ask_name(struct utypes *u, enum utypes_question what, struct str name)
{
	uint32_t number;

	return ask(u, what, name.p, (size_t)name.n, &number, sizeof(number), 1) ? number : 0;
}

uint32_t utypes_struct(struct utypes *u, struct str name)
{
	return utypes_ktype(u, ask_name(u, UTYPES_STRUCT, name));
}

bool utypes_is_inlined(struct utypes *u, struct str name)
{
	return ask_name(u, UTYPES_INLINED, name) != 0;
}

const char *utypes_trouble(const struct utypes *u)
{
	return u->child ? uchild_trouble(u->child) : NULL;
}
