// SPDX-License-Identifier: GPL-2.0
#include "psn.h"

/* IBTA table 45, in units of 10 microseconds. */
static const u16 rnr_table[32] = {
	0xffff, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
	16384, 24576, 32768, 49152,
};

/**
 * ibds_rnr_nsec - how long an RNR NAK asks to wait
 * @code: timer field of the NAK, five bits
 *
 * Return: nanoseconds.
 */
u64 ibds_rnr_nsec(u8 code)
{
	return rnr_table[code & 31] * 10000ULL;
}

/**
 * ibds_ack_nsec - how long to wait for an acknowledgment
 * @code: Local ACK Timeout of the queue pair, five bits
 *
 * Return: nanoseconds, 0 for ever.
 */
u64 ibds_ack_nsec(u8 code)
{
	return code & 31 ? 4096ULL << (code & 31) : 0;
}
