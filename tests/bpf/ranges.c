/* cg_ranges, cg_mapped: the list of a process's code, against what it has mapped where. */
#include "kernel.h"

#define PID 77
#define PAGE 4096ull

static struct mm_struct mm;

/* ---- files, of which the rows of some are known ---- */

enum { FILES = 4, CODE_PAGE = 3 };
static struct super_block disk = { .s_dev = 8 };
static struct inode inodes[FILES];
static struct file files[FILES];

static void files_make(void)
{
	for (int i = 0; i < FILES; i++) {
		inodes[i] = (struct inode){ .i_ino = 100 + (uint64_t)i, .i_size = 1 << 20, .i_mtime_sec = 1000, .i_mtime_nsec = 5,
					    .beside = 99, .i_sb = &disk };
		files[i].f_inode = &inodes[i];
	}
}

static void file_known(uint64_t ino, uint32_t code_bytes, uint32_t chunk)
{
	struct unwind_file_key key = { .dev = ino ? disk.s_dev : 0, .ino = ino };
	struct unwind_file f = { .bytes = ino ? 1 << 20 : 0, .changed_s = ino ? 1000 : 0, .changed_ns = ino ? 5 : 0,
				 .offset = ino ? CODE_PAGE * PAGE : 0, .code_bytes = code_bytes, .chunk = chunk };

	REQUIRE(!vm_map_update(&vm.maps[image->unwind_files], &key, &f, BPF_ANY));
}

/* ---- the process ---- */

static void set_up(void)
{
	mm = (struct mm_struct){ .start_stack = 0x7fff0000 };
	current = (struct task_struct){ .pid = PID, .tgid = PID, .mm = &mm };
	disk.beside = 99;
	kernel_open("made:event | count by ustack");
	files_make();
}

static void map(struct vm_area_struct area)
{
	uint64_t words[4] = { 0, 0, 0, (uint64_t)(uintptr_t)&area };

	area.vm_mm = &mm;
	area.vm_flags = 4;
	kernel_run("ma_write", words, 4);
	mm.exec_vm += (area.vm_end - area.vm_start) / PAGE;
}

static const struct unwind_process *list(void)
{
	uint64_t pid = PID;

	return vm_map_lookup(&vm.maps[image->unwind_processes], &pid);
}

static uint64_t word(void)
{
	return ((uint64_t *)vm.maps[image->mapped].array)[mapped_slot(PID)];
}

/* In which chunk's code is the address, counted from 0 in bytes; -1: in none. */
static int64_t place_of(uint64_t address)
{
	const struct unwind_process *p = list();
	int at = 0;

	for (int i = 0; i < UNWIND_RANGES_MOST; i++)
		if (p->begins[i] <= address)
			at = i;
	if (address < p->begins[at] || address - p->ranges[at].base >= p->ranges[at].bytes)
		return -1;
	return (int64_t)(p->ranges[at].chunk * UNWIND_CHUNK_BYTES + (address - p->ranges[at].base));
}

/* ---- against a list of all pages ---- */

enum { PAGES = 64, NOTHING = -1 };

static struct page { int area, file; uint64_t offset; int64_t place; } pages[PAGES];
static int areas;
static bool is_whole;			/* the rows of all are known */

/* The rows of files[0] and [1] are known, [1] has none, those of [2] are not, [3] has changed since. */
static void map_pages(int first, int n, int file, uint64_t offset)
{
	int end = first + n;
	bool fits = offset == CODE_PAGE || file == 1;

	if (end < PAGES && pages[end].area && pages[end].area == pages[end - 1].area) {
		int rest = 1;		/* the kernel enters what it splits off */

		while (end + rest < PAGES && pages[end + rest].area == pages[end].area)
			rest++;
		map_pages(end, rest, pages[end].file, pages[end].offset);
	}
	map((struct vm_area_struct){ .vm_start = (uint64_t)first * PAGE, .vm_end = (uint64_t)end * PAGE, .vm_pgoff = offset,
				     .vm_file = &files[file] });
	areas++;
	for (int i = 0; i < n; i++) {
		bool has_rows = file == 0 && fits && i < 3;

		pages[first + i] = (struct page){ areas, file, offset + (uint64_t)i, has_rows ?
						  (int64_t)(1000 * UNWIND_CHUNK_BYTES + (uint64_t)i * PAGE) : NOTHING };
	}
	is_whole &= file < 2 && fits;
}

static void check_pages(void)
{
	bool told = list()->mapped == word();

	if (told && !is_whole)
		TEST_FAIL("code is not known, and the list says that it is whole");
	for (int i = 0; i < PAGES; i++) {
		int64_t place = place_of((uint64_t)i * PAGE);

		if (place != pages[i].place && (told || place != NOTHING))
			TEST_FAIL("page %d is %ld, not %ld", i, (long)place, (long)pages[i].place);
	}
}

static void set_up_pages(void)
{
	set_up();
	file_known(100, 3 * PAGE, 1000);
	file_known(101, 0, 0);
	file_known(103, 3 * PAGE, 2000);
	inodes[3].i_mtime_nsec = 6;
	for (int i = 0; i < PAGES; i++)
		pages[i] = (struct page){ .place = NOTHING };
	areas = 0;
	is_whole = true;
}

TEST(ranges_side_by_side)
{
	set_up_pages();
	for (int i = 0; i < 12; i++) {		/* in whatever order */
		map_pages(5 * (i * 7 % 12), 4, i % 2, i % 2 ? 7 : CODE_PAGE);
		CHECK_EQ(list()->n, i + 1);
		CHECK_EQ(list()->mapped, word());
		check_pages();
	}
	kernel_close();
}

TEST(ranges_over_others)
{
	srandom(1);
	for (int turn = 0; turn < 50; turn++) {
		set_up_pages();
		for (int i = 0; i < 12; i++) {
			int n = 1 + (int)(random() % 6);

			map_pages((int)(random() % (PAGES - n)), n, (int)(random() % 20 ? random() % 2 : random() % 4),
				  random() % 20 ? CODE_PAGE : 7);
			check_pages();
		}
		kernel_close();
	}
}

TEST(ranges_full)
{
	set_up_pages();
	for (int i = 0; i < UNWIND_RANGES_MOST + 3; i++)
		map((struct vm_area_struct){ .vm_start = (uint64_t)(1000 - 3 * i) * PAGE, .vm_end = (uint64_t)(1002 - 3 * i) * PAGE,
					     .vm_pgoff = CODE_PAGE, .vm_file = &files[0] });
	CHECK_EQ(list()->n, UNWIND_RANGES_MOST);
	CHECK(list()->mapped != word());
	for (int i = 0; i < UNWIND_RANGES_MOST + 3; i++)
		CHECK_EQ(place_of((uint64_t)(1001 - 3 * i) * PAGE), i < UNWIND_RANGES_MOST ?
			 (int64_t)(1000 * UNWIND_CHUNK_BYTES + PAGE) : NOTHING);
	kernel_close();
}

/* Of what has no file only the vdso has code that is known; it is not counted. */
TEST(ranges_without_a_file)
{
	static const char vdso[16] = "[vdso]", other[16] = "[vdso2]", vvar[16] = "[vvar]";
	struct vm_special_mapping special = { vvar };
	struct vm_area_struct area = { .vm_start = 8 * PAGE, .vm_end = 10 * PAGE, .vm_pgoff = 5 };

	set_up_pages();
	file_known(0, PAGE + 8, 3000);
	map_pages(40, 3, 0, CODE_PAGE);
	map(area);
	area.vm_private_data = &special;
	map(area);
	special.name = other;
	map(area);
	CHECK_EQ(list()->n, 1);
	special.name = vdso;
	map(area);
	CHECK_EQ(list()->n, 2);
	CHECK_EQ(place_of(8 * PAGE), 3000 * UNWIND_CHUNK_BYTES);
	CHECK_EQ(place_of(9 * PAGE + 7), 3000 * UNWIND_CHUNK_BYTES + PAGE + 7);
	CHECK_EQ(place_of(9 * PAGE + 8), NOTHING);
	CHECK_EQ(list()->mapped, word());
	CHECK_EQ((uint32_t)word(), 1);
	kernel_close();
}

/* Not the code of another address space, no code, and no file of a process that has code of which nothing is known. */
TEST(ranges_of_others)
{
	struct mm_struct another = { 0 };
	struct vm_area_struct area = { .vm_start = 8 * PAGE, .vm_end = 10 * PAGE, .vm_pgoff = CODE_PAGE, .vm_file = &files[0],
				       .vm_mm = &another, .vm_flags = 4 };
	uint64_t words[4] = { 0, 0, 0, (uint64_t)(uintptr_t)&area };

	set_up_pages();
	kernel_run("ma_write", words, 4);
	area.vm_mm = &mm;
	area.vm_flags = 3;
	kernel_run("ma_write", words, 4);
	CHECK_EQ(word(), 0);
	CHECK(!list());
	mm.exec_vm = 1;
	area.vm_flags = 4;
	kernel_run("ma_write", words, 4);
	CHECK_EQ((uint32_t)word(), 1);
	CHECK(!list());
	words[3] = 0;
	kernel_run("ma_write", words, 4);
	CHECK_EQ((uint32_t)word(), 1);
	kernel_close();
}

/* An exec has an address space without code: the list begins anew. */
TEST(ranges_of_another_program)
{
	set_up_pages();
	map_pages(5, 3, 0, CODE_PAGE);
	map_pages(15, 3, 2, CODE_PAGE);
	CHECK(list()->mapped != word());
	mm.exec_vm = 0;
	map_pages(25, 3, 0, CODE_PAGE);
	CHECK_EQ(list()->n, 1);
	CHECK_EQ(list()->mapped, word());
	CHECK_EQ((uint32_t)word(), 3);
	CHECK_EQ(place_of(5 * PAGE), NOTHING);
	kernel_close();
}

/* ---- a process makes another ---- */

static const struct unwind_process *forked(int pid, int tgid, struct mm_struct *space)
{
	struct task_struct child = { .pid = pid, .tgid = tgid, .mm = space };
	uint64_t words[2] = { (uint64_t)(uintptr_t)&current, (uint64_t)(uintptr_t)&child }, key = (uint64_t)pid;

	kernel_run("sched_process_fork", words, 2);
	return vm_map_lookup(&vm.maps[image->unwind_processes], &key);
}

TEST(ranges_of_a_child)
{
	struct mm_struct space = mm;
	const struct unwind_process *p;

	set_up_pages();
	CHECK(!forked(78, 78, &space));		/* of the parent nothing is known */
	map_pages(5, 3, 0, CODE_PAGE);
	CHECK(!forked(79, PID, &mm));		/* a thread */
	p = forked(78, 78, &space);
	REQUIRE(p);
	CHECK_EQ(p->n, 1);
	CHECK_EQ(p->begins[0], 5 * PAGE);
	CHECK_EQ(p->space, (uint64_t)(uintptr_t)&space);
	CHECK_EQ(p->mapped, 0);
	((struct unwind_process *)list())->space = 0;	/* it is told by its stack whose list it is */
	p = forked(81, 81, &space);
	REQUIRE(p);
	CHECK_EQ(p->space, 0);
	map_pages(15, 3, 2, CODE_PAGE);
	forked(79, PID, &mm);			/* a thread changes nothing of what is not known */
	CHECK(list()->mapped != word());
	p = forked(80, 80, &space);
	REQUIRE(p);
	CHECK_EQ(p->n, 2);
	CHECK_EQ(p->space, 0);
	CHECK_EQ(p->stack, 0);
	kernel_close();
}
