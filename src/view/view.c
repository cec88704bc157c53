/* The registry of the views: the rows of view.def. */
#include "view/view.h"

#include <string.h>

const struct view_ops *const view_registry[] = {
#define VIEW(name) &view_##name,
#include "view/view.def"
#undef VIEW
	NULL
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

static bool is_of(const struct view_ops *ops, enum view_shape shape)
{
	return shape == VIEW_SHAPES || ops->shape == shape;
}

void view_names(struct buf *b, enum view_shape shape)
{
	for (int i = 0; view_registry[i]; i++)
		if (is_of(view_registry[i], shape))
			buf_printf(b, " %s", view_registry[i]->name);
}

void view_choices(struct buf *b, enum view_shape shape)
{
	int n = 0, at = 0;

	for (int i = 0; view_registry[i]; i++)
		n += is_of(view_registry[i], shape);
	for (int i = 0; view_registry[i]; i++)
		if (is_of(view_registry[i], shape)) {
			buf_puts(b, !at ? "" : at == n - 1 ? " or " : ", ");
			buf_puts(b, view_registry[i]->name);
			at++;
		}
}
