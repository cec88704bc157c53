# host names: how long look-ups take
#
# Question: is the network slow, or does it lose packets?
#
# One line for each look-up of a host name through the C library.
#
#     $ culprit gethostlatency
#     $ culprit gethostlatency --min 100ms
#     $ culprit gethostlatency --libc /opt/app/lib/libc.so.6
#
# Columns: TIME, PID, COMM, LATENCY, RESULT, HOST.
#
# RESULT is 0 for an address, else the resolver's error: -2 there is no such name, -3 ask again
# later, -5 the name has no address (getaddrinfo; gai_strerror tells all), -1 none (gethostbyname).
#
# Example:
#
#     $ culprit gethostlatency
#     TIME         PID     COMM              LATENCY(us)   RESULT HOST
#     14:23:23.422 7996    bash              1001845.928       -3 example.org
#
# One second is the time-out of the resolver: its server does not answer.
param min:    duration = 0ms "only look-ups slower than this"
param libc l: source = "libc.so.6" "the C library, or a program that contains one"

$libc:getaddrinfo(), $libc:gethostbyname(), $libc:gethostbyname2()
| where duration >= $min
| print time, pid, comm, latency = duration,
	result = event == "getaddrinfo" ? ret as s32 : ret == 0 ? -1 : 0, host = str(arg0)
