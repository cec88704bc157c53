/* What a program's child told of its functions goes, checked, to the kernel's types. */
#include "base/arena.h"
#include "kern/types/program_types_impl.h"
#include "user/child_reader.h"

#include <stdlib.h>
#include <string.h>

#define MS_MOST 10000

struct program_types {
	struct ktypes *types;
	uint32_t number;		/* the program's, there */
	struct child_reader *child;
	struct ktype_program program;
};

/* Asks; the types of the answer are added, and its rows, `each` bytes each, must be n. */
static bool ask(struct program_types *u, enum program_types_question what, const void *about, size_t bytes,
		void *rows, size_t each, size_t n)
{
	struct buf question = { 0 }, answer = { 0 };
	struct program_types_head head;
	const char *at;
	bool ok;

	buf_putc(&question, (char)what);
	buf_add(&question, about, bytes);
	ok = u->child && child_reader_ask(u->child, question.p, question.n, &answer) && answer.n >= sizeof(head);
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

	return ask(self, PROGRAM_TYPES_DEFINE, &id, sizeof(id), &whole, sizeof(whole), 1) ? whole : 0;
}

struct program_types *program_types_open(struct ktypes *k, int fd)
{
	static const struct child_reader_work work = { program_types_begin, program_types_answer, MS_MOST };
	struct program_types *u = xcalloc(1, sizeof(*u));

	u->types = k;
	u->program = (struct ktype_program){ define, u };
	u->number = ktype_add_program(k, &u->program);
	if (!u->number) {
		free(u);
		return NULL;
	}
	u->child = child_reader_start(&work, fd);
	return u;
}

void program_types_settle(struct program_types *u)
{
	child_reader_stop(u->child);
	u->child = NULL;
}

void program_types_close(struct program_types *u)
{
	program_types_settle(u);
	free(u);
}

bool program_types_signatures(struct program_types *u, const uint64_t *addresses, int n, struct program_signature *out)
{
	return ask(u, PROGRAM_TYPES_SIGNATURES, addresses, (size_t)n * sizeof(*addresses), out, sizeof(*out),
		   (size_t)n);
}

uint32_t program_types_ktype(const struct program_types *u, uint32_t number)
{
	return number ? u->number << 24 | (number & 0xffffff) : 0;
}

static uint32_t ask_name(struct program_types *u, enum program_types_question what, struct str name)
{
	uint32_t number;

	return ask(u, what, name.p, (size_t)name.n, &number, sizeof(number), 1) ? number : 0;
}

uint32_t program_types_struct(struct program_types *u, struct str name)
{
	return program_types_ktype(u, ask_name(u, PROGRAM_TYPES_STRUCT, name));
}

bool program_types_is_inlined(struct program_types *u, struct str name)
{
	return ask_name(u, PROGRAM_TYPES_INLINED, name) != 0;
}

const char *program_types_trouble(const struct program_types *u)
{
	return u->child ? child_reader_trouble(u->child) : NULL;
}
