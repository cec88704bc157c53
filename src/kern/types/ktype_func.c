/*
 * Functions in BTF: parameters by name, and what they return. BTF has those that kept
 * their C signature: a copy that the compiler changed has none, or not its own.
 */
#include "kern/types/ktype_impl.h"

#include <string.h>

void ktype_each_function(struct ktypes *k, const char *module,
			 void (*each)(void *arg, const char *name, uint32_t ktype), void *arg)
{
	int file = ktype_module(k, module);
	const struct ktype_file *f = file >= 0 ? k->files.v[file] : NULL;
	const struct btf_type *t = f ? (const void *)f->types : NULL;

	for (uint32_t i = 0; f && i < f->n; i++, t = ktype_next(t)) {
		uint32_t ktype = (uint32_t)file << 24 | (f->first + i);

		if (KIND_OF(t) == BTF_KIND_FUNC)
			each(arg, ktype_string(k, ktype, t->name_off), ktype);
	}
}

bool ktype_signature(struct ktypes *k, uint32_t function, struct ktype_call *call,
		     uint32_t *returns)
{
	const struct btf_type *f = ktype_raw(k, function), *t;
	const struct btf_param *p;
	uint32_t proto;

	if (!f)
		return false;
	/* a program's are without the FUNC */
	proto = KIND_OF(f) == BTF_KIND_FUNC ? ktype_ref(k, function, f->type) : function;
	t = ktype_raw(k, proto);
	if (!t || KIND_OF(t) != BTF_KIND_FUNC_PROTO)
		return false;
	p = (const void *)(t + 1);
	call->id = KTYPE_ID(function);
	call->n_params = VLEN_OF(t);
	call->params = arena_array(&k->arena, struct ktype_param, call->n_params + 1);
	for (int i = 0; i < call->n_params; i++) {
		const char *name = ktype_string(k, proto, p[i].name_off);

		call->params[i].name = *name ? name : arena_printf(&k->arena, "arg%d", i);
		call->params[i].ktype = ktype_ref(k, proto, p[i].type);
	}
	*returns = ktype_ref(k, proto, t->type);
	return true;
}
