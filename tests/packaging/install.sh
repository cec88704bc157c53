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
	share/zsh/site-functions/_culprit share/fish/vendor_completions.d/culprit.fish share/culprit/tools/biolatency.q \
	share/doc/culprit/README.md share/doc/culprit/docs/language.md share/doc/culprit/docs/tools/biolatency.md; do
	[ -s "$TMP/root/usr/$f" ] || { echo "no $f"; missing=1; }
done
result install_files $missing

missing=0
for f in tools/*.q; do
	tool=${f#tools/} tool=${tool%.q}
	echo "$tool"
	[ -s "$TMP/root/usr/share/man/man1/culprit-$tool.1" ] || { echo "$tool has no man page" >&2; missing=1; }
done 2>&1 >"$TMP/names"
for installed in "$TMP/root/usr/share/man/man1/culprit.1" $(find "$TMP/root/usr/share" -type f ! -path '*/man1/*' ! -path '*/culprit/*'); do
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
	_describe() { for i in ${(P)3-} ${(P)2}; do i=${i//\\:/%}; print -rn -- "${${i%%:*}//\%/:} "; done }
	_files() { :; }
	file=$1
	shift
	words=("$@") CURRENT=$#
	. "$file"
END
PATH=$TMP/root/usr/bin:$PATH
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
		echo "skip install_${shell}_completes: no $shell here (package $shell)"
		continue
	fi
	completes $shell commands 'execsnoop exitsnoop explain' culprit ex
	completes $shell check '--load' culprit check --l
	completes $shell tools_to_check 'execsnoop' culprit check exec
	completes $shell options '--failed --ppid --format' culprit execsnoop --
	case $shell in	# bash takes a colon for a word of its own
	bash) completes bash sources 'readahead' culprit funccount syscall : reada ;;
	*) completes $shell sources 'syscall:readahead' culprit funccount syscall:reada ;;
	esac
	completes $shell lists 'functions features' culprit list f
	completes $shell helps 'syscount syscallstats' culprit help sys
done

broken=$(for page in "$share"/man/man1/*.1; do
	grep -q '^\.SH NAME$' "$page" && grep -q '^\.SH DESCRIPTION$' "$page" || echo "$page"
done)
[ -z "$broken" ]
result install_man_pages_are_whole $?

# What is installed is taken away again, and nothing else.
mkdir -p "$TMP/root/usr/share/doc/other" && echo kept >"$TMP/root/usr/share/doc/other/kept"
cp "$TMP/root/usr/share/man/man1/culprit.1" "$TMP/culprit.1"
make -s B="$B" DESTDIR="$TMP/root" PREFIX=/usr uninstall
left=$(find "$TMP/root" -type f)
[ "$left" = "$TMP/root/usr/share/doc/other/kept" ] || { echo "$left"; false; }
result uninstall_leaves_only_what_is_of_others $?

missing=0
"$CULPRIT" run --help >"$TMP/help" 2>&1
sed 's/\\//g' "$TMP/culprit.1" >"$TMP/man"
for option in $(sed -n 's/^OPTION([^"]*"\([^"]*\)".*/\1/p' src/cli/options.def); do
	grep -qe "--$option" "$TMP/man" || { echo "the man page has no --$option"; missing=1; }
	grep -qe "--$option" "$TMP/help" || { echo "culprit run --help has no --$option"; missing=1; }
done
result install_options_are_real $missing
