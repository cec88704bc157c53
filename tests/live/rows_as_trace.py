#!/usr/bin/python3
"""Usage: rows_as_trace.py ROWS FOLDER    writes a trace of the rows of a live run
          rows_as_trace.py --queries NAME ...    the queries that print such rows

ROWS is what a run with those queries printed as JSON. The trace is CTF 1.8 with the names,
fields and contexts that LTTng has: a stream for each CPU, in front of all the state dump of
the threads and disks in the rows.
"""
import json
import os
import re
import struct
import sys

STATES = {"running": 0, "sleeping": 1, "disk": 2, "stopped": 4, "traced": 8, "dead": 16,
          "idle": 0x80, "preempted": 0x100}
RWBS = {"Discard": 2, "Write": 1, "Read": 4, "Flush": 0x100, "ReadAhead": 8, "Sync": 0x20,
        "Metadata": 0x40, "ForcedUnitA": 0x200}
CONTEXT = "time, cpu, pid = current.pid, tid = current.tid, comm = current.comm, ppid = current.ppid"
WOKEN = ("p_comm = comm, wtid = pid, prio, target_cpu, process = p.tgid, leader = p.group_leader.comm",
         {"comm": "p_comm", "tid": "wtid", "prio": lambda r: r["prio"] - 100, "target_cpu": "target_cpu"})
BLOCK = {"dev": "number", "sector": "sector", "nr_sector": "nr_sector"}


def rwbs(row):
    n = 0
    for word in row["kind"].split("-"):
        n |= RWBS.get(word, 0)
    return n


# live source: its columns, and the trace's event and fields: a column or a function of the row
EVENTS = {
    "sched:sched_switch": (
        "prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio, "
        "process = prev.tgid, leader = prev.group_leader.comm, "
        "process2 = next.tgid, leader2 = next.group_leader.comm", "sched_switch",
        {"prev_comm": "prev_comm", "prev_tid": "prev_pid", "prev_prio": lambda r: r["prev_prio"] - 100,
         "prev_state": lambda r: STATES[r["prev_state"]], "next_comm": "next_comm",
         "next_tid": "next_pid", "next_prio": lambda r: r["next_prio"] - 100}),
    "sched:sched_wakeup": (WOKEN[0], "sched_wakeup", WOKEN[1]),
    "sched:sched_wakeup_new": (WOKEN[0], "sched_wakeup_new", WOKEN[1]),
    "sched:sched_waking": (WOKEN[0], "sched_waking", WOKEN[1]),
    "sched:sched_migrate_task": (
        "p_comm = p.comm, wtid = p.pid, prio, orig_cpu, dest_cpu, process = p.tgid, "
        "leader = p.group_leader.comm", "sched_migrate_task",
        {"comm": "p_comm", "tid": "wtid", "prio": lambda r: r["prio"] - 100,
         "orig_cpu": "orig_cpu", "dest_cpu": "dest_cpu"}),
    "sched:sched_process_fork": (
        "parent_comm = parent.comm, parent_tid = parent.pid, parent_pid = parent.tgid, "
        "child_comm = child.comm, child_tid = child.pid, child_pid = child.tgid",
        "sched_process_fork",
        {n: n for n in ("parent_comm", "parent_tid", "parent_pid", "child_comm", "child_tid",
                        "child_pid")}),
    "sched:sched_process_exec": ("file = str(filename)", "sched_process_exec",
                                 {"filename": "file", "tid": "tid"}),
    "sched:sched_process_exit": (
        "p_comm = p.comm, wtid = p.pid, prio, process = p.tgid, leader = p.group_leader.comm",
        "sched_process_exit",
        {"comm": "p_comm", "tid": "wtid", "prio": lambda r: r["prio"] - 100}),
    "irq:irq_handler_entry": ("irq, name = str(action.name)", "irq_handler_entry",
                              {"irq": "irq", "name": "name"}),
    "irq:irq_handler_exit": ("irq, ret", "irq_handler_exit", {"irq": "irq", "ret": "ret"}),
    "irq:softirq_entry": ("vec", "irq_softirq_entry", {"vec": "vec"}),
    "irq:softirq_exit": ("vec", "irq_softirq_exit", {"vec": "vec"}),
    "irq:softirq_raise": ("vec", "irq_softirq_raise", {"vec": "vec"}),
    "signal:signal_generate": (
        "sig = sig as s32, p_comm = task.comm, wtid = task.pid, group, result, process = task.tgid, "
        "leader = task.group_leader.comm", "signal_generate",
        {"sig": "sig", "comm": "p_comm", "pid": "wtid",
         "group": "group", "result": "result"}),
    "net:net_dev_queue": ("skbaddr, len, name", "net_dev_queue",
                          {"skbaddr": "skbaddr", "len": "len", "name": "name"}),
    "net:net_dev_xmit": ("skbaddr, len, name, rc", "net_dev_xmit",
                         {"skbaddr": "skbaddr", "len": "len", "name": "name", "rc": "rc"}),
    "block:block_rq_issue": (
        "number = dev as u32, disk = rq.q.disk.disk_name, sector, nr_sector, bytes, "
        "kind = reqflags(rq.cmd_flags)", "block_rq_issue",
        dict(BLOCK, bytes="bytes", rwbs=rwbs, tid="tid", comm="comm")),
    "block:block_rq_complete": (
        "number = dev as u32, disk = rq.q.disk.disk_name, sector, nr_sector, "
        "kind = reqflags(rq.cmd_flags)", "block_rq_complete", dict(BLOCK, rwbs=rwbs)),
}
# The two ends of all system calls, and the parameters of some: these of finished calls, whose
# texts are there at the return if not at the entry.
CALLS = {"openat": ("dfd, name = str(filename), flags, mode",
                    {"dfd": "dfd", "filename": "name", "flags": "flags", "mode": "mode"}),
         "open": ("name = str(filename), flags, mode",
                  {"filename": "name", "flags": "flags", "mode": "mode"}),
         "statx": ("dfd, name = str(filename)", {"dfd": "dfd", "filename": "name"}),
         "newfstatat": ("dfd, name = str(filename), flag",
                        {"dfd": "dfd", "filename": "name", "flag": "flag"}),
         "statfs": ("name = str(pathname)", {"pathname": "name"}),
         "kill": ("process = pid as s32, sig = sig as s32", {"pid": "process", "sig": "sig"}),
         "futex": ("uaddr = uaddr as u64, op, val", {"uaddr": "uaddr", "op": "op", "val": "val"}),
         "shmget": ("key, size, flag = shmflg", {"key": "key", "size": "size", "shmflg": "flag"}),
         "shmctl": ("shmid, cmd", {"shmid": "shmid", "cmd": "cmd"}),
         "shmat": ("shmid, flag = shmflg, addr = shmaddr as u64",
                   {"shmid": "shmid", "shmflg": "flag", "shmaddr": "addr"}),
         "shmdt": ("addr = shmaddr as u64", {"shmaddr": "addr"})}
for call in "read pread64 readv recvfrom recvmsg write pwrite64 writev sendto sendmsg".split():
    CALLS[call] = ("fd, file = path(file(fd))", {"fd": "fd"})
for call, (columns, fields) in CALLS.items():
    EVENTS["syscall:" + call] = (columns, "syscall_entry_" + call, fields)
EVENTS["syscall:*.enter"] = ("call = event", None, {})
EVENTS["syscall:*.return"] = ("call = event, ret", None, {"ret": "ret"})
DUMP = {"lttng_statedump_process_state": ("tid", "pid", "ppid", "name"),
        "lttng_statedump_block_device": ("dev", "diskname")}


def query(name, all_names):
    context, where = CONTEXT, ""
    if name[8:] in CALLS and name.startswith("syscall:"):
        context = "time = begin.time, cpu = begin.cpu, pid, tid, comm = begin.comm, ppid"
    others = [n[8:] for n in all_names if n.startswith("syscall:") and n[8:] in CALLS]
    if name == "syscall:*.enter" and others:
        where = " | where !(event in (%s))" % ", ".join(others)
    return "%s%s | print %s, %s" % (name, where, context, EVENTS[name][0])


class Trace:
    def __init__(self):
        self.ids, self.meta, self.streams = {}, [], {}

    def add(self, row, event, values):
        shape = tuple((name, "string" if isinstance(v, str) else "s64") for name, v in values.items())
        if (event, shape) not in self.ids:
            self.ids[event, shape] = len(self.ids)
            fields = " ".join("%s _%s;" % (t, n) for n, t in shape)
            self.meta.append('event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n'
                             % (event, self.ids[event, shape], fields))
        out = struct.pack("<HQqqq", self.ids[event, shape], row["time"], row["pid"], row["tid"],
                          row["ppid"] or 0)
        out += row["comm"].encode("utf-8", "surrogateescape")[:15].ljust(16, b"\0")
        for v in values.values():
            if isinstance(v, str):
                out += v.encode("utf-8", "surrogateescape") + b"\0"
            else:
                out += struct.pack("<Q", int(v or 0) & (2**64 - 1))
        self.streams.setdefault(row["cpu"], []).append((row["time"], out))

    def declare(self):
        """LTTng's metadata has all calls and events, also those that did not happen."""
        named = {event for event, shape in self.ids}
        text = open("src/event/syscall.def").read()
        names = {e[1] for e in EVENTS.values() if e[1]}
        for call in re.findall(r'^SYSCALL\(\d+, "(\w+)"', text, re.M):
            names |= {"syscall_entry_" + call, "syscall_exit_" + call}
        for event in sorted(names - named):
            ret = "s64 _ret;" if event.startswith("syscall_exit_") else ""
            self.meta.append('event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n'
                             % (event, len(self.ids) + len(self.meta), ret))

    def write(self, folder):
        os.makedirs(folder)
        with open(folder + "/metadata", "w") as f:
            f.write("/* CTF 1.8 */\n"
                    "typealias integer { size = 64; align = 8; signed = true; } := s64;\n"
                    "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
                    "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
                    "typealias integer { size = 16; align = 8; signed = false; } := u16;\n"
                    "typealias integer { size = 8; align = 8; signed = true; encoding = UTF8; } := char8;\n"
                    "trace { major = 1; minor = 8; byte_order = le; packet.header := struct "
                    "{ u32 magic; u32 stream_id; }; };\n"
                    'env { domain = "kernel"; tracer_name = "rows_as_trace"; };\n'
                    "clock { name = monotonic; freq = 1000000000; };\n"
                    "typealias integer { size = 64; align = 8; signed = false; "
                    "map = clock.monotonic.value; } := stamp;\n"
                    "stream { id = 0; event.header := struct { u16 id; stamp timestamp; };\n"
                    "packet.context := struct { stamp timestamp_begin; stamp timestamp_end; "
                    "u64 content_size; u64 packet_size; u32 cpu_id; };\n"
                    "event.context := struct { s64 _pid; s64 _tid; s64 _ppid; char8 _procname[16]; }; };\n"
                    + "".join(self.meta))
        for cpu, events in self.streams.items():
            events.sort(key=lambda e: e[0])
            body = b"".join(e[1] for e in events)
            bits = (len(body) + 44) * 8
            with open("%s/chan_%d" % (folder, cpu), "wb") as f:
                f.write(struct.pack("<IIQQQQI", 0xC1FC1FC1, 0, events[0][0], events[-1][0], bits,
                                    bits, cpu) + body)


def dump(trace, rows):
    """The threads and disks of the rows, as they are met first."""
    first = dict(rows[0], comm="", tid=0, pid=0, ppid=0)
    threads, disks = {}, {}
    for r in rows:
        threads.setdefault(r["tid"], (r["pid"], r["ppid"], r["comm"]))
        for tid, comm, pid, leader in (("prev_pid", "prev_comm", "process", "leader"),
                                       ("next_pid", "next_comm", "process2", "leader2"),
                                       ("wtid", "p_comm", "process", "leader")):
            if tid in r and pid in r:
                threads.setdefault(r[tid], (r[pid], None, r[comm]))
                threads.setdefault(r[pid], (r[pid], None, r[leader]))
        if "disk" in r:
            disks[r["number"]] = r["disk"]
    for tid, (pid, ppid, comm) in threads.items():
        values = {"tid": tid, "pid": pid, "ppid": ppid, "name": comm}
        trace.add(first, "lttng_statedump_process_state",
                  {k: v for k, v in values.items() if v is not None and tid})
    for dev, name in disks.items():
        trace.add(first, "lttng_statedump_block_device", {"dev": dev, "diskname": name})


def main():
    if sys.argv[1] == "--queries":
        print(";\n".join(query(n, sys.argv[2:]) for n in sys.argv[2:]))
        return
    queries, rows = 0, []
    for line in open(sys.argv[1], errors="surrogateescape"):
        r = json.loads(line)
        if "columns" in r and "query" in r:
            queries = max(queries, r["query"] + 1)
        elif "query" in r and "time" in r and "tid" in r and "ppid" in r and "comm" in r:
            rows.append(r)
    # the queries that print rows are behind the tool's own
    first = queries - len(sys.argv[3:])
    rows = [r for r in rows if r["query"] >= first]
    rows.sort(key=lambda r: r["time"])
    trace = Trace()
    if not rows:
        sys.exit("no rows")
    dump(trace, rows)
    for r in rows:
        if r.get("file") and "fd" in r:
            trace.add(r, "lttng_statedump_file_descriptor",
                      {"pid": r["pid"], "fd": r["fd"], "flags": 0, "filename": r["file"]})
        columns, event, fields = EVENTS[sys.argv[3 + r["query"] - first]]
        if event is None:
            event = "syscall_%s_%s" % ("exit" if "ret" in r else "entry", r["call"])
        trace.add(r, event, {n: v(r) if callable(v) else r[v] for n, v in fields.items()})
    trace.declare()
    trace.write(sys.argv[2])


main()
