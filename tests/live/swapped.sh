#!/bin/sh
# Two libraries that take each other's place: each call has the name of the one that was there.
. tests/live/lib
needs_bpf live_swapped_counted live_swapped_printed live_swapped_callers live_swapped_unequal live_swapped_rules live_swapped_explained
command -v gcc >/dev/null || { echo "skip live_swapped: no gcc (package gcc)"; exit; }

cat >"$TMP/lib.c" <<'END'
#include <sys/syscall.h>
#include <unistd.h>
long NAME(void) { return syscall(SYS_getppid) + 1; }
END
cat >"$TMP/swap.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *at[2] = { 0 };
	for (int i = 0; i < 400; i++) {
		void *lib = dlopen(argv[1 + i % 2], RTLD_NOW);
		at[i % 2] = dlsym(lib, i % 2 ? "other_one" : "first_one");
		((long (*)(void))at[i % 2])();
		dlclose(lib);
	}
	puts(at[0] == at[1] ? "same" : "apart");
	return argc != 3;
}
END
for name in first other; do
	gcc -O1 -shared -fPIC -DNAME=${name}_one -o "$TMP/$name.so" "$TMP/lib.c"
done
gcc -O0 -o "$TMP/swap" "$TMP/swap.c" -ldl

# How many of the calls are whose they can't be: more than all of one, or none's. Those whose own frame was
# not read yet are nobody's.
wrong() { # [rows]: each line is one
	awk -F, 'NR > 1 { n = rows ? 1 : $2; all += n }
		/first_one/ { first += n } /other_one/ { other += n } !/_one/ && /not read yet/ { none += n }
		END {
			bad = all - first - other - none + (all != 400) + (first < 20) + (other < 20)
			bad += (first > 200) * (first - 200) + (other > 200) * (other - 200)
			print bad
		}' rows="${1-}" "$OUT"
}

trace run 'syscall:getppid | count by ustack' -- "$TMP/swap" "$TMP/first.so" "$TMP/other.so"
is live_swapped_counted "$(cat "$DID") $(wrong)" "same 0"
# A library may be gone while its table is read: the next time it is.
for _ in 1 2 3 4 5; do
	trace run 'syscall:getppid | count by ustack' -- "$TMP/swap" "$TMP/first.so" "$TMP/other.so"
	grep _one "$OUT"
done >"$TMP/callers"
is live_swapped_callers "$(grep -vcE ';main;(first|other)_one|not read yet' "$TMP/callers")" 0
trace run 'syscall:getppid | print ustack' -- "$TMP/swap" "$TMP/first.so" "$TMP/other.so"
is live_swapped_printed "$(wrong rows)" 0

# Where one has its function, the other has a part without a rule.
cat >"$TMP/moved.c" <<'END'
#include <sys/syscall.h>
#include <unistd.h>
__asm__(".text; .fill 16, 1, 0x90");
long other_one(void) { volatile char room[500]; room[0] = 1; return syscall(SYS_getppid) + room[0]; }
END
gcc -O1 -shared -fPIC -o "$TMP/moved.so" "$TMP/moved.c"
for _ in 1 2 3; do
	trace run 'syscall:getppid | print ustack' -- "$TMP/swap" "$TMP/first.so" "$TMP/moved.so"
	cat "$OUT"
done >"$TMP/unequal"
is live_swapped_unequal "$(grep -c 'call_main;[a-z]*_one' "$TMP/unequal")" 0

# Where one has its function, the other has rules of larger frames.
cat >"$TMP/larger.c" <<'END'
#include <sys/syscall.h>
#include <unistd.h>
__asm__(".text; .fill 20000, 1, 0x90");
long other_one(void) { volatile char room[500]; room[0] = 1; return syscall(SYS_getppid) + room[0]; }
END
gcc -O1 -shared -fPIC -o "$TMP/larger.so" "$TMP/larger.c"
for _ in 1 2 3; do
	trace run 'syscall:getppid | print ustack' -- "$TMP/swap" "$TMP/first.so" "$TMP/larger.so"
	cat "$OUT"
done >"$TMP/rules"
is live_swapped_rules "$(grep -vc ustack "$TMP/rules") $(grep -vcE ';main;[a-z]*_one|\[|ustack' "$TMP/rules")" '1200 0'

is live_swapped_explained "$("$CULPRIT" explain 'syscall:getppid | count by ustack' |
	grep -c 'maple_tree:ma_write: counts how often processes map code')" 1
