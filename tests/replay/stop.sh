#!/bin/sh
# Ctrl-C while a trace is read: what was read until then is shown, whole lines, with the time up
# to which it is. The reader waits for a pipe that nobody reads, so that it is in the middle.
. tests/replay/lib

[ -d $traces ] || skip "no $traces"
tar -C "$TMP" -xf $traces/small.tar.xz
"$C" run --trace "$TMP/small" '*' >"$TMP/all" 2>/dev/null
python3 - "$C" "$TMP" <<'EOF' >"$TMP/ours"
import array, fcntl, re, signal, subprocess, sys, termios, time

def stopped(query, number):
    """Its lines, what it said, and its status, when the signal came while it waited."""
    p = subprocess.Popen([sys.argv[1], "run", "--trace", sys.argv[2] + "/small", query],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    waiting = array.array("i", [0])
    while waiting[0] < 32768 and p.poll() is None:      # bytes in the pipe: more are to come
        time.sleep(0.01)
        fcntl.ioctl(p.stdout, termios.FIONREAD, waiting)
    p.send_signal(number)
    out, said = p.communicate()
    return out, said.decode(), p.returncode

everything = open(sys.argv[2] + "/all", "rb").read()
out, said, status = stopped("*", signal.SIGINT)
last = re.search(rb"\[(\S+)\][^\n]*\n$", out)
print("a part", 0 < len(out) < len(everything), "its begin", everything.startswith(out),
      "whole lines", out.endswith(b"\n"), "status", status)
print("said", re.search(r"it was stopped at (\S+) of the trace", said)[1] == last[1].decode())
out, said, status = stopped("* | print event; * | count", signal.SIGTERM)
lines = out.decode().split("\n")
print("counted what was printed", int(lines[-2]) == lines.index("") - 1, "status", status)
EOF
cat >"$TMP/theirs" <<'EOF'
a part True its begin True whole lines True status 1
said True
counted what was printed True status 1
EOF
check stop_shows_what_was_read
