/*
 * kcatalog: the catalog of the running kernel.
 */
#ifndef KERN_KCATALOG_H
#define KERN_KCATALOG_H

#include "kern/feature.h"
#include "lang/catalog.h"

struct kcatalog;

/*
 * What can be named here. f says what this machine has; it and its types must outlive the
 * catalog. Opens nothing that is not asked for. NULL with e filled when the kernel shows
 * neither types nor formats.
 */
struct kcatalog *kcatalog_open(struct err *e, struct features *f);
void kcatalog_close(struct kcatalog *kc);
/* The query is compiled: what was held ready for more questions is let go. */
void kcatalog_settle(struct kcatalog *kc);

const struct catalog *kcatalog_catalog(const struct kcatalog *kc);

#endif
