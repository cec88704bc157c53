#!/bin/sh
# `make demo` of a fresh copy: a line of progress, not one for each file. The compiler is one that
# only leaves a file, so that it takes a moment.
result() {
	if [ "$2" = 0 ]; then
		echo "ok $1"
	else
		head -n 20 "$TMP/out" | sed 's/^/# /'
		echo "not ok $1"
	fi
}
unset MAKEFLAGS MFLAGS MAKELEVEL
cat >"$TMP/cc" <<'END'
#!/bin/sh
[ -z "$FAILS" ] || exit 1
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\necho "ran $*"\n' >"$2"
case $2 in */culprit) chmod +x "$2" ;; esac
END
chmod +x "$TMP/cc"

# What is made of texts is there already, if it is.
mkdir -p "$TMP/b"
[ ! -d "$B/gen" ] || cp -r "$B/gen" "$TMP/b"
mkdir -p "$TMP/b/obj/src/user" "$TMP/b/obj/src/plan"
for f in src/user/*.c src/plan/*.c; do
	: >"$TMP/b/obj/${f%.c}.o"
done

make demo CC="$TMP/cc" B="$TMP/b" >"$TMP/out" 2>&1
[ $? = 0 ] && [ "$(wc -l <"$TMP/out")" -le 4 ] && grep -q "in [0-9][0-9][0-9] steps" "$TMP/out" &&
	tail -n 1 "$TMP/out" | grep -qx 'ran demo'
result few_lines $?
make demo CC="$TMP/cc" B="$TMP/b" >"$TMP/out" 2>&1
[ $? = 0 ] && [ "$(grep -vc '/b/culprit demo$' "$TMP/out")" = 1 ]
result nothing_to_do $?

rm -r "$TMP/b/culprit" "$TMP/b/libculprit.a" "$TMP/b/obj/src/cli/main.o" "$TMP/b/obj/src/view"
script -qec "make demo CC='$TMP/cc' B='$TMP/b'" /dev/null >"$TMP/out" 2>&1
[ $? = 0 ] && [ "$(wc -l <"$TMP/out")" -le 5 ] && tr '\r' '\n' <"$TMP/out" | grep -qx 'building: 3 of [0-9]*'
result a_line_of_progress_on_a_terminal $?

rm "$TMP/b/culprit" "$TMP/b/obj/src/cli/main.o"
make demo V=1 CC="$TMP/cc" B="$TMP/b" >"$TMP/out" 2>&1
[ $? = 0 ] && grep -q -- '-c -o .*/main.o src/cli/main.c' "$TMP/out"
result commands_with_v $?

rm "$TMP/b/culprit" "$TMP/b/obj/src/cli/main.o"
FAILS=1 make demo CC="$TMP/cc" B="$TMP/b" >"$TMP/out" 2>&1
[ $? != 0 ] && ! grep -q 'ran demo' "$TMP/out"
result an_error_ends_it $?
