/*
 * funcs: what the functions give, evaluated by their words in docs/language.md.
 */
#ifndef ORACLE_FUNCS_H
#define ORACLE_FUNCS_H

#include "func/func.h"
#include "func/rules.h"
#include "oracle/numbers.h"

#define ERRNO_MOST 4095

/* One call: its values, none of them none, and whether the first has a sign. */
struct told {
	const struct px *e;
	struct value a, b;
	bool is_signed;
	struct arena *arena;
};

static struct value told_same(const struct told *t)
{
	return number(cut(t->a.bits, 8 * t->e->type.size, t->e->type.is_signed));
}

static struct value told_abs(const struct told *t)
{
	return t->is_signed ? number(size_of(t->a.bits)) : t->a;
}

static struct value told_min(const struct told *t)
{
	return is_less(t->a.bits, t->b.bits, t->e->type.is_signed) ? t->a : t->b;
}

static struct value told_max(const struct told *t)
{
	return is_less(t->a.bits, t->b.bits, t->e->type.is_signed) ? t->b : t->a;
}

static struct value told_bucket(const struct told *t)
{
	uint64_t b = 1ull << 63;

	if (!t->a.bits || (t->is_signed && t->a.bits >> 63))
		return number(0);
	while (!(b & t->a.bits))
		b >>= 1;
	return number(b);
}

static struct value told_errno(const struct told *t)
{
	uint64_t n = size_of(t->a.bits);

	return number(t->a.bits >> 63 && n <= ERRNO_MOST ? n : 0);
}

static struct value told_port(const struct told *t)
{
	return number((t->a.bits & 255) * 256 + t->a.bits / 256 % 256);
}

/* include/linux/sched.h; alone as the tracepoint's format has it, else the task's own word. */
static struct value told_taskstate(const struct told *t)
{
	bool raw = t->e->n_kids > 1;
	uint64_t s = t->a.bits;

	if (raw ? t->b.bits != 0 : (s & 0x100) != 0)
		return number(STATE_PREEMPTED);
	if ((s & 0x402) == 0x402 || (!raw && s & 0x80))
		return number(STATE_IDLE);
	return number(s & 1 ? STATE_SLEEPING : s & 2 ? STATE_DISK : s & 4 ? STATE_STOPPED :
		      s & 8 ? STATE_TRACED : s & (raw ? 0xb0 : 0x30) ? STATE_DEAD :
		      s & 0x40 ? STATE_IDLE : raw && s & 0xb000 ? STATE_DISK : STATE_RUNNING);
}

/* ::ffff:a.b.c.d */
static struct value told_ip(const struct told *t)
{
	char *p = arena_alloc(t->arena, 16);

	memcpy(p, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
	for (int i = 0; i < 4; i++)
		p[12 + i] = (char)(t->a.bits >> 8 * i);
	return (struct value){ .text = { p, 16 } };
}

/* As many bytes as are kept have its end, too. */
static struct value told_str(const struct told *t)
{
	struct value v = t->a;

	if (v.text.n >= (int)t->e->type.bytes)
		v.text.n = (int)t->e->type.bytes - 1;
	return v;
}

static const struct told_row {
	const struct func_ops *func;
	struct value (*of)(const struct told *t);
} told_rows[] = {
	{ &func_min, told_min }, { &func_max, told_max }, { &func_abs, told_abs }, { &func_str, told_str },
	{ &func_bucket, told_bucket }, { &func_errno, told_errno }, { &func_port, told_port },
	{ &func_taskstate, told_taskstate }, { &func_ip, told_ip }, { &func_signal, told_same },
	{ &func_disk, told_same }, { &func_container, told_same }, { &func_sym, told_same },
	{ &func_reqflags, told_same }, { &func_tcpstate, told_same }, { &func_softirq, told_same },
	{ &func_capability, told_same },
};

static const struct told_row *told_find(const struct func_ops *func)
{
	for (size_t i = 0; i < sizeof(told_rows) / sizeof(told_rows[0]); i++)
		if (told_rows[i].func == func)
			return &told_rows[i];
	return NULL;
}

#endif
