/* The registry of the views. To add one: src/view/x.c and a row here. */
#include "view/view.h"

#include <string.h>

const struct view_ops *const view_registry[] = {
	&view_text, &view_json, &view_csv, &view_folded, &view_svg, &view_html, &view_pprof,
	&view_speedscope, NULL
};

const struct view_ops *view_find(const char *name)
{
	for (int i = 0; view_registry[i]; i++)
		if (!strcmp(view_registry[i]->name, name))
			return view_registry[i];
	return NULL;
}

/* Is the word one of a list with blanks between? */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	while (list && *list) {
		size_t len = strcspn(list, " ");

		if (len == n && !memcmp(list, word, n))
			return n > 0;
		list += len + (list[len] == ' ');
	}
	return false;
}

const struct view_ops *view_for_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');

	if (!dot || dot == path || dot == (slash ? slash + 1 : path))
		return NULL;
	for (int i = 0; view_registry[i]; i++)
		if (has_word(view_registry[i]->endings, dot + 1))
			return view_registry[i];
	return NULL;
}

void view_names(struct buf *b, enum view_shape shape)
{
	for (int i = 0; view_registry[i]; i++)
		if (shape == VIEW_SHAPES || view_registry[i]->shape == shape)
			buf_printf(b, " %s", view_registry[i]->name);
}
