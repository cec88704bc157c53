# Inside a virtual machine: tests/live/ufunc.sh by the ways of attachment that are named,
# then tests/live/usdt.sh.
export CULPRIT=/job/bin/culprit W=/job/bin/work B=/none CALLS=/job/calls TMP=/tmp/test WAYS=$1
export PROBES=/job/probes
mkdir -p $TMP
sh tests/live/ufunc.sh && exec sh tests/live/usdt.sh
