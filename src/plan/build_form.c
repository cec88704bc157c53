/* The form of each event: BTF arguments, or the fields that perf records. */
#include "plan/build.h"

#include "lang/diag_tags.h"

static void decide_form(struct build *b, struct b_event *p)
{
	struct p_event *e = p->plan;
	const struct form_use *f = &p->form;

	if (e->attach != ATTACH_TP_BTF)
		return;
	if (f->needs_btf.text && f->needs_perf.text) {
		diag_error(b->diag, DIAG_MIXED_FORMS, f->needs_perf,
			   "'%s' is only in the recorded form of %s, '%s' only in its arguments",
			   f->perf_what, e->name, f->btf_what);
		diag_help(b->diag, "use fields of one form; `culprit list -v events %s` shows both",
			  e->name);
		return;
	}
	if (f->needs_perf.text || !b->options->has.tp_btf || !e->cat->btf_id)
		e->attach = ATTACH_TP_PERF;
	if (e->attach == ATTACH_TP_PERF && f->needs_btf.text)
		diag_error(b->diag, DIAG_MIXED_FORMS, f->needs_btf,
			   "'%s' is an argument of %s, for which this kernel has no BTF", f->btf_what,
			   e->name);
	else if (e->attach == ATTACH_TP_PERF && !e->cat->perf_id)
		diag_error(b->diag, DIAG_MIXED_FORMS, f->needs_perf.text ? f->needs_perf : e->loc,
			   "%s needs tracefs here, which is not mounted (culprit doctor)",
			   e->name);
}

void build_forms(struct build *b)
{
	for (int i = 0; i < b->events.n; i++)
		decide_form(b, b->events.v[i]);
}
