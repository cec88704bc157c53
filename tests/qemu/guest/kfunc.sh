# Inside a virtual machine: kernel functions by each way of attachment that is named, with known
# numbers of calls. The way `rest`: what is the same for every way. QUICK: only what differs most
# between the ways.
is() { # NAME GOT WANT
	if [ "$2" = "$3" ]; then
		echo "ok ${way}_$1"
	else
		echo "got  '$2'"
		echo "want '$3'"
		cat /tmp/err
		echo "not ok ${way}_$1"
	fi
}
between() { # NAME NUMBER LEAST MOST
	if [ "${2:-0}" -ge "$3" ] && [ "$2" -le "$4" ]; then
		echo "ok ${way}_$1"
	else
		echo "$2 is not in $3 .. $4"
		cat /tmp/err
		echo "not ok ${way}_$1"
	fi
}
# The cells of all rows, without the header and what was lost, on one line.
trace() {
	culprit run -v --format csv -o /tmp/out "$@" >/dev/null 2>/tmp/err
	sed '1d; /^#/d' /tmp/out | tr '\n' ' ' | sed 's/ $//'
}
calculate() { awk "BEGIN { printf \"%d\", $1 }"; }
now_ms() { awk "{ print int(\$1 * 1000) }" /proc/uptime; }
# Rows, and what was counted as missed: more calls are open at once than a probe has slots for.
seen_or_told() { # OPTION ... QUERY
	rows=$(trace "$@" -- sh -c 'for i in $(seq 40); do { sleep 2 | cat; } & done; wait')
	calculate "$rows + $(awk '/\((missed|abandoned)\)$/ { n += $2 } END { print n + 0 }' /tmp/err)"
}
uncounted() { grep -c 'unmatched\|abandoned\|dropped' /tmp/err; }

# The same calls as ftrace times them: each of the two has the other's cost in its time, so
# the medians differ by less than two empty calls that both trace.
as_ftrace() { # OPTION ...
	ftrace=/sys/kernel/tracing
	echo 1 >$ftrace/tracing_on
	echo >$ftrace/trace
	echo vfs_read >$ftrace/set_ftrace_filter
	if echo function_graph >$ftrace/current_tracer 2>/tmp/err; then
		echo funcgraph-proc >$ftrace/trace_options
		ours=$(trace "$@" 'vfs_read() | where count == 64 && comm == "work" | p50(duration);
			__x64_sys_getppid() | where comm == "work" | count' \
			-- sh -c 'work read 1000; work getppid 1000 >/tmp/empty' | sed 's/ .*//')
		echo 0 >$ftrace/tracing_on
		theirs=$(awk '/work-/ { for (i = 1; i <= NF; i++) if ($i == "us") print $(i - 1) * 1000 }' \
			$ftrace/trace | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
		empty=$(awk '{ printf "%d", $NF }' /tmp/empty)
		between function_graph_median "${theirs%.*}" 1 100000000
		between function_graph "$ours" "$(calculate "$theirs - 2 * $empty")" "$(calculate "$theirs + 2 * $empty")"
		echo nop >$ftrace/current_tracer
		echo >$ftrace/set_ftrace_filter
	else
		echo "skip ${way}_function_graph: this kernel has no such tracer"
	fi
}

# What explain calls a way, and the options that leave it.
by_way() { # TOLD OPTION ...
	told=$1
	shift
	is way "$(culprit explain "$@" 'vfs_read() | hist(duration)' | grep -m 1 -o "$told")" "$told"
	is count "$(trace "$@" 'vfs_read() | where count == 64 | count' -- work read 1000)" 1000
	is elided "$(trace "$@" '__x64_sys_getppid() | count' -- work getppid 1000)" 1000
	is pairs "$(trace "$@" 'vfs_read() | where count == 64
		| count, sum(ret), sum(count), n = count where duration <= 0' \
		-- work read 1000)" 1000,64000,64000,0
	is member "$(trace "$@" 'vfs_read() | where count == 64
		| count by file.f_inode.i_sb.s_id, comm' -- work read 100)" devtmpfs,work,100
	is recursion "$(trace "$@" 'ep_loop_check_proc() | count by depth | sort depth' \
		-- work nest 100)" "0,300 1,200 2,100"
	is split_depth "$(trace "$@" 'ep_loop_check_proc() | split state | count by depth | sort depth' \
		-- work nest 100)" "0,300 1,200 2,100"
	is wildcard "$(trace "$@" 'ep_loop_check_pro[c](), vfs_rea[d]() | where event == ep_loop_check_proc
		|| ret == 64 | count by event | sort count' -- work nest 100)" ep_loop_check_proc,600
	is nothing_lost "$(uncounted)" 0
	# at a return the function itself is in the stack, also where its frame is gone
	is return_stack "$(trace "$@" 'vfs_read().return | where ret == 64 && comm == "work" | count by kstack' \
		-- work read 1000 | sed 's/.*;ksys_read/ksys_read/')" 'ksys_read;vfs_read,1000'
	is end_stack "$(trace "$@" 'vfs_read() | where count == 64 && comm == "work" | count by stack = end.kstack' \
		-- work read 1000 | sed 's/.*;ksys_read/ksys_read/')" 'ksys_read;vfs_read,1000'

	# Nine parameters, of which six are in registers; what it returns is an address.
	is nine_parameters "$(trace "$@" 'do_mmap() | in syscall:mmap | where len < 1048576
		| count by page = ret > 4095 && (ret & 4095) == 0' -- culprit --version)" \
		"true,$(trace 'syscall:mmap | where len < 1048576 && ret > 0 | count' -- culprit --version)"
	if [ "$way" = fentry ] && ! culprit doctor | grep -q '^ *yes *fentry_stack'; then
		echo "skip ${way}_nine_parameters_way: fentry of this kernel takes six"
	else
		is nine_parameters_way "$(culprit explain "$@" 'do_mmap() | hist(duration)' |
			grep -m 1 -o "$told")" "$told"
	fi

	# Functions of many files' own with one name: all of them.
	is same_name "$(trace "$@" 'type_show() | where comm == "cat" | count' -- \
		cat /sys/bus/event_source/devices/*/type /sys/class/net/lo/type)" \
		$(ls /sys/bus/event_source/devices/*/type /sys/class/net/lo/type | wc -l)
	is same_name_told "$(culprit explain "$@" 'type_show() | count' | grep -m 1 -c ' 1[0-9] functions')" 1
	[ -z "${QUICK-}" ] || return

	is wanted "$(trace "$@" 'vfs_read() | where begin.count == 64 && ret > 0 | count, sum(ret)' \
		-- work read 1000)" 1000,64000
	is enter "$(trace "$@" 'vfs_read().enter | where count == 64 | count by n = count' \
		-- work read 1000)" 64,1000
	is return "$(trace "$@" 'vfs_read().return | where ret == 64 | count by ret' \
		-- work read 1000)" 64,1000
	is return_knows "$(trace "$@" 'vfs_read().return | where ret == 64 | count by ret, n = count' \
		-- work read 1000)" 64,64,1000
	is user_text "$(trace "$@" 'do_sys_openat2().enter | where str(filename) == "/etc/passwd" | count by filename' \
		-- cat /etc/passwd)" /etc/passwd,1
	is time_only "$(trace "$@" '__x64_sys_getppid() | n = count, none = count where duration <= 0' \
		-- work getppid 1000)" 1000,0
	is sleeps "$(trace "$@" "__x64_sys_nanosleep()
		| count, short = count where duration < 100ms, long = count where duration > 400ms" \
		-- work sleep 5 100000000)" 5,0,0
	is outermost "$(trace "$@" 'ep_loop_check_proc() | where depth == 0 | count' \
		-- work nest 100)" 300
	is many "$(trace "$@" 'vfs_rea*() | where ret == 64 | count by event' -- work read 100)" \
		vfs_read,100
	is span "$(trace "$@" 'from vfs_read().enter where count == 64 to vfs_read().return
		| count' -- work read 200)" 200
	is without_storage "$(trace "$@" --without task_storage 'ep_loop_check_proc() | count, n = count where
		duration <= 0' -- work nest 100)" 600,0

	between missed "$(seen_or_told "$@" 'vfs_read() | where comm == "cat" && duration > 1s | count')" 40 1000
	between missed_elided "$(seen_or_told "$@" 'vfs_rea[d]().return | where comm == "cat" && ret == 0 | count')" \
		40 1000

	# Stacks inside of what is traced: whole, each function once, and of what traces it nothing without a name.
	trace "$@" 'ksys_read() | count, max(duration); vfs_read() | where comm == "cat" | max(duration) by kstack;
		sched:sched_switch | where comm == "cat" | count by kstack; cpu@999hz | where comm == "work" | count by kstack' \
		-- sh -c '(work read 5000; echo) | cat' >/tmp/inside
	is inside "$(grep -cE 'ksys_read;vfs_read;([a-z_]*;)*schedule;__schedule' /tmp/out | sed 's/[2-9]/1/')" 1
	is inside_once "$(grep -E '(ksys|vfs)_read;(ksys_read|vfs_read;vfs)|0xf|culprit_name' /tmp/out)" ''

	as_ftrace "$@"

	# A module's: as many as the program says, by the module's own BTF.
	[ -b /dev/vdb ] || return
	modprobe btrfs
	mkdir -p /tmp/btrfs
	mount LABEL=btrfs /tmp/btrfs
	is module_way "$(culprit explain "$@" 'btrfs:btrfs_file_write_iter() | hist(duration)' |
		grep -m 1 -o "$told")" "$told"
	is module "$(trace "$@" 'btrfs:btrfs_file_write_iter() | where comm == "dd"
		| count, sum(ret), n = count where duration <= 0, sum(`from`.count)' \
		-- dd if=/dev/zero of=/tmp/btrfs/file bs=4096 count=300)" 300,1228800,0,1228800
	is module_member "$(trace "$@" 'btrfs:btrfs_sync_file() | where comm == "dd"
		| count by file.f_inode.i_sb.s_type.name, ret' \
		-- dd if=/dev/zero of=/tmp/btrfs/file bs=4096 count=3 conv=fsync)" btrfs,0,1
	umount /tmp/btrfs
}

# ---- the same for every way ----
same() {
	rmmod btrfs 2>/dev/null
	is not_loaded "$(culprit explain 'btrfs_sync_file() | count' 2>&1 |
		grep -c "'btrfs_sync_file': the module btrfs is not loaded (modprobe btrfs)")" 1
	is not_loaded_tool "$(culprit btrfsslower 2>&1 | grep -c '(modprobe btrfs)')" 1
	modprobe btrfs

	# What a wildcard leaves out, by why.
	culprit explain 'native_*().enter | count' >/tmp/out
	left=$(sed -n 's/^  \([0-9]*\) functions of native_\*() cannot be traced$/\1/p' /tmp/out)
	is left_out "$(awk '/^Left out/, /^$/ { if ($1 ~ /^[0-9]*:$/) n += $1 } END { print n }' /tmp/out)" "$left"
	is left_out_why "$(sed -n '/: it ran only/,/^ *[0-9]*: /p' /tmp/out | grep -c native_smp_prepare_cpus)" 1
	trace -d 100ms 'native_*().enter | count' >/dev/null
	is left_out_told "$(grep -c "^culprit: $left functions of native_\*() cannot be traced: culprit explain" /tmp/err)" 1
	is left_out_listed "$(culprit list functions -v 'native_*' | grep -c ': cannot be traced: ')" "$left"
	# What a module's functions are called with is in its own BTF.
	is module "$(culprit explain 'btrfs:btrfs_file_write_iter() | print iocb, `from`, ret' |
		grep -q 'instructions$'; echo $?)" 0
	is module_wildcard "$(culprit explain 'btrfs:*_write*() | count' | grep -q 'instructions$'; echo $?)" 0
	is module_runs "$(trace -d 100ms 'btrfs:btrfs_scan_one_device() | count')" 0
	is alias "$(culprit explain '__x64_sys_getppid() | count' 2>&1 | grep -c 'no function')" 0
	is filters_first "$(culprit explain 'vfs_read() | where begin.count == 64 | max(duration)' |
		grep -c 'begins vfs_read() if .*count == 64')" 1
	# what a wildcard goes without is told, with why
	is refused "$(trace -d 100ms --without fentry --without kprobe_multi 'oops_*() | count' >/dev/null
		grep -o '2 functions .*' /tmp/err)" "2 functions cannot be probed by the kernel: \
oops_begin (Invalid argument), oops_end (Invalid argument) (refused)"
	is no_field "$(culprit explain 'vfs_read() | print nofield' 2>&1 |
		grep -c "no field 'nofield' in vfs_read() ")" 1
	is near "$(culprit explain 'vfs_red() | count' 2>&1 | grep -c "did you mean 'vfs_read()'")" 1
	is no_match "$(culprit explain 'nothing_of_*_the_kind() | count' 2>&1 |
		grep -c "no function that matches 'nothing_of_")" 1
	is no_module "$(culprit explain 'nosuch:f() | count' 2>&1 | grep -c "'nosuch' is no loaded module")" 1
	is notrace "$(culprit explain 'rcu_read_unlock_strict() | count, x = min(duration)' 2>&1 | grep -c later)" 0
	is else "$(trace 'no_such_function() else vfs_read() | where count == 64 | count' \
		-- work read 10)" 10

	# The examples of the document.
	awk '/^```/ { out = ""; if ($0 == "```culprit-kernel") out = "/tmp/example_" NR; next }
		out { print >out }' docs/language.md
	for example in /tmp/example_*; do
		culprit run -d 100ms -f "$example" >/tmp/out 2>/tmp/err
		is "$(basename "$example")" $? 0
	done
	between examples "$(ls /tmp/example_* | wc -l)" 5 100

	# The tools that take a function.
	is funccount "$(culprit funccount --format csv vfs_read -- work read 100 2>/tmp/err | tail -n 1)" \
		vfs_read,100
	is funclatency "$(culprit funclatency --format csv vfs_read --level 1 -- work read 100 2>/tmp/err |
		grep -c ',100$')" 1
	is funcslower "$(culprit funcslower --format csv --min 0 -r vfs_read -- work read 100 2>/tmp/err |
		grep -c ',64,vfs_read')" 100
	is funcslower_several "$(culprit funcslower --format csv -m 0 vfs_read ksys_read -a count --comm work -- \
		work read 100 2>/tmp/err | sed -n 's/.*,\([a-z_]*_read,64\)$/\1/p' | sort | uniq -c | sed 's/^ *//' |
		paste -s -d ' ')" '100 ksys_read,64 100 vfs_read,64'
	is funccount_event "$(culprit funccount --format csv 'sched:sched_process_exec' -- work read 1 2>/tmp/err |
		tail -n 1)" sched_process_exec,1
	is trace_stack "$(culprit trace 'vfs_read().enter' 'vfs_write().enter' -K -f 'count == 64' -M 1 --comm work -- \
		work read 100 2>/tmp/err | sed -n 's/^    \(ksys_read\|vfs_read\)\>.*/\1/p' | paste -s -d ' ')" 'vfs_read ksys_read'
	is slow_state "$(culprit slow ksys_read state vfs_read --over 0 --format json -- work read 100 2>/tmp/err |
		grep -c '"vfs_read.count":1,.*"running.count":')" 100
	is cachestat "$(culprit cachestat --format csv 1 1 2>/tmp/err | grep -c .)" 2

	# A tail call returns at its caller's place: both calls are seen.
	trace 'vfs_getattr*(), vfs_statx*(), vfs_fstat*() | where comm == "stat" | count' -- stat /etc/passwd >/tmp/tail
	is tail_calls "$(grep -c abandoned /tmp/err)" 0

	# A thousand functions come and go.
	if culprit explain 'vfs_*() | count' | grep -q ': kprobe.multi'; then
		n=$(culprit explain 'btrfs:btrfs_*() | count' | sed -n 's/.*: kprobe.multi, \([0-9]*\) functions.*/\1/p')
		between thousand "$n" 1000 100000
		culprit run --format csv -o /tmp/out -d 1s 'btrfs:btrfs_*(), [x]*() | count by event' 2>/tmp/err
		is thousand_ends $? 0
		culprit run -q 'btrfs:btrfs_*() | count' -- sh -c '>/tmp/attached; exec sleep 60' \
			>/tmp/out 2>/tmp/err &
		run=$! begin=$(now_ms)
		until [ -e /tmp/attached ] || [ ! -e /proc/$run ]; do usleep 100000; done
		attached=$(now_ms)
		kill -INT $run
		wait $run
		# not a grace period each; as much longer as it took to attach them where the machine is busy
		between thousand_gone_ms "$(($(now_ms) - attached))" 0 "$((2000 + attached - begin))"
	fi
}

for way; do
	case $way in
	fentry) by_way fentry ;;
	session) by_way kprobe.session --without fentry ;;
	multi) by_way kprobe.multi --without fentry --without kprobe_session ;;
	kprobe) by_way kprobes --without fentry --without kprobe_multi ;;
	rest) same ;;
	esac
done
exit 0
