/*
 * needed_files: which files a program maps as code when it starts, as the loader will find them: its interpreter, its
 * libraries and theirs. A guess: nothing is run, and the loader may have more rules.
 */
#ifndef USER_NEEDED_FILES_H
#define USER_NEEDED_FILES_H

/* The program itself first; of a script, the interpreter that its first line names. */
void needed_files_each(const char *program, void (*each)(void *self, const char *path), void *self);

#endif
