/* SPDX-License-Identifier: GPL-2.0 */
/* What the subnet administrator reports, as far as IPoIB cares. */
#ifndef _IPOIB_SA_TRAP_H
#define _IPOIB_SA_TRAP_H

/**
 * enum ipoib_sa_trap - a generic trap of the subnet manager, IBTA 14.2.5.1
 * @IPOIB_SA_GID_IN: a port can be reached, the GID is its own
 * @IPOIB_SA_GID_OUT: a port cannot be reached any more, the GID was its own
 * @IPOIB_SA_GROUP_CREATED: the GID is that of a group which now exists
 * @IPOIB_SA_GROUP_DELETED: the GID is that of a group which exists no longer
 */
enum ipoib_sa_trap {
	IPOIB_SA_GID_IN		= 64,
	IPOIB_SA_GID_OUT	= 65,
	IPOIB_SA_GROUP_CREATED	= 66,
	IPOIB_SA_GROUP_DELETED	= 67,
};

#define IPOIB_SA_TRAP_FIRST	IPOIB_SA_GID_IN
#define IPOIB_SA_TRAP_LAST	IPOIB_SA_GROUP_DELETED
#define IPOIB_SA_TRAPS		(IPOIB_SA_TRAP_LAST - IPOIB_SA_TRAP_FIRST + 1)

#endif /* _IPOIB_SA_TRAP_H */
