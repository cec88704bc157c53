#!/bin/sh
# Both ends of connections: whose they are, and bytes that are no SYN and no FIN.
. tests/live/lib
needs_bpf live_connections live_connect_address
command -v python3 >/dev/null || { echo "skip live_connections: no python3 (package python3)"; exit 0; }

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
trace tcptracer -- python3 tests/live/connections.py
traced() { # TYPE END_KEY PROCESS
	rows type="$1" "$2"="$(who port)" pid="$3"
}
is live_tcptracer_connects "$(traced C rport "$(who client)")" 12
is live_tcptracer_accepts "$(traced A lport "$(who server)")" 12
is live_tcptracer_closes "$(traced X lport "$(who server)") $(traced X rport "$(who client)") $(
	traced X lport 0) $(traced X rport 0)" "11 11 1 1"
# A shutdown whose last segment waits for room at the other end, and a close behind it.
trace tcptracer -- python3 -c '
import socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(1)
end = socket.create_connection(listener.getsockname())
end.setblocking(False)
try:
    while True:
        end.send(bytes(65536))
except BlockingIOError:
    pass
end.shutdown(socket.SHUT_WR)
end.close()
print("port", listener.getsockname()[1])'
is live_tcptracer_one_close "$(rows type=X rport="$(who port)" comm=python3)" 1

# An address in the program's own memory, which is no memory of the kernel's.
trace run 'syscall:connect | where (uservaddr as struct sockaddr_in6).sin6_family == 10
	| count by to = ip((uservaddr as struct sockaddr_in6).sin6_addr)' -- python3 -c '
import socket
s = socket.socket(socket.AF_INET6)
s.connect_ex(("::1", 1))'
is live_connect_address "$(cells to)" "::1"
