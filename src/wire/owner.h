/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/*
 * owner: what the kernel half forgets, for want of room, of whose events are (probe/owner_room.bpf.h).
 */
#ifndef SONDE_WIRE_OWNER_H
#define SONDE_WIRE_OWNER_H

enum owner_forgotten {
	OWNER_FORGOTTEN_PAGES, /* dirty folios of the page cache: the task that made them dirty */
	OWNER_FORGOTTEN_COUNT,
};

#endif /* SONDE_WIRE_OWNER_H */
