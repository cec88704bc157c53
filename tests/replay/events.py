"""Events of a made trace by name, as LTTng writes them: for the tests that write one with tests/ctf/writer.py."""
import sys

sys.path.insert(0, "tests/ctf")

BITS = {"i32": 32, "u32": 32, "i64": 64, "u64": 64}
KNOWN = {
    "lttng_statedump_process_state": "i32 tid; i32 pid; i32 ppid; string name;",
    "lttng_statedump_file_descriptor": "i32 pid; i32 fd; u32 flags; string filename;",
    "lttng_statedump_end": "",
    "sched_switch": "string prev_comm; i32 prev_tid; i32 prev_prio; u64 prev_state; "
                    "string next_comm; i32 next_tid; i32 next_prio;",
    "sched_wakeup": "string comm; i32 tid; i32 prio; i32 target_cpu;",
    "sched_process_fork": "string parent_comm; i32 parent_tid; i32 parent_pid; "
                          "string child_comm; i32 child_tid; i32 child_pid;",
    "sched_process_exec": "string filename; i32 tid; i32 old_tid;",
    "sched_process_exit": "string comm; i32 tid; i32 prio;",
    "syscall_entry_read": "u32 fd; u64 count;",
    "syscall_exit_read": "i64 ret;",
}


class Events:
    """Those of a trace: names of KNOWN, and NAME=FIELDS for others."""

    def __init__(self, *known, **others):
        self.fields = {name: KNOWN[name] for name in known}
        self.fields.update(others)

    def metadata(self):
        types = "".join("typealias integer { size = %d; align = 8; signed = %s; } := %s;\n" %
                        (bits, "true" if name[0] == "i" else "false", name) for name, bits in BITS.items())
        return types + "".join(
            'event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n' % (name, i + 1, fields)
            for i, (name, fields) in enumerate(self.fields.items()))

    def at(self, time, name, *values):
        """An event of a packet."""
        kinds = [f.split()[0] for f in self.fields[name].split(";") if f.strip()]

        def put(p):
            for value, kind in zip(values, kinds, strict=True):
                if kind == "string":
                    p.bytes(value.encode() + b"\0")
                else:
                    p.int(value & (1 << BITS[kind]) - 1, BITS[kind])
        return list(self.fields).index(name) + 1, time, put
