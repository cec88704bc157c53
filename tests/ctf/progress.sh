#!/bin/sh
# Long reads say how far they are on a terminal, and take the line away; elsewhere nothing.
traces=${TRACES:-../shared/traces}
if [ ! -d $traces ]; then
	echo "skip progress: no $traces"
	exit
fi
tar -xJf $traces/small.tar.xz -C "$TMP"
python3 - "$CULPRIT" "$TMP/small" <<'END'
import os, pty, subprocess, sys, time

def run(terminal):
    """A reader that waits at first: the writer has to, too. What is on standard error."""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    p = subprocess.Popen([sys.argv[1], "run", "--trace", sys.argv[2], "*"], stdout=subprocess.PIPE,
                         stderr=theirs)
    time.sleep(1.5)
    p.stdout.read()
    p.wait()
    os.write(theirs, b"END")
    said = ""
    while "END" not in said:
        said += os.read(ours, 65536).decode()
    return said

said = run(True)
ok = "% read, " in said and "events/s" in said and said.endswith("\r\033[KEND")
print("ok progress_on_a_terminal" if ok else "%r\nnot ok progress_on_a_terminal" % said)
said = run(False)
print("ok no_progress_elsewhere" if said == "END" else "%r\nnot ok no_progress_elsewhere" % said)
END
