/* Options as lines of help. See cli/options.h. */
#include "cli/options.h"

#include "plan/check.h"
#include "view/view.h"

#define HELP_COLUMN 28

static void help_line(struct buf *out, char letter, const char *name, const char *argument,
		      const char *text)
{
	size_t from = out->n;

	if (letter)
		buf_printf(out, "  -%c, --%s", letter, name);
	else
		buf_printf(out, "      --%s", name);
	if (argument && *argument)
		buf_printf(out, " %s", argument);
	if (out->n - from >= HELP_COLUMN) {
		buf_putc(out, '\n');
		from = out->n;
	}
	buf_pad(out, ' ', HELP_COLUMN - (int)(out->n - from));
	buf_printf(out, "%s\n", text);
}

static const struct {
	const char *mark;
	enum view_shape shape;
} choices[] = {
	{ "@formats", VIEW_SHAPES }, { "@lines", VIEW_LINES }, { "@pictures", VIEW_PICTURE },
};

void options_print(const struct option_row *rows, struct buf *out)
{
	for (; rows->name; rows++) {
		struct buf help = { 0 };

		for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
			if (!strcmp(rows->help, choices[i].mark))
				view_choices(&help, choices[i].shape);
		help_line(out, rows->letter, rows->name, rows->argument, help.n ? help.p : rows->help);
		buf_fini(&help);
	}
}

/* " (10)" of a default that is a plain literal. */
static void add_default(struct buf *text, const struct ast_param *p)
{
	struct str s = p->value ? loc_text(p->value->loc) : (struct str){ 0 };

	if (s.n)
		buf_printf(text, " (%.*s)", STR_ARG(s));
}

void options_print_params(const struct ast *ast, struct buf *out)
{
	for (int i = 0; i < ast->params.n; i++) {
		const struct ast_param *p = &ast->params.v[i];
		const struct param_type *t = param_type_find(p->type);
		struct buf name = { 0 }, text = { 0 };

		buf_add(&name, p->name.p, (size_t)p->name.n);
		for (size_t k = 0; k < name.n; k++)
			name.p[k] = name.p[k] == '_' ? '-' : name.p[k];
		buf_printf(&text, "%.*s", STR_ARG(p->help));
		add_default(&text, p);
		help_line(out, p->letter, name.p, t ? t->value : NULL, text.p);
		buf_fini(&name);
		buf_fini(&text);
	}
}
