/*
 * xz: a section that is packed with xz (.gnu_debugdata), unpacked into a file in memory.
 */
#ifndef USER_XZ_H
#define USER_XZ_H

#include "user/elf_file.h"

/* An open file, or -1: it is not there, damaged, or too large. s may be NULL. */
int xz_open(const struct elf_file *m, const Elf64_Shdr *s);

#endif
