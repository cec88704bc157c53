/*
 * peephole_impl: what the rules (peephole.c) know of each place of the program, and the only
 * ways to change it (peephole_facts.c). The test of all small programs takes single steps here.
 *
 * The facts are true when they fit together: what is live behind an instruction has all that is live
 * before each that comes next; what is zero before one was zero behind each that leads to it; where
 * a kept jump leads is joined. Nothing else need hold: more live, less zero, more joined is
 * only less exact. peep_change, peep_jump and peep_drop mend what no longer fits around
 * the instruction that they change, so that the next rule asks about the program as it is now,
 * in whatever order rules come. Rules write neither facts nor instructions.
 */
#ifndef BPF_PEEPHOLE_IMPL_H
#define BPF_PEEPHOLE_IMPL_H

#include "bpf/insn.h"
#include "bpf/peephole.h"

struct live {
	uint32_t regs;
	uint64_t frame;
};

struct peep {
	struct peep_code *c;		/* to be read */
	struct live *live;		/* behind each instruction: read again before it is written */
	uint64_t *zero;			/* before it: words of the frame that are surely 0 */
	bool *joined;			/* a jump, or a call of a function, comes here */
	bool loops;			/* some jump goes back */
	uint64_t shared;		/* words of the frame whose address was taken, at first */
	int *first_to, *next_to;	/* the jumps to each place, -1: no more */
	int *todo, n_todo;		/* places to look at */
	bool *waits;			/* it is one of them */
};

struct peep *peep_new(struct arena *a, struct peep_code *c);
/* All facts anew, as exact as they can be; what is not reached goes. */
void peep_find(struct peep *p);
/* Do they fit together? */
bool peep_facts_fit(const struct peep *p);

/* ---- the ways through the program ---- */

int peep_kept(const struct peep *p, int i);	/* i, or the next that is kept; n: none */
int peep_next(const struct peep *p, int i);
bool peep_jumps(const struct peep *p, int i);	/* to a place of its own function */
struct live peep_live_at(const struct peep *p, int i);	/* before it */

static inline bool peep_goes_on(const struct bpf_insn *i)
{
	return !insn_is_goto(i) && !insn_is_exit(i);
}

/* ---- changes ---- */

/* Another instruction, that jumps where the old one did if it is a jump. */
void peep_change(struct peep *p, int i, struct bpf_insn in);
void peep_jump(struct peep *p, int i, int to);
void peep_drop(struct peep *p, int i);

/* ---- the rules: peephole.c ---- */

extern const int peep_rules;
const char *peep_rule_name(int rule);
/* Did it change something at this place? */
bool peep_rule_apply(struct peep *p, int rule, int i);

#endif
