/* SPDX-License-Identifier: GPL-2.0 */
/* Cases are made of this: something happens at one of two ends, and is looked for. */
#ifndef _LOOP_EXPECT_H
#define _LOOP_EXPECT_H

#include "loop_ends.h"

#define LOOP_SIZE	64
#define LOOP_BIG	4096
#define LOOP_RECV(_slot)	(LOOP_RECV_ID | (_slot))
#define LOOP_GROUP_LID	0xc001

/**
 * struct loop_case - what the specification, or an HCA of some kind, does
 * @name: as users call it
 * @run: sees whether that is so
 * @how: what the two ends have to be like
 * @hurried: @run is called where nobody may sleep
 */
struct loop_case {
	const char *name;
	int (*run)(struct loop_pair *pair);
	struct loop_how how;
	bool hurried;
};

int loop_expect(struct loop_end *e, u64 wr_id, enum ib_wc_status status);
int loop_expect_nothing(struct loop_end *e);
int loop_expect_count(struct loop_end *e, atomic_t *count, int want);
int loop_expect_event(struct loop_end *e, enum ib_event_type type, int want);
int loop_expect_state(struct loop_end *e, enum ib_qp_state want);
int loop_enter(struct loop_end *e, enum ib_qp_state state);
int loop_fill(struct loop_pair *pair, u32 n);
int loop_pass(struct loop_pair *pair, u32 slot, int flags);
int loop_goes_on(struct loop_pair *pair);
int loop_notify(struct loop_end *e, int flags, int want);

/* loop_refused() expects that what makes no sense is refused. */
static inline int loop_refused(int err)
{
	return err == -EINVAL ? 0 : -EPROTO;
}

#endif /* _LOOP_EXPECT_H */
