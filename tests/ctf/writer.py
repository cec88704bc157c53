#!/usr/bin/python3
"""Usage: writer.py FOLDER

Writes small traces in CTF 1.8, each a folder of FOLDER, of kinds that LTTng seldom writes:
both byte orders, every type of field, two domains and two hosts in one session, events and
packets that were lost, a ring of files, a packet that is cut off.
"""
import os
import struct
import sys

UUID = "ea90f019-336d-424d-8f63-a4294be764%02d"


class Bits:
    """A packet's bits: little-endian fields begin at the low bit, big-endian at the high."""

    def __init__(self, big):
        self.big, self.bits = big, []

    def align(self, n):
        while len(self.bits) % n:
            self.bits.append(0)

    def int(self, v, size, align=0, big=None):
        big = self.big if big is None else big
        self.align(align or (8 if size % 8 == 0 else 1))
        bits = [v >> i & 1 for i in range(size)]
        self.bits += bits[::-1] if big else bits
        self.order = big

    def bytes(self, data):
        self.align(8)
        for c in data:
            self.int(c, 8)

    def real(self, v, form, big=None):
        n = struct.calcsize(form)
        self.int(int.from_bytes(struct.pack("<" + form, v), "little"), n * 8, 8, big)

    def done(self, big_bytes):
        """Bits of a byte are in the order of the trace: fields of the other order here fill
        whole bytes."""
        self.align(8)
        out = bytearray()
        for i in range(0, len(self.bits), 8):
            b = self.bits[i:i + 8]
            out.append(sum(x << (7 - k if big_bytes[i // 8] else k) for k, x in enumerate(b)))
        return bytes(out)


class Packet(Bits):
    def __init__(self, big):
        super().__init__(big)
        self.orders = {}

    def int(self, v, size, align=0, big=None):
        self.align(align or (8 if size % 8 == 0 else 1))
        at = len(self.bits)
        super().int(v, size, align, big)
        for byte in range(at // 8, (len(self.bits) + 7) // 8):
            self.orders[byte] = self.big if big is None else big

    def finish(self):
        n = (len(self.bits) + 7) // 8
        return self.done([self.orders.get(i, self.big) for i in range(n)])


HEAD = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace { major = 1; minor = 8; uuid = "%s"; byte_order = %s;
	packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id;
		uint64_t stream_instance_id; }; };
env { hostname = "%s"; domain = "%s"; tracer_name = "writer"; };
clock { name = "mono"; uuid = "9630d895-4b86-4cad-a468-f8bbe98d1058"; freq = %d;
	offset_s = %d; offset = %d; };
typealias integer { size = 64; align = 8; signed = false; map = clock.mono.value; } := time64_t;
stream { id = 0;
	packet.context := struct { time64_t timestamp_begin; time64_t timestamp_end;
		uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;
		uint64_t events_discarded; uint32_t cpu_id; };
	event.header := struct { uint16_t id; time64_t timestamp; };
	event.context := struct { enum : uint8_t { one = 1, two = 2 } kind; }; };
event { name = "plain"; id = 0; stream_id = 0; fields := struct { uint32_t n; }; };
"""


def metadata(number, big=False, host="h", domain="kernel", freq=10**9, offset_s=1000, offset=7,
             more=""):
    return HEAD % (UUID % number, "be" if big else "le", host, domain, freq, offset_s, offset) + more


def packet(number, big, instance, seq, begin, end, events, discarded=0, cpu=0, pad=0):
    """events: (id, time, function that writes the fields)."""
    def build(content, size):
        p = Packet(big)
        p.int(0xc1fc1fc1, 32)
        p.bytes(bytes.fromhex((UUID % number).replace("-", "")))
        p.int(0, 32)
        p.int(instance, 64)
        for v in (begin, end, content, size, seq, discarded):
            p.int(v, 64)
        p.int(cpu, 32)
        for event_id, time, fields in events:
            p.int(event_id, 16)
            p.int(time, 64)
            p.int(1 + event_id % 2, 8)
            fields(p)
        return len(p.bits), p.finish()
    bits, data = build(0, 0)
    size = len(data) + pad
    return build(bits, size * 8)[1] + bytes(pad)


def index(packets, shift=0, move=0, cut=0, magic=0xc1f1dcc1):
    """LTTng's index of a file of these packets; with mistakes."""
    out, at = struct.pack(">4I", magic, 1, 1, 72), move
    for p in packets:
        begin, end, content, size, seq, discarded = struct.unpack_from("<6Q", p, 32)
        out += struct.pack(">9Q", at, size, content, begin - min(shift, begin),
                           end - min(shift, end), discarded, 0, 0, seq)
        at += len(p)
    return out[:len(out) - cut]


def plain(n):
    return lambda p: p.int(n, 32)


def write(folder, files):
    os.makedirs(folder)
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data.encode() if isinstance(data, str) else data)


TYPES = """
typealias integer { size = 5; align = 1; signed = true; } := int5_t;
typedef uint16_t pair_t[2];
struct point { integer { size = 16; align = 16; signed = true; } x; int5_t y; } align(32);
event { name = "numbers"; id = 1; stream_id = 0; fields := struct {
	integer { size = 1; align = 1; } b1; integer { size = 3; align = 1; signed = 1; } b3;
	integer { size = 7; align = 1; base = 2; } b7; integer { size = 13; align = 1; base = x; } b13;
	int5_t i5; integer { size = 33; align = 1; signed = true; base = oct; } b33;
	integer { size = 63; align = 1; } b63; integer { size = 64; align = 1; signed = 1; } b64;
	integer { size = 24; align = 8; signed = 1; base = hex; } i24;
	integer { size = 32; align = 64; byte_order = be; } be; integer { size = 32; byte_order = le; } le;
	floating_point { exp_dig = 8; mant_dig = 24; align = 32; } f;
	floating_point { exp_dig = 11; mant_dig = 53; align = 8; } d; }; };
event { name = "texts"; id = 2; stream_id = 0; fields := struct {
	string a; string { encoding = ASCII; } b;
	integer { size = 8; encoding = UTF8; } fixed[6]; uint8_t len;
	integer { size = 8; encoding = UTF8; } counted[len]; }; };
event { name = "enums"; id = 3; stream_id = 0; fields := struct {
	enum : int5_t { "MINUS" = -3, NEXT, "low" = -2 ... 4, UP = 9 } e1;
	enum : int5_t { "MINUS" = -3, NEXT, "low" = -2 ... 4, UP = 9 } e2;
	enum : int5_t { "MINUS" = -3, NEXT, "low" = -2 ... 4, UP = 9 } e3;
	enum : uint64_t { BIG = 0xffffffffffffffff } e4; }; };
event { name = "compounds"; id = 4; stream_id = 0; fields := struct {
	struct point p; pair_t pair; struct point many[2]; uint8_t grid[2][3];
	uint16_t n; struct { string s; int5_t v; } seq[n]; struct point points[n]; uint8_t none[0];
	struct { } nothing; }; };
event { name = "variants"; id = 5; stream_id = 0; fields := struct {
	enum : uint8_t { a = 0, b = 1, c = 2 ... 9 } tag;
	struct { uint8_t before; variant <tag> { uint32_t a; string b;
		struct { uint8_t k; uint8_t v[k]; } c; } inner; } s;
	string outer[stream.event.context.kind];
	uint8_t last; }; };
"""


def point(x, y):
    def f(p):
        p.align(32)
        p.int(x, 16, 16)
        p.int(y, 5)
    return f


def numbers(p):
    p.align(64)
    for v, size in ((1, 1), (-3, 3), (77, 7), (5000, 13), (-7, 5), (-2**32 + 5, 33),
                    (2**63 - 9, 63), (-2**63, 64)):
        p.int(v, size, 1)
    p.int(-70000, 24, 8)
    p.align(64)
    p.int(0x01020304, 32, 64, True)
    p.int(0x01020304, 32, 8, False)
    p.align(32)
    p.real(-1.5e-7, "f")
    p.real(1 / 3, "d")


def texts(p):
    p.bytes(b'quote " back \\ tab\t\x01 \xc3\xa9?\'\0')
    p.bytes(b"x\0")
    p.bytes(b"ab\0def")
    p.int(4, 8)
    p.bytes(b"wxyz")


def enums(p):
    for v in (-3, -2, 7):
        p.int(v, 5)
    p.int(2**64 - 1, 64)


def compounds(p):
    point(-5, 3)(p)
    p.int(1, 16)
    p.int(2, 16)
    point(1, -1)(p)
    point(2, -2)(p)
    p.bytes(bytes(range(6)))
    p.int(2, 16)
    for i in range(2):
        p.bytes(b"s%d\0" % i)
        p.int(-i, 5)
    point(7, 7)(p)
    point(8, 8)(p)


def variants(tag):
    def f(p):
        p.int(tag, 8)
        p.int(9, 8)
        if tag == 0:
            p.int(123456, 32)
        elif tag == 1:
            p.bytes(b"b\0")
        else:
            p.bytes(bytes((3, 1, 2, 3)))
        p.bytes(b"x\0yy\0")
        p.int(255, 8)
    return f


def main(out):
    for big in (False, True):
        n = 1 + big
        events = [(1, 100, numbers), (2, 110, texts), (3, 120, enums), (4, 130, compounds)]
        events += [(5, 140 + t, variants(t)) for t in (0, 1, 2, 9)]
        write(os.path.join(out, "types-" + ("be" if big else "le")), {
            "metadata": metadata(n, big, more=TYPES),
            "chan_0": packet(n, big, 0, 0, 100, 200, events) +
            packet(n, big, 0, 1, 200, 300, events[:0] + [(0, 250, plain(1))], pad=64)})
    both = os.path.join(out, "session")
    for i, (name, host, domain) in enumerate((("kernel", "one", "kernel"), ("ust/uid", "one", "ust"),
                                              ("other/kernel", "two", "kernel"))):
        files = {"metadata": metadata(10 + i, i == 2, host, domain, offset=7 + i * 3)}
        for cpu in range(2):
            files["chan_%d" % cpu] = packet(
                10 + i, i == 2, cpu, 0, 0, 1000,
                [(0, 10 + cpu * 7 + k * 20 + i * 2, plain(k)) for k in range(20)], cpu=cpu)
        write(os.path.join(both, name), files)
    write(os.path.join(out, "lost"), {
        "metadata": metadata(20),
        "chan_0": b"".join(packet(20, False, 0, seq, seq * 100, seq * 100 + 99,
                                  [(0, seq * 100 + 5, plain(seq))], discarded)
                           for seq, discarded in ((0, 3), (1, 3), (4, 10)))})
    # what was lost behind the last event is told by a packet that has none
    write(os.path.join(out, "lost-last"), {
        "metadata": metadata(25),
        "chan_0": packet(25, False, 0, 0, 0, 99, [(0, 5, plain(0))], 0) +
        packet(25, False, 0, 3, 300, 399, [], 4)})
    ring = {k: packet(21, False, 0, k, k * 100, k * 100 + 99,
                      [(0, k * 100 + 5, plain(k))], pad=16) for k in range(3, 9)}
    write(os.path.join(out, "ring"), {
        "metadata": metadata(21), "chan_0_0": ring[7] + ring[8], "chan_0_1": ring[3] + ring[4],
        "chan_0_2": ring[5] + ring[6]})
    write(os.path.join(out, "clock"), {
        "metadata": metadata(22, freq=1000000, offset_s=-5, offset=250000),
        "chan_0": packet(22, False, 0, 0, 0, 9000000,
                         [(0, 1000000 * k + k, plain(k)) for k in range(8)])})
    steps = [packet(24, False, 0, seq, seq * 1000, seq * 1000 + 999,
                    [(0, seq * 1000 + k * 100, plain(seq * 10 + k)) for k in range(9)],
                    discarded=seq // 10) for seq in range(40)]
    write(os.path.join(out, "index"), {"metadata": metadata(24), "chan_0": b"".join(steps)})
    write(os.path.join(out, "index", "index"), {"chan_0.idx": index(steps)})
    for name, wrong in (("late", {"shift": 5000}), ("place", {"move": 8}), ("short", {"cut": 100}),
                        ("magic", {"magic": 1})):
        write(os.path.join(out, "lie-" + name), {"metadata": metadata(24), "chan_0": b"".join(steps)})
        write(os.path.join(out, "lie-" + name, "index"), {"chan_0.idx": index(steps, **wrong)})
    # what is before the range is not looked at
    write(os.path.join(out, "unread"), {"metadata": metadata(24), "chan_0": b"".join(
        steps[:3] + [bytes(len(steps[3]))] + steps[4:])})
    write(os.path.join(out, "unread", "index"), {"chan_0.idx": index(steps)})
    cut = packet(23, False, 0, 1, 100, 199, [(0, 100 + k, plain(k)) for k in range(10)])
    write(os.path.join(out, "cut"), {
        "metadata": metadata(23),
        "chan_0": packet(23, False, 0, 0, 0, 99, [(0, 5, plain(77))]) + cut[:-40]})


if __name__ == "__main__":
    main(sys.argv[1])
