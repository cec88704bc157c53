/*
 * Calls with parameters of many types, for tests of what debug information tells; it is
 * built with it. Each function is called N times; what it was given is known from the
 * number of the call i.
 *
 *	typed N
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION __attribute__((noinline, noclone, used))
#define KEEP __asm__ volatile("" : : : "memory")

enum color { RED = 1, GREEN = 5, BLUE = -3 };

struct point { double x, y; };
struct pair { int32_t first, second; };
struct mixed { int64_t count; double share; };
struct large { int64_t words[5]; };

struct peer {
	const char *host;
	char label[16];
	uint16_t port;
};

/* Only declared here: its members are those of the other unit, if there were one. */
struct hidden;

typedef struct request {
	struct request *next;
	struct peer *peer;
	struct peer own;
	enum color color;
	uint32_t low : 3, middle : 10, high : 19;
	int32_t grid[2][3];
	union {
		uint64_t number;
		struct {
			uint32_t lower, upper;
		};
	};
	double ratio;
	struct hidden *hidden;
	bool done;
	int (*call)(int);
} request_t;

FUNCTION int plain(const char *text, int len, unsigned char kind, short step, enum color color,
		   int64_t big, int seventh, uint8_t eighth)
{
	KEEP;
	return len - step + kind + (int)strlen(text) + (int)color + (int)(big >> 40) + seventh - eighth;
}

/* Names that mean something else of every call. */
FUNCTION int owned(int pid, const char *comm, long duration, double stack, int size)
{
	KEEP;
	return pid + (int)strlen(comm) + (int)duration + (int)stack + size;
}

FUNCTION size_t handle(request_t *r, const request_t *const other)
{
	KEEP;
	return r->peer->port + other->number;
}

/* Floating-point numbers take no register of the integers. */
FUNCTION double scale(double x, int n, float y, long m)
{
	KEEP;
	return x * n + (double)y * (double)m;
}

FUNCTION struct large by_value(struct pair p, struct point q, struct mixed x, struct large l, int last)
{
	KEEP;
	l.words[0] += p.first + (int64_t)q.x + x.count + last;
	return l;
}

FUNCTION int wide(__int128 w, int after, long double d, int behind)
{
	KEEP;
	return (int)w + after + (int)d + behind;
}

FUNCTION enum color colored(bool yes, char letter, float *where)
{
	KEEP;
	return yes ? GREEN : letter == 'x' && where ? BLUE : RED;
}

FUNCTION char *named(int i)
{
	static char text[] = "name 0";

	text[5] = (char)('0' + i % 10);
	KEEP;
	return text;
}

FUNCTION void nothing(void)
{
	KEEP;
}

static inline __attribute__((always_inline)) int everywhere(int x)
{
	KEEP;
	return x + 1;
}

int main(int argc, char **argv)
{
	struct peer peer = { "example.org", "a label", 443 };
	request_t other = { .number = 7 }, r = {
		.next = &other, .peer = &peer, .own = { "own.example", "own label", 80 }, .color = GREEN,
		.low = 5, .middle = 1000, .high = 123456, .grid = { { 1, 2, 3 }, { 4, 5, -6 } },
		.number = 0x100000002, .ratio = 0.5, .done = true, .call = abs,
	};
	long n = argc > 1 ? atol(argv[1]) : 1, sum = 0;
	float here = 1;

	for (long i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "text %ld", i % 3);
		sum += plain(text, (int)i, 200, (short)-i, i % 2 ? BLUE : RED, -(1LL << 40), -7, 250);
		sum += owned((int)i, "a text", 1000, 1.5, 7);
		r.grid[1][0] = (int32_t)i;
		sum += (long)handle(&r, &other);
		sum += (long)scale(1.5, (int)i, 2.5f, 3 * i);
		sum += by_value((struct pair){ 1, 2 }, (struct point){ 3, 4 }, (struct mixed){ 5, 6 },
				(struct large){ { 7 } }, (int)i).words[0];
		sum += wide(1, (int)i, 2.0L, -(int)i);
		sum += colored(i % 2, 'x', &here) + named((int)i)[5] + everywhere((int)i);
		nothing();
	}
	printf("typed %ld %ld\n", n, sum);
	return 0;
}
