/* See lines.h. */
#include "view/lines.h"

#include <string.h>

bool lines_have_time(const struct view_query *q, bool timestamp)
{
	for (int i = 0; timestamp && i < q->n_columns; i++)
		timestamp = strcmp(q->columns[i].name, "time") != 0;
	return timestamp;
}
