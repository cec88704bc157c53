#!/bin/sh
# The tools over kernel functions, all of them at once, against known work: see
# tests/vm/guest/toolbox.sh.
# test: timeout=1000 matrix
. tests/vm/lib

one() { # KERNEL PREEMPT
	add=
	for module in xfs md-mod raid1 sunrpc grace lockd nfs_acl auth_rpcgss netfs fscache nfs_ssc nfs \
		dns_resolver nfsv4 nfsd; do
		for file in $(find -L "$B/vm/$1/lib" -name "$module.ko*"); do add="$add --add $file"; done
	done
	for file in $(command -v mkfs.xfs); do add="$add --add $file"; done
	in_vm vm_toolbox "$1" "$2" --disk 64 --timeout 480 --add tests/live/lib $add -- \
		tests/vm/guest/toolbox.sh
}

one 6.1 voluntary
one 6.12 full
