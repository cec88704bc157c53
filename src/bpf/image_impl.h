/* What image_build.c puts together. */
#ifndef BPF_IMAGE_IMPL_H
#define BPF_IMAGE_IMPL_H

#include "bpf/cg_state.h"

/* One program for one event. */
struct img_prog cg_program(struct cg *cg, const struct p_event *ev);
/* Makes where the rows of a query are kept. */
void image_add_query(struct cg *cg, const struct p_query *q);

#endif
