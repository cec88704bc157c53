/*
 * probe_site: where the kernel puts a probe on a program's instruction it executes that elsewhere,
 * or does in its place what it means. Not all can be.
 */
#ifndef USER_PROBE_SITE_H
#define USER_PROBE_SITE_H

#include <stdint.h>

#define PROBE_SITE_BYTES 8		/* that are looked at */

enum probe_site {
	PROBE_SITE_FINE,
	PROBE_SITE_REFUSED,		/* there is no probe (ENOTSUPP), often only told when the file is
					 * mapped: that is, never */
	PROBE_SITE_MISREAD,		/* a probe breaks the program */
};

/* What the kernel does with a function that begins so; *why: "begins with a LOCK prefix". */
enum probe_site probe_site_judge(const uint8_t code[PROBE_SITE_BYTES], const char **why);

#endif
