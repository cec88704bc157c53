/*
 * stack: what a cell of type STACK holds, with its names.
 *
 * Frames are from the innermost (where it happened) to the outermost (main). A stack of
 * both worlds has the kernel's frames first. Everything is in the table's arena.
 */
#ifndef TABLE_STACK_H
#define TABLE_STACK_H

#include <stdint.h>

#include "table/type.h"

#define STACK_FRAMES 127		/* of a stack that are kept, as the kernel itself does */

struct arena;

enum frame_kind {
	FRAME_KERNEL,
	FRAME_USER,
	FRAME_JIT,		/* named by a perf-PID.map */
	FRAME_INLINED,		/* in the frame that follows it */
	FRAME_MARK,		/* no code: "--", "waker", a task's name in a chain */
};

struct stack_frame {
	const char *name;	/* demangled; NULL: not known */
	const char *module;	/* "libc.so.6", "btrfs", "[vdso]"; NULL: vmlinux or not known */
	const char *file;	/* with --lines, else NULL */
	int line;
	uint64_t address;	/* as the processor had it */
	uint64_t offset;	/* from the name's begin; without a name from the module's */
	uint8_t kind;		/* enum frame_kind */
};

struct stack {
	int n;
	const struct stack_frame *frames;
	const char *cut;	/* why outer frames are missing: "too deep", "no frame
				 * pointer", "page absent"; NULL: it is whole */
};

/* Is a value an address, or several, that names->stack names? */
bool stack_is(const struct type *t);
/* Of a stack of one frame: "malloc+0x12", "a.out+0x1139". */
const char *stack_symbol(struct arena *a, const struct stack *s);

#endif
