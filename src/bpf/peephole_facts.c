/* What is known of each place of a program, and how it stays true: see peephole_impl.h. */
#include "bpf/asm.h"
#include "bpf/peephole_impl.h"

/* ---- the ways through the program ---- */

static int behind(const struct peep *p, int i)
{
	return i + insn_slots(&p->c->insns[i]);
}

int peep_kept(const struct peep *p, int i)
{
	while (i < p->c->n && !p->c->kept[i])
		i++;
	return i;
}

int peep_next(const struct peep *p, int i)
{
	return peep_kept(p, behind(p, i));
}

/* The one in front of it that is kept; -1: none. */
static int previous(const struct peep *p, int i)
{
	for (i--; i >= 0 && !p->c->kept[i]; i--)
		;
	return i > 0 && insn_is_ld_imm64(&p->c->insns[i - 1]) ? i - 1 : i;
}

/* A function that it calls or names is no way that it goes. */
bool peep_jumps(const struct peep *p, int i)
{
	return p->c->to[i] >= 0 && (insn_is_goto(&p->c->insns[i]) || insn_is_branch(&p->c->insns[i]));
}

/* Calls each with what leads to the kept instruction at `to`. */
static void each_before(struct peep *p, int to, void (*each)(struct peep *p, int i, int to))
{
	int plain = previous(p, to);

	for (int at = to; at > plain && (at == to || !p->c->kept[at]); at--)
		for (int i = p->first_to[at]; i >= 0; i = p->next_to[i])
			if (p->c->kept[i] && peep_jumps(p, i))
				each(p, i, to);
	if (plain >= 0 && peep_goes_on(&p->c->insns[plain]))
		each(p, plain, to);
}

/* ---- joins ---- */

static void join(struct peep *p, int i)
{
	int to = p->c->to[i];

	p->next_to[i] = p->first_to[to];
	p->first_to[to] = i;
	p->joined[peep_kept(p, to)] = true;
	p->loops |= to <= i;
}

static void unjoin(struct peep *p, int i)
{
	int *at = &p->first_to[p->c->to[i]];

	while (*at != i)
		at = &p->next_to[*at];
	*at = p->next_to[i];
}

static void find_joins(struct peep *p)
{
	for (int i = 0; i <= p->c->n; i++) {
		p->joined[i] = false;
		p->first_to[i] = -1;
	}
	p->loops = false;
	for (int i = 0; i < p->c->n; i++)
		if (p->c->kept[i] && p->c->to[i] >= 0)
			join(p, i);
}

/* ---- places to look at, each once ---- */

static void look_at(struct peep *p, int i)
{
	if (i >= p->c->n || p->waits[i])
		return;
	p->waits[i] = true;
	p->todo[p->n_todo++] = i;
}

static int look_at_next(struct peep *p)
{
	int i = p->todo[--p->n_todo];

	p->waits[i] = false;
	return i;
}

/* ---- live ---- */

static bool has_all(const struct live *l, const struct live *of)
{
	return !(of->regs & ~l->regs) && !(of->frame & ~l->frame);
}

static void add(struct live *l, struct live more)
{
	l->regs |= more.regs;
	l->frame |= more.frame;
}

struct live peep_live_at(const struct peep *p, int i)
{
	const struct bpf_insn *in;
	struct live l = { 0 };

	i = peep_kept(p, i);
	if (i >= p->c->n)
		return l;
	in = &p->c->insns[i];
	l = p->live[i];
	l.regs = (l.regs & ~insn_regs_written(in)) | insn_regs_read(in);
	if (insn_fills_word(in))
		l.frame &= ~insn_words(in);
	else if (!insn_is_store(in))
		l.frame |= insn_words(in);
	return l;
}

static struct live live_behind(const struct peep *p, int i)
{
	struct live l = { 0 };

	if (peep_goes_on(&p->c->insns[i]))
		add(&l, peep_live_at(p, behind(p, i)));
	if (peep_jumps(p, i))
		add(&l, peep_live_at(p, p->c->to[i]));
	return l;
}

static void find_live(struct peep *p)
{
	bool more;

	for (int i = 0; i < p->c->n; i++)
		p->live[i] = (struct live){ 0 };
	do {
		more = false;
		for (int i = previous(p, p->c->n); i >= 0; i = previous(p, i)) {
			struct live l = live_behind(p, i);

			more |= !has_all(&p->live[i], &l);
			p->live[i] = l;
		}
	} while (more && p->loops);
}

static void grow(struct peep *p, int i, int to)
{
	struct live l = peep_live_at(p, to);

	if (has_all(&p->live[i], &l))
		return;
	add(&p->live[i], l);
	look_at(p, i);
}

/* What is live before it may be more than it was: so it is behind what leads to it, too. */
static void settle_live(struct peep *p, int i)
{
	for (look_at(p, i); p->n_todo;)
		each_before(p, look_at_next(p), grow);
}

/* Another comes next now: exactly what is live there, maybe less than before. */
static void live_anew(struct peep *p, int i)
{
	p->live[i] = live_behind(p, i);
	settle_live(p, i);
}

/* ---- zero ---- */

static uint64_t zero_behind(const struct peep *p, int i)
{
	const struct bpf_insn *in = &p->c->insns[i];
	uint64_t zero = p->zero[i], words = insn_words(in);

	if (insn_is_store(in) || insn_is_atomic(in))
		zero &= ~words;
	if (insn_fills_word(in) && BPF_CLASS(in->code) == BPF_ST && in->imm == 0)
		zero |= words;
	return zero & ~p->shared;
}

static bool narrow(struct peep *p, int to, uint64_t zero)
{
	uint64_t before;

	to = peep_kept(p, to);
	before = p->zero[to];
	p->zero[to] &= zero;
	return p->zero[to] != before;
}

static bool narrow_next(struct peep *p, int i)
{
	uint64_t zero = zero_behind(p, i);
	bool less = false;

	if (peep_goes_on(&p->c->insns[i]))
		less |= narrow(p, behind(p, i), zero);
	if (peep_jumps(p, i))
		less |= narrow(p, p->c->to[i], zero);
	return less;
}

static void settle_zero(struct peep *p, int i)
{
	for (look_at(p, i); p->n_todo;) {
		int at = look_at_next(p);
		uint64_t zero = zero_behind(p, at);

		if (peep_goes_on(&p->c->insns[at]) && narrow(p, behind(p, at), zero))
			look_at(p, peep_next(p, at));
		if (peep_jumps(p, at) && narrow(p, p->c->to[at], zero))
			look_at(p, peep_kept(p, p->c->to[at]));
	}
}

static void find_zero(struct peep *p)
{
	bool less;

	for (int i = 0; i <= p->c->n; i++)
		p->zero[i] = UINT64_MAX;
	narrow(p, 0, 0);
	for (int i = 0; i < p->c->n; i++)
		if (p->c->kept[i] && p->c->to[i] >= 0 && !peep_jumps(p, i))
			narrow(p, p->c->to[i], 0);
	do {
		less = false;
		for (int i = peep_kept(p, 0); i < p->c->n; i = peep_next(p, i))
			less |= narrow_next(p, i);
	} while (less && p->loops);
}

/* ---- what is not reached ---- */

static void forget(struct peep *p, int i)
{
	p->c->kept[i] = false;
	if (insn_is_ld_imm64(&p->c->insns[i]))
		p->c->kept[i + 1] = false;
}

static void drop_unreached(struct peep *p)
{
	bool *reached = p->joined;	/* made anew behind this */

	for (int i = 0; i <= p->c->n; i++)
		reached[i] = false;
	p->n_todo = 0;
	p->todo[p->n_todo++] = 0;
	while (p->n_todo) {
		int i = peep_kept(p, p->todo[--p->n_todo]);

		while (i < p->c->n && !reached[i]) {
			reached[i] = true;
			if (p->c->to[i] >= 0)
				p->todo[p->n_todo++] = p->c->to[i];
			if (!peep_goes_on(&p->c->insns[i]))
				break;
			i = peep_next(p, i);
		}
	}
	for (int i = 0; i < p->c->n; i = behind(p, i))
		if (p->c->kept[i] && !reached[i])
			forget(p, i);
}

/* ---- words of the frame whose address was taken ---- */

/* The thing at that word of the frame, or all behind it where nobody told how long it is. */
static void share(struct peep *p, int at)
{
	int end = 0;

	for (int w = 0; w <= at; w++)
		if (p->c->frame_ends[w] > at && p->c->frame_ends[w] > end)
			end = p->c->frame_ends[w];
	for (int w = at; w < (end ? end : INSN_FRAME_WORDS); w++)
		p->shared |= 1ull << w;
}

/* r = r10; r += off: what is there can be reached through r. No rule makes more such places. */
static void find_shared(struct peep *p)
{
	for (int i = 0; i + 1 < p->c->n; i = behind(p, i)) {
		const struct bpf_insn *in = &p->c->insns[i], *add = in + 1;
		bool taken = (insn_is_alu(in) && insn_has_source(in)) || BPF_CLASS(in->code) == BPF_STX;

		if (!taken || in->src_reg != R10)
			continue;
		if (insn_is_mov(in, BPF_X) && add->code == (BPF_ALU64 | BPF_ADD | BPF_K) &&
		    add->dst_reg == in->dst_reg && add->imm < 0 && add->imm >= -INSN_FRAME_BYTES)
			share(p, (add->imm + INSN_FRAME_BYTES) / 8);
		else
			p->shared = UINT64_MAX;
	}
}

/* ---- all, and after a change ---- */

struct peep *peep_new(struct arena *a, struct peep_code *c)
{
	struct peep *p = arena_new(a, struct peep);

	*p = (struct peep){
		.c = c,
		.live = arena_array(a, struct live, c->n + 1),
		.zero = arena_array(a, uint64_t, c->n + 1),
		.joined = arena_array(a, bool, c->n + 1),
		.first_to = arena_array(a, int, c->n + 1),
		.next_to = arena_array(a, int, c->n + 1),
		.todo = arena_array(a, int, c->n + 1),
		.waits = arena_array(a, bool, c->n + 1),
	};
	find_shared(p);
	return p;
}

void peep_find(struct peep *p)
{
	drop_unreached(p);
	find_joins(p);
	find_live(p);
	find_zero(p);
}

bool peep_facts_fit(const struct peep *p)
{
	for (int i = peep_kept(p, 0); i < p->c->n; i = peep_next(p, i)) {
		struct live l = live_behind(p, i);
		uint64_t zero = zero_behind(p, i);

		if (!has_all(&p->live[i], &l) ||
		    (peep_goes_on(&p->c->insns[i]) && (p->zero[peep_next(p, i)] & ~zero)) ||
		    (peep_jumps(p, i) && (p->zero[peep_kept(p, p->c->to[i])] & ~zero)) ||
		    (p->c->to[i] >= 0 && !p->joined[peep_kept(p, p->c->to[i])]))
			return false;
	}
	return !p->zero[peep_kept(p, 0)];
}

void peep_change(struct peep *p, int i, struct bpf_insn in)
{
	p->c->insns[i] = in;
	live_anew(p, i);
	settle_zero(p, i);
}

void peep_jump(struct peep *p, int i, int to)
{
	unjoin(p, i);
	p->c->to[i] = to;
	join(p, i);
	live_anew(p, i);
	settle_zero(p, i);
}

static void leads_elsewhere(struct peep *p, int i, int to)
{
	(void)to;
	live_anew(p, i);
}

void peep_drop(struct peep *p, int i)
{
	int to;

	forget(p, i);
	to = peep_kept(p, i);
	p->joined[to] |= p->joined[i];
	if (narrow(p, to, p->zero[i]))
		settle_zero(p, to);
	each_before(p, to, leads_elsewhere);
}
