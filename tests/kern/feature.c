/* Features: each has a full row, is tried, and can be forced off. */
#include "kern/feature.h"
#include "test.h"

TEST(rows)
{
	for (int i = 0; i < FEATURES; i++) {
		const struct feature_row *r = feature_row((enum feature_id)i);

		CHECK(*r->name && *r->gives && *r->since && *r->without);
		for (int k = 0; k < i; k++)
			CHECK(strcmp(feature_row((enum feature_id)k)->name, r->name));
	}
}

TEST(all_can_be_tried)
{
	struct features f = { 0 };

	for (int i = 0; i < FEATURES; i++) {
		bool has = feature_has(&f, (enum feature_id)i);

		printf("# %s %s\n", feature_row((enum feature_id)i)->name, has ? "yes" : "no");
		CHECK_EQ(feature_has(&f, (enum feature_id)i), has);
	}
	features_fini(&f);
}

TEST(forced_off)
{
	struct features f = { 0 };

	for (int i = 0; i < FEATURES; i++) {
		CHECK(feature_force_off(&f, feature_row((enum feature_id)i)->name));
		CHECK(!feature_has(&f, (enum feature_id)i));
	}
	CHECK(!features_types(&f));
	CHECK(!feature_force_off(&f, "no_such_feature"));
	features_fini(&f);
}

TEST(off_takes_what_needs_it)
{
	struct features f = { 0 };

	CHECK(feature_force_off(&f, "btf"));
	CHECK(!feature_has(&f, FEATURE_TP_BTF));
	CHECK(!feature_has(&f, FEATURE_TASK_STORAGE));
	features_fini(&f);
}
