#include "usage.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "whole_file.h"

struct usage usage_read(int record_folder)
{
    char text[64];
    unsigned long long logs, bytes;
    if (whole_file_read(record_folder, "usage", text, sizeof text) < 0 || sscanf(text, "%llu %llu", &logs, &bytes) != 2)
        return (struct usage){0, 0};
    return (struct usage){logs, bytes};
}

/* One short write; a torn one, if there is such a thing, reads as other numbers for a bound, no more. */
static void put_in_place(int record_folder, const char *text, size_t length)
{
    int fd = openat(record_folder, "usage", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (pwrite(fd, text, length, 0) == (ssize_t)length)
        (void)!ftruncate(fd, (off_t)length);
    close(fd);
}

void usage_add(int record_folder, struct usage more)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    struct usage sum;
    char text[64];
    int n;

    for (int i = 0; i < 100 && flock(record_folder, LOCK_EX | LOCK_NB) < 0; i++)
        nanosleep(&nap, NULL);
    sum = usage_read(record_folder);
    n = snprintf(text, sizeof text, "%llu %llu\n", (unsigned long long)(sum.logs + more.logs), (unsigned long long)(sum.bytes + more.bytes));
    put_in_place(record_folder, text, (size_t)n); /* without it the bound is per step: not worth a word */
    flock(record_folder, LOCK_UN);
}
