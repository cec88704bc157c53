/*
 * process: where a process has its code, as /proc says while it lives.
 */
#ifndef USER_PROCESS_H
#define USER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* What an exec changes, so that its mappings are not taken for the old ones. */
struct process_identity {
	uint64_t start_time, start_code, start_stack;
};

/* False: there is no such process any more. */
bool process_identity(uint32_t pid, struct process_identity *out);

/* One line of /proc/PID/maps. */
struct maps_line {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	bool executable, deleted;
	char *path;			/* "" for anonymous memory; without " (deleted)" */
};

/*
 * Reads the next line, which it changes; *at is moved behind it. False at the end.
 */
bool maps_line_next(char **at, struct maps_line *out);

/* Cuts " (deleted)" off a path. False: it was not there. */
bool maps_line_cut_deleted(char *path);

/* The text of /proc/PID/maps, to be freed, or NULL with *error an errno. */
char *process_maps(uint32_t pid, int *error);

/* "" when the process sees the files that this one sees, else "/proc/PID/root". */
void process_root(uint32_t pid, char *to, int room);

/* A file of a process by its path inside, through its root and nothing outside of it;
 * the last part no link. An open file or -errno. */
int process_open(uint32_t pid, const char *path);

#endif
