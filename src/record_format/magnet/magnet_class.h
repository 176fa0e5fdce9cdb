/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * magnet_class: the classes of events that records of MAGNeT files become, "magnet.tcp_send" and so on.
 * The payload of such an event is its record, as it lies in the file.
 */
#ifndef SONDE_RECORD_FORMAT_MAGNET_MAGNET_CLASS_H
#define SONDE_RECORD_FORMAT_MAGNET_MAGNET_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct class_table;
struct event_class;
struct magnet_layout;

#define MAGNET_CLASSES_MAX 32u

struct magnet_classes {
	struct class_table *table;
	const struct event_class *classes[MAGNET_CLASSES_MAX]; /* as magnet_event_get counts */
};

/* 0 or -ENOMEM; magnet_classes_fini is due in both cases. */
int magnet_classes_init(struct magnet_classes *classes, const struct magnet_layout *layout);
/* Of zeros is fine. */
void magnet_classes_fini(struct magnet_classes *classes);
/* Of records with this number; NULL: they are losses. */
const struct event_class *magnet_classes_get(const struct magnet_classes *classes, uint32_t number);

/* Whether @class is one that was made so in this process, so that the payload of its events is
 * their record, and in @layout. */
bool magnet_class_is_own(const struct event_class *class, const struct magnet_layout *layout);

#endif /* SONDE_RECORD_FORMAT_MAGNET_MAGNET_CLASS_H */
