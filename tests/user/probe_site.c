/* What the kernel does with a probe on a function that begins so. */
#include "user/probe_site.h"

#include <string.h>

#include "test.h"

#ifdef __x86_64__
TEST(probe_site)
{
	static const struct {
		enum probe_site is;
		const char *code;
		const char *why;
	} rows[] = {
		{ PROBE_SITE_FINE, "\x55\x48\x89\xe5", NULL },			/* push rbp */
		{ PROBE_SITE_FINE, "\xf3\x0f\x1e\xfa\xf0", NULL },	/* endbr64; lock ... */
		{ PROBE_SITE_FINE, "\x64\x48\x8b\x04\x25", NULL },	/* mov rax, fs:0 */
		{ PROBE_SITE_FINE, "\x0f\x05", NULL },				/* syscall */
		{ PROBE_SITE_FINE, "\x8e\xd8", NULL },				/* mov ds, eax */
		{ PROBE_SITE_FINE, "\xc5\xf8\x28\xc0", NULL },			/* vmovaps */
		{ PROBE_SITE_REFUSED, "\xf0\x48\x83\x07\x01", "LOCK" },		/* lock add qword [rdi], 1 */
		{ PROBE_SITE_REFUSED, "\xf0\xff\x0f", "LOCK" },			/* lock dec dword [rdi] */
		{ PROBE_SITE_REFUSED, "\x66\xf0\x0f\xc1\x07", "LOCK" },		/* lock xadd word [rdi], ax */
		{ PROBE_SITE_REFUSED, "\x3e\xff\xe0", "segment" },	/* notrack jmp rax */
		{ PROBE_SITE_REFUSED, "\xf2\x2e\x90", "segment" },
		{ PROBE_SITE_REFUSED, "\xf4", "step" },				/* hlt */
		{ PROBE_SITE_REFUSED, "\x48\xcf", "step" },		/* iretq */
		{ PROBE_SITE_REFUSED, "\x8e\xd0", "step" },		/* mov ss, eax */
		{ PROBE_SITE_REFUSED, "\xc5\xf9\x6e\xc6", "vector" },		/* vmovd: ins? outs? */
		{ PROBE_SITE_REFUSED, "\xc5\xf9\xef\xc0", "vector" },		/* vpxor: out? */
		{ PROBE_SITE_MISREAD, "\xc5\xf8\x77", "branch" },		/* vzeroupper: ja? */
		{ PROBE_SITE_MISREAD, "\x62\xf2\x7d\x48\x7a\xc6", "branch" },	/* vpbroadcastb: jp? */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t code[PROBE_SITE_BYTES] = { 0 };
		const char *why = "";

		strncpy((char *)code, rows[i].code, sizeof(code));
		CHECK(probe_site_judge(code, &why) == rows[i].is);
		CHECK(!rows[i].why || strstr(why, rows[i].why));
	}
}
#endif
