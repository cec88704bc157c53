/*
 * usdt: the static probes of a program or library, out of its notes (.note.stapsdt, as
 * sys/sdt.h writes them).
 *
 * The file is anybody's: as in elf_file.h everything is checked and bounded, and an argument
 * that is written in a way that is not known is none.
 */
#ifndef USER_USDT_H
#define USER_USDT_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/catalog.h"
#include "user/elf_file.h"

#define USDT_ARGS_MOST 12		/* as many as sys/sdt.h has macros for */

/* One place of a probe. */
struct usdt_probe {
	const char *provider, *name;
	uint64_t offset;		/* in the file */
	uint64_t semaphore;		/* in the file: not 0 while somebody listens; 0: none */
	int n_args;
	struct cat_field args[USDT_ARGS_MOST];	/* arg0 ..: those that can be read */
};
typedef VEC(struct usdt_probe) usdt_probes;

/*
 * Adds the places of all probes that match "provider:name" or "name", both with globs, by
 * provider, name and offset. At most `most`; false when there are more.
 */
bool usdt_find(const struct elf_file *m, struct str pattern, int most, struct arena *a,
	       usdt_probes *out);

/* "-4@8(%rbp,%rax,4)": what is passed, as a field; variables by name are not known here.
 * False: it is written in a way that is not known. */
bool usdt_argument(struct str text, struct arena *a, struct cat_field *f);

#endif
