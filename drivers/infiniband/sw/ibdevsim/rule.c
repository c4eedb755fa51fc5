// SPDX-License-Identifier: GPL-2.0
#include "rule.h"

#include <linux/hex.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>

/* An SMP on its way back has this bit in its status, and goes astray without it. */
#define DIRECTION	0x8000

static const char * const conditions[IBDS_RULE_CONDITIONS] = {
	"class=", "method=", "attr=", "from=", "dlid=",
};

static bool is_smp(u32 class)
{
	return class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
	       class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

/* "OFFSET:HEX" */
static int parse_octets(const char *word, struct ibds_rule_octets *octets)
{
	char hex[2 * IBDS_RULE_OCTETS + 2];
	size_t len;

	if (sscanf(word, "%hu:%33s", &octets->off, hex) != 2)
		return -EINVAL;
	len = strlen(hex);
	if (len % 2 || len > 2 * IBDS_RULE_OCTETS)
		return -EINVAL;
	octets->len = len / 2;
	return hex2bin(octets->data, hex, octets->len);
}

/* "ibdevsimN" or "switch": the port of the switch that it is at, or no port */
static int parse_from(const char *word, u32 *from)
{
	unsigned int n;
	char end;

	*from = IBDS_FROM_SWITCH;
	if (!strcmp(word, "switch"))
		return 0;
	if (sscanf(word, "ibdevsim%u%c", &n, &end) != 1)
		return -EINVAL;
	*from = n + 1;
	return 0;
}

static int parse_condition(struct ibds_rule *rule, const char *word)
{
	int i;

	for (i = 0; i < IBDS_RULE_CONDITIONS; i++) {
		size_t n = strlen(conditions[i]);

		if (strncmp(word, conditions[i], n))
			continue;
		if (__test_and_set_bit(i, &rule->given))
			return -EINVAL;
		if (i == IBDS_RULE_FROM)
			return parse_from(word + n, &rule->is[i]);
		return kstrtou32(word + n, 0, &rule->is[i]);
	}
	return -EINVAL;
}

static int parse_action(struct ibds_rule *rule, const char *word)
{
	enum ibds_rule_action action = IBDS_RULE_NOTHING;
	int err = 0;

	if (!strcmp(word, "drop")) {
		action = IBDS_RULE_DROP;
	} else if (!strcmp(word, "dup")) {
		action = IBDS_RULE_DUP;
	} else if (!strcmp(word, "delay")) {
		action = IBDS_RULE_DELAY;
	} else if (!strcmp(word, "answer")) {
		action = IBDS_RULE_ANSWER;
	} else if (!strncmp(word, "set=", 4)) {
		action = IBDS_RULE_SET;
		err = parse_octets(word + 4, &rule->set);
	} else if (!strncmp(word, "status=", 7)) {
		action = IBDS_RULE_STATUS;
		err = kstrtou16(word + 7, 0, &rule->status);
	} else {
		return -ENOENT;
	}
	if (err || rule->action)
		return -EINVAL;
	rule->action = action;
	return 0;
}

static int parse_word(struct ibds_rule *rule, const char *word)
{
	int err = parse_action(rule, word);

	if (err != -ENOENT)
		return err;
	if (!strncmp(word, "match=", 6))
		return parse_octets(word + 6, &rule->match);
	if (!strncmp(word, "after=", 6))
		return kstrtou32(word + 6, 0, &rule->after);
	if (!strncmp(word, "times=", 6))
		return kstrtou32(word + 6, 0, &rule->times);
	return parse_condition(rule, word);
}

static int parse(struct ibds_rule *rule, char *words)
{
	char *word;
	int err;

	while ((word = strsep(&words, "\n "))) {
		if (!*word)
			continue;
		err = parse_word(rule, word);
		if (err)
			return err;
	}
	/* An SMP goes by one hop after the other, and none of them can do more than lose it. */
	if (rule->action == IBDS_RULE_DELAY || rule->action == IBDS_RULE_DUP ||
	    rule->action == IBDS_RULE_ANSWER)
		return test_bit(IBDS_RULE_CLASS, &rule->given) &&
		       !is_smp(rule->is[IBDS_RULE_CLASS]) ? 0 : -EINVAL;
	return 0;
}

/**
 * ibds_rules_init - no rules
 * @rules: result, zeroed
 */
void ibds_rules_init(struct ibds_rules *rules)
{
	spin_lock_init(&rules->lock);
}

/**
 * ibds_rules_add - one more rule, looked at after the others
 * @rules: the rules
 * @text: as ibdevsim.rst has it
 *
 * Return: 0, -EINVAL if it is none, or -ENOSPC.
 * Context: Process context.
 */
int ibds_rules_add(struct ibds_rules *rules, const char *text)
{
	struct ibds_rule rule = { };
	char words[IBDS_RULE_TEXT];
	int err;

	if (strscpy(words, text, sizeof(words)) < 0)
		return -EINVAL;
	strscpy(rule.text, strim(words), sizeof(rule.text));
	err = parse(&rule, words);
	if (err)
		return err;

	spin_lock_bh(&rules->lock);
	if (rules->count < IBDS_RULES_MAX) {
		rules->rule[rules->count] = rule;
		WRITE_ONCE(rules->count, rules->count + 1);
	} else {
		err = -ENOSPC;
	}
	spin_unlock_bh(&rules->lock);
	return err;
}

/**
 * ibds_rules_clear - no rules any more
 * @rules: the rules
 *
 * Context: Process context.
 */
void ibds_rules_clear(struct ibds_rules *rules)
{
	spin_lock_bh(&rules->lock);
	WRITE_ONCE(rules->count, 0);
	spin_unlock_bh(&rules->lock);
}

/**
 * ibds_rules_show - tell of all rules, and how often each was followed
 * @rules: the rules
 * @seq: where to
 *
 * Context: Process context.
 */
void ibds_rules_show(struct ibds_rules *rules, struct seq_file *seq)
{
	unsigned int i;

	spin_lock_bh(&rules->lock);
	for (i = 0; i < rules->count; i++)
		seq_printf(seq, "matched %u applied %u: %s\n", rules->rule[i].matched,
			   rules->rule[i].applied, rules->rule[i].text);
	spin_unlock_bh(&rules->lock);
}

static bool fits(const struct ibds_rule *rule, u8 from, u16 dlid, const void *mad,
		 u32 len)
{
	const struct ib_mad_hdr *hdr = mad;
	const u32 is[IBDS_RULE_CONDITIONS] = {
		[IBDS_RULE_CLASS] = hdr->mgmt_class,
		[IBDS_RULE_METHOD] = hdr->method,
		[IBDS_RULE_ATTR] = be16_to_cpu(hdr->attr_id),
		[IBDS_RULE_FROM] = from,
		[IBDS_RULE_DLID] = dlid,
	};
	int i;

	for_each_set_bit(i, &rule->given, IBDS_RULE_CONDITIONS)
		if (is[i] != rule->is[i])
			return false;
	if (rule->match.off + rule->match.len > len ||
	    rule->set.off + rule->set.len > len)
		return false;
	return !memcmp(mad + rule->match.off, rule->match.data, rule->match.len);
}

static void set_status(struct ib_mad_hdr *hdr, u16 status)
{
	if (hdr->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		status |= be16_to_cpu(hdr->status) & DIRECTION;
	hdr->status = cpu_to_be16(status);
}

/* IBTA 13.4.5: the answer to what sets something is that to Get. */
static void set_answer(struct ib_mad_hdr *hdr)
{
	if (hdr->method == IB_MGMT_METHOD_SET)
		hdr->method = IB_MGMT_METHOD_GET;
	hdr->method |= IB_MGMT_METHOD_RESP;
}

static enum ibds_verdict follow(const struct ibds_rule *rule, void *mad)
{
	switch (rule->action) {
	case IBDS_RULE_DROP:
		return IBDS_DROP;
	case IBDS_RULE_DUP:
		return IBDS_DUP;
	case IBDS_RULE_DELAY:
		return IBDS_DELAY;
	case IBDS_RULE_SET:
		memcpy(mad + rule->set.off, rule->set.data, rule->set.len);
		return IBDS_PASS;
	case IBDS_RULE_STATUS:
		set_status(mad, rule->status);
		return IBDS_PASS;
	case IBDS_RULE_ANSWER:
		set_answer(mad);
		return IBDS_ANSWER;
	default:
		return IBDS_PASS;
	}
}

/**
 * ibds_rules_apply - what is to become of a MAD
 * @rules: the rules
 * @from: port of the switch that it comes from, IBDS_FROM_SWITCH for its own
 * @dlid: where it goes
 * @mad: the MAD, a copy; altered as the rules say
 * @len: octets of it
 *
 * The first rule that is not about what is in it is the last one.
 *
 * Return: the verdict.
 * Context: Softirq or bottom halves off.
 */
enum ibds_verdict ibds_rules_apply(struct ibds_rules *rules, u8 from, u16 dlid,
				   void *mad, u32 len)
{
	enum ibds_verdict verdict = IBDS_PASS;
	unsigned int i;

	if (likely(!ibds_rules_any(rules)) || len < sizeof(struct ib_mad_hdr))
		return IBDS_PASS;

	spin_lock_bh(&rules->lock);
	for (i = 0; i < rules->count && verdict == IBDS_PASS; i++) {
		struct ibds_rule *rule = &rules->rule[i];

		if (!fits(rule, from, dlid, mad, len) ||
		    rule->matched++ < rule->after ||
		    (rule->times && rule->applied >= rule->times))
			continue;
		rule->applied++;
		verdict = follow(rule, mad);
	}
	spin_unlock_bh(&rules->lock);
	return verdict;
}
