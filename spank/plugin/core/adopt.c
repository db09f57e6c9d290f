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
bool adopt_can_serve(struct capture *c, const int out[2], bool shared, struct kinds *kinds)
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
void adopt_stream(struct stream *s, int in_fd, int out_fd, enum out_kind kind)
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

bool drain_adopt(struct capture *c, struct handshake *h)
{
    struct task *task;
    struct kinds kinds;
    bool known;

    pthread_mutex_lock(&c->lock);
    known = h->task < c->tasks && !c->task[h->task].said.attached && !c->finishing && make_readable(h) && adopt_can_serve(c, h->out, h->shared, &kinds);
    if (known) {
        task = &c->task[h->task];
        task->said = (struct capture_task){.attached = true, .pid = h->pid, .rank = h->rank, .started = instant_now()};
        task->pidfd = pidfd_of(h->pid);
        for (int i = 0; i < 2; i++) {
            struct stream *s = &c->stream[2 * h->task + (unsigned)i];
            s->why_not = h->why_not[i];
            if (h->in[i] >= 0) {
                adopt_stream(s, h->in[i], h->out[i], kinds.of[i]);
                h->in[i] = h->out[i] = -1;
            }
        }
        c->stream[2 * h->task + 1].merged = h->merged;
    }
    pthread_mutex_unlock(&c->lock);
    handshake_close(h);
    return known;
}
