/*
 * uinsn: where the kernel puts a probe on a program's instruction it executes that elsewhere,
 * or does in its place what it means. Not all can be.
 */
#ifndef KERN_UINSN_H
#define KERN_UINSN_H

#include <stdint.h>

#define UINSN_BYTES 8			/* that are looked at */

enum uinsn {
	UINSN_FINE,
	UINSN_REFUSED,			/* there is no probe (ENOTSUPP), often only told when the file is
					 * mapped: that is, never */
	UINSN_MISREAD,			/* a probe breaks the program */
};

/* What the kernel does with a function that begins so; *why: "begins with a LOCK prefix". */
enum uinsn uinsn_judge(const uint8_t code[UINSN_BYTES], const char **why);

#endif
