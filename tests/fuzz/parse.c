/* Any bytes as a query: read, printed as tokens, as a tree and as mistakes. */
#include "lang/ast.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct diag d = { .arena = &a };
	struct source_text text = { "query", { (const char *)bytes, (int)n } };
	struct buf out = { 0 };

	ast_print(parse(&a, &d, &text), &out);
	diag_print(&d, &out);
	lex_print(&text, &out);
	parse_expr(&a, &d, &text);
	buf_fini(&out);
	arena_fini(&a);
	return 0;
}
