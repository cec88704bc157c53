/* What `culprit help` teaches: no row of a table without its texts. */
#include "cli/teach.h"

#include "test.h"

TEST(each_row_has_its_texts)
{
	for (const struct teach_part *p = teach_parts; p->name; p++) {
		struct teach_row r;
		int n = 0;

		CHECK(p->about && *p->about);
		for (; p->row(n, &r); n++) {
			bool example = r.example ? *r.example != 0 :
				!strcmp(p->name, "losses") || !strcmp(p->name, "messages");

			if (!r.help || !*r.help || !example)
				printf("%s: '%s' has no text or no example\n", p->name, r.name);
			CHECK(r.help && *r.help && example);
		}
		CHECK(n > 5);
	}
}

TEST(nearest)
{
	CHECK_STR(teach_nearest("agregations"), "aggregations");
	CHECK_STR(teach_nearest("restartd"), "restarted");
	CHECK_STR(teach_nearest("hsit"), "hist");
	CHECK(!teach_nearest("nothing like it"));
}
