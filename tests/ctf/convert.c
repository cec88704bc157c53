/*
 * The recorded traces with their metadata as CTF 2 print what they print as CTF 1.8. The
 * converter is here: from the reader's own tree of types to JSON.
 */
#include "test.h"

#include <unistd.h>

#include "ctf/impl.h"

static void put_name(struct buf *b, const char *s)
{
	buf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_putc(b, '\\');
		if ((unsigned char)*s < 32)
			buf_printf(b, "\\u%04x", *s);
		else
			buf_putc(b, *s);
	}
	buf_putc(b, '"');
}

static void put_number(struct buf *b, uint64_t v, bool is_signed)
{
	if (is_signed)
		buf_printf(b, "%lld", (long long)v);
	else
		buf_printf(b, "%llu", (unsigned long long)v);
}

static void put_labels(struct buf *b, const struct ctf_type *t)
{
	VEC(const char *) done = { 0 };
	struct arena a = { 0 };

	buf_puts(b, ",\"mappings\":{");
	for (int i = 0; i < t->n_labels; i++) {
		bool seen = false;
		int n = 0;

		for (int k = 0; k < done.n; k++)
			seen |= !strcmp(done.v[k], t->labels[i].name);
		if (seen)
			continue;
		buf_puts(b, done.n ? "," : "");
		vec_push(&a, &done, t->labels[i].name);
		put_name(b, t->labels[i].name);
		buf_puts(b, ":[");
		for (int k = i; k < t->n_labels; k++) {
			if (strcmp(t->labels[k].name, t->labels[i].name))
				continue;
			buf_puts(b, n++ ? ",[" : "[");
			put_number(b, t->labels[k].range.low, t->kind == CTF_SINT);
			buf_putc(b, ',');
			put_number(b, t->labels[k].range.high, t->kind == CTF_SINT);
			buf_putc(b, ']');
		}
		buf_putc(b, ']');
	}
	buf_putc(b, '}');
	arena_fini(&a);
}

static const struct { const char *name, *role; } roles[] = {
	{ "magic", "packet-magic-number" }, { "stream_id", "data-stream-class-id" },
	{ "stream_instance_id", "data-stream-id" },
	{ "timestamp_begin", "default-clock-timestamp" },
	{ "timestamp_end", "packet-end-default-clock-timestamp" },
	{ "content_size", "packet-content-length" }, { "packet_size", "packet-total-length" },
	{ "packet_seq_num", "packet-sequence-number" },
	{ "events_discarded", "discarded-event-record-counter-snapshot" },
	{ "id", "event-record-class-id" }, { "timestamp", "default-clock-timestamp" },
};

static void put_fixed(struct buf *b, const struct ctf_type *t, const char *role_of)
{
	buf_printf(b, "{\"type\":\"fixed-length-%s\",\"length\":%u,\"alignment\":%u,"
		   "\"byte-order\":\"%s-endian\"", t->kind == CTF_REAL ? "floating-point-number" :
		   t->kind == CTF_SINT ? "signed-integer" : "unsigned-integer", t->bits,
		   t->align_bits, t->big_endian ? "big" : "little");
	if (t->kind != CTF_REAL)
		buf_printf(b, ",\"preferred-display-base\":%d", t->base);
	if (t->is_enum)
		put_labels(b, t);
	for (size_t i = 0; role_of && i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(roles[i].name, role_of))
			buf_printf(b, ",\"roles\":[\"%s\"]", roles[i].role);
	buf_putc(b, '}');
}

/* The member of `in` that t depends on; LTTng's are all in the same structure. */
static const struct ctf_member *depends_on(const struct ctf_type *t, const struct ctf_type *in)
{
	const struct ctf_path *path = t->unbound;

	for (int i = 0; i < in->n_members; i++)
		if (!strcmp(in->members[i].raw_name, path->parts[path->n_parts - 1]))
			return &in->members[i];
	abort();
}

static void put_type(struct buf *b, const struct ctf_type *t, const struct ctf_type *in,
		     const char *name, bool with_roles);

static void put_struct(struct buf *b, const struct ctf_type *t, bool with_roles)
{
	buf_printf(b, "{\"type\":\"structure\",\"minimum-alignment\":%u,\"member-classes\":[",
		   t->align_bits);
	for (int i = 0; i < t->n_members; i++) {
		buf_puts(b, i ? ",{\"name\":" : "{\"name\":");
		put_name(b, t->members[i].name);
		buf_puts(b, ",\"field-class\":");
		put_type(b, t->members[i].type, t, t->members[i].raw_name, with_roles);
		buf_putc(b, '}');
	}
	buf_puts(b, "]}");
}

static void put_variant(struct buf *b, const struct ctf_type *t, const struct ctf_type *in,
			bool with_roles)
{
	const struct ctf_member *tag = depends_on(t, in);

	buf_puts(b, "{\"type\":\"variant\",\"selector-field-location\":{\"path\":[");
	put_name(b, tag->name);
	buf_puts(b, "]},\"options\":[");
	for (int i = 0; i < t->n_members; i++) {
		int n = 0;

		buf_puts(b, i ? ",{\"name\":" : "{\"name\":");
		put_name(b, t->members[i].name);
		buf_puts(b, ",\"selector-field-ranges\":[");
		for (int l = 0; l < tag->type->n_labels; l++) {
			const struct ctf_label *label = &tag->type->labels[l];

			if (strcmp(label->name, t->members[i].raw_name))
				continue;
			buf_puts(b, n++ ? ",[" : "[");
			put_number(b, label->range.low, tag->type->kind == CTF_SINT);
			buf_putc(b, ',');
			put_number(b, label->range.high, tag->type->kind == CTF_SINT);
			buf_putc(b, ']');
		}
		buf_puts(b, "],\"field-class\":");
		put_type(b, t->members[i].type, in, NULL, with_roles);
		buf_putc(b, '}');
	}
	buf_puts(b, "]}");
}

static void put_length(struct buf *b, const struct ctf_type *t, const struct ctf_type *in)
{
	if (!t->unbound) {
		buf_printf(b, "\"length\":%llu", (unsigned long long)t->count);
		return;
	}
	buf_puts(b, "\"length-field-location\":{\"path\":[");
	put_name(b, depends_on(t, in)->name);
	buf_puts(b, "]}");
}

static void put_type(struct buf *b, const struct ctf_type *t, const struct ctf_type *in,
		     const char *name, bool with_roles)
{
	const char *length = t->unbound ? "dynamic" : "static";

	switch (t->kind) {
	case CTF_STRUCT:
		put_struct(b, t, with_roles);
		break;
	case CTF_VARIANT:
		put_variant(b, t, in, with_roles);
		break;
	case CTF_ARRAY:
		if (with_roles && name && !strcmp(name, "uuid")) {
			buf_puts(b, "{\"type\":\"static-length-blob\",\"length\":16,"
				 "\"roles\":[\"metadata-stream-uuid\"]}");
			break;
		}
		buf_printf(b, "{\"type\":\"%s-length-array\",\"element-field-class\":", length);
		put_type(b, t->element, in, NULL, false);
		buf_putc(b, ',');
		put_length(b, t, in);
		buf_putc(b, '}');
		break;
	case CTF_TEXT:
		if (t->until_zero) {
			buf_puts(b, "{\"type\":\"null-terminated-string\"}");
			break;
		}
		buf_printf(b, "{\"type\":\"%s-length-string\",", length);
		put_length(b, t, in);
		buf_putc(b, '}');
		break;
	default:
		put_fixed(b, t, with_roles ? name : NULL);
	}
}

static void put_scope(struct buf *b, const char *name, const struct ctf_type *t, bool with_roles)
{
	if (!t)
		return;
	buf_printf(b, ",\"%s-field-class\":", name);
	put_struct(b, t, with_roles);
}

static void put_trace(struct buf *b, const struct ctf_meta *m)
{
	buf_puts(b, "\x1e{\"type\":\"preamble\",\"version\":2,\"uuid\":[");
	for (int i = 0; i < 16; i++)
		buf_printf(b, "%s%d", i ? "," : "", m->trace->uuid[i]);
	buf_puts(b, "]}\n\x1e{\"type\":\"trace-class\",\"environment\":{");
	for (int i = 0; i < m->env.n; i++) {
		buf_puts(b, i ? "," : "");
		put_name(b, m->env.v[i].name);
		buf_putc(b, ':');
		if (m->env.v[i].is_int)
			buf_puts(b, m->env.v[i].text);
		else
			put_name(b, m->env.v[i].text);
	}
	buf_puts(b, "}");
	put_scope(b, "packet-header", m->packet_header, true);
	buf_puts(b, "}\n");
	for (int i = 0; i < m->clocks.n; i++)
		buf_printf(b, "\x1e{\"type\":\"clock-class\",\"id\":\"c%d\",\"name\":\"%s\","
			   "\"frequency\":%llu,\"origin\":\"unix-epoch\",\"offset-from-origin\":"
			   "{\"seconds\":%lld,\"cycles\":%llu}}\n", i, m->clocks.v[i].name,
			   (unsigned long long)m->clocks.v[i].frequency,
			   (long long)m->clocks.v[i].offset_s,
			   (unsigned long long)m->clocks.v[i].offset_cycles);
}

static void put_metadata(struct buf *b, const struct ctf_meta *m)
{
	put_trace(b, m);
	for (int i = 0; i < m->streams.n; i++) {
		const struct ctf_stream_class *s = m->streams.v[i];

		buf_printf(b, "\x1e{\"type\":\"data-stream-class\",\"id\":%llu,"
			   "\"default-clock-class-id\":\"c0\"", (unsigned long long)s->id);
		put_scope(b, "packet-context", s->scopes[CTF_PACKET_CONTEXT], true);
		put_scope(b, "event-record-header", s->scopes[CTF_EVENT_HEADER], true);
		put_scope(b, "event-record-common-context", s->scopes[CTF_STREAM_CONTEXT], false);
		buf_puts(b, "}\n");
	}
	for (int i = 0; i < m->classes.n; i++) {
		const struct ctf_class *c = m->classes.v[i];

		buf_printf(b, "\x1e{\"type\":\"event-record-class\",\"id\":%llu,"
			   "\"data-stream-class-id\":%llu,\"name\":", (unsigned long long)c->id,
			   (unsigned long long)m->class_streams.v[i]);
		put_name(b, c->name);
		put_scope(b, "specific-context", c->scopes[CTF_EVENT_CONTEXT], false);
		put_scope(b, "payload", c->scopes[CTF_PAYLOAD], false);
		buf_puts(b, "}\n");
	}
}

/* The metadata file becomes JSON. */
static bool convert(const char *path)
{
	struct arena a = { 0 };
	struct ctf_trace trace = { 0 };
	struct ctf_meta m = { .arena = &a, .trace = &trace };
	struct buf b = { 0 };
	const char *why;
	size_t bytes = 0;
	bool cut = false, ok;
	char *text = metadata_text(&a, path, &bytes, &why, &cut);
	FILE *f;

	tsdl_parse(&m, (struct str){ text, (int)bytes });
	put_metadata(&b, &m);
	f = fopen(path, "w");
	ok = f && !m.error && fwrite(b.p, 1, b.n, f) == b.n;
	if (f)
		fclose(f);
	buf_fini(&b);
	arena_fini(&a);
	return ok;
}

static void print_all(const char *path, struct buf *out)
{
	struct arena a = { 0 };
	struct err e = { .arena = &a };
	struct ctf *t = ctf_open(&e, path);
	const struct ctf_event *event;

	for (int i = 0; i < e.causes.n; i++)
		TEST_FAIL("%s", e.causes.v[i]);
	if (t) {
		for (int i = 0; i < t->n_notes; i++)
			TEST_FAIL("%s", t->notes[i]);
		ctf_begin(t, &(struct ctf_options){ 0 });
		while ((event = ctf_next(t)))
			ctf_print_event(t, event, out);
	}
	ctf_close(t);
	arena_fini(&a);
}

static void run(const char *format, ...)
{
	char command[4096];
	va_list ap;

	va_start(ap, format);
	vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	if (system(command))
		TEST_FAIL("%s", command);
}

static void compare(const char *folder, const char *name, const char *tmp)
{
	struct buf before = { 0 }, after = { 0 };
	char path[4096];
	FILE *list;

	run("rm -rf %s/t && mkdir %s/t && tar -xJf %s/%s.tar.xz -C %s/t", tmp, tmp, folder, name, tmp);
	snprintf(path, sizeof(path), "%s/t", tmp);
	print_all(path, &before);
	snprintf(path, sizeof(path), "find %s/t -name metadata", tmp);
	list = popen(path, "r");
	REQUIRE(list);
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = 0;
		if (!convert(path))
			TEST_FAIL("%s", path);
	}
	pclose(list);
	snprintf(path, sizeof(path), "%s/t", tmp);
	print_all(path, &after);
	if (!before.n || before.n != after.n || memcmp(before.p, after.p, before.n))
		TEST_FAIL("%s differs: %zu and %zu bytes", name, before.n, after.n);
	buf_fini(&before);
	buf_fini(&after);
}

TEST(ctf2_of_recorded_traces)
{
	static const char *const names[] = { "compact", "ctxrich", "rotsess", "small", "snapshot",
					     "ust-host", "ust-pid", "net", "sched", "web" };
	const char *folder = getenv("TRACES"), *tmp = getenv("TMP");

	if (!folder)
		folder = "../shared/traces";
	if (access(folder, R_OK))
		SKIP("no ../shared/traces");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i += (size_t)test_step(2))
		compare(folder, names[i], tmp ? tmp : "/tmp");
}
