/*
 * Lets the n-th call of one libc function that the plugin makes fail, in any of its threads and in the child before exec. Linked into
 * spank-stub-failing: an executable's own functions come before libc's in a plugin that it loads, and before a sanitizer's.
 *
 * FAIL=NAME:N:ERRNO  the N-th call alone        FAIL=NAME:N+:ERRNO  that one and all later ones
 * CALLS=PATH         "NAME COUNT" lines at the end; every function below is in it
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <unistd.h>

#include "failing_calls.h"

enum { MOST_NAMES = 96 };

static const char *names[MOST_NAMES];
static unsigned name_count;
static atomic_uint *calls;  /* by name; shared with forked children */
static uintptr_t from, to;  /* the plugin's text */
static const char *failing; /* NAME */
static size_t failing_length;
static unsigned failing_nth, failing_errno;
static bool failing_on;
static pid_t parent;

static int find_range(struct dl_phdr_info *info, size_t size, void *within)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (uintptr_t)within >= start && (uintptr_t)within < end) {
            from = start;
            to = end;
            return 1;
        }
    }
    return 0;
}

void failing_calls_watch(const void *entry_point)
{
    const char *said = getenv("FAIL"), *colon = said ? strchr(said, ':') : NULL;
    parent = getpid();
    calls = mmap(NULL, sizeof *calls * MOST_NAMES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (calls == MAP_FAILED)
        _exit(97);
    if (colon) {
        char *rest;
        failing = said;
        failing_length = (size_t)(colon - said);
        failing_nth = (unsigned)strtoul(colon + 1, &rest, 10);
        failing_on = *rest == '+';
        failing_errno = (unsigned)strtoul(rest + failing_on + 1, NULL, 10);
    }
    dl_iterate_phdr(find_range, (void *)(uintptr_t)entry_point);
}

void failing_calls_end(void)
{
    const char *path = getenv("CALLS");
    FILE *out = path && getpid() == parent ? fopen(path, "w") : NULL;
    from = to = 0;
    for (unsigned i = 0; out && i < name_count; i++)
        fprintf(out, "%s %u\n", names[i], atomic_load(&calls[i]));
    if (out)
        fclose(out);
}

/* The errno with which this call is to fail, 0: it is not. */
static int fails(unsigned index, const void *caller)
{
    unsigned nth;
    if ((uintptr_t)caller < from || (uintptr_t)caller >= to)
        return 0;
    nth = atomic_fetch_add(&calls[index], 1) + 1;
    if (!failing || strlen(names[index]) != failing_length || strncmp(names[index], failing, failing_length) != 0)
        return 0;
    return nth == failing_nth || (failing_on && nth > failing_nth) ? (int)failing_errno : 0;
}

/* One function: `failed` is what it returns when it is told to fail with `why`. */
#define CALL(type, name, params, args, failed)                                     \
    type name params;                                                              \
    static type(*real_##name) params;                                              \
    static unsigned index_##name;                                                  \
    __attribute__((constructor)) static void find_##name(void)                     \
    {                                                                              \
        index_##name = name_count;                                                 \
        names[name_count++] = #name;                                               \
        real_##name = (type(*) params)(uintptr_t)dlsym(RTLD_NEXT, #name);          \
    }                                                                              \
    type name params                                                               \
    {                                                                              \
        int why = fails(index_##name, __builtin_return_address(0));                \
        if (why) {                                                                 \
            errno = why;                                                           \
            return failed;                                                         \
        }                                                                          \
        if (!real_##name)                                                          \
            real_##name = (type(*) params)(uintptr_t)dlsym(RTLD_NEXT, #name);      \
        return real_##name args;                                                   \
    }

/* An eventfd: it takes every wake until its counter overflows, which a kernel cannot refuse. */
static bool wakes(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

CALL(int, access, (const char *path, int mode), (path, mode), -1)
CALL(int, adjtimex, (struct timex * t), (t), -1)
CALL(int, dup2, (int old, int new), (old, new), -1)
CALL(int, dup3, (int old, int new, int flags), (old, new, flags), -1)
CALL(int, eventfd, (unsigned count, int flags), (count, flags), -1)
CALL(int, faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags), -1)
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
CALL(int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid), -1)
CALL(int, fchownat, (int folder, const char *path, uid_t uid, gid_t gid, int flags), (folder, path, uid, gid, flags), -1)
CALL(int, flock, (int fd, int how), (fd, how), -1)
CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
CALL(int, fstat, (int fd, struct stat *status), (fd, status), -1)
CALL(int, fstatfs, (int fd, struct statfs *status), (fd, status), -1)
CALL(int, fstatvfs, (int fd, struct statvfs *status), (fd, status), -1)
CALL(int, fsync, (int fd), (fd), -1)
CALL(int, futimens, (int fd, const struct timespec times[2]), (fd, times), -1)
CALL(int, ftruncate, (int fd, off_t length), (fd, length), -1)
CALL(ssize_t, __getdelim, (char **line, size_t *room, int end, FILE *file), (line, room, end, file), -1)
CALL(int, gethostname, (char *name, size_t length), (name, length), -1)
CALL(ssize_t, getrandom, (void *bytes, size_t length, unsigned flags), (bytes, length, flags), -1)
CALL(int, getrlimit, (__rlimit_resource_t what, struct rlimit *limit), (what, limit), -1)
CALL(int, linkat, (int from_folder, const char *old, int to_folder, const char *new, int flags), (from_folder, old, to_folder, new, flags), -1)
CALL(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode), -1)
CALL(void *, mmap, (void *at, size_t length, int protection, int flags, int fd, off_t offset), (at, length, protection, flags, fd, offset), MAP_FAILED)
CALL(int, pipe2, (int ends[2], int flags), (ends, flags), -1)
CALL(int, ppoll, (struct pollfd * fds, nfds_t count, const struct timespec *most, const sigset_t *mask), (fds, count, most, mask), -1)
CALL(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout), -1)
CALL(ssize_t, pread, (int fd, void *bytes, size_t length, off_t at), (fd, bytes, length, at), -1)
CALL(int, pthread_attr_init, (pthread_attr_t * a), (a), why)
CALL(int, pthread_attr_setstacksize, (pthread_attr_t * a, size_t size), (a, size), why)
CALL(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*run)(void *), void *with), (t, a, run, with), why)
CALL(ssize_t, pwrite, (int fd, const void *bytes, size_t length, off_t at), (fd, bytes, length, at), -1)
CALL(ssize_t, read, (int fd, void *bytes, size_t length), (fd, bytes, length), -1)
CALL(ssize_t, readlink, (const char *path, char *text, size_t size), (path, text, size), -1)
CALL(ssize_t, readv, (int fd, const struct iovec *parts, int count), (fd, parts, count), -1)
CALL(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags), -1)
CALL(int, renameat, (int from_folder, const char *old, int to_folder, const char *new), (from_folder, old, to_folder, new), -1)
CALL(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags), -1)
CALL(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *limit), (what, limit), -1)
CALL(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t length), (fd, level, name, value, length), -1)
CALL(int, socketpair, (int family, int type, int protocol, int ends[2]), (family, type, protocol, ends), -1)
CALL(int, statx, (int folder, const char *path, int flags, unsigned mask, struct statx *status), (folder, path, flags, mask, status), -1)
CALL(int, sync_file_range, (int fd, off64_t at, off64_t length, unsigned flags), (fd, at, length, flags), -1)
CALL(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), -1)
#define WRITE_FAILED (wakes(fd) ? real_write(fd, bytes, length) : -1)
CALL(ssize_t, write, (int fd, const void *bytes, size_t length), (fd, bytes, length), WRITE_FAILED)
/* Variadic ones: what the caller did not pass is read from registers all the same, and passed on for nobody. */
#define MORE(type, name, params, last, count, args)                                \
    static type(*real_##name) params;                                              \
    static unsigned index_##name;                                                  \
    __attribute__((constructor)) static void find_##name(void)                     \
    {                                                                              \
        index_##name = name_count;                                                 \
        names[name_count++] = #name;                                               \
        real_##name = (type(*) params)(uintptr_t)dlsym(RTLD_NEXT, #name);          \
    }                                                                              \
    type name params                                                               \
    {                                                                              \
        int why = fails(index_##name, __builtin_return_address(0));                \
        long more[count];                                                          \
        va_list list;                                                              \
        va_start(list, last);                                                      \
        for (unsigned i = 0; i < count; i++)                                       \
            more[i] = va_arg(list, long);                                          \
        va_end(list);                                                              \
        if (why) {                                                                 \
            errno = why;                                                           \
            return -1;                                                             \
        }                                                                          \
        if (!real_##name)                                                          \
            real_##name = (type(*) params)(uintptr_t)dlsym(RTLD_NEXT, #name);      \
        return real_##name args;                                                   \
    }

MORE(int, fcntl, (int fd, int what, ...), what, 1, (fd, what, more[0]))
MORE(int, open, (const char *path, int flags, ...), flags, 1, (path, flags, (mode_t)more[0]))
MORE(int, openat, (int folder, const char *path, int flags, ...), flags, 1, (folder, path, flags, (mode_t)more[0]))
MORE(int, prctl, (int what, ...), what, 4, (what, more[0], more[1], more[2], more[3]))
MORE(long, syscall, (long number, ...), number, 5, (number, more[0], more[1], more[2], more[3], more[4]))

/* The descriptor is gone even where close(2) fails. */
static int close_and_fail(int fd)
{
    (void)fd;
    return -1;
}
#define CLOSE_FAILED (real_close(fd), errno = why, close_and_fail(fd))
CALL(int, close, (int fd), (fd), CLOSE_FAILED)

#ifndef __SANITIZE_ADDRESS__
/* dlsym allocates itself: glibc's own names, no look-up. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

#define ALLOCATOR(name, params, args)                                            \
    static unsigned index_##name = MOST_NAMES;                                   \
    __attribute__((constructor)) static void find_##name(void)                   \
    {                                                                            \
        index_##name = name_count;                                               \
        names[name_count++] = #name;                                             \
    }                                                                            \
    void *name params                                                            \
    {                                                                            \
        if (from && fails(index_##name, __builtin_return_address(0))) {          \
            errno = ENOMEM;                                                      \
            return NULL;                                                         \
        }                                                                        \
        return __libc_##name args;                                               \
    }
ALLOCATOR(malloc, (size_t size), (size))
ALLOCATOR(calloc, (size_t count, size_t size), (count, size))
#endif
