#include "usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* *length: of what it says now. */
static struct usage read_from(int fd, ssize_t *length)
{
    char text[64];
    unsigned long long logs, bytes;
    ssize_t got = *length = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (got > 0) {
        text[got] = '\0';
        if (sscanf(text, "%llu %llu", &logs, &bytes) == 2)
            return (struct usage){logs, bytes};
    }
    return (struct usage){0, 0};
}

struct usage usage_read(int record_folder, const char *whose)
{
    int fd = openat(record_folder, whose, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t length;
    struct usage found = read_from(fd, &length);
    if (fd >= 0)
        close(fd);
    return found;
}

/* In place, by one short write: a second file and its removal would cost each step more than the numbers are worth. */
void usage_add(int record_folder, const char *whose, struct usage more)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    struct usage sum;
    char text[64];
    ssize_t length;
    int n, fd = openat(record_folder, whose, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

    if (fd < 0)
        return; /* without it the bound is per step: not worth a word */
    for (int i = 0; i < 100 && flock(fd, LOCK_EX | LOCK_NB) < 0; i++)
        nanosleep(&nap, NULL);
    sum = read_from(fd, &length);
    n = snprintf(text, sizeof text, "%llu %llu\n", (unsigned long long)(sum.logs + more.logs), (unsigned long long)(sum.bytes + more.bytes));
    if (pwrite(fd, text, (size_t)n, 0) == n && length > n)
        (void)!ftruncate(fd, n);
    close(fd);
}
