/*
 * catalog_impl: what the files of the live catalog share.
 */
#ifndef KERN_CATALOG_IMPL_H
#define KERN_CATALOG_IMPL_H

#include "base/buf.h"
#include "base/map.h"
#include "kern/catalog/catalog.h"

struct kernel_catalog {
	struct arena arena;
	struct features *features;
	const char *tracefs;		/* NULL: none */
	struct map events;		/* "system:name" -> struct event_found * */
	struct map syscalls;		/* row's name -> struct cat_syscall * */
	/* func.c */
	struct buf functions_text;	/* available_filter_functions, or kallsyms */
	struct buf kallsyms_text;	/* when a name is not in there */
	bool functions_read, functions_kallsyms;
	struct map functions;		/* "module:symbol:address" -> struct cat_function * */
	struct map btf_functions;	/* module or "" -> struct map * of name -> ktype */
	struct map programs;		/* path -> struct catalog_program *: params.c */
	struct catalog catalog;
};

/* Does every name in this expression of field.def exist, as argument of the event,
 * member, enumerator or function? */
bool catalog_expr_resolves(struct ktypes *k, const struct cat_event *e, const char *expr);

/* list.c: the op `list`. */
void catalog_list(void *self, enum cat_list what, struct str glob,
		  void (*each)(void *arg, const char *name), void *arg);

/* func.c: functions of the kernel. One line of a list: */
struct symbol {
	struct str name, plain, module;	/* module.n == 0: vmlinux */
	struct str address;		/* of kallsyms, or empty */
	bool several;			/* others have the name: it goes by its address */
};
typedef VEC(struct symbol) symbol_list;
typedef void catalog_symbol_fn(void *arg, const struct symbol *s);

/* Fills functions_text. */
void catalog_traceable(struct kernel_catalog *kc);
/* All names, whether they can be traced or not. */
const struct buf *catalog_kallsyms(struct kernel_catalog *kc);
/* The lines of a list in which a word begins so; "": all. */
void catalog_each_symbol(const struct buf *list, bool kallsyms, struct str begins,
			 catalog_symbol_fn *each, void *arg);
/* arg: void *[2], the wanted symbol, which becomes the second, too, when s is it. */
void catalog_in_list(void *arg, const struct symbol *s);
/* What all names begin with that a glob matches. */
struct str catalog_begin_of(struct str glob);
void catalog_read_file(const char *path, struct buf *out);
void catalog_functions(void *self, struct str module, struct str glob,
		       void (*each)(void *arg, const struct cat_function *f), void *arg);
/* no_func.c: those that cannot be traced. */
const char *catalog_no_function(void *self, struct str module, struct str glob,
				const char **help);
void catalog_untraceable(void *self, struct str module, struct str glob,
			 void (*each)(void *arg, const char *why, const char *name), void *arg);

/* user.c: functions of programs. */
void catalog_user_untraceable(void *self, const struct cat_user *u,
			      void (*each)(void *arg, const char *why, const char *name), void *arg);
void catalog_user_functions(void *self, const struct cat_user *u,
			    void (*each)(void *arg, const struct cat_function *f), void *arg);
const char *catalog_no_user_function(void *self, const struct cat_user *u, const char **help);
const char *catalog_program(void *self, int64_t pid);

/* params.c: what the debug information tells of functions of programs. */
struct program_file;
struct elf_functions;
struct elf_function;
/* Fills parameters and result of these, each of which is at the same place of v. u NULL: nobody
 * asks for more than arg0 .. arg5 and ret. */
void catalog_params(struct kernel_catalog *kc, const struct program_file *t, struct elf_functions *u,
		    struct cat_function *f, const struct elf_function *v, int n);
bool catalog_is_inlined(struct kernel_catalog *kc, const struct program_file *t, struct elf_functions *u,
			struct str name);
uint32_t catalog_program_struct(void *self, const char *path, struct str name);
void catalog_programs_settle(struct kernel_catalog *kc);
void catalog_programs_close(struct kernel_catalog *kc);
/* A word that a register holds. */
bool catalog_in_register(const struct type *t);

#endif
