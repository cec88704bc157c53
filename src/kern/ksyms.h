/*
 * ksyms: names of the kernel's code.
 *
 * The kernel itself is asked for each address, by a program of ours that runs once for it:
 * bpf_snprintf with %pS (commit 7b15523a989b, Linux 5.13). All of /proc/kallsyms takes the
 * kernel 25 ms to write, and it has no addresses but for CAP_SYSLOG: it is read for an address
 * that has no name otherwise, once.
 */
#ifndef KERN_KSYMS_H
#define KERN_KSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "table/stack.h"

struct ksyms;

struct ksym {
	const char *name;
	const char *module;	/* NULL: the kernel's own */
	uint64_t offset;	/* of the address from the name's begin */
};

struct ksyms *ksyms_open(void);	/* asks for nothing yet */
/* Makes its program now: later it would be where a trampoline was whose name is asked for. */
void ksyms_ready(struct ksyms *k);
void ksyms_close(struct ksyms *k);
/* What is at the address, or NULL: nothing with a name. Good while k is. */
const struct ksym *ksyms_at(struct ksyms *k, uint64_t address);
/* Name, module and offset of the frame's address; returns: it is where a call returns. */
void ksyms_frame(struct ksyms *k, struct stack_frame *f, bool returns);

#endif
