// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the mutants that mutate.py wrote is alive, and which were come by. Modules
 * with mutants need this one, so that what a test loads anew is still the same mutant.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "mutant.h"

int ipoib_mutant;
EXPORT_SYMBOL_GPL(ipoib_mutant);
module_param_named(mutant, ipoib_mutant, int, 0644);
MODULE_PARM_DESC(mutant, "number of the one that is alive, or 0");

unsigned char ipoib_mutants_run[IPOIB_MUTANTS];
EXPORT_SYMBOL_GPL(ipoib_mutants_run);

static struct dentry *dir;

static int run_show(struct seq_file *s, void *unused)
{
	int n;

	for (n = 0; n < IPOIB_MUTANTS; n++)
		if (ipoib_mutants_run[n])
			seq_printf(s, "%d\n", n);
	return 0;
}

static int run_open(struct inode *inode, struct file *file)
{
	return single_open(file, run_show, NULL);
}

static ssize_t run_write(struct file *file, const char __user *buf, size_t size, loff_t *at)
{
	memset(ipoib_mutants_run, 0, sizeof(ipoib_mutants_run));
	return size;
}

static const struct file_operations run_fops = {
	.owner		= THIS_MODULE,
	.open		= run_open,
	.read		= seq_read,
	.write		= run_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static int __init mutant_init(void)
{
	dir = debugfs_create_dir("ipoib_mutant", NULL);
	debugfs_create_file("run", 0600, dir, NULL, &run_fops);
	return 0;
}

static void __exit mutant_exit(void)
{
	debugfs_remove(dir);
}

module_init(mutant_init);
module_exit(mutant_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("mutants of a driver");
