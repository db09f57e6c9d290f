#include "keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "instant.h"

enum { CHUNK_BYTES = 65536, READER_WAITS_MS = 2000 };

/* Somebody may wait for the end of a pipe, nobody does for that of a file or a terminal. */
static bool is_awaited(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* One read, and its write. An output that takes nothing more is let go of; one whose reader has gone ends the input as well. */
static void pass(int *in, int *out, char *buffer)
{
    ssize_t got = read(*in, buffer, CHUNK_BYTES), done = 0;
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        close_fd(in);
        close_fd(out);
        return;
    }
    for (ssize_t wrote = 0; done < got && *out >= 0; done += wrote > 0 ? wrote : 0) {
        wrote = write(*out, buffer + done, (size_t)(got - done));
        if (wrote < 0 && errno == EAGAIN)
            poll(&(struct pollfd){.fd = *out, .events = POLLOUT}, 1, 1000);
        else if (wrote < 0 && errno != EINTR) {
            if (errno == EPIPE)
                close_fd(in);
            close_fd(out);
        }
    }
}

_Noreturn static void keep(int left[2])
{
    static char buffer[CHUNK_BYTES];
    int64_t until_ns = monotonic_now_ns() + READER_WAITS_MS * 1000000LL;
    bool awaited = true;
    int out[2];
    for (int i = 0; i < 2; i++)
        out[i] = left[i] >= 0 ? fcntl(i + 1, F_DUPFD_CLOEXEC, 10) : -1;
    for (int fd = 0; fd < 1024; fd++)
        if (fd != left[0] && fd != left[1] && fd != out[0] && fd != out[1])
            close(fd);
    while (left[0] >= 0 || left[1] >= 0) {
        if (awaited && monotonic_now_ns() >= until_ns) {
            awaited = false;
            for (int i = 0; i < 2; i++)
                if (is_awaited(out[i]))
                    close_fd(&out[i]);
        }
        struct pollfd p[2] = {{.fd = left[0], .events = POLLIN}, {.fd = left[1], .events = POLLIN}};
        poll(p, 2, awaited ? 100 : -1);
        for (int i = 0; i < 2; i++)
            if (left[i] >= 0 && p[i].revents)
                pass(&left[i], &out[i], buffer);
    }
    _exit(0);
}

bool keeper_start(int left[2])
{
    if (left[0] < 0 && left[1] < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ, SIGTTOU, SIGTSTP};
        for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
            signal(ignored[i], SIG_IGN);
        setsid();
        prctl(PR_SET_NAME, "gpualert-keep");
        (void)!chdir("/");
        keep(left);
    }
    close_fd(&left[0]);
    close_fd(&left[1]);
    return pid > 0;
}
