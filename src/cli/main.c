/*
 * culprit: what is slow on this machine, and why.
 *
 * The first argument is a command (cli/commands.def) or a shipped tool's name; a link
 * named after a tool runs that tool.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/near.h"
#include "cli/cmd.h"
#include "cli/demo.h"
#include "cli/query.h"
#include "cli/version.h"
#include "kern/live/scope.h"
#include "lang/habit.h"

/* ---- Ctrl-C, SIGTERM and SIGHUP ---- */

static int stop_fd = -1;	/* read by the handler: the one state that is global */

/* The first asks for an end; the second ends at once, whatever hangs. A SIGHUP is never the
 * second: a shell that ends sends another one, systemd one behind its SIGTERM. */
static void ask_to_stop(int signal_number)
{
	static const uint64_t one = 1;

	if (signal_number != SIGHUP) {
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
	}
	if (write(stop_fd, &one, sizeof(one)) < 0)
		_exit(END_FAILED);
}

int stop_open(void)
{
	struct sigaction a = { .sa_handler = ask_to_stop, .sa_flags = SA_RESTART };
	struct sigaction hangup;
	uint64_t count;

	if (stop_fd < 0)
		stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	else if (read(stop_fd, &count, sizeof(count)) < 0)
		count = 0;
	sigaddset(&a.sa_mask, SIGINT);
	sigaddset(&a.sa_mask, SIGTERM);
	sigaddset(&a.sa_mask, SIGHUP);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)	/* nohup */
		sigaction(SIGHUP, &a, NULL);
	return stop_fd;
}

/* ---- commands ---- */

static int unknown(const char *word)
{
	const char *names[256];
	struct arena a = { 0 };
	const char *near, *habit = habit_find(&a, *word == '-' ? HABIT_OPTION : HABIT_COMMAND, str_of(word));
	int n = 0;

	for (const struct command_row *r = command_rows; r->name && n < 256; r++)
		names[n++] = r->name;
	for (int i = 0; i < shipped_tool_count && n < 256; i++)
		names[n++] = shipped_tools[i].name;
	near = str_nearest(str_of(word), names, n);
	complain("culprit: there is no command or tool '%.*s'\n", STR_ARG(str_of(word)));
	if (!habit)
		habit = tool_instead(word);
	if (habit)
		fprintf(stderr, "help: %s\n", habit);
	else if (*word == '-')
		fputs("help: options stand behind the command or tool: culprit opensnoop -d 1\n", stderr);
	else if (near)
		fprintf(stderr, "help: did you mean '%s'?\n", near);
	else if (strpbrk(word, " |:("))
		fputs("help: to run a query: culprit run 'QUERY'\n", stderr);
	else
		fputs("help: `culprit` shows the tools, `culprit --help` the commands\n", stderr);
	arena_fini(&a);
	return END_WRONG;
}

/* `culprit TOOL --help` and -h are the tool's to answer, as every option. */
static int dispatch(char **argv)
{
	const char *word = argv[0];
	const struct shipped_tool *tool;

	if (!word)
		return print_overview();
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return cmd_help(argv + 1);
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("culprit %s\n", CULPRIT_VERSION);
		return put_end(END_DONE);
	}
	if (!strcmp(word, DEMO_ARGUMENT))
		return demo_work(scope_own_program(), argv[1]);
	for (const struct command_row *r = command_rows; r->name; r++)
		if (!strcmp(r->name, word)) {
			if (argv[1] && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
				print_command_help(r);
				return put_end(END_DONE);
			}
			return r->run(argv + 1);
		}
	tool = tool_find(word);
	if (tool)
		return cmd_tool(tool, argv + 1);
	return query_is_file(word) ? cmd_file(argv) : unknown(word);
}

/* What is opened next would take the number of a closed standard file, and be written
 * to: it is occupied. Writing to standard output still fails. */
static void occupy_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

/* Installed setuid or setgid it would show everybody what all others do, and write files for them. */
static bool has_rights_of_another(void)
{
	if (getuid() == geteuid() && getgid() == getegid())
		return false;
	fputs("culprit: it is refused to run with the rights of another user or group (setuid, setgid)\n"
	      "help: chmod u-s,g-s takes them from the file; sudo gives them to those who may trace\n", stderr);
	return true;
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const struct shipped_tool *tool = argc ? tool_find(slash ? slash + 1 : argv[0]) : NULL;

	/* a closed pipe is an error of the write: probes go before the end is told */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* so is a file that may not grow */
	occupy_standard_files();
	if (has_rights_of_another())
		return END_FAILED;
	if (tool)
		return cmd_tool(tool, argv + 1);
	return dispatch(argv + (argc > 0));
}
