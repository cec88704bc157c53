/*
 * uxz: a section that is packed with xz (.gnu_debugdata), unpacked into a file in memory.
 */
#ifndef KERN_UXZ_H
#define KERN_UXZ_H

#include "kern/uimage.h"

/* An open file, or -1: it is not there, damaged, or too large. s may be NULL. */
int uxz_open(const struct uimage *m, const Elf64_Shdr *s);

#endif
