/* What this version parses and does not run. See later.h. */
#include "plan/later.h"

#include "lang/diag_tags.h"

static const struct {
	const char *what, *instead;
} rows[LATERS] = {
	[LATER_USDT] = { "user-space static probes", "system calls are traced today" },
	[LATER_STACK] = { "stacks", "group by comm, pid or event today" },
	[LATER_USYM] = { "user symbols", "the address itself can be shown today" },
	[LATER_IN_OWN] = { "'in' of a function that the rows are of, too,",
		"leave the function out of one side, or name the calls by one definition" },
	[LATER_TREE] = { "the stage 'tree'", "'print' shows the calls one by one today" },
};

void later_report(struct diag *d, struct loc loc, enum later what)
{
	diag_error(d, DIAG_LATER, loc, "%s come%s in a later version of culprit", rows[what].what,
		   what >= LATER_TREE ? "s" : "");
	diag_help(d, "%s", rows[what].instead);
}
