#include "own_table.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(SYS_close_range) && !defined(__SANITIZE_THREAD__) /* ThreadSanitizer knows one table a process */
enum { UNSHARE = 2 /* CLOSE_RANGE_UNSHARE */ };

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

bool own_table(int *keep, unsigned count, unsigned room)
{
    int from = 3, spare;

    qsort(keep, count, sizeof *keep, by_number);
    /* From the top: what lies behind the highest one to keep is not even copied. */
    if (count == 0 || syscall(SYS_close_range, (unsigned)keep[count - 1] + 1, ~0U, UNSHARE) < 0)
        return false;
    for (unsigned i = 0; i < count; i++) {
        if (keep[i] > from && syscall(SYS_close_range, (unsigned)from, (unsigned)keep[i] - 1, 0) < 0)
            while (from < keep[i])
                close(from++);
        if (keep[i] >= from)
            from = keep[i] + 1;
    }
    (void)dup2(0, 1); /* what anybody might print from here goes nowhere; and fd 2 is the process's to end */
    (void)dup2(0, 2);
    /* Now, while it has no other thread: later it would wait to grow. */
    spare = fcntl(keep[0], F_DUPFD_CLOEXEC, (int)room);
    if (spare >= 0)
        close(spare);
    return true;
}
#else
bool own_table(int *keep, unsigned count, unsigned room)
{
    (void)keep, (void)count, (void)room;
    return false;
}
#endif
