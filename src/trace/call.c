/* call: what a system call's entry tells is kept in its thread until it returns. */
#include <stdlib.h>

#include "trace/impl.h"

#define TEXT_MOST 4095			/* bytes kept of a text */

void rec_call_keep(struct rec_thread *t, const struct record *rec, uint32_t gaps)
{
	uint64_t bits = RECORD_BIT(RECORD_FIELDS_MOST) - 1 - RECORD_BIT(RECORD_SYSRET);
	size_t bytes = 0;

	t->call_valid = rec->valid & bits;
	t->call_gaps = gaps;
	t->call_strings = rec->strings & t->call_valid;
	for (uint64_t left = t->call_valid; left; left &= left - 1)
		t->call[__builtin_ctzll(left)] = rec->words[__builtin_ctzll(left)];
	for (uint64_t left = t->call_strings; left; left &= left - 1)
		bytes += strnlen((char *)(uintptr_t)t->call[__builtin_ctzll(left)], TEXT_MOST) + 1;
	if (bytes > t->texts_bytes) {
		free(t->texts);
		t->texts = xmalloc(bytes);
		t->texts_bytes = bytes;
	}
	bytes = 0;
	for (uint64_t left = t->call_strings; left; left &= left - 1) {
		int k = __builtin_ctzll(left);
		const char *text = (char *)(uintptr_t)t->call[k];
		size_t n = strnlen(text, TEXT_MOST);

		t->call[k] = (uint64_t)(uintptr_t)memcpy(t->texts + bytes, text, n);
		t->texts[bytes + n] = '\0';
		bytes += n + 1;
	}
}

/* What the entry told and the return doesn't. After a gap it may be another call's return. */
void rec_call_give(struct rec_thread *t, struct record *rec, uint32_t gaps)
{
	uint64_t bits = t->call_valid & ~rec->valid;

	if (gaps != t->call_gaps || !(t->call_valid & rec->valid & RECORD_BIT(RECORD_SYSNR)) ||
	    t->call[RECORD_SYSNR] != rec->words[RECORD_SYSNR])
		bits = 0;
	for (uint64_t left = bits; left; left &= left - 1)
		rec->words[__builtin_ctzll(left)] = t->call[__builtin_ctzll(left)];
	rec->valid |= bits;
	rec->strings |= bits & t->call_strings;
	t->call_valid = 0;
}
