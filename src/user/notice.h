/* notice: what the kernel says of a process, when it happens. */
#ifndef USER_NOTICE_H
#define USER_NOTICE_H

#include "user/process.h"

enum notice_kind { NOTICE_FORK, NOTICE_EXEC, NOTICE_MAP, NOTICE_EXIT, NOTICE_CODE, NOTICE_LOST };

struct notice {
	enum notice_kind kind;		/* LOST: some were; nothing else is set */
	uint32_t pid;
	uint32_t parent;		/* FORK */
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	struct maps_line map;		/* MAP: executable; its texts end with the call. CODE: the
					 * kernel's, from start to end, named path */
};

#endif
