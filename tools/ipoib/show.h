/* SPDX-License-Identifier: GPL-2.0 */
/* What is told of interfaces, peers, groups, connections and counters, as text or as JSON. */
#ifndef SHOW_H
#define SHOW_H

#include "netlink.h"

enum kind {
	KIND_U8,
	KIND_YES_NO,
	KIND_U16_HEX,
	KIND_U32,
	KIND_U32_HEX,
	KIND_S32,
	KIND_U64,
	KIND_STRING,
	KIND_GID,
	KIND_MAC,
	KIND_ADDRESS,
	KIND_IFINDEX,
};

/**
 * struct field - one attribute, as it is shown
 * @attr: its number
 * @kind: what it holds
 * @name: key in JSON
 * @label: what stands before it in text; NULL: nothing but its value, "": it is in JSON only
 * @begins_line: a line of text begins with it
 */
struct field {
	unsigned int attr;
	enum kind kind;
	const char *name;
	const char *label;
	bool begins_line;
};

extern const struct field interface_fields[], peer_fields[], group_fields[], connection_fields[],
	counter_fields[];

extern bool show_json, show_colours;

/* One object; objects up to show_end(), which JSON has in one array */
void show_line(const struct field *fields, const struct attrs *attrs);
void show_object(const struct field *fields, const struct attrs *attrs);
void show_end(void);

unsigned int get_u32(const struct attrs *attrs, unsigned int attr);
const char *get_string(const struct attrs *attrs, unsigned int attr);

#endif
