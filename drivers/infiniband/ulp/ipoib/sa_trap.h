/* SPDX-License-Identifier: GPL-2.0 */
/* Traps that the subnet administrator reports and that IPoIB uses. */
#ifndef _IPOIB_SA_TRAP_H
#define _IPOIB_SA_TRAP_H

/**
 * enum ipoib_sa_trap - a generic trap of the subnet manager, IBTA 14.2.5.1
 * @IPOIB_SA_GID_IN: the port with the reported GID can be reached now
 * @IPOIB_SA_GID_OUT: the port with the reported GID cannot be reached any more
 * @IPOIB_SA_GROUP_CREATED: the group with the reported MGID exists now
 * @IPOIB_SA_GROUP_DELETED: the group with the reported MGID does not exist any more
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
