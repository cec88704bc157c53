# The logs of tests/run to its report; with -v failed=1 to the files that failed. Logs that end
# in .first are of files that had a second look, and come before all others.
function trouble() {
	if (status == 124 || status == 137)
		return "took too long"
	if (status == "")
		return "was not run"
	if (status != 0 && !bad)
		return "ended with status " status
	if (harness && !ended)
		return "ended before its last test"
	if (ok + bad + skip == 0)
		return "ended without a result"
	return ""
}

function report() {
	if (bad)
		failures = failures "--- " file "\n" text "---\n"
	else
		printf "%-40s %4d s %4d s CPU  %d ok%s\n%s", file, took_s, cpu_s, ok,
			skip ? ", " skip " skipped" : "", skips
	if (!bad && file in first) {
		flaky = flaky "flaky " file ": " first[file] "\n"
		flaky_files++
	}
	passed += ok; all_bad += bad; skipped += skip
}

function finish(	why) {
	if (file == "")
		return
	why = trouble()
	if (why != "") {
		bad++
		bad_names = bad_names " " file ": " why
		text = text "not ok " file ": " why "\n"
	}
	if (is_first)
		first[file] = substr(bad_names, 2)
	else if (!failed)
		report()
	else if (bad)
		print file
}

FNR == 1 {
	finish()
	file = $2
	is_first = FILENAME ~ /\.first$/
	ok = bad = skip = ended = harness = took_s = cpu_s = 0
	status = text = skips = bad_names = ""
	next
}
FNR == 2 && /^harness$/ { harness = 1; next }
/^exit [0-9]+ took [0-9]+ cpu [0-9]+$/ { status = $2; took_s = $4; cpu_s = $6; next }
/^$/ { next }
!/^ok / && length(text) < 20000 { text = text $0 "\n" }
/^end [0-9]+$/ { ended = 1 }
/^ok / { ok++ }
/^not ok / { bad++; sub(/:$/, "", $3); bad_names = bad_names " " $3 }
/^skip / { skip++; skips = skips "  " $0 "\n" }
END {
	finish()
	if (failed)
		exit
	all_bad += broken
	if (flaky_files)
		flaky = flaky flaky_files " flaky\n"
	printf "%s%s%d passed, %d failed, %d skipped\n", failures, flaky, passed, all_bad, skipped
	exit all_bad > 0 || passed == 0
}
