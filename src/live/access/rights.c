// SPDX-License-Identifier: BSD-2-Clause
#include "live/access/rights.h"

bool rights_ask(const struct rights *rights)
{
	return rights && (rights->credentials.tls || rights->credentials.token.len);
}

void rights_fini(struct rights *rights)
{
	credentials_fini(&rights->credentials);
}
