#!/bin/sh
# What is counted with `-- COMMAND` is what strace sees of the same run, each call as often, and
# of the launcher nothing. Only what returns is a period: not exit_group.
. tests/live/lib
needs_bpf live_command
command -v strace >/dev/null || { echo "skip live_command: no strace (package strace)"; exit 0; }

# strace's log, from the exec that succeeds on: the calls of that process and of its children.
calls_of() { # COMMAND'S NAME
	awk -v name="$1" '
		{ pid = $1; call = $2; sub(/\(.*/, "", call) }
		NR == FNR {
			if (!first && $2 ~ "^execve\\(\".*/" name "\"")
				first = pid
			if (/(clone|clone3|fork|vfork)[(, ].* = [0-9]+$/)
				parent[$NF] = pid
			next
		}
		pid == first && call == "execve" { begun = 1 }
		!begun || $2 !~ /^[a-z0-9_]+\(/ || call ~ /^exit/ { next }
		{
			for (of = pid; of != first && of in parent; of = parent[of])
				;
			if (of == first)
				calls[call]++
		}
		END { for (c in calls) print c "," calls[c] }' "$TMP/log" "$TMP/log" | sort
}

same() { # NAME COMMAND ARGUMENTS ...
	name=$1 program=$2
	shift
	strace -f -o "$TMP/log" "$CULPRIT" run -o "$OUT" 'syscall:* | count by event' -- "$@" >"$DID" 2>"$ERR"
	status=$?
	last="culprit run 'syscall:* | count by event' -- $*"
	calls_of "$program" >"$TMP/calls"
	is "$name" "$status $(sed 1d "$OUT" | tr -d '"\r' | sort)" "0 $(cat "$TMP/calls")"
}

same live_command_true true
is live_command_true_execve "$(sum count event=execve)" 1
cat >"$TMP/pipes" <<'END'
for i in 1 2 3; do
	seq "$i" | cat | sed s/1/2/ | sort -n
done
ls / | wc -l
END
same live_command_pipes sh "$TMP/pipes"
mkdir "$TMP/last"
cp "$W" "$TMP/last/found_last"
PATH=$PATH:$TMP/last
same live_command_found_last found_last getppid 10
is live_command_found_last_execve "$(sum count event=execve)" 1

# A script without #! is the shell's at once; nothing of the launcher is seen, whatever is asked.
echo 'echo "$0 $#"' >"$TMP/script"
chmod +x "$TMP/script"
trace run 'syscall:execve | count by r = ret, program = str(filename), with = argv(argv)' -- "$TMP/script" 'a b' ''
is live_command_script "$status $(sed 1d "$OUT" | tr -d '"\r') $(cat "$DID")" \
	"0 0,/bin/sh,sh $TMP/script a b ,1 $TMP/script 2"
# What nobody may execute is not executed, and a pipe is not read.
chmod -x "$TMP/script"
trace run 'syscall:execve | count' -- "$TMP/script"
is live_command_not_executable "$status $(grep -c 'Permission denied' "$ERR") $(cat "$DID")" "1 1 "
mkfifo -m 755 "$TMP/fifo"
trace run 'syscall:execve | count' -- "$TMP/fifo"
is live_command_fifo "$status $(grep -c 'Permission denied' "$ERR")" "1 1"
trace run 'page-faults@1 | count by comm' -- true
is live_command_faults "$status $(rows comm=true) $(sed 1d "$OUT" | grep -vc '^"*true')" "0 1 0"
trace run 'libc.so.6:exec*().enter, signal:* | count by event, comm' -- true
is live_command_launcher "$status $(sed 1d "$OUT" | tr -d '"\r')" "0 signal_generate,true,1"
