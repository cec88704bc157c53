/*
 * catalog: the catalog of the running kernel.
 */
#ifndef KERN_CATALOG_CATALOG_H
#define KERN_CATALOG_CATALOG_H

#include "kern/feature.h"
#include "lang/catalog.h"

struct kernel_catalog;

/*
 * What can be named here. f says what this machine has; it and its types must outlive the
 * catalog. Opens nothing that is not asked for. NULL with e filled when the kernel shows
 * neither types nor formats.
 */
struct kernel_catalog *kernel_catalog_open(struct err *e, struct features *f);
void kernel_catalog_close(struct kernel_catalog *kc);
/* The query is compiled: what was held ready for more questions is let go. */
void kernel_catalog_settle(struct kernel_catalog *kc);

const struct catalog *kernel_catalog_catalog(const struct kernel_catalog *kc);

#endif
