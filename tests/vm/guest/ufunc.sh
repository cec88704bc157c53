# Inside a virtual machine: tests/live/ufunc.sh by the ways of attachment that are named.
export CULPRIT=/job/bin/culprit W=/job/bin/work B=/none CALLS=/job/calls TMP=/tmp/test WAYS=$1
mkdir -p $TMP
exec sh tests/live/ufunc.sh
