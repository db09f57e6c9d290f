/* Syncing many files side by side: all of them, more than fit, what is no file, and a kernel that takes none. */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sync_batch.h"

static unsigned setups, submitted, synced;
static bool refuses;
static long at_most = SYNC_AT_ONCE;

/* The batch's own calls, counted; this program's functions come before libc's. */
int fsync(int fd)
{
    synced++;
    return (int)syscall(SYS_fdatasync, fd);
}

static long counted(long number, long count, long *many)
{
    if (number == SYS_io_setup) {
        setups++;
        if (refuses) {
            errno = EAGAIN;
            return -1;
        }
    }
    if (number == SYS_io_submit) {
        *many = count < at_most ? count : at_most;
        submitted += (unsigned)*many;
    }
    return 0;
}

static int files[3 * SYNC_AT_ONCE];

static void sync_files(unsigned count)
{
    struct sync_batch batch = {0};
    setups = submitted = synced = 0;
    for (unsigned i = 0; i < count; i++) {
        assert(pwrite(files[i], "x", 1, 0) == 1);
        sync_later(&batch, files[i]);
        sync_later(&batch, -1);
    }
    sync_now(&batch);
    assert(batch.count == 0);
    sync_now(&batch); /* an empty one asks for nothing */
}

/* What sync_batch.c calls instead of syscall(2), see below. */
static long watched(long number, long a, long b, long c, long d, long e)
{
    long many = b;
    if (counted(number, b, &many) < 0)
        return -1;
    return syscall(number, a, number == SYS_io_submit ? many : b, c, d, e);
}

#define PICK(n, a, b, c, d, e, ...) watched(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))
#define syscall(...) PICK(__VA_ARGS__, 0, 0, 0, 0, 0)
#include "../core/sync_batch.c"
#undef syscall

int main(void)
{
    char folder[] = "/var/tmp/gpualert-sync.XXXXXX", path[64];
    assert(mkdtemp(folder));
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%u", folder, i);
        files[i] = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
        assert(files[i] >= 0 && unlink(path) == 0);
    }
    assert(rmdir(folder) == 0);

    sync_files(1); /* one alone needs no company */
    assert(setups == 0 && synced == 1);
    sync_files(SYNC_AT_ONCE);
    assert(setups == 1 && submitted == SYNC_AT_ONCE && synced == 0);
    sync_files(2 * SYNC_AT_ONCE + 5);
    assert(setups == 3 && submitted == 2 * SYNC_AT_ONCE + 5 && synced == 0);
    at_most = 7; /* the kernel takes some: the others one after the other */
    sync_files(20);
    assert(submitted == 7 && synced == 13);
    at_most = SYNC_AT_ONCE;
    refuses = true; /* no such call, or too many contexts on this machine */
    sync_files(20);
    assert(setups == 1 && submitted == 0 && synced == 20);
    refuses = false;
    int closed = files[3];
    close(closed); /* what is no file stops the kernel's taking, and costs no other its sync */
    struct sync_batch batch = {0};
    submitted = synced = 0;
    for (unsigned i = 0; i < 6; i++)
        sync_later(&batch, files[i]);
    sync_now(&batch);
    assert(synced == 3);
    puts("sync_batch: ok");
    return 0;
}
