/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _COMPAT_LINUX_DEBUGFS_H
#define _COMPAT_LINUX_DEBUGFS_H

#include_next <linux/debugfs.h>

/* Until 6.14 who renames had to know the directory, and to make the name. */
#ifndef HAVE_DEBUGFS_CHANGE_NAME
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/slab.h>

static inline __printf(2, 3) int
debugfs_change_name(struct dentry *dentry, const char *fmt, ...)
{
	struct dentry *parent, *renamed;
	va_list args;
	char *name;

	if (IS_ERR_OR_NULL(dentry))
		return 0;
	va_start(args, fmt);
	name = kvasprintf(GFP_KERNEL, fmt, args);
	va_end(args);
	if (!name)
		return -ENOMEM;
	parent = dget_parent(dentry);
	renamed = debugfs_rename(parent, dentry, parent, name);
	dput(parent);
	kfree(name);
	return PTR_ERR_OR_ZERO(renamed);
}
#endif

#endif /* _COMPAT_LINUX_DEBUGFS_H */
