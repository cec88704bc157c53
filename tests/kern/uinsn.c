/* What the kernel does with a probe on a function that begins so. */
#include "kern/uinsn.h"

#include <string.h>

#include "test.h"

#ifdef __x86_64__
TEST(uinsn)
{
	static const struct {
		enum uinsn is;
		const char *code;
		const char *why;
	} rows[] = {
		{ UINSN_FINE, "\x55\x48\x89\xe5", NULL },			/* push rbp */
		{ UINSN_FINE, "\xf3\x0f\x1e\xfa\xf0", NULL },		/* endbr64; lock ... */
		{ UINSN_FINE, "\x64\x48\x8b\x04\x25", NULL },		/* mov rax, fs:0 */
		{ UINSN_FINE, "\x0f\x05", NULL },				/* syscall */
		{ UINSN_FINE, "\x8e\xd8", NULL },				/* mov ds, eax */
		{ UINSN_FINE, "\xc5\xf8\x28\xc0", NULL },			/* vmovaps */
		{ UINSN_REFUSED, "\xf0\x48\x83\x07\x01", "LOCK" },		/* lock add qword [rdi], 1 */
		{ UINSN_REFUSED, "\xf0\xff\x0f", "LOCK" },			/* lock dec dword [rdi] */
		{ UINSN_REFUSED, "\x66\xf0\x0f\xc1\x07", "LOCK" },		/* lock xadd word [rdi], ax */
		{ UINSN_REFUSED, "\x3e\xff\xe0", "segment" },		/* notrack jmp rax */
		{ UINSN_REFUSED, "\xf2\x2e\x90", "segment" },
		{ UINSN_REFUSED, "\xf4", "step" },				/* hlt */
		{ UINSN_REFUSED, "\x48\xcf", "step" },			/* iretq */
		{ UINSN_REFUSED, "\x8e\xd0", "step" },			/* mov ss, eax */
		{ UINSN_REFUSED, "\xc5\xf9\x6e\xc6", "vector" },		/* vmovd: ins? outs? */
		{ UINSN_REFUSED, "\xc5\xf9\xef\xc0", "vector" },		/* vpxor: out? */
		{ UINSN_MISREAD, "\xc5\xf8\x77", "branch" },			/* vzeroupper: ja? */
		{ UINSN_MISREAD, "\x62\xf2\x7d\x48\x7a\xc6", "branch" },	/* vpbroadcastb: jp? */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t code[UINSN_BYTES] = { 0 };
		const char *why = "";

		strncpy((char *)code, rows[i].code, sizeof(code));
		CHECK(uinsn_judge(code, &why) == rows[i].is);
		CHECK(!rows[i].why || strstr(why, rows[i].why));
	}
}
#endif
