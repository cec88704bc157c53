#!/usr/bin/python3
"""Usage: dump.py FOLDER

Writes a kernel's trace without contexts: a state dump of two processes, then packets in which
nobody is named, and in the last one wake-ups and a read().
"""
import sys

sys.path.insert(0, "tests/replay")
from events import Events
from writer import metadata, packet, write

events = Events("lttng_statedump_process_state", "lttng_statedump_file_descriptor", "lttng_statedump_end", "sched_switch",
                "sched_wakeup", "syscall_entry_read", "syscall_exit_read")


def switch(time, prev, following):
    names = {0: "swapper/0", 42: "worker", 50: "other"}
    return events.at(time, "sched_switch", names[prev], prev, 20, 1, names[following], following, 20)


dump = [events.at(10, "lttng_statedump_process_state", 40, 40, 1, "shop"),
        events.at(11, "lttng_statedump_process_state", 42, 40, 1, "worker"),
        events.at(12, "lttng_statedump_process_state", 50, 50, 1, "other"),
        events.at(13, "lttng_statedump_file_descriptor", 40, 7, 0, "/var/db/orders"),
        events.at(14, "lttng_statedump_end")]
work = [switch(900, 0, 42), events.at(901, "syscall_entry_read", 7, 100), events.at(905, "syscall_exit_read", 9),
        events.at(906, "sched_wakeup", "other", 50, 20, 0), switch(910, 42, 50),
        events.at(911, "sched_wakeup", "worker", 42, 20, 0), events.at(912, "sched_wakeup", "shop", 40, 20, 0),
        events.at(913, "sched_wakeup", "nobody", 99, 20, 0)]
packets = [packet(30, False, 0, 0, 0, 99, dump)]
packets += [packet(30, False, 0, k, k * 100, k * 100 + 99, [switch(k * 100 + 1, 0, 0)])
            for k in range(1, 9)]
packets.append(packet(30, False, 0, 9, 900, 999, work))
write(sys.argv[1], {"metadata": metadata(30, more=events.metadata()), "chan_0": b"".join(packets)})
