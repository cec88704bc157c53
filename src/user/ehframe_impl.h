/*
 * ehframe_impl: a section of frames as bytes with bounds, and what a CIE says.
 */
#ifndef USER_EHFRAME_IMPL_H
#define USER_EHFRAME_IMPL_H

#include "user/ehframe.h"

/* Reading: past the end all is 0 and `bad` stays. */
struct cursor {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint8_t cursor_byte(struct cursor *c)
{
	if (c->p < c->end)
		return *c->p++;
	c->bad = true;
	return 0;
}

uint64_t cursor_word(struct cursor *c, int bytes);	/* little-endian: 2, 4 or 8 */
uint64_t cursor_uleb(struct cursor *c);
int64_t cursor_sleb(struct cursor *c);
struct cursor cursor_take(struct cursor *c, uint64_t bytes);	/* the next bytes on their own */

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;			/* register of the return address */
	uint8_t encoding;		/* of addresses: DW_EH_PE_* */
	bool has_data;			/* augmentation data has a length */
	bool is_signal;
	struct cursor program;
};

/* Rows as they come: FDEs are in no order. */
struct rows {
	struct ehframe_row *v;
	size_t n, cap;
	bool cut;
};

void rows_add(struct rows *r, uint64_t address, uint32_t rule);

/* Runs an FDE's program for the code [begin, end). */
void ehframe_run(const struct cie *cie, struct cursor program, uint64_t begin, uint64_t end,
		 struct rows *rows);

#endif
