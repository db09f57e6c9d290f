/*
 * fsync of many files side by side: a disk does a hundred in little more time than one, and one commit of a journal serves them all.
 * They are handed to the kernel together (io_submit(2), IOCB_CMD_FSYNC); what it does not take is synced one after the other. As with a
 * bare fsync whose result nobody reads, what could not be synced is not told: a log goes on all the same.
 */
#ifndef GPUALERT_SYNC_BATCH_H
#define GPUALERT_SYNC_BATCH_H

enum { SYNC_AT_ONCE = 64 };

struct sync_batch {
    unsigned count; /* begin with 0 */
    int fds[SYNC_AT_ONCE];
};

/* Puts `fd` into the batch, which is worked off first where it is full; a negative one is passed over. */
void sync_later(struct sync_batch *batch, int fd);

/* Syncs what the batch holds, and empties it. Returns when the disk has all of it, as fsync does. */
void sync_now(struct sync_batch *batch);

#endif
