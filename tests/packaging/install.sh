#!/bin/sh
# `make install` puts every file where distributions look for it; man page and
# completions know each tool and only options that there are.
if [ ! -x "$CULPRIT" ]; then
	echo "skip install: no binary"
	exit 0
fi
result() { if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1"; fi; }

make -s B="$B" DESTDIR="$TMP/root" PREFIX=/usr install
result install_runs $?

missing=0
for f in bin/culprit share/man/man1/culprit.1 share/bash-completion/completions/culprit \
	share/zsh/site-functions/_culprit share/fish/vendor_completions.d/culprit.fish; do
	[ -s "$TMP/root/usr/$f" ] || { echo "no $f"; missing=1; }
done
result install_files $missing

missing=0
for f in tools/*.q; do
	tool=${f#tools/} tool=${tool%.q}
	echo "$tool"
	[ -s "$TMP/root/usr/share/man/man1/culprit-$tool.1" ] || { echo "$tool has no man page" >&2; missing=1; }
done 2>&1 >"$TMP/names"
for installed in $(find "$TMP/root/usr/share" -type f ! -name 'culprit-*.1'); do
	lacks=$(grep -owFf "$TMP/names" "$installed" | sort -u | comm -13 - "$TMP/names")
	[ -z "$lacks" ] || { echo "$installed lacks" $lacks; missing=1; }
done
result install_knows_each_tool $missing

# What each shell completes for lines that a user has begun.
share=$TMP/root/usr/share
cat >"$TMP/complete.bash" <<-'END'
	. "$1"
	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_culprit
	printf '%s ' "${COMPREPLY[@]}"
END
cat >"$TMP/complete.zsh" <<-'END'
	_describe() { for i in ${(P)3-} ${(P)2}; do print -rn -- "${i%%:*} "; done }
	_files() { :; }
	file=$1
	shift
	words=("$@") CURRENT=$#
	. "$file"
END
completes() { # SHELL NAME WANT WORD ...
	shell=$1 name=install_$1_completes_$2 want=$3
	shift 3
	case $shell in
	bash) got=$(bash "$TMP/complete.bash" "$share/bash-completion/completions/culprit" "$@") ;;
	zsh) got=$(zsh -f "$TMP/complete.zsh" "$share/zsh/site-functions/_culprit" "$@") ;;
	fish) got=$(fish --no-config -c "source $share/fish/vendor_completions.d/culprit.fish
		complete -C '$*'" | cut -f 1 | tr '\n' ' ') ;;
	esac
	missing=0
	for word in $want; do
		case " $got " in *" $word "*) ;; *) echo "no $word for '$*': $got"; missing=1 ;; esac
	done
	result "$name" $missing
}
for shell in bash zsh fish; do
	if ! command -v $shell >/dev/null; then
		echo "skip install_${shell}_completes: no $shell here"
		continue
	fi
	completes $shell commands 'execsnoop exitsnoop explain' culprit ex
	completes $shell check '--load' culprit check --l
	completes $shell tools_to_check 'execsnoop' culprit check exec
	completes $shell options '--failed --ppid --format' culprit execsnoop --
done

broken=$(for page in "$share"/man/man1/*.1; do
	grep -q '^\.SH NAME$' "$page" && grep -q '^\.SH DESCRIPTION$' "$page" || echo "$page"
done)
[ -z "$broken" ]
result install_man_pages_are_whole $?

missing=0
"$CULPRIT" run --help >"$TMP/help" 2>&1
sed 's/\\//g' "$TMP/root/usr/share/man/man1/culprit.1" >"$TMP/man"
for option in $(sed -n 's/^OPTION([^"]*"\([^"]*\)".*/\1/p' src/options.def); do
	grep -qe "--$option" "$TMP/man" || { echo "the man page has no --$option"; missing=1; }
	grep -qe "--$option" "$TMP/help" || { echo "culprit run --help has no --$option"; missing=1; }
done
result install_options_are_real $missing
