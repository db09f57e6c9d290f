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

/* *flags: what it had, where it was made non-blocking; else -1. */
static enum out_kind kind_of(int fd, bool shared, int *flags)
{
    struct stat status;
    *flags = -1;
    if (fd < 0)
        return OUT_NONE;
    if (fstat(fd, &status) < 0)
        return OUT_BLOCKING;
    if (S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3))
        return OUT_POLLED; /* /dev/null never blocks, and is often where the output goes */
    if (shared || !(S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
        return OUT_BLOCKING;
    *flags = fcntl(fd, F_GETFL);
    if (*flags >= 0 && fcntl(fd, F_SETFL, *flags | O_NONBLOCK) == 0)
        return OUT_POLLED;
    *flags = -1;
    return OUT_BLOCKING;
}

/* What outputs are, and whether there is a thread for those that may block; where there is none they are again what they were. */
struct kinds {
    enum out_kind of[2];
    int flags[2];
};

static bool can_serve(struct capture *c, const int out[2], bool shared, struct kinds *kinds)
{
    bool blocking = false;
    for (int i = 0; i < 2; i++) {
        kinds->of[i] = kind_of(out[i], shared, &kinds->flags[i]);
        blocking |= kinds->of[i] == OUT_BLOCKING;
    }
    if (!blocking || atomic_load(&c->forward_runs))
        return true;
    if (capture_thread(&c->forward, forward_run, c) == 0) {
        atomic_store(&c->forward_runs, true);
        return true;
    }
    for (int i = 0; i < 2; i++)
        if (kinds->flags[i] >= 0)
            (void)fcntl(out[i], F_SETFL, kinds->flags[i]);
    return false;
}

/* `in_fd` is non-blocking already. */
static void stream_adopt(struct stream *s, int in_fd, int out_fd, enum out_kind kind)
{
    s->in_fd = in_fd;
    s->out_fd = out_fd;
    s->out_kind = kind;
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
    struct kinds kinds;
    int was;

    if (c->own_stderr[1] < 0)
        return;
    was = fcntl(2, F_DUPFD_CLOEXEC, 3);
    if (was >= 0 && can_serve(c, (int[]){was, -1}, false, &kinds) && dup2(c->own_stderr[1], 2) >= 0) {
        stream_adopt(own, c->own_stderr[0], was, kinds.of[0]);
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
    struct kinds kinds;
    bool known;

    pthread_mutex_lock(&c->lock);
    known = h->task < c->tasks && !c->task[h->task].said.attached && !c->finishing && make_readable(h) && can_serve(c, h->out, h->shared, &kinds);
    if (known) {
        task = &c->task[h->task];
        task->said = (struct capture_task){.attached = true, .pid = h->pid, .rank = h->rank, .started = instant_now()};
        task->pidfd = pidfd_of(h->pid);
        for (int i = 0; i < 2; i++) {
            struct stream *s = &c->stream[2 * h->task + (unsigned)i];
            s->why_not = h->why_not[i];
            if (h->in[i] >= 0) {
                stream_adopt(s, h->in[i], h->out[i], kinds.of[i]);
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
