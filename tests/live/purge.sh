#!/bin/sh
# tcpdrop: what a healthy server's connections leave at their end is no loss, but counted.
. tests/live/lib
needs_bpf live_tcpdrop_purge
command -v python3 >/dev/null || { echo 'skip live_tcpdrop_purge: no python3 (package python3)'; exit; }
cat >"$TMP/serve.py" <<'END'
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
def serve():
    while True:
        c, _ = server.accept()
        c.recv(1)
        c.close()
threading.Thread(target=serve, daemon=True).start()
for i in range(20):
    c = socket.create_connection(("127.0.0.1", port))
    c.sendall(b"a")
    c.recv(1)
    while c.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] != 8:    # CLOSE_WAIT
        pass
    c.close()
END
trace tcpdrop -a -- python3 "$TMP/serve.py"
fins=$(rows flags=FIN reason=SKB_DROP_REASON_QUEUE_PURGE)
[ "$fins" != 0 ] || { echo 'skip live_tcpdrop_purge: this kernel tells no QUEUE_PURGE'; exit; }
between live_tcpdrop_purge_all "$fins" 10 100
trace tcpdrop -- python3 "$TMP/serve.py"
is live_tcpdrop_purge_left_out "$(rows flags=FIN reason=SKB_DROP_REASON_QUEUE_PURGE)" 0
between live_tcpdrop_purge_counted "$(cells left_out reason=SKB_DROP_REASON_QUEUE_PURGE)" 10 100
trace tcpdrop -a --reason '*NO_SOCKET' -- python3 "$TMP/serve.py"
is live_tcpdrop_purge_reason "$(rows flags=FIN)" 0
