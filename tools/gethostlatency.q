# host names: how long look-ups take
#
# Question: is the network slow, or does it lose packets?
#
# One line for each look-up of a host name through the C library.
#
#     $ culprit gethostlatency
#     $ culprit gethostlatency 100ms
#     $ culprit gethostlatency --libc /opt/app/lib/libc.so.6
#
# Columns: TIME, PID, COMM, LATENCY, HOST.
#
# Example:
#
#     $ culprit gethostlatency
#     TIME         PID     COMM              LATENCY(us) HOST
#     14:23:23.422 7996    bash              1001845.928 example.org
#
# One second is the time-out of the resolver: its server does not answer.
param min:    duration = 0ms "only look-ups slower than this"
param libc l: source = "libc.so.6" "the C library, or a program that contains one"

$libc:getaddrinfo(), $libc:gethostbyname(), $libc:gethostbyname2()
| where duration >= $min
| print time, pid, comm, latency = duration, host = str(arg0)
