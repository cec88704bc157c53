"""Connections over the loopback whose two ends are processes of their own. Of five the client shuts its
end down first, of five the server; one the server resets (it leaves a byte unread), one the client.
Prints the port and the two processes."""
import os
import socket
import struct

EACH = 5


def drain(end):
    try:
        while end.recv(65536):
            pass
    except ConnectionResetError:
        pass


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(50)
port = listener.getsockname()[1]
server = os.fork()
if server == 0:
    for i in range(2 * EACH):
        end, _ = listener.accept()
        if i < EACH:
            drain(end)
        end.sendall(b"y" * 1000)
        end.shutdown(socket.SHUT_WR)
        drain(end)
        end.close()
    end, _ = listener.accept()
    end.recv(1)
    end.close()
    end, _ = listener.accept()
    drain(end)
    end.close()
    os._exit(0)
listener.close()
for i in range(2 * EACH + 2):
    end = socket.create_connection(("127.0.0.1", port))
    if EACH <= i < 2 * EACH:
        drain(end)
    end.sendall(b"x" * (100000 if i < 2 * EACH else 2))
    if i <= 2 * EACH:
        if i < 2 * EACH:
            end.shutdown(socket.SHUT_WR)
        drain(end)
    else:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    end.close()
os.waitpid(server, 0)
print("port", port, "server", server, "client", os.getpid())
