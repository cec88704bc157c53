# culprit: one Makefile. `make` leaves build/culprit; `make help` lists the rest.
# A new .c below src/ or tests/, a tools/*.q or a fuzz target is found by itself.
B := build
CC := gcc
CLANG := clang-14
PREFIX := /usr/local
FUZZ_SECONDS := 600

# The libraries are linked statically; libc is not.
LIBS := -l:libz.a -l:liblzma.a -l:libiberty.a -lpthread
WARN := -Wall -Wextra -Wshadow -Werror
# A square root is an instruction then, and nothing needs libm.
MATH := -fno-math-errno
# No tables for unwinding our own frames in the program: a tenth of its size, and -g has them.
CFLAGS := -std=gnu17 -O2 -g $(WARN) $(MATH) -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables
# Relative relocations packed (glibc 2.36): another tenth.
LDFLAGS := -Wl,--gc-sections -Wl,-z,pack-relative-relocs
CPPFLAGS := -Isrc -D_GNU_SOURCE= -MMD -MP
SAN := -std=gnu17 -O1 -g1 -fPIC $(WARN) $(MATH) -fno-omit-frame-pointer \
	-fsanitize=address,undefined -fno-sanitize-recover=all

# cli/main.c and cli/cmd_*.c are the program; all the rest is what tests and fuzzers link.
CMD := $(wildcard src/cli/main.c src/cli/cmd_*.c)
SRC := $(filter-out $(CMD),$(wildcard src/*/*.c src/*/*/*.c)) gen/tools.c gen/script.c
PROG_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(CMD) $(SRC))
SAN_OBJ := $(patsubst %.c,$(B)/test/obj/%.o,$(SRC))
SAN_CMD := $(patsubst %.c,$(B)/test/obj/%.o,$(CMD))
FUZZ_OBJ := $(patsubst %.c,$(B)/fuzz/obj/%.o,$(SRC))
TEST_C := $(filter-out tests/bench/% tests/fuzz/% tests/library/% tests/work/%,$(wildcard tests/*/*.c tests/*/*/*.c))
TEST_BIN := $(TEST_C:%.c=$(B)/test/%)
# What computes much: without the sanitisers for `make test`, with them for `make test-all`.
PLAIN_BIN := $(patsubst %.c,$(B)/plain/%,$(shell grep -l 'test: .*plain' $(TEST_C)))
WORK_BIN := $(patsubst %.c,$(B)/%,$(wildcard tests/work/*.c tests/library/*.c))
BENCH_BIN := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/*.c))
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(wildcard tests/fuzz/*.c))
REPLAY_BIN := $(FUZZ_BIN:$(B)/fuzz/%=$(B)/test/fuzz/%)

# What runs once in a run, before or after the tracing: rather small than fast.
COLD := $(filter-out src/cli/output.c src/cli/folded.c,$(wildcard src/cli/*.c)) $(wildcard src/analysis/*.c src/replay/made*.c \
	src/kern/types/program_types*.c src/lang/*.c src/plan/*.c) src/bpf/disasm.c src/view/svg.c \
	$(patsubst %,src/kern/%.c,feature types/ktype_program $(patsubst %,catalog/%,func tracepoint expr list no_func params user)) \
	$(patsubst %,src/user/%.c,debug_info child_reader source_lines usdt program_file)
$(COLD:%.c=$(B)/obj/%.o): CFLAGS += -Os

# One short line for each step; V=1 shows the commands. STEPS=N: one line for all N of them, which
# SHOW writes again and again.
say = $(if $(V),,@$(if $(STEPS),$(progress),echo '$1 $@') &&)
progress = $(eval done += x)$(SHOW) '\rbuilding: %s of %s' $(words $(done)) $(STEPS)
# What does not compile must not leave what compiled before.
or_none = || { rm -f $@; false; }

# A folder is made once, not by each rule for what is in it.
.SECONDEXPANSION:
$(B)/%/:
	@mkdir -p $@

export B CC

all: $(B)/culprit

# All but what reads argv or prints. It is not installed: nothing is promised of it yet.
CLI_OBJ := $(filter $(B)/obj/src/cli/% $(B)/obj/gen/tools.o,$(PROG_OBJ))
$(B)/libculprit.a: $(filter-out $(CLI_OBJ),$(PROG_OBJ))
	@rm -f $@
	$(call say,ar) ar rcs $@ $^

$(B)/culprit: $(CLI_OBJ) $(B)/libculprit.a
	$(call say,cc) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# Another program of it.
$(B)/tests/library/%: tests/library/%.c $(B)/libculprit.a | $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS) $(or_none)

$(B)/obj/%.o: %.c | $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(B)/obj/gen/%.o: $(B)/gen/%.c | $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# struct packed of a text: $(call pack,FILE), as a constant.
pack = echo '{ (const unsigned char[]){'; gzip -9n <$1 | od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g'; \
	echo "}, $$(gzip -9n <$1 | wc -c), $$(wc -c <$1) }"

# The shipped tools: the folder itself is a prerequisite, so that a tool that was taken
# away is noticed too.
$(B)/gen/tools.c: $(wildcard tools tools/*.q) packaging/peers Makefile | $$(@D)/
	@{ echo '#include "cli/tools.h"'; echo 'const struct shipped_tool shipped_tools[] = {'; \
	n=0; for f in $(sort $(wildcard tools/*.q)); do n=$$((n + 1)); \
		echo "{ \"$$(basename $$f .q)\", \"$$(sed -n 's/^# Question: //p' $$f)\","; \
		$(call pack,$$f); echo '},'; \
	done; echo '{ 0, 0, { 0, 0, 0 } } };'; echo "const int shipped_tool_count = $$n;"; \
	echo 'const struct peer peers[] = {'; \
	sed -n 's/["\\]/\\&/g; s/^\([^#	]*\)	\(.*\)/{ "\1", "\2" },/p' packaging/peers; echo '{ 0, 0 } };'; } >$@

# What pictures bring along.
$(B)/gen/script.c: src/view/flame.js src/view/heat.js src/view/picture.css Makefile | $$(@D)/
	@{ echo '#include "view/script.h"'; for f in flame.js:flame heat.js:heat picture.css:style; do \
		echo "const struct packed script_$${f#*:} ="; $(call pack,src/view/$${f%:*}); echo ';'; \
	done; } >$@

demo:
	@tests/deps build
	@steps=$$($(MAKE) -n --no-print-directory V= $(B)/culprit | grep -c "^echo '"); \
	[ $$steps = 0 ] || echo "building $(B)/culprit in $$steps steps"; \
	show=:; [ ! -t 1 ] || show=printf; \
	$(MAKE) $(if $(V),,-s) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc)) \
		STEPS=$$steps SHOW=$$show $(B)/culprit && { [ $$steps = 0 ] || $$show '\n'; }
	$(B)/culprit demo

deps:
	@tests/deps all

# Tests. A source that does not compile must not keep the other tests from running:
# `make -k` builds what it can, then a second make links what is there, and tests/run
# reports what is missing as failures. T='pattern ...' runs only the tests that match;
# test-all runs the whole matrix.
test test-all: build-tests
	@tests/run $(if $(filter test-all,$@),--all) $(T)

build-tests:
	@tests/deps test
	-@$(MAKE) --no-print-directory -k -j2 all test-objects
	-@$(MAKE) --no-print-directory -k -j2 test-programs

test-objects: $(SAN_OBJ) $(SAN_CMD)
test-programs: $(B)/test/culprit $(TEST_BIN) $(PLAIN_BIN) $(REPLAY_BIN) $(WORK_BIN)

$(B)/test/obj/%.o: %.c | $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) $(SAN) -c -o $@ $< $(or_none)

$(B)/test/obj/gen/%.o: $(B)/gen/%.c | $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) $(SAN) -c -o $@ $< $(or_none)

# One library for all the tests, of the objects that exist now, so of those that compiled;
# made again when a source is gone.
$(B)/test/libculprit.so: $(wildcard $(SAN_OBJ) src/*/ src/*/*/) | $$(@D)/
	$(call say,cc) $(CC) $(SAN) -shared -o $@ $(filter %.o,$^) -lz -llzma -l:libiberty.a $(or_none)

# Linked whole, at a fixed place: with the library each start of it takes twice the time.
$(B)/test/culprit: $(SAN_CMD) $(B)/test/libculprit.so
	$(call say,cc) $(CC) $(SAN) -no-pie -o $@ $(SAN_CMD) $(wildcard $(SAN_OBJ)) $(filter-out -lpthread,$(LIBS))

# It finds the library when it runs: made again for another header, not for another library.
$(B)/test/tests/%: tests/%.c | $(B)/test/libculprit.so $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) -Itests $(SAN) -O0 -o $@ $< $(B)/test/libculprit.so \
		-Wl,-rpath,'$$ORIGIN/../..' -lm -lz $(or_none)

# Of the program's own objects.
LIB_OBJ := $(filter-out $(CMD:%.c=$(B)/obj/%.o),$(PROG_OBJ))
$(B)/plain/tests/%: tests/%.c $(LIB_OBJ) | $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.o,$^) $(LIBS) -lm $(or_none)

# A fuzz target that goes through the files it is given.
$(B)/test/fuzz/%: tests/fuzz/%.c $(B)/test/obj/tests/fuzz/replay/main.o | $(B)/test/libculprit.so $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) -Itests $(SAN) -o $@ $(filter %.c %.o,$^) $(B)/test/libculprit.so \
		-Wl,-rpath,'$$ORIGIN/..' -lm $(or_none)

# Small static programs: work for tests and benchmarks, also in virtual machines.
$(B)/tests/work/typed: WORK_FLAGS := -g
$(B)/tests/%: tests/%.c | $$(@D)/
	$(call say,cc) $(CC) -MMD -MP -std=gnu17 -O2 $(WORK_FLAGS) $(WARN) -static -o $@ $< -lpthread $(or_none)

# These are of parts of the program itself.
$(B)/tests/bench/names $(B)/tests/bench/repeat: $(B)/tests/bench/%: tests/bench/%.c $(LIB_OBJ) | $$(@D)/
	$(call say,cc) $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.c %.o,$^) $(LIBS)

bench:
	@tests/deps bench
	@$(MAKE) --no-print-directory all bench-programs
	@tests/bench/run $(T)

mutants:
	@tests/deps test
	@tests/mutants/run $(or $(N),200) $(SEED)

bench-programs: $(BENCH_BIN) $(WORK_BIN)

# Each target runs FUZZ_SECONDS; T=name runs one.
fuzz:
	@tests/deps fuzz
	@$(MAKE) --no-print-directory -j2 fuzz-programs
	@FUZZ_SECONDS=$(FUZZ_SECONDS) tests/fuzz/run $(T)

fuzz-programs: $(FUZZ_BIN)

FUZZ_FLAGS := -std=gnu17 -O1 -g $(MATH) -fno-omit-frame-pointer -fno-sanitize-recover=all

$(B)/fuzz/obj/%.o: %.c | $$(@D)/
	$(call say,cc) $(CLANG) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<

$(B)/fuzz/obj/gen/%.o: $(B)/gen/%.c | $$(@D)/
	$(call say,cc) $(CLANG) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link,address,undefined -c -o $@ $<

$(B)/fuzz/libculprit.a: $(FUZZ_OBJ)
	@rm -f $@
	$(call say,ar) ar rcs $@ $^

$(B)/fuzz/%: tests/fuzz/%.c $(B)/fuzz/libculprit.a
	$(call say,cc) $(CLANG) $(CPPFLAGS) -Itests $(FUZZ_FLAGS) -fsanitize=fuzzer,address,undefined \
		-o $@ $< $(B)/fuzz/libculprit.a $(LIBS) -lm

SHARE := $(DESTDIR)$(PREFIX)/share
INSTALLED = $(DESTDIR)$(PREFIX)/bin/culprit $(SHARE)/bash-completion/completions/culprit \
	$(SHARE)/zsh/site-functions/_culprit $(SHARE)/fish/vendor_completions.d/culprit.fish \
	$(SHARE)/man/man1/culprit.1 $(SHARE)/man/man1/culprit-*.1 $(SHARE)/culprit $(SHARE)/doc/culprit
install: $(B)/culprit
	packaging/generate $(B)/share
	install -D -s -m 755 $(B)/culprit $(DESTDIR)$(PREFIX)/bin/culprit
	install -d $(SHARE)/man/man1 $(SHARE)/culprit/tools $(SHARE)/doc/culprit/docs/tools
	install -m 644 $(B)/share/culprit*.1 $(SHARE)/man/man1
	install -D -m 644 $(B)/share/culprit.bash $(SHARE)/bash-completion/completions/culprit
	install -D -m 644 $(B)/share/culprit.zsh $(SHARE)/zsh/site-functions/_culprit
	install -D -m 644 $(B)/share/culprit.fish $(SHARE)/fish/vendor_completions.d/culprit.fish
	install -m 644 tools/*.q $(SHARE)/culprit/tools
	install -m 644 README.md CHANGES.md $(SHARE)/doc/culprit
	install -m 644 docs/*.md $(SHARE)/doc/culprit/docs
	install -m 644 docs/tools/*.md $(SHARE)/doc/culprit/docs/tools

uninstall:
	rm -rf $(INSTALLED)

clean:
	rm -rf $(B)

help:
	@echo 'make            build $(B)/culprit (see docs/HACKING.md for what it needs)'
	@echo 'make demo       build it, make something slow here and find it'
	@echo 'make test       the tests; T="pattern ..." only those whose path matches'
	@echo 'make test-all   the whole matrix of kernels and ways of attachment, too (a quarter of an hour)'
	@echo 'make bench      cost against other tracers (root), for docs/benchmarks.md'
	@echo 'make fuzz       every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS) each; T=name one'
	@echo 'make mutants    N=200 random small changes of the sources, each against the tests (hours)'
	@echo 'make install    to PREFIX=$(PREFIX), below DESTDIR='
	@echo 'make uninstall  what it installed there goes'
	@echo 'make deps       install the Debian packages that are missing'
	@echo 'make clean      remove $(B)/'

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all demo deps test test-all build-tests test-objects test-programs bench bench-programs mutants fuzz \
	fuzz-programs install uninstall clean help
-include $(patsubst %.o,%.d,$(PROG_OBJ) $(SAN_OBJ) $(SAN_CMD) $(FUZZ_OBJ)) \
	$(addsuffix .d,$(TEST_BIN) $(PLAIN_BIN) $(REPLAY_BIN) $(WORK_BIN) $(BENCH_BIN) $(FUZZ_BIN))
