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
	[ -e "$f" ] || continue
	for installed in $(find "$TMP/root/usr/share" -type f); do
		grep -q "$(basename "$f" .q)" "$installed" ||
			{ echo "$(basename "$f" .q) is not in $installed"; missing=1; }
	done
done
result install_knows_each_tool $missing

bash -n "$TMP/root/usr/share/bash-completion/completions/culprit"
result install_bash_completion $?

missing=0
"$CULPRIT" run --help >"$TMP/help" 2>&1
sed 's/\\//g' "$TMP/root/usr/share/man/man1/culprit.1" >"$TMP/man"
for option in $(sed -n 's/^OPTION([^"]*"\([^"]*\)".*/\1/p' src/options.def); do
	grep -qe "--$option" "$TMP/man" || { echo "the man page has no --$option"; missing=1; }
	grep -qe "--$option" "$TMP/help" || { echo "culprit run --help has no --$option"; missing=1; }
done
result install_options_are_real $missing
