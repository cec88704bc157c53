/*
 * notices: what the kernel says of all processes, in order of time: forks, new programs,
 * code that is mapped, ends; and of code that it makes for itself: BPF programs, and the
 * trampolines of probes. It says so when it happens, so a process of which it has said
 * all may be gone by the time it is read.
 */
#ifndef KERN_LIVE_NOTICES_H
#define KERN_LIVE_NOTICES_H

#include "base/err.h"
#include "user/notice.h"

struct notices;

#define NOTICES_PROCESSES 1u
#define NOTICES_CODE 2u

/* Of these kinds. NULL and e filled: the kernel says no. */
struct notices *notices_open(unsigned kinds, struct err *e);
void notices_close(struct notices *n);

int notices_fd(const struct notices *n);	/* readable when there is something to read */
void notices_read(struct notices *n, void (*each)(void *self, const struct notice *notice),
		  void *self);
/* This CPU (CPUS_ALL) came or went. */
void notices_again(struct notices *n, int cpu);
uint64_t notices_lost(const struct notices *n);

#endif
