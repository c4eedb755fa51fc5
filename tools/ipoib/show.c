// SPDX-License-Identifier: GPL-2.0
#include "show.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <rdma/ipoib_genl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool show_json, show_colours;
static bool shown;

#define I(name)	IPOIB_GENL_INTERFACE_##name
const struct field interface_fields[] = {
	{ I(IFINDEX),	KIND_IFINDEX,	"interface",	NULL,	true },
	{ I(STATE),	KIND_STRING,	"state",	"state" },
	{ I(CONNECTED),	KIND_YES_NO,	"connected",	"connected" },
	{ I(FABRIC),	KIND_STRING,	"fabric",	"fabric" },
	{ I(DEVICE),	KIND_STRING,	"device",	"device" },
	{ I(PORT),	KIND_U32,	"port",		"port" },
	{ I(PKEY),	KIND_U16_HEX,	"pkey",		"pkey" },
	{ I(LIMITED),	KIND_YES_NO,	"limited",	"limited" },
	{ I(REASON),	KIND_STRING,	"reason",	"no carrier:",	true },
	{ I(FAULT),	KIND_U32,	"fault",	"" },
	{ I(GROUP_ERROR), KIND_S32,	"group_error",	"" },
	{ I(GID),	KIND_GID,	"gid",		"gid",	true },
	{ I(LID),	KIND_U32,	"lid",		"lid" },
	{ I(QPN),	KIND_U32_HEX,	"qpn",		"qpn" },
	{ I(MTU),	KIND_U32,	"mtu",		"mtu" },
	{ I(SPEED),	KIND_U32,	"speed",	"speed" },
	{ I(BROADCAST),	KIND_GID,	"broadcast",	"broadcast",	true },
	{ I(GROUPS),	KIND_U32,	"groups",	"groups" },
	{ I(PEERS),	KIND_U32,	"peers",	"peers" },
	{ I(CONNECTIONS), KIND_U32,	"connections",	"connections" },
	{ I(RECOVERIES), KIND_U32,	"recoveries",	"recoveries" },
	{}
};

#define P(name)	IPOIB_GENL_PEER_##name
const struct field peer_fields[] = {
	{ P(IFINDEX),	KIND_IFINDEX,	"interface",	"" },
	{ P(ADDRESS),	KIND_ADDRESS,	"address",	NULL,	true },
	{ P(STATE),	KIND_STRING,	"state",	"state" },
	{ P(DLID),	KIND_U32,	"dlid",		"dlid" },
	{ P(DMAC),	KIND_MAC,	"dmac",		"dmac" },
	{ P(SL),	KIND_U8,	"sl",		"sl" },
	{ P(RATE),	KIND_U32,	"rate",		"rate" },
	{ P(HOP_LIMIT),	KIND_U8,	"hop_limit",	"hop_limit" },
	{ P(MTU),	KIND_U32,	"mtu",		"mtu" },
	{ P(IDLE),	KIND_U32,	"idle_ms",	"idle_ms" },
	{ P(WAITING),	KIND_U32,	"waiting_bytes", "waiting_bytes" },
	{ P(FAILURES),	KIND_U32,	"failures",	"failures" },
	{}
};

#define G(name)	IPOIB_GENL_GROUP_##name
const struct field group_fields[] = {
	{ G(IFINDEX),	KIND_IFINDEX,	"interface",	"" },
	{ G(MGID),	KIND_GID,	"mgid",		NULL,	true },
	{ G(STATE),	KIND_STRING,	"state",	"state" },
	{ G(MEMBERSHIP), KIND_STRING,	"membership",	"membership" },
	{ G(ATTACHED),	KIND_YES_NO,	"attached",	"attached" },
	{ G(ABSENT),	KIND_YES_NO,	"absent",	"absent" },
	{ G(MLID),	KIND_U16_HEX,	"mlid",		"mlid" },
	{ G(FAILURES),	KIND_U32,	"failures",	"failures" },
	{ G(ERROR),	KIND_S32,	"error",	"error" },
	{}
};

#define C(name)	IPOIB_GENL_CONNECTION_##name
const struct field connection_fields[] = {
	{ C(IFINDEX),	KIND_IFINDEX,	"interface",	"" },
	{ C(ADDRESS),	KIND_ADDRESS,	"address",	NULL,	true },
	{ C(STATE),	KIND_STRING,	"state",	"state" },
	{ C(TRANSPORT),	KIND_STRING,	"transport",	"transport" },
	{ C(SERVICE),	KIND_STRING,	"service",	"service" },
	{ C(OPENED),	KIND_YES_NO,	"opened_by_us",	"opened_by_us" },
	{ C(QPN),	KIND_U32_HEX,	"qpn",		"qpn" },
	{ C(MTU),	KIND_U32,	"mtu",		"mtu" },
	{ C(SENT),	KIND_U64,	"sent",		"sent" },
	{ C(RECEIVED),	KIND_U64,	"received",	"received" },
	{ C(AGE),	KIND_U32,	"age_ms",	"age_ms" },
	{ C(IDLE),	KIND_U32,	"idle_ms",	"idle_ms" },
	{ C(ALTERNATE),	KIND_YES_NO,	"alternate",	"alternate" },
	{ C(MIGRATIONS), KIND_U32,	"migrations",	"migrations" },
	{ C(LINK_CHECKSUMS), KIND_YES_NO, "link_checksums", "link_checksums" },
	{}
};

#define N(name)	IPOIB_GENL_COUNTER_##name
const struct field counter_fields[] = {
	{ N(IFINDEX),	KIND_IFINDEX,	"interface",	"" },
	{ N(NAME),	KIND_STRING,	"name",		NULL,	true },
	{ N(VALUE),	KIND_U64,	"value",	NULL },
	{}
};

/* Octets that an attribute of a kind has to have; 0 for a string. */
static size_t length(enum kind kind)
{
	static const size_t lengths[] = {
		[KIND_U8] = 1, [KIND_YES_NO] = 1, [KIND_U16_HEX] = 2, [KIND_U32] = 4,
		[KIND_U32_HEX] = 4, [KIND_S32] = 4, [KIND_U64] = 8, [KIND_GID] = 16,
		[KIND_MAC] = 6, [KIND_ADDRESS] = 20, [KIND_IFINDEX] = 4,
	};

	return kind == KIND_STRING ? 0 : lengths[kind];
}

/* Returns the value if the kernel has told it, in the length that it has to have. */
static const void *value(const struct attrs *attrs, unsigned int attr, enum kind kind)
{
	const struct nlattr *a = attrs->at[attr];

	if (!a)
		return NULL;
	if (kind == KIND_STRING)
		return memchr(attr_data(a), 0, attr_len(a)) ? attr_data(a) : NULL;
	return attr_len(a) == length(kind) ? attr_data(a) : NULL;
}

unsigned int get_u32(const struct attrs *attrs, unsigned int attr)
{
	const void *data = value(attrs, attr, KIND_U32);
	uint32_t u32 = 0;

	if (data)
		memcpy(&u32, data, sizeof(u32));
	return u32;
}

const char *get_string(const struct attrs *attrs, unsigned int attr)
{
	return value(attrs, attr, KIND_STRING) ?: "";
}

static void print_octets(const unsigned char *octets, int count)
{
	int i;

	for (i = 0; i < count; i++)
		printf("%s%02x", i ? ":" : "", octets[i]);
}

static void print_escaped(const char *string)
{
	for (; *string; string++) {
		if ((unsigned char)*string < ' ' || (unsigned char)*string > '~')
			printf("\\u%04x", (unsigned char)*string);
		else
			printf("%s%c", *string == '"' || *string == '\\' ? "\\" : "", *string);
	}
}

static void print_string(const char *string)
{
	if (show_json)
		print_escaped(string);
	else
		fputs(string, stdout);
}

static void print_number(const struct field *field, const void *data)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;
	int32_t s32;

	switch (field->kind) {
	case KIND_U8:
		printf("%u", *(const unsigned char *)data);
		break;
	case KIND_YES_NO:
		if (show_json)
			fputs(*(const char *)data ? "true" : "false", stdout);
		else
			fputs(*(const char *)data ? "yes" : "no", stdout);
		break;
	case KIND_U16_HEX:
		memcpy(&u16, data, sizeof(u16));
		printf(show_json ? "%u" : "0x%04x", u16);
		break;
	case KIND_U32:
		memcpy(&u32, data, sizeof(u32));
		printf("%u", u32);
		break;
	case KIND_U32_HEX:
		memcpy(&u32, data, sizeof(u32));
		printf(show_json ? "%u" : "0x%06x", u32);
		break;
	case KIND_S32:
		memcpy(&s32, data, sizeof(s32));
		printf("%d", s32);
		break;
	default:
		memcpy(&u64, data, sizeof(u64));
		printf("%llu", (unsigned long long)u64);
		break;
	}
}

static bool print_text(const struct field *field, const void *data)
{
	char text[INET6_ADDRSTRLEN], name[IF_NAMESIZE];
	unsigned int ifindex;

	switch (field->kind) {
	case KIND_STRING:
		print_string(data);
		return true;
	case KIND_GID:
		fputs(inet_ntop(AF_INET6, data, text, sizeof(text)), stdout);
		return true;
	case KIND_MAC:
	case KIND_ADDRESS:
		print_octets(data, length(field->kind));
		return true;
	case KIND_IFINDEX:
		/* One that is deleted has no name any more. */
		memcpy(&ifindex, data, sizeof(ifindex));
		if (if_indextoname(ifindex, name))
			print_string(name);
		else
			printf("if%u", ifindex);
		return true;
	default:
		return false;
	}
}

static bool is_text(enum kind kind)
{
	return kind == KIND_STRING || kind == KIND_GID || kind == KIND_MAC ||
	       kind == KIND_ADDRESS || kind == KIND_IFINDEX;
}

static void print_value(const struct field *field, const void *data)
{
	if (show_json && is_text(field->kind))
		putchar('"');
	if (!print_text(field, data))
		print_number(field, data);
	if (show_json && is_text(field->kind))
		putchar('"');
}

/* Green what is in order, red what is not */
static const char *colour(const struct field *field, const void *data)
{
	static const char * const good[] = { "up", "ready", "refreshing", "joined",
					     "established" };
	size_t i;

	if (!show_colours || strcmp(field->name, "state"))
		return "";
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		if (!strcmp(data, good[i]))
			return "\033[32m";
	}
	return "\033[31m";
}

static void print_field(const struct field *field, const void *data, bool *begun)
{
	const char *on;

	if (show_json) {
		printf("%s\"%s\":", *begun ? "," : "{", field->name);
		print_value(field, data);
	} else if (!field->label || *field->label) {
		if (*begun)
			fputs(field->begins_line ? "\n    " : " ", stdout);
		if (field->label)
			printf("%s ", field->label);
		on = colour(field, data);
		fputs(on, stdout);
		print_value(field, data);
		fputs(*on ? "\033[0m" : "", stdout);
	} else {
		return;
	}
	*begun = true;
}

void show_line(const struct field *fields, const struct attrs *attrs)
{
	bool begun = false;

	for (; fields->name; fields++) {
		const void *data = value(attrs, fields->attr, fields->kind);

		if (data)
			print_field(fields, data, &begun);
	}
	if (show_json)
		puts(begun ? "}" : "{}");
	else
		putchar('\n');
}

void show_object(const struct field *fields, const struct attrs *attrs)
{
	if (show_json)
		putchar(shown ? ',' : '[');
	shown = true;
	show_line(fields, attrs);
}

void show_end(void)
{
	if (show_json)
		puts(shown ? "]" : "[]");
}
