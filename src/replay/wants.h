/* wants: what the programs of an image ask of a recorded trace. */
#ifndef REPLAY_WANTS_H
#define REPLAY_WANTS_H

#include "bpf/image.h"
#include "trace/recorded.h"

/* In a. any_order is the caller's: see parallel.h. */
struct recorded_wants *replay_wants(struct arena *a, const struct bpf_image *image);

#endif
