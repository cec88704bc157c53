/*
 * cdecl.c: C declarations as text. Only what occurs in formats and system
 * calls: words, one pointer or several, one array. No functions.
 */
#define _GNU_SOURCE	/* memrchr */
#include "kern/types/cdecl.h"

#include <ctype.h>
#include <stdio.h>

#define STRING_BYTES 128

/* Integers whose size a format need not say: parameters of system calls. */
static const struct {
	const char *name;
	uint8_t bytes;
	bool is_signed;
} words[] = {
	{ "char", 1, true }, { "short", 2, true }, { "int", 4, true }, { "long", 8, true },
	{ "signed", 4, true }, { "signed char", 1, true }, { "unsigned char", 1, false },
	{ "unsigned short", 2, false }, { "unsigned int", 4, false }, { "unsigned", 4, false },
	{ "uint", 4, false }, { "unsigned long", 8, false }, { "long long", 8, true },
	{ "unsigned long long", 8, false }, { "bool", 1, false },
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false },
	{ "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true }, { "s64", 8, true },
	{ "__u8", 1, false }, { "__u16", 2, false }, { "__u32", 4, false },
	{ "__u64", 8, false }, { "__s32", 4, true }, { "__s64", 8, true },
	{ "size_t", 8, false }, { "ssize_t", 8, true }, { "off_t", 8, true },
	{ "loff_t", 8, true }, { "pid_t", 4, true }, { "tgid_t", 4, true },
	{ "uid_t", 4, false }, { "gid_t", 4, false }, { "qid_t", 4, false }, { "umode_t", 2, false },
	{ "key_t", 4, true }, { "key_serial_t", 4, true }, { "mqd_t", 4, true },
	{ "timer_t", 4, true }, { "clockid_t", 4, true }, { "rwf_t", 4, true },
	{ "aio_context_t", 8, false },
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct str trim(struct str s)
{
	while (s.n && s.p[s.n - 1] == ' ')
		s.n--;
	while (s.n && *s.p == ' ')
		s = str_sub(s, 1, -1);
	return s;
}

/* Takes a "[n]" off the end. */
static bool take_array(struct str *s, uint32_t *n)
{
	const char *open;

	if (!s->n || s->p[s->n - 1] != ']')
		return false;
	open = memrchr(s->p, '[', (size_t)s->n);
	if (!open)
		return false;
	*n = 0;
	for (const char *p = open + 1; isdigit((unsigned char)*p) && *n < 100000000; p++)
		*n = *n * 10 + (uint32_t)(*p - '0');
	s->n = (int)(open - s->p);
	*s = trim(*s);
	return true;
}

bool cdecl_parse(struct str text, struct cdecl *d)
{
	static const char data_loc[] = "__data_loc ";
	int n;

	*d = (struct cdecl){ 0 };
	text = trim(text);
	if (str_has_prefix(text, data_loc)) {
		d->data_loc = true;
		text = trim(str_sub(text, sizeof(data_loc) - 1, -1));
	}
	d->array = take_array(&text, &d->n);
	for (n = text.n; n && is_name(text.p[n - 1]); n--)
		;
	d->name = str_sub(text, n, -1);
	d->type = trim(str_sub(text, 0, n));
	/* "char[] name" of __data_loc */
	if (!d->array)
		d->array = take_array(&d->type, &d->n);
	return d->name.n && d->type.n && !str_has_prefix(d->type, "__rel_loc");
}

/* The next word or `*`; false at the end. */
static bool next_word(struct str *s, struct str *w)
{
	int n = 0;

	*s = trim(*s);
	if (!s->n)
		return false;
	while (n < s->n && is_name(s->p[n]))
		n++;
	if (!n)
		n = 1;
	*w = str_sub(*s, 0, n);
	*s = str_sub(*s, n, -1);
	return true;
}

struct parts {
	char base[64];			/* words without const, struct, enum, one blank between */
	bool is_struct, is_enum;
	int pointers;
};

static void split(struct str text, struct parts *p)
{
	static const char *const skipped[] = { "const", "volatile", "__user", "__seg_gs",
					       "restrict" };
	struct str w;
	size_t n = 0;

	*p = (struct parts){ 0 };
	while (next_word(&text, &w)) {
		bool skip = false;

		for (size_t i = 0; i < COUNT(skipped); i++)
			skip |= str_is(w, skipped[i]);
		if (str_is(w, "*"))
			p->pointers++;
		else if (str_is(w, "struct") || str_is(w, "union"))
			p->is_struct = true;
		else if (str_is(w, "enum"))
			p->is_enum = true;
		else if (!skip && n + (size_t)w.n + 2 < sizeof(p->base))
			n += (size_t)snprintf(p->base + n, sizeof(p->base) - n, "%s%.*s",
					      n ? " " : "", STR_ARG(w));
	}
}

static int word_row(const char *base)
{
	for (size_t i = 0; i < COUNT(words); i++)
		if (!strcmp(words[i].name, base))
			return (int)i;
	return -1;
}

static struct type word_type(struct ktypes *k, const struct parts *p, uint32_t bytes,
			     bool is_signed)
{
	struct type t = { .kind = TY_INT, .size = (uint8_t)bytes, .is_signed = is_signed };
	int row = word_row(p->base);
	uint32_t id;

	if (!bytes && row >= 0) {
		t.size = words[row].bytes;
		t.is_signed = words[row].is_signed;
	}
	if (!t.size)
		t.size = p->is_enum ? 4 : 8;
	if (!strcmp(p->base, "bool")) {
		t.kind = TY_BOOL;
		t.dense = 2;
	} else if (ktype_meaning(p->base)) {
		t.kind = ktype_meaning(p->base);
	} else if (k && p->is_enum && (id = ktype_enum(k, str_of(p->base))) != 0) {
		struct type e;

		if (ktype_value(k, id, &e)) {
			t.kind = TY_ENUM;
			t.en = e.en;
		}
	}
	return t;
}

static struct type pointer_type(struct ktypes *k, const struct parts *p, bool user)
{
	struct type t = { .kind = TY_PTR, .size = 8, .user = user };
	struct type to;

	if (!k || p->pointers > 1 || !strcmp(p->base, "void"))
		return t;
	/* Any other word is the typedef of a struct: siginfo_t. */
	if (p->is_struct || (!p->is_enum && word_row(p->base) < 0)) {
		t.ktype = ktype_make_struct(k, str_of(p->base));
		return t;
	}
	if (!strcmp(p->base, "char"))
		to = (struct type){ .kind = TY_STRING, .bytes = STRING_BYTES };
	else
		to = word_type(k, p, 0, false);
	t.ktype = ktype_make_word(k, &to);
	return t;
}

static struct type array_type(struct ktypes *k, const struct cdecl *d, const struct parts *p,
			      uint32_t bytes)
{
	struct type t = { .kind = TY_ARRAY, .size = 8 }, element;
	uint32_t each;

	if (!strcmp(p->base, "char") && !p->pointers) {
		t = (struct type){ .kind = TY_STRING, .bytes = STRING_BYTES };
		if (d->n)
			t.bytes = d->n;
		return t;
	}
	if (!k || d->data_loc || !d->n || bytes % d->n)
		return t;
	each = bytes / d->n;
	if (each != 1 && each != 2 && each != 4 && each != 8)
		return t;
	element = p->pointers ? pointer_type(k, p, false) :
				word_type(k, p, each, strncmp(p->base, "u", 1) != 0 &&
						      strncmp(p->base, "__u", 3) != 0);
	t.ktype = ktype_make_array(k, &element, each, d->n);
	return t;
}

struct type cdecl_type(struct ktypes *k, const struct cdecl *d, uint32_t bytes, bool is_signed,
		       bool user)
{
	bool word = bytes == 0 || bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
	struct parts p;

	split(d->type, &p);
	if (d->array || d->data_loc)
		return array_type(k, d, &p, bytes);
	if (p.pointers)
		return pointer_type(k, &p, user);
	if (p.is_struct || !word)
		return (struct type){ .kind = TY_STRUCT, .size = 8,
				      .ktype = k ? ktype_make_struct(k, str_of(p.base)) : 0 };
	return word_type(k, &p, bytes, is_signed);
}
