# culprit: one Makefile. `make` leaves build/culprit; `make help` lists the rest.
B := build
CC := gcc
CFLAGS := -std=gnu17 -O2 -g -Wall -Wextra -Wshadow -Werror
CPPFLAGS := -Isrc -I$(B)/gen -MMD -MP
LIBS := -lbpf -lelf -lz

SRC := $(filter-out src/main.c src/cmd_%.c,$(wildcard src/*.c src/*/*.c))
OBJ := $(SRC:src/%.c=$(B)/%.o)
MAIN := $(patsubst src/%.c,$(B)/%.o,$(wildcard src/main.c src/cmd_*.c))

all: $(B)/culprit

$(B)/culprit: $(MAIN) $(OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

clean:
	rm -rf $(B)

.PHONY: all clean
-include $(OBJ:.o=.d) $(MAIN:.o=.d)
