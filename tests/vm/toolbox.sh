#!/bin/sh
# The tools over kernel functions, all of them at once, against known work: see
# tests/vm/guest/toolbox.sh.
# test: timeout=1000 long
if [ ! -x "$CULPRIT" ]; then
	echo "skip vm_toolbox: no binary"
	exit 0
fi

one() { # KERNEL PREEMPT
	name=vm_toolbox_$1_$2
	if ! why=$(tests/vm/run --ready "$1"); then
		echo "skip $name: $why"
		return
	fi
	add=
	for module in xfs md-mod raid1 sunrpc grace lockd nfs_acl auth_rpcgss netfs fscache nfs_ssc nfs \
		dns_resolver nfsv4 nfsd; do
		for file in $(find -L "$B/vm/$1/lib" -name "$module.ko*"); do add="$add --add $file"; done
	done
	for file in $(command -v mkfs.xfs); do add="$add --add $file"; done
	tests/vm/run "$1" --append "preempt=$2" --disk 64 --timeout 480 --add tests/live/lib $add -- \
		tests/vm/guest/toolbox.sh >"$TMP/out" 2>&1
	status=$?
	sed "s/^ok \(.*\)/ok ${name}_\1/; s/^not ok \(.*\)/not ok ${name}_\1/" "$TMP/out"
	[ $status = 0 ] || echo "not ok $name: status $status"
}

one 6.1 voluntary
one 6.12 full
