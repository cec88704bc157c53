#!/bin/sh
# What a package would mend is skipped nowhere that tests/deps was run: a skip because a program is
# missing names its package, and tests/deps installs it.
for package in $(grep -rhoE '^[^#]*skip .*\(package [a-z0-9+.-]+' tests --include='*.sh' | sed 's/.*(package //' | sort -u); do
	if ! sed -n '/^build=/,/^fuzz=/p; /unpack /p' tests/deps | tr -c 'a-z0-9+.-' '\n' | grep -qxF -e "$package"; then
		echo "tests/deps does not install $package"
		missing=1
	fi
done
[ -z "${missing-}" ] && echo 'ok skips_packages' || echo 'not ok skips_packages'
nameless=$(grep -rnE "skip .*no (python3|babeltrace2|strace|gcc|g\+\+|rustc|node|nm|unshare|setpriv|libdw)" tests --include='*.sh' |
	grep -v '(packages\? \|static probes\|tests/structure/skips.sh')
[ -z "$nameless" ] && echo 'ok skips_named' || printf '%s\nnot ok skips_named\n' "$nameless"
