# Inside a virtual machine with a slow disk: the commands of docs/x-is-slow.md blame what
# they blame there.
stty cols 110 2>/dev/null

# The largest part of the last drawing, the costliest callee, else what stands first in a table's first row, or
# whose histogram it is; addresses differ each time.
cause() {
	sed 's/\x1b\[[0-9]*m//g' "$1" | awk '
		/^(fsync|convoy) [0-9]+ [0-9.]+\r?$/ || !NF { next }
		/^slow = / { most = -1 }
		/%.*\|.*\|/ {
			for (i = 2; i <= NF; i++)
				if ($i ~ /%$/ && $i + 0 > most) { most = $i + 0; part = $1 }
		}
		/CALLEE OF/ { getline; sub(/\r$/, ""); part = $NF }
		/^flags = / { table = $3 }
		++n == 2 && table == "" { table = $1 }
		END { sub(/^0x.*/, "0x", table); print part != "" ? part : table }'
}

awk '/^```/ { inside = $0 == "```sh-vm"; next }
	inside && /^\$ / { n++; print substr($0, 3) >"/tmp/command." n; next }
	inside { print >"/tmp/shown." n }
	END { print n + 0 >"/tmp/n" }' docs/x-is-slow.md
[ "$(cat /tmp/n)" = 10 ] || echo "not ok commands: $(cat /tmp/n), not 10"
for i in $(seq "$(cat /tmp/n)"); do
	sh "/tmp/command.$i" >/tmp/out 2>&1 </dev/null
	wait
	expected=$(cause "/tmp/shown.$i") got=$(cause /tmp/out)
	if [ -n "$expected" ] && [ "$got" = "$expected" ]; then
		echo "ok page_$i"
	else
		cat "/tmp/command.$i" /tmp/out
		echo "not ok page_$i: '$got', not '$expected'"
	fi
	while pidof work >/dev/null; do sleep 0.1; done
done
exit 0
