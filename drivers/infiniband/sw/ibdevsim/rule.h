/* SPDX-License-Identifier: GPL-2.0 */
/* Rules on MADs in flight: which are lost, answered, come twice or late, or say something else. */
#ifndef _IBDS_RULE_H
#define _IBDS_RULE_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "fault.h"

struct seq_file;

#define IBDS_RULES_MAX		16
#define IBDS_RULE_OCTETS	16
#define IBDS_RULE_TEXT		128
#define IBDS_FROM_SWITCH	0

/* Conditions that a MAD can be told by, but for its octets. */
enum ibds_rule_condition {
	IBDS_RULE_CLASS,
	IBDS_RULE_METHOD,
	IBDS_RULE_ATTR,
	IBDS_RULE_FROM,
	IBDS_RULE_DLID,
	IBDS_RULE_CONDITIONS
};

/* Without one, such MADs are only counted. */
enum ibds_rule_action {
	IBDS_RULE_NOTHING,
	IBDS_RULE_DROP,
	IBDS_RULE_DUP,
	IBDS_RULE_DELAY,
	IBDS_RULE_SET,
	IBDS_RULE_STATUS,
	IBDS_RULE_ANSWER,
};

/**
 * struct ibds_rule_octets - some octets of a MAD
 * @off: where in it
 * @len: how many, 0 for none
 * @data: what they are, or become
 */
struct ibds_rule_octets {
	u16 off;
	u8 len;
	u8 data[IBDS_RULE_OCTETS];
};

/**
 * struct ibds_rule - one rule
 * @given: bits of enum ibds_rule_condition: it has a say in that
 * @is: what it must be, by enum ibds_rule_condition
 * @match: what it must have in it
 * @action: what happens to such a MAD
 * @set: IBDS_RULE_SET: what it has in it then
 * @status: IBDS_RULE_STATUS: what it has for its status then
 * @after: so many pass before it
 * @times: and then it is for so many, 0 for all
 * @matched: how many were such
 * @applied: to how many of them it happened
 * @text: what it was made of
 */
struct ibds_rule {
	unsigned long given;
	u32 is[IBDS_RULE_CONDITIONS];
	struct ibds_rule_octets match;
	u8 action;
	struct ibds_rule_octets set;
	u16 status;
	u32 after;
	u32 times;
	u32 matched;
	u32 applied;
	char text[IBDS_RULE_TEXT];
};

/**
 * struct ibds_rules - all rules, in the order in which they are looked at
 * @lock: protects what follows; innermost
 * @count: of them; who only wants to know if there are any reads it without the lock
 * @rule: the rules
 */
struct ibds_rules {
	spinlock_t lock;	/* all below */
	unsigned int count;
	struct ibds_rule rule[IBDS_RULES_MAX];
};

static inline bool ibds_rules_any(const struct ibds_rules *rules)
{
	return READ_ONCE(rules->count);
}

void ibds_rules_init(struct ibds_rules *rules);
int ibds_rules_add(struct ibds_rules *rules, const char *text);
void ibds_rules_clear(struct ibds_rules *rules);
void ibds_rules_show(struct ibds_rules *rules, struct seq_file *seq);
enum ibds_verdict ibds_rules_apply(struct ibds_rules *rules, u8 from, u16 dlid,
				   void *mad, u32 len);

#endif /* _IBDS_RULE_H */
