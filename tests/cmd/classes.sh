#!/bin/sh
# Functions of C++ classes: their names without the class are suggested, and messages quote
# what the user wrote.
C=$CULPRIT
cat >"$TMP/svc.c" <<'END'
int _ZN4shop4Cart8checkoutEi(int x) { return x; }
int kept(int x) __asm__("_ZN4shop4Cart3payEi.isra.0");
int kept(int x) { return x + 1; }
int _ZN5other3payEi(int x) { return x + 2; }
int main(void) { return _ZN4shop4Cart8checkoutEi(1) + kept(2) + _ZN5other3payEi(3); }
END
gcc -O0 -o "$TMP/svc" "$TMP/svc.c" || exit 1
says() { # NAME TEXT COMMAND...
	name=$1 text=$2
	shift 2
	"$C" "$@" >"$TMP/out" 2>&1
	if grep -qF -e "$text" "$TMP/out"; then
		echo "ok classes_$name"
	else
		cat "$TMP/out"
		echo "not ok classes_$name"
	fi
}
says one "help: did you mean 'shop::Cart::checkout'?" funclatency "$TMP/svc:checkout"
says part "help: did you mean 'shop::Cart::pay'?" explain "$TMP/svc:Cart::pay() | count"
says several "help: did you mean 'shop::Cart::pay' or 'other::pay'?" explain "$TMP/svc:pay() | count"
says quoted "  $TMP/svc:checkout()" funclatency "$TMP/svc:checkout"
says no_module 'of a program write /PATH/PROGRAM:shop::Cart::checkout()' explain 'shop::Cart::checkout() | count'
"$C" explain 'shop::Cart::checkout() | count' >"$TMP/out" 2>&1
grep -q modprobe "$TMP/out" && echo 'not ok classes_no_modprobe' || echo 'ok classes_no_modprobe'
sleep 60 &
says process "of a program write /PATH/PROGRAM:nosuch()" explain -p $! 'nosuch() | count'
kill $!
