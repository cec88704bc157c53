/*
 * habit: what is written as in another tool, and how it is written here. The rows are
 * lang/habit.def's. For a mistake only: what has a meaning here keeps it.
 */
#ifndef LANG_HABIT_H
#define LANG_HABIT_H

#include "base/diag.h"

enum habit_place { HABIT_SOURCE, HABIT_WORD, HABIT_NAME, HABIT_CALL, HABIT_OPTION, HABIT_COMMAND };

/* The help for it, or NULL. */
const char *habit_find(struct arena *a, enum habit_place place, struct str written);
/* Of an option that a tool (NULL: none) has elsewhere, or a plain word: lang/other_option.def. */
const char *habit_of_tool(const char *tool, struct str option);
/* Gives it to the mistake reported last; false: there is none. */
bool habit_help(struct diag *d, enum habit_place place, struct str written);
/* The query that asks what this program of bpftrace does; false: it is not known. In program.c. */
bool habit_help_program(struct diag *d, struct str text);
/* A line of bpftrace from its filter or its braces on: /FILTER/ { ... }. */
bool habit_is_block(struct str rest);

#endif
