/* Addresses and ports of the network. */
#include "func/rules.h"

static uint32_t address_bytes(const struct func_call *c, const struct px *p)
{
	const struct catalog *cat = c->env->catalog;
	uint32_t bytes, n;
	struct type t;

	switch (p->type.kind) {
	case TY_INT:
		return p->type.size == 4 ? 4 : 0;
	case TY_ARRAY:
		if (cat && cat->ops->element(cat->self, p->type.ktype, &t, &bytes, &n))
			return bytes * n == 4 || bytes * n == 16 ? bytes * n : 0;
		return 0;
	case TY_STRUCT: case TY_PTR:
		return func_points_to(c, p, "in6_addr") ? 16 : func_points_to(c, p, "in_addr") ? 4 : 0;
	}
	return 0;
}

static struct px *type_ip(struct func_call *c)
{
	uint32_t bytes;

	if (c->args[0]->type.kind == TY_IP)	/* a field that is known as one */
		return c->args[0];
	bytes = address_bytes(c, c->args[0]);
	if (!bytes) {
		struct px *wrong = px_wrong(c->env, DIAG_TYPE_MISMATCH, c->e->kids[0]->loc,
					    "ip() needs 4 or 16 bytes in network order, but this has type %s",
					    type_name(&c->args[0]->type));

		if (c->args[0]->type.kind == TY_PTR)
			diag_help(c->env->diag, "of a struct sockaddr: ip((%.*s as struct sockaddr_in).sin_addr.s_addr), where "
				  "its sa_family is 10 (IPv6) ip((%.*s as struct sockaddr_in6).sin6_addr)",
				  STR_ARG(loc_text(c->e->kids[0]->loc)), STR_ARG(loc_text(c->e->kids[0]->loc)));
		return wrong;
	}
	c->x->stride = bytes;
	c->x->type = (struct type){ .kind = TY_IP, .bytes = 16 };
	return c->x;
}

/* ::ffff:a.b.c.d of a word or of 4 bytes at an address, or the 16 bytes there */
static void emit_ip(struct cg *cg, const struct px *e, struct place at, int room, as_label none)
{
	const struct px *kid = e->kids[0];
	bool v4 = e->stride != 16;
	int off = v4 ? 12 : 0;

	if (room < 16) {
		cg_fail(cg, "no room for an address");
		return;
	}
	cg_word(cg, kid, none);
	cg_zero(cg, at, 16);
	if (v4)
		as_store_imm(cg->as, 4, at.reg, at.off + 8, (int32_t)0xffff0000);
	if (kid->type.kind == TY_INT) {
		as_store(cg->as, 4, at.reg, at.off + 12, R0);
		return;
	}
	as_mov(cg->as, R3, R0);
	cg_addr(cg, R1, (struct place){ at.reg, at.off + off });
	as_imm(cg->as, R2, v4 ? 4 : 16);
	cg_probe_call(cg, kid->op == PX_ADDR ? kid->space : kid->type.user ? SPACE_USER :
		      kid->type.maybe_user ? SPACE_EITHER : SPACE_KERNEL);
}

const struct func_ops func_ip = {
	.name = "ip",
	.takes = "(address)",
	.help = "an address (4 or 16 bytes, network order)",
	.example = "sock:inet_sock_set_state | count by ip(daddr_v6)",
	.min_args = 1,
	.max_args = 1,
	.type = type_ip,
	.reads_memory = true,
	.emit_text = emit_ip,
};

static struct px *type_port(struct func_call *c)
{
	int64_t n;

	if (!func_is_number(c->args[0]))
		return func_not_number(c, 0);
	c->x->type = (struct type){ .kind = TY_INT, .size = 2 };
	if (!px_is_number(c->args[0], &n))
		return c->x;
	return px_number(c->env, c->x->loc, (n & 0xff) << 8 | (n >> 8 & 0xff), &c->x->type);
}

/* From network order: big endian. */
static void emit_port(struct cg *cg, const struct px *e, as_label none)
{
	cg_word(cg, e->kids[0], none);
	as_bswap(cg->as, R0, 16);
}

const struct func_ops func_port = {
	.name = "port",
	.takes = "(port)",
	.help = "a port in network order as a number",
	.example = "tcp:tcp_retransmit_skb | count by port(sk.__sk_common.skc_dport)",
	.min_args = 1,
	.max_args = 1,
	.type = type_port,
	.emit_word = emit_port,
};
