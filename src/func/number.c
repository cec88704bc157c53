/* Numbers of the kernel by name. */
#include "func/func.h"
#include "func/rules.h"

#define ERRNO_MOST 4095

static struct px *type_errno(struct func_call *c)
{
	struct px *x = func_as_kind(c, TY_ERRNO);
	int64_t n;

	if (px_is_poison(x) || !px_is_number(c->args[0], &n))
		return x;
	return px_number(c->env, x->loc, n < 0 && n >= -ERRNO_MOST ? -n : 0, &x->type);
}

/* R0 = -4095 <= R0 < 0 ? -R0 : 0 */
static void emit_errno(struct cg *cg, const struct px *e, as_label none)
{
	as_label error = as_new_label(cg->as);

	cg_word(cg, e->kids[0], none);
	as_neg(cg->as, R0);
	as_mov(cg->as, R1, R0);
	as_alu_imm(cg->as, BPF_SUB, R1, 1);
	as_jump_if_imm(cg->as, BPF_JLT, R1, ERRNO_MOST, error);
	as_imm(cg->as, R0, 0);
	as_bind(cg->as, error);
}

const struct func_ops func_errno = {
	.name = "errno",
	.takes = "(ret)",
	.help = "a negative return value as an error's name",
	.example = "syscall:* | where ret < 0 | count by event, errno(ret)",
	.min_args = 1,
	.max_args = 1,
	.type = type_errno,
	.emit_word = emit_errno,
};

static struct px *type_signal(struct func_call *c)
{
	struct px *x = func_as_kind(c, TY_SIGNAL);

	if (!px_is_poison(x) && c->args[0]->op == PX_NUMBER)
		return px_number(c->env, x->loc, c->args[0]->number, &x->type);
	return x;
}

const struct func_ops func_signal = {
	.name = "signal",
	.takes = "(number)",
	.help = "a number as a signal's name",
	.example = "syscall:kill | print comm, signal(sig), pid",
	.min_args = 1,
	.max_args = 1,
	.type = type_signal,
	.emit_word = func_emit_same,
};

/* The names that number_name.def has for this function. */
static struct px *type_named(struct func_call *c)
{
	static const struct {
		const struct func_ops *func;
		struct enum_value value;
	} names[] = {
#define NUMBER_NAME(f, number, name_) { &func_##f, { name_, number } },
#include "func/number_name.def"
#undef NUMBER_NAME
	};
	const int n = sizeof(names) / sizeof(names[0]);
	struct enum_desc *en = arena_array(c->env->arena, struct enum_desc, 1);
	struct enum_value *values = arena_array(c->env->arena, struct enum_value, n);

	if (!func_is_number(c->args[0]))
		return func_not_number(c, 0);
	*en = (struct enum_desc){ .name = c->name, .values = values };
	for (int i = 0; i < n; i++)
		if (names[i].func == c->x->func)
			values[en->n++] = names[i].value;
	c->x->type = (struct type){ .kind = TY_ENUM, .size = 8, .en = en };
	return c->x;
}

const struct func_ops func_tcpstate = {
	.name = "tcpstate",
	.takes = "(number)",
	.help = "a TCP state's number by name: SYN_SENT",
	.example = "tcp:tcp_retransmit_skb | count by tcpstate(state)",
	.min_args = 1,
	.max_args = 1,
	.type = type_named,
	.emit_word = func_emit_same,
};

const struct func_ops func_softirq = {
	.name = "softirq",
	.takes = "(number)",
	.help = "a soft interrupt's number by name: net_rx",
	.example = "irq:softirq_entry | count by softirq(vec)",
	.min_args = 1,
	.max_args = 1,
	.type = type_named,
	.emit_word = func_emit_same,
};

const struct func_ops func_capability = {
	.name = "capability",
	.takes = "(number)",
	.help = "a capability's number by name: CAP_SYS_ADMIN",
	.example = "syscall:prctl | where option == 23 | count by comm, capability(arg2)",
	.min_args = 1,
	.max_args = 1,
	.type = type_named,
	.emit_word = func_emit_same,
};
