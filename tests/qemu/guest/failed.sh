# Inside a virtual machine: calls that fail, which tools that show what became of files must not show.
export CULPRIT=/job/bin/culprit W=/job/bin/work B=/none TMP=/tmp/failed
mkdir -p $TMP
. tests/live/lib
cd /mnt || exit
touch held moved
mkdir held.d
mknod nothing c 240 77
mount --bind held held
mount --bind held.d held.d
mkdir few
mount -t tmpfs -o nr_inodes=2 none few
touch few/first

fails() { # CALL COMMAND ...
	call=$1
	shift
	! "$@" 2>>$TMP/did || echo "not ok $call: it did not fail"
}
fail_all() {
	fails unlink unlink held
	fails rename mv held other
	fails mkdir mkdir few/d
	fails rmdir rmdir held.d
	fails open sh -c ': <nothing'
	fails read cat few
	fails create touch few/none
}

trace_begin filegone
fail_all
mv moved goal
unlink goal
traced INT
is filegone "$(rows) $(rows action=renamed file=moved into=goal) $(rows action=removed file=goal)" "2 1 1"

# The first call of unlink fails: the file lives until the second.
trace_begin filelife
touch life
mount --bind life life
fails unlink unlink life
umount life
rm life
traced INT
is filelife "$(rows) $(rows comm=rm file=life)" "1 1"

trace_begin vfsstat -i 60
fail_all
mkdir made
touch made/file
unlink made/file
rmdir made
traced INT
is vfsstat "$(for name in unlink mkdir rmdir; do sum $name; done | tr '\n' ' ')" "1 1 1 "
exit 0
