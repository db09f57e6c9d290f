#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "state.h"

static int pidfd_of(pid_t pid)
{
#ifdef SYS_pidfd_open
    if (pid > 0)
        return (int)syscall(SYS_pidfd_open, pid, 0); /* Linux 5.3; older ones say ENOSYS and the parent's wait has to do */
#endif
    (void)pid;
    return -1;
}

static enum out_kind kind_of(int fd, bool shared)
{
    struct stat status;
    if (fd < 0)
        return OUT_NONE;
    if (fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3))
        return OUT_POLLED; /* /dev/null never blocks, and is often where the output goes */
    if (shared || fstat(fd, &status) < 0 || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
        return OUT_BLOCKING;
    return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0 ? OUT_BLOCKING : OUT_POLLED;
}

/* `in_fd` is non-blocking already. */
static void stream_adopt(struct stream *s, int in_fd, int out_fd, bool shared)
{
    s->in_fd = in_fd;
    s->out_fd = out_fd;
    s->out_kind = kind_of(out_fd, shared);
    if (s->out_kind == OUT_POLLED)
        pace_start(&s->pace, out_fd);
    s->why_not = CAPTURED;
}

/* Before anything is adopted: once the task has its word there is no way back. */
static bool make_readable(const struct handshake *h)
{
    for (int i = 0; i < 2; i++)
        if (h->in[i] >= 0 && fcntl(h->in[i], F_SETFL, fcntl(h->in[i], F_GETFL) | O_NONBLOCK) < 0)
            return false;
    return true;
}

/* On the first task: from now on what slurmstepd itself says goes through us as well. */
static void own_stderr_adopt(struct capture *c)
{
    struct stream *own = &c->stream[c->streams - 1];
    int was;

    if (c->own_stderr[1] < 0)
        return;
    was = fcntl(2, F_DUPFD_CLOEXEC, 3);
    if (was >= 0 && dup2(c->own_stderr[1], 2) >= 0) {
        stream_adopt(own, c->own_stderr[0], was, false);
        c->saved_stderr = was;
    } else {
        if (was >= 0)
            close(was);
        close(c->own_stderr[0]);
    }
    close(c->own_stderr[1]); /* the only write end is fd 2 now: its end is the stream's end */
    c->own_stderr[0] = c->own_stderr[1] = -1;
}

static void close_ends(struct handshake *h)
{
    for (int i = 0; i < 2; i++) {
        if (h->in[i] >= 0)
            close(h->in[i]);
        if (h->out[i] >= 0)
            close(h->out[i]);
    }
}

bool drain_adopt(struct capture *c, struct handshake *h)
{
    struct task *task;
    bool known;

    pthread_mutex_lock(&c->lock);
    known = h->task < c->tasks && !c->task[h->task].said.attached && !c->finishing && make_readable(h);
    if (known) {
        task = &c->task[h->task];
        task->said = (struct capture_task){.attached = true, .pid = h->pid, .rank = h->rank, .started = instant_now()};
        task->pidfd = pidfd_of(h->pid);
        for (int i = 0; i < 2; i++) {
            struct stream *s = &c->stream[2 * h->task + (unsigned)i];
            s->why_not = h->why_not[i];
            if (h->in[i] >= 0) {
                stream_adopt(s, h->in[i], h->out[i], h->shared);
                h->in[i] = h->out[i] = -1;
            }
        }
        c->stream[2 * h->task + 1].merged = h->merged;
        own_stderr_adopt(c);
    }
    pthread_mutex_unlock(&c->lock);
    close_ends(h);
    return known;
}
