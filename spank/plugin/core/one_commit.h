/* File systems whose journal commits in order: one fsync behind everything makes all of it durable. */
#ifndef GPUALERT_ONE_COMMIT_H
#define GPUALERT_ONE_COMMIT_H

#include <stdbool.h>

/*
 * Whether what `fd` lies on is XFS, or ext4 with a journal; false where that cannot be told. Opens paths in /sys: before threads start.
 * Sources: fs/jbd2/commit.c (transactions commit one after the other), fs/xfs/xfs_log_cil.c (so do checkpoints), and
 * Documentation/ABI/testing/sysfs-fs-ext4 (journal_task).
 */
bool one_commit_serves(int fd);

/*
 * Makes files and folders on the file system of `last` durable: fds[0..count), of which -1 is nothing, and `last`, a folder of the caller's
 * user. Content is put on the device first, then the metadata by one commit, which flushes the device as well. What it cannot do so (it
 * lies elsewhere, or writing it fails) is fsynced. Only where one_commit_serves(last).
 */
void one_commit(const int *fds, unsigned count, int last);

#endif
