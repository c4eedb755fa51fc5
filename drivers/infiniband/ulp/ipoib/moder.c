// SPDX-License-Identifier: GPL-2.0
#include "moder.h"

#include "log.h"

/* Verbs cannot choose the mode, so this is what providers make a queue with. */
#define MODE	DIM_CQ_PERIOD_MODE_START_FROM_EQE

/**
 * ipoib_moder_possible - can a device moderate its completion queues
 * @ibdev: the device
 *
 * Return: false if it cannot: every completion interrupts, if one was asked for.
 * Context: Any.
 */
bool ipoib_moder_possible(const struct ib_device *ibdev)
{
	const struct ib_cq_caps *caps = &ibdev->attrs.cq_caps;

	/* The firmware of some HCAs cannot though their provider could. */
	return ibdev->ops.modify_cq && caps->max_cq_moderation_count &&
	       caps->max_cq_moderation_period;
}

/* choose() stores what the queue should be set to. */
static void choose(const struct ipoib_moder *moder, u16 *usecs, u16 *frames)
{
	const struct ib_cq_caps *caps = &moder->cq->device->attrs.cq_caps;
	struct dim_cq_moder dim;

	lockdep_assert_held(&moder->lock);

	*usecs = READ_ONCE(moder->coalesce->usecs);
	*frames = READ_ONCE(moder->coalesce->frames);
	if (moder->adaptive) {
		dim = moder->tx ? net_dim_get_tx_moderation(MODE, moder->profile) :
				  net_dim_get_rx_moderation(MODE, moder->profile);
		*usecs = dim.usec;
		*frames = dim.pkts;
	}
	if (*usecs && !*frames)
		*frames = U16_MAX;
	*usecs = min_t(u32, *usecs, caps->max_cq_moderation_period);
	*frames = min_t(u32, *frames, caps->max_cq_moderation_count);
}

static int apply(struct ipoib_moder *moder)
{
	u16 usecs, frames;
	int err;

	lockdep_assert_held(&moder->lock);

	WRITE_ONCE(moder->adaptive, READ_ONCE(moder->coalesce->adaptive));
	if (!moder->cq || !ipoib_moder_possible(moder->cq->device))
		return 0;
	choose(moder, &usecs, &frames);
	if (usecs == moder->usecs && frames == moder->frames)
		return 0;
	err = rdma_set_cq_moderation(moder->cq, frames, usecs);
	if (err)
		return err;
	WRITE_ONCE(moder->usecs, usecs);
	WRITE_ONCE(moder->frames, frames);
	return 0;
}

/*
 * apply_or_log() is for callers that have nobody to tell: the queue works, it only interrupts
 * more or less often.
 */
static void apply_or_log(struct ipoib_moder *moder)
{
	int err = apply(moder);

	if (err && ipoib_may_log())
		ibdev_warn(moder->cq->device, "a completion queue is not moderated: %pe\n",
			   ERR_PTR(err));
}

static void moder_work(struct work_struct *work)
{
	struct ipoib_moder *moder = container_of(work, struct ipoib_moder, dim.work);

	mutex_lock(&moder->lock);
	moder->profile = moder->dim.profile_ix;
	apply_or_log(moder);
	mutex_unlock(&moder->lock);
	/* Pairs with ipoib_moder_sample(): @dim.profile_ix was read before it may change. */
	smp_store_release(&moder->applied, true);
}

/**
 * ipoib_moder_init - prepare the moderation of a queue that does not exist yet
 * @moder: zeroed
 * @coalesce: what the user wants of it
 * @tx: the queue is of sends
 *
 * Context: Process context.
 */
void ipoib_moder_init(struct ipoib_moder *moder, const struct ipoib_coalesce *coalesce, bool tx)
{
	moder->coalesce = coalesce;
	moder->tx = tx;
	mutex_init(&moder->lock);
	INIT_WORK(&moder->dim.work, moder_work);
}

/**
 * ipoib_moder_exit - undo ipoib_moder_init()
 * @moder: without a queue; nothing polls
 *
 * Context: Process context, may sleep.
 */
void ipoib_moder_exit(struct ipoib_moder *moder)
{
	cancel_work_sync(&moder->dim.work);
	mutex_destroy(&moder->lock);
}

/**
 * ipoib_moder_set_cq - say which queue is to be moderated
 * @moder: the moderation
 * @cq: a new queue; NULL before the present one is destroyed
 *
 * After this nothing touches the queue that @moder had before.
 *
 * Context: Process context, may sleep.
 */
void ipoib_moder_set_cq(struct ipoib_moder *moder, struct ib_cq *cq)
{
	mutex_lock(&moder->lock);
	moder->cq = cq;
	/* A new queue is not moderated. */
	WRITE_ONCE(moder->usecs, 0);
	WRITE_ONCE(moder->frames, 0);
	apply_or_log(moder);
	mutex_unlock(&moder->lock);
}

/**
 * ipoib_moder_apply - follow a change of what the user wants
 * @moder: the moderation
 *
 * Return: 0, also if there is no queue; or what the provider says.
 * Context: Process context, may sleep.
 */
int ipoib_moder_apply(struct ipoib_moder *moder)
{
	int err;

	mutex_lock(&moder->lock);
	err = apply(moder);
	mutex_unlock(&moder->lock);
	return err;
}

/**
 * ipoib_moder_sample - measure the load, and choose another moderation by it now and then
 * @moder: ipoib_moder_adapts()
 * @packets: how many the poll has handled
 * @bytes: octets of them
 * @ended: the poll found the queue empty, and will have it interrupt again
 *
 * Context: The NAPI instance that polls the queue, before it completes.
 */
void ipoib_moder_sample(struct ipoib_moder *moder, unsigned int packets, u64 bytes, bool ended)
{
	struct dim_sample sample = {};

	moder->packets += packets;
	moder->bytes += bytes;
	if (!ended)
		return;
	moder->events++;

	/* Pairs with moder_work(), which sets it for each time that net_dim() has queued it. */
	if (moder->dim.state == DIM_APPLY_NEW_PROFILE && smp_load_acquire(&moder->applied)) {
		WRITE_ONCE(moder->applied, false);
		moder->dim.state = DIM_START_MEASURE;
	}
	dim_update_sample(moder->events, moder->packets, moder->bytes, &sample);
	net_dim(&moder->dim, &sample);
}
