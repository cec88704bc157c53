/*
 * field.def against the kernel: each mapped field of an event, printed by two runs at
 * the same time, one in the BTF form and one in the perf form. Rows of one event that stand
 * alone within 4 us on their CPU in both, and 1.5 us from each other, are the same happening
 * and must be equal. One in a hundred may differ: where the limit cuts, neighbours pair.
 * SLOW in the environment says how many times slower a machine is.
 *
 * test: serial
 */
#include "base/buf.h"
#include "base/vec.h"
#include "event/facts.h"
#include "kern/catalog/catalog.h"
#include "test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ALONE_NS 4000
#define SAME_NS 1500
#define BATCH 12			/* events a run */
#define FIELDS_MOST 20

struct watched {
	const char *name;		/* "sched:sched_switch" */
	int n_fields;
	const char *fields[FIELDS_MOST];
	bool text[FIELDS_MOST];
	int compared, wrong[FIELDS_MOST];
};

struct row {
	int event, cpu;
	unsigned long long time;
	char *rest;
	bool alone;
};

static struct arena arena;
static VEC(struct watched) events;
static struct kernel_catalog *kc;
typedef VEC(struct row) row_list;

/* ---- what to compare ---- */

static void add_event(void *arg, const char *name)
{
	const struct catalog *c = kernel_catalog_catalog(kc);
	const char *colon = strchr(name, ':');
	const struct cat_event *e;
	struct watched w = { .name = arena_strdup(&arena, name) };

	(void)arg;
	/* The kernel does not let perf sample it: sampling makes it happen. */
	if (!strcmp(name, "irq_vectors:irq_work_exit"))
		return;
	for (int i = 0; i < events.n; i++)
		if (!strcmp(events.v[i].name, name))
			return;
	e = c->ops->event(c->self, (struct str){ name, (int)(colon - name) },
			  str_of(colon + 1));
	if (!e || !e->btf_id || !e->perf_id)
		return;
	for (int i = 0; i < e->n_fields && w.n_fields < FIELDS_MOST; i++) {
		if (!e->fields[i].from_args)
			continue;
		w.text[w.n_fields] = !type_is_word(&e->fields[i].type);
		w.fields[w.n_fields++] = e->fields[i].name;
	}
	if (w.n_fields)
		vec_push(&arena, &events, w);
}

static void find_events(void)
{
	const struct catalog *c = kernel_catalog_catalog(kc);
	const struct field_fact *f;
	char glob[128];

	for (int i = 0; (f = field_fact_at(i)); i++) {
		snprintf(glob, sizeof(glob), "%s:%s", f->system, f->name);
		c->ops->list(c->self, LIST_EVENTS, str_of(glob), add_event, NULL);
	}
}

/* ---- work that makes events happen ---- */

static void work_files(void)
{
	static char page[65536];
	char path[] = "/tmp/fieldsXXXXXX";
	int fd = mkstemp(path);

	if (fd < 0)
		return;
	for (int i = 0; i < 4; i++)
		if (write(fd, page, sizeof(page)) < 0)
			break;
	fsync(fd);
	close(fd);
	unlink(path);
}

static void work_memory(void)
{
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; p != MAP_FAILED && i < 1 << 20; i += 4096)
		p[i] = 1;
	munmap(p, 1 << 20);
}

static void work_network(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr *at[] = { (void *)&a, (void *)&a6 };
	socklen_t n[] = { sizeof(a), sizeof(a6) };

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (int i = 0; i < 2; i++) {
		int s = socket(at[i]->sa_family, SOCK_STREAM, 0);
		int c = socket(at[i]->sa_family, SOCK_STREAM, 0), got;

		if (s >= 0 && c >= 0 && !bind(s, at[i], n[i]) && !listen(s, 1) &&
		    !getsockname(s, at[i], &n[i]) && !connect(c, at[i], n[i])) {
			got = accept(s, NULL, NULL);
			if (write(c, "hello", 5) == 5 && got >= 0)
				usleep(100);
			close(got);
		}
		close(s);
		close(c);
		((struct sockaddr_in *)at[i])->sin_port = 0;
	}
}

static void nothing(int sig)
{
	(void)sig;
}

static void work(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGUSR1, nothing);
	for (;;) {
		pid_t pid = fork();

		if (!pid) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		kill(getpid(), SIGUSR1);
		work_files();
		work_memory();
		work_network();
		usleep(3000);
	}
}

static pid_t start_work(void)
{
	pid_t pid = fork();

	if (!pid) {
		work();
		_exit(0);
	}
	return pid;
}

/* ---- the two runs ---- */

static void write_query(struct buf *q, int from, int to)
{
	for (int i = from; i < to; i++) {
		const struct watched *w = &events.v[i];

		buf_printf(q, "%s%s | print \"%d %%d %%d ", i > from ? "; " : "", w->name, i);
		for (int k = 0; k < w->n_fields; k++)
			buf_puts(q, w->text[k] ? "|%s" : "|%d");
		buf_puts(q, "\", at_cpu = current.cpu, at = current.time");
		for (int k = 0; k < w->n_fields; k++)
			buf_printf(q, ", `%s`", w->fields[k]);
		buf_puts(q, " limit 300/s");
	}
}

static pid_t start_run(const char *query, const char *out, bool perf)
{
	const char *culprit = getenv("CULPRIT");
	pid_t pid = fork();

	if (!pid) {
		int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(fd, 1);
		execl(culprit, culprit, "run", "-q", "-d", "800ms", "--self", query,
		      perf ? "--without" : (char *)NULL, "tp_btf", (char *)NULL);
		_exit(127);
	}
	return pid;
}

static int ended(pid_t pid)
{
	int status = -1;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int by_place(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static bool within(const struct row *a, const struct row *b, unsigned long long ns)
{
	unsigned long long d = a->time > b->time ? a->time - b->time : b->time - a->time;

	if (getenv("SLOW"))
		ns *= strtoull(getenv("SLOW"), NULL, 10);
	return a->event == b->event && a->cpu == b->cpu && d < ns;
}

static void read_rows(const char *path, row_list *rows)
{
	FILE *f = fopen(path, "r");
	char line[4096];

	while (f && fgets(line, sizeof(line), f)) {
		struct row r = { 0 };
		int at = 0;

		if (sscanf(line, "%d %d %llu %n", &r.event, &r.cpu, &r.time, &at) < 3 || !at)
			continue;
		line[strcspn(line, "\n")] = 0;
		r.rest = arena_strdup(&arena, line + at);
		if (r.event >= 0 && r.event < events.n)
			vec_push(&arena, rows, r);
	}
	if (f)
		fclose(f);
	if (rows->n)
		qsort(rows->v, (size_t)rows->n, sizeof(*rows->v), by_place);
	for (int i = 0; i < rows->n; i++)
		rows->v[i].alone = !(i && within(&rows->v[i], &rows->v[i - 1], ALONE_NS)) &&
				   !(i + 1 < rows->n && within(&rows->v[i], &rows->v[i + 1], ALONE_NS));
}

/* Field by field: both begin with `|`. */
static void compare(struct watched *w, const char *a, const char *b)
{
	char *x = arena_strdup(&arena, a), *y = arena_strdup(&arena, b);
	char *xs = NULL, *ys = NULL;
	char *p = strtok_r(x, "|", &xs), *q = strtok_r(y, "|", &ys);

	w->compared++;
	for (int k = 0; k < w->n_fields; k++) {
		if (test_differ(p, q) && w->wrong[k]++ < 3)
			printf("# %s %s: BTF '%s', perf '%s'\n", w->name, w->fields[k],
			       p ? p : "", q ? q : "");
		p = strtok_r(NULL, "|", &xs);
		q = strtok_r(NULL, "|", &ys);
	}
}

static void compare_rows(const row_list *a, const row_list *b)
{
	int k = 0;

	for (int i = 0; i < a->n; i++) {
		while (k < b->n && by_place(&b->v[k], &a->v[i]) < 0 &&
		       !within(&b->v[k], &a->v[i], SAME_NS))
			k++;
		if (k < b->n && within(&a->v[i], &b->v[k], SAME_NS) && a->v[i].alone &&
		    b->v[k].alone)
			compare(&events.v[a->v[i].event], a->v[i].rest, b->v[k].rest);
	}
}

static void run_batch(int from, int to)
{
	const char *dir = getenv("TMP");
	char *btf = arena_printf(&arena, "%s/fields.btf", dir);
	char *perf = arena_printf(&arena, "%s/fields.perf", dir);
	struct buf q = { 0 };
	row_list a = { 0 }, b = { 0 };
	pid_t one, two;

	write_query(&q, from, to);
	one = start_run(q.p, btf, false);
	two = start_run(q.p, perf, true);
	if (ended(one) | ended(two))
		TEST_FAIL("a run failed: %s", q.p);
	read_rows(btf, &a);
	read_rows(perf, &b);
	compare_rows(&a, &b);
	unlink(btf);
	unlink(perf);
	buf_fini(&q);
}

TEST(fields_agree_in_both_forms)
{
	struct features features = { 0 };
	struct err e = { .arena = &arena };
	int seen = 0;
	pid_t worker;

	if (geteuid() || !getenv("CULPRIT") || access(getenv("CULPRIT"), X_OK) ||
	    !feature_has(&features, FEATURE_TP_BTF) || !feature_has(&features, FEATURE_TRACEFS))
		SKIP("needs root, BTF, tracefs and the program");
	kc = kernel_catalog_open(&e, &features);
	REQUIRE(kc);
	find_events();
	worker = start_work();
	for (int i = 0; i < events.n; i += BATCH)
		run_batch(i, i + BATCH < events.n ? i + BATCH : events.n);
	kill(worker, SIGKILL);
	waitpid(worker, NULL, 0);
	for (int i = 0; i < events.n; i++) {
		struct watched *w = &events.v[i];

		seen += w->compared > 0;
		printf("# %s: %d fields, %d rows\n", w->name, w->n_fields, w->compared);
		for (int k = 0; k < w->n_fields; k++)
			if (w->wrong[k] * 100 > w->compared)
				TEST_FAIL("%s %s: %d of %d differ", w->name, w->fields[k],
					  w->wrong[k], w->compared);
	}
	CHECK(seen >= 20);
	kernel_catalog_close(kc);
	features_fini(&features);
}
