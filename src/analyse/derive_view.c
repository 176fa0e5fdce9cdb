// SPDX-License-Identifier: BSD-2-Clause
#include "analyse/derive_view.h"

#include <stdlib.h>

struct derive_view *derive_view_renew(struct derive_view *old, const struct trace_info *info,
				      uint32_t needs, bool exact)
{
	struct derive_view *view = calloc(1, sizeof(*view));
	struct derive *under_way = old ? old->derive : NULL;

	if (old)
		old->derive = NULL;
	derive_view_free(old);
	if (!view) {
		derive_free(under_way);
		return NULL;
	}
	view->exact = exact;
	view->derive = derive_renew(under_way, info, needs);
	if (view->derive)
		return view;
	free(view);
	return NULL;
}

void derive_view_free(struct derive_view *view)
{
	if (!view)
		return;
	derive_free(view->derive);
	free(view);
}
