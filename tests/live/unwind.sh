#!/bin/sh
# Programs' stacks without frame pointers: of Debian's own programs and of programs made
# here, 99% of the samples reach the same outermost frame, whole; without the tables they
# do not. From probes of functions, too, through return addresses that a return probe took.
# test: matrix
. tests/live/lib
needs_bpf live_unwind
"$CULPRIT" doctor | grep -q '^ *yes *unwind_tables' ||
	{ echo 'skip live_unwind: no bpf_loop or not x86-64 here'; exit 0; }
cd "$TMP" || exit 1
running=
trap 'kill $running 2>/dev/null' EXIT
begin() { # NAME COMMAND ...
	echo "$1" >>names
	shift
	"$@" >/dev/null 2>&1 </dev/null &
	running="$running $!"
	echo $! >>pids
}

cat >deep.cc <<'END'
#include <unistd.h>
volatile unsigned long sum;
extern "C" __attribute__((noinline)) void inner(int n) { for (int i = 0; i < n; i++) sum += i; }
extern "C" __attribute__((noinline)) void middle(int n) { inner(n); sum++; }
extern "C" __attribute__((noinline)) void outer(int n) { middle(n); sum++; }
struct shape { virtual void draw(int n) = 0; virtual ~shape() {} };
struct box : shape { __attribute__((noinline)) void draw(int n) override
	{ char room[200]; room[n] = 1; if (n > 0) draw(n - 1); else outer(20000); sum += room[n]; } };
int main(int argc, char **) { box b; shape *s = &b; for (;;) { s->draw(20); if (argc > 1) usleep(1000); } }
END
cat >deep.rs <<'END'
fn seen(n: u64) -> u64 { unsafe { std::ptr::read_volatile(&n) } }
#[inline(never)] fn fall(n: u64) -> u64 { if n == 0 { work() } else { seen(fall(n - 1)) + 1 } }
#[inline(never)] fn work() -> u64 { let mut v: Vec<u64> = (0..300).rev().map(seen).collect(); v.sort(); v[7] }
fn main() { loop { seen(fall(20)); } }
END
if command -v g++ >/dev/null; then
	g++ -O2 -fomit-frame-pointer -o deep deep.cc && begin cc ./deep
	g++ -O2 -fomit-frame-pointer -static -s -o deep.static deep.cc && begin static_stripped ./deep.static
else
	echo 'skip live_unwind_cc: no g++ (package g++)'
fi
if command -v rustc >/dev/null; then
	rustc -O -o deep.rust deep.rs && begin rust ./deep.rust || echo 'not ok live_unwind_rust'
else
	echo 'skip live_unwind_rust: no rustc (package rustc)'
fi
begin gzip sh -c 'exec gzip -c </dev/zero'
nginx=$B/debian/usr/sbin/nginx		# tests/deps
[ -x "$nginx" ] || nginx=nginx
for program in xz /usr/bin/python3 "$nginx"; do
	command -v $program >/dev/null || { echo "skip live_unwind_$(basename $program): none here"; continue; }
	case $program in
	xz) begin xz sh -c 'exec xz -T1 -c </dev/urandom' ;;
	*python3) begin python3 $program -c 'import json
while True: json.loads(json.dumps([{"a": i} for i in range(100)]))' ;;
	*nginx) mkdir -p nginx && echo 'daemon off; master_process off; error_log stderr; pid nginx.pid;
events {} http { access_log off; client_body_temp_path b; proxy_temp_path b; fastcgi_temp_path b;
	uwsgi_temp_path b; scgi_temp_path b; server { listen 127.0.0.1:38471; root .; gzip on; gzip_types *; location /x { return 200 "x"; } } }' >nginx/c
		seq 30000 >nginx/numbers
		begin nginx "$nginx" -p "$TMP/nginx" -c c
		/usr/bin/python3 -c 'import http.client as h, time
time.sleep(0.3)
while True:
	c = h.HTTPConnection("127.0.0.1", 38471)
	for i in range(1000):
		c.request("GET", "/x" if i % 5 else "/numbers", headers={"Accept-Encoding": "gzip"})
		c.getresponse().read()' >/dev/null 2>&1 &
		running="$running $!" ;;
	esac
done
sleep 0.5

# In per cent, of the samples of each process: those that are whole and end where most do.
shares() { awk '
	match($0, /"pid":[0-9]+/) { pid = substr($0, RSTART + 6, RLENGTH - 6)
		match($0, /"count":[0-9]+/); n = substr($0, RSTART + 8, RLENGTH - 8)
		all[pid] += n
		if ($0 ~ /"cut"/) next
		k = split($0, part, "\"address\":\"")
		end = part[k]; sub(/".*/, "", end)
		ends[pid, end] += n
		if (ends[pid, end] > most[pid]) most[pid] = ends[pid, end] }
	END { for (pid in all) printf "%d %d %d\n", pid, all[pid], 100 * most[pid] / all[pid] }' \
		"$1"; }
enough() { [ "$(awk '$2 >= 20' shares | wc -l)" = "$(wc -l <pids)" ]; }
# Again while some process had no CPU for 20 samples, as on a busy machine.
sampled() { # OPTION ...: to "shares"
	: >samples
	for turn in $(seq 20); do
		"$CULPRIT" run "$@" -q -d 2 --format json --table-size 100000 -p "$(paste -sd, pids)" \
			'cpu@499hz | count by pid, ustack' >>samples 2>err </dev/null
		shares samples >shares
		! enough || break
	done
}
sampled
paste names pids | while read -r name pid; do
	set -- $(grep "^$pid " shares)
	if [ "${2-0}" -ge 20 ] && [ "$3" -ge 99 ]; then
		echo "ok live_unwind_$name"
	else
		echo "# of ${2-0} samples ${3-0}% whole; $(head -3 err)"
		grep "\"pid\":$pid," samples | grep '"cut"' | head -3
		echo "not ok live_unwind_$name"
	fi
done
sampled --without unwind_tables
few=$(awk '$3 < 99' shares | wc -l)
[ "$few" -ge 3 ] && echo ok live_unwind_off || { cat shares; echo not ok live_unwind_off; }

# ---- probes ----
[ -x deep ] || exit 0
kill $running 2>/dev/null
begin slow ./deep slow
pid=$!
for way in session perf; do
	options=
	[ $way = session ] || options='--without uprobe_session --without uprobe_multi'
	"$CULPRIT" run $options -q -d 1 --format folded -p $pid "$PWD/deep:inner().enter,
		$PWD/deep:middle().return, $PWD/deep:outer().return | count by event, ustack" \
		>folded 2>err </dev/null
	# outermost first: where each returns to is in the stack of the call inside it
	is live_unwind_probes_$way "$(awk '
		{ sub(/ [0-9]*$/, ""); event = $0; sub(/;.*/, "", event); sub(/^[^;]*;/, "")
		  n[event]++; stack[event] = $0; depth[event] = split($0, part, ";") }
		END { print n["inner"], n["middle"], n["outer"], depth["inner"] - depth["outer"],
		      depth["middle"] - depth["outer"], (depth["outer"] > 22),
		      index(stack["inner"], stack["middle"]), index(stack["middle"], stack["outer"]) }' \
		folded)" '1 1 1 3 1 1 1 1'
done

# ---- where a stack's memory ends ----
cat >edge.cc <<'END'
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
static ucontext_t outside, inside;
extern "C" __attribute__((noinline)) void ask(int n) { while (n--) getppid(); __asm__ volatile(""); }
extern "C" __attribute__((noinline)) void edge()
	{ for (int i = 0; i < 20; i++) { usleep(50000); ask(5); } }	/* its tables come meanwhile */
int main()
{
	char *room = (char *)mmap(0, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(room + 32768, 32768);
	getcontext(&inside);
	inside.uc_stack.ss_sp = room;
	inside.uc_stack.ss_size = 32768;
	inside.uc_link = &outside;
	makecontext(&inside, edge, 0);
	return swapcontext(&outside, &inside);
}
END
g++ -O2 -fomit-frame-pointer -o edge edge.cc
"$CULPRIT" run -q --format folded 'syscall:getppid | count by ustack' -- ./edge >folded 2>err
is live_unwind_edge "$(grep -c ';edge;ask;getppid [1-9][0-9]*$' folded)" 1
