#include "sync_batch.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How many of them, from the first on, the kernel took and has ended with; libc has no names for these calls, and libaio is not needed for four. */
static unsigned side_by_side(const int *fds, unsigned count)
{
    struct iocb asked[SYNC_AT_ONCE], *places[SYNC_AT_ONCE];
    struct io_event ended[SYNC_AT_ONCE];
    aio_context_t context = 0;
    long taken, left, some = 1;

    if (syscall(SYS_io_setup, (long)count, &context) < 0)
        return 0; /* no such call, or fs.aio-max-nr is used up */
    memset(asked, 0, sizeof asked);
    for (unsigned i = 0; i < count; i++) {
        asked[i].aio_lio_opcode = IOCB_CMD_FSYNC;
        asked[i].aio_fildes = (unsigned)fds[i];
        places[i] = &asked[i];
    }
    taken = syscall(SYS_io_submit, context, (long)count, places);
    for (left = taken; left > 0 && (some > 0 || (some < 0 && errno == EINTR));) {
        some = syscall(SYS_io_getevents, context, 1L, left, ended, NULL);
        if (some > 0)
            left -= some;
    }
    (void)syscall(SYS_io_destroy, context); /* waits for what is still under way */
    return taken > 0 ? (unsigned)taken : 0;
}

void sync_later(struct sync_batch *batch, int fd)
{
    if (fd < 0)
        return;
    if (batch->count == SYNC_AT_ONCE)
        sync_now(batch);
    batch->fds[batch->count++] = fd;
}

void sync_now(struct sync_batch *batch)
{
    unsigned done = batch->count > 1 ? side_by_side(batch->fds, batch->count) : 0;

    for (; done < batch->count; done++)
        (void)fsync(batch->fds[done]);
    batch->count = 0;
}
