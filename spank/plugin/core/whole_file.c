#include "whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, bytes, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? errno : ENOSPC;
        bytes += done;
        length -= (size_t)done;
    }
    return 0;
}

int whole_file_create(int folder, const char *name, const char *bytes, size_t length, bool durable)
{
    int why, fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    why = write_all(fd, bytes, length);
    if (why == 0 && durable && fsync(fd) < 0)
        why = errno;
    close(fd);
    if (why)
        unlinkat(folder, name, 0);
    return why;
}

int whole_file_put(int folder, const char *name, const char *bytes, size_t length, bool durable)
{
    char private_name[256];
    int why, n = snprintf(private_name, sizeof private_name, ".%s.%d", name, (int)getpid());

    if (n < 0 || (size_t)n >= sizeof private_name)
        return ENAMETOOLONG;
    why = whole_file_create(folder, private_name, bytes, length, durable);
    if (why == EEXIST && unlinkat(folder, private_name, 0) == 0) /* an older process of our number died here */
        why = whole_file_create(folder, private_name, bytes, length, durable);
    if (why)
        return why;
    if (renameat(folder, private_name, folder, name) < 0) {
        why = errno;
        unlinkat(folder, private_name, 0);
    }
    return why;
}

int whole_file_put_block(int folder, const char *name, const char *bytes, size_t length, bool durable)
{
    struct stat status;
    ssize_t done;
    int why = 0, fd = openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    do
        done = pwrite(fd, bytes, length, 0);
    while (done < 0 && errno == EINTR);
    if (done != (ssize_t)length)
        why = done < 0 ? errno : ENOSPC;
    if (why && fstat(fd, &status) == 0 && (status.st_size == 0 || done > 0))
        unlinkat(folder, name, 0); /* it was never whole, or is no more */
    if (why == 0 && durable && fsync(fd) < 0)
        why = errno;
    close(fd);
    return why;
}

long whole_file_read(int folder, const char *name, char *buffer, size_t size)
{
    size_t used = 0;
    struct stat status;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    while (used < size - 1) {
        ssize_t got = read(fd, buffer + used, size - 1 - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int why = errno;
            close(fd);
            errno = why;
            return -1;
        }
        if (got == 0)
            break;
        used += (size_t)got;
    }
    close(fd);
    buffer[used] = '\0';
    return (long)used;
}
