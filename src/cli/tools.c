/* The shipped query files: see cli/tools.h. */
#include <string.h>

#include "cli/tools.h"

const struct shipped_tool *tool_find(const char *name)
{
	for (int i = 0; i < shipped_tool_count; i++)
		if (!strcmp(shipped_tools[i].name, name))
			return &shipped_tools[i];
	return NULL;
}

const char *tool_instead(const char *name)
{
	for (const struct peer *p = peers; p->name; p++)
		if (!strcmp(p->name, name))
			return p->instead;
	return NULL;
}

struct source_text tool_text(struct arena *a, const struct shipped_tool *tool)
{
	char *text = arena_alloc(a, (size_t)tool->file.text_bytes + 1);

	packed_read(&tool->file, text);
	return (struct source_text){ tool->name, { text, (int)tool->file.text_bytes } };
}
