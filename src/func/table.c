/* What only finished tables have. */
#include "func/rules.h"

#include <stdlib.h>

#include "table/op.h"

static struct tx_value value_delta(const struct tx_run *run, const struct tx *x,
				   const struct cell *row)
{
	struct tx_value now = tx_column(run, x->column, row), then;

	if (now.kind != V_NUMBER || !run->last)
		return tx_none;
	then = run->last(run->self, x, row);
	return then.kind == V_NUMBER ? tx_number(now.number - then.number) : tx_none;
}

const struct func_ops func_delta = {
	.name = "delta",
	.takes = "(column)",
	.help = "the change since the last interval",
	.example = "syscall:* | calls = count by comm | let more = delta(calls) | every 1s keep",
	.min_args = 1,
	.max_args = 1,
	.over = OVER_COLUMN,
	.needs = TX_NEEDS_LAST,
	.value = value_delta,
};

static struct tx_value value_share(const struct tx_run *run, const struct tx *x,
				   const struct cell *row)
{
	struct tx_value v = tx_column(run, x->column, row);

	for (int i = 0; i < run->sums.n; i++)
		if (run->sums.v[i].at == x && v.kind == V_NUMBER)
			return tx_number(op_real(OP_DIV, v.number, run->sums.v[i].sum, false));
	return tx_none;
}

const struct func_ops func_share = {
	.name = "share",
	.takes = "(column)",
	.help = "a value's part of the column's sum",
	.example = "cpu@99hz | n = count by comm | let part = share(n) | top 5 by n",
	.min_args = 1,
	.max_args = 1,
	.over = OVER_COLUMN,
	.over_type = { .kind = TY_SHARE, .is_signed = true, .size = 8 },
	.needs = TX_NEEDS_SUM,
	.value = value_share,
};

static struct tx_value value_env(const struct tx_run *run, const struct tx *x,
				 const struct cell *row)
{
	const char *s = x->text ? getenv(x->text) : NULL;
	char *end;
	long double number;

	(void)run, (void)row;
	if (!s)
		return tx_none;
	number = strtold(s, &end);
	return *s && !*end ? tx_number(number) : tx_text(str_of(s));
}

const struct func_ops func_env = {
	.name = "env",
	.takes = "(\"NAME\")",
	.help = "a variable of the environment",
	.example = "syscall:read | count | let user = env(\"USER\")",
	.min_args = 1,
	.max_args = 1,
	.over = OVER_TEXT,
	.over_type = { .kind = TY_REAL, .is_signed = true, .size = 8 },
	.value = value_env,
};

static struct tx_value value_meminfo(const struct tx_run *run, const struct tx *x,
				     const struct cell *row)
{
	double bytes;

	(void)row;
	if (!run->env || !run->env->meminfo || !x->text)
		return tx_none;
	bytes = run->env->meminfo(run->env->self, x->text);
	return bytes < 0 ? tx_none : tx_number(bytes);
}

const struct func_ops func_meminfo = {
	.name = "meminfo",
	.takes = "(\"ROW\")",
	.help = "a row of /proc/meminfo, in bytes",
	.example = "page-faults@1 | count | let free = meminfo(\"MemFree\") | every 1s",
	.min_args = 1,
	.max_args = 1,
	.over = OVER_TEXT,
	.over_type = { .kind = TY_SIZE, .is_signed = true, .size = 8 },
	.value = value_meminfo,
};
