// SPDX-License-Identifier: BSD-2-Clause
#include "graph/spacing.h"

#include "graph/bins.h"
#include "graph/spread.h"

#define CORNER 20.0 /* the median is so much nearer to 0 than the greatest */
#define ZEROS_MAX 0.05 /* of the values: a log axis has no place for them */

static int is_better_log(const struct spread *spread)
{
	double median = spread_percentile(spread, 500, 0);
	uint64_t rest = spread->count - spread->above;

	return spread->low >= 0 && (double)rest <= ZEROS_MAX * (double)spread->count &&
	       median > 0 && spread->high > CORNER * median;
}

void spacing_choose(enum spacing spacing, const struct spread *spread, double step,
		    struct bins_range *ret)
{
	int is_log = spacing == SPACING_AUTO ? is_better_log(spread) : spacing == SPACING_LOG;

	*ret = (struct bins_range){SCALE_LINEAR, spread->low, spread->high, step};
	if (!is_log || !spread->above)
		return;
	ret->kind = SCALE_LOG;
	ret->low = spread->positive;
}
