/* A folder of a test's own, which goes away with it. */
#ifndef TESTS_USER_FOLDER_H
#define TESTS_USER_FOLDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char *folder(void)
{
	static char made[] = "/tmp/culprit-test.XXXXXX";
	static bool is_made;

	if (!is_made)
		is_made = mkdtemp(made) != NULL;
	return made;
}

__attribute__((destructor)) static void clean(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder());
	(void)!system(command);
}

#endif
