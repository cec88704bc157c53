#!/bin/sh
# Both ends of connections: whose they are, and bytes that are no SYN and no FIN.
. tests/live/lib
needs_bpf live_connections
command -v python3 >/dev/null || { echo "skip live_connections: no python3"; exit 0; }

who() { # WORD: what stands behind it in what the command said
	sed -n "s/.*$1 \([0-9]*\).*/\1/p" "$DID"
}
ends() { # NAME SENT RECEIVED: rows and bytes of each end, and of the end without a process
	is "live_$1_server" "$(rows lport="$(who port)" pid="$(who server)") $(
		sum $2 lport="$(who port)") $(sum $3 lport="$(who port)")" "$4"
	is "live_$1_client" "$(rows rport="$(who port)" pid="$(who client)") $(
		sum $2 rport="$(who port)") $(sum $3 rport="$(who port)")" "$5"
}

trace tcplife -- python3 tests/live/connections.py
# tcplife has the byte that nobody read, too
ends tcplife tx rx "11 10000 1000004" "12 1000004 10000"
is live_tcplife_reset "$(rows lport="$(who port)" pid=)" 1
trace tcptop -i 60 --rows 1000 -- python3 tests/live/connections.py
ends tcptop sent received "12 10000 1000003" "12 1000004 10000"
is live_tcptop_port "$(rows lport=0)" 0
