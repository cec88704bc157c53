/* x86: instructions of x86-64 as bytes, as far as native.c needs them. */
#ifndef VM_X86_H
#define VM_X86_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8_, R9_, R10_, R11_, R12_, R13_, R14_, R15_ };

/* Where the next instruction goes: there is room. */
struct x86 {
	uint8_t *p;
};

static inline void put8(struct x86 *x, unsigned int v)
{
	*x->p++ = (uint8_t)v;
}

static inline void put32(struct x86 *x, uint32_t v)
{
	memcpy(x->p, &v, 4);
	x->p += 4;
}

static inline void put64(struct x86 *x, uint64_t v)
{
	memcpy(x->p, &v, 8);
	x->p += 8;
}

/* op is one byte, or two of which the first is 0x0f. */
static inline void put_op(struct x86 *x, bool wide, bool always, unsigned int op, int reg, int rm)
{
	unsigned int rex = 0x40u | (unsigned int)wide << 3 | (unsigned int)(reg >> 3) << 2 |
			   (unsigned int)(rm >> 3);

	if (rex != 0x40 || always)
		put8(x, rex);
	if (op > 0xff)
		put8(x, op >> 8);
	put8(x, op);
}

/* op with two registers; reg may be what says which op it is. */
static inline void put_rr(struct x86 *x, bool wide, unsigned int op, int reg, int rm)
{
	put_op(x, wide, false, op, reg, rm);
	put8(x, 0xc0u | (unsigned int)(reg & 7) << 3 | (unsigned int)(rm & 7));
}

/* op with a register and the memory at base + off. bytes: 1, 2 (which has a prefix), 4, 8 */
static inline void put_mem(struct x86 *x, int bytes, unsigned int op, int reg, int base,
			   int32_t off)
{
	bool near = off >= -128 && off <= 127;

	if (bytes == 2)
		put8(x, 0x66);
	put_op(x, bytes == 8, bytes == 1, op, reg, base);
	put8(x, (near ? 0x40u : 0x80u) | (unsigned int)(reg & 7) << 3 | (unsigned int)(base & 7));
	if ((base & 7) == RSP)
		put8(x, 0x24);
	if (near)
		put8(x, (uint8_t)off);
	else
		put32(x, (uint32_t)off);
}

static inline void put_mov(struct x86 *x, bool wide, int to, int from)
{
	put_rr(x, wide, 0x89, from, to);
}

static inline void put_imm(struct x86 *x, int to, uint64_t v)
{
	if (v <= UINT32_MAX) {
		put_op(x, false, false, 0xb8u | (unsigned int)(to & 7), 0, to);
		put32(x, (uint32_t)v);
	} else if ((int64_t)v == (int32_t)v) {
		put_rr(x, true, 0xc7, 0, to);
		put32(x, (uint32_t)v);
	} else {
		put_op(x, true, false, 0xb8u | (unsigned int)(to & 7), 0, to);
		put64(x, v);
	}
}

static inline void put_call(struct x86 *x, uintptr_t to)
{
	put_imm(x, RAX, to);
	put_rr(x, false, 0xff, 2, RAX);
}

/* A jump of which where it goes is filled in when that is known; where that stands. */
static inline uint8_t *put_jump(struct x86 *x, unsigned int op)
{
	if (op > 0xff)
		put8(x, op >> 8);
	put8(x, op);
	put32(x, 0);
	return x->p - 4;
}

static inline void set_jump(uint8_t *at, const uint8_t *to)
{
	int32_t distance = (int32_t)(to - (at + 4));

	memcpy(at, &distance, 4);
}

enum { JMP = 0xe9, JCC = 0x0f80 };
enum { CC_B = 2, CC_AE, CC_E, CC_NE, CC_BE, CC_A, CC_S, CC_L = 12, CC_GE, CC_LE, CC_G };

#endif
