/* What the process itself says while it has tasks: its fd 2 is a pipe of ours, and goes on to where it went. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"

enum { GIVE_BACK_MS = 1000 };

void capture_own_stderr(struct capture *c, int log, uint64_t max_bytes)
{
    struct stat status;

    c->stream[c->streams - 1].head_max = max_bytes;
    (void)capture_give(c, &(struct supply){SUPPLY_OWN_LOG, 0, {log, -1, -1}});
    c->saved_stderr = fcntl(2, F_DUPFD_CLOEXEC, 3);
    if (c->saved_stderr < 0 || pipe2(c->own_stderr, O_CLOEXEC | O_NONBLOCK) < 0) { /* a message may be lost, but nothing ever waits for us */
        c->own_stderr[0] = c->own_stderr[1] = -1;
    } else if (fstat(c->own_stderr[0], &status) == 0) {
        c->own_stderr_dev = status.st_dev;
        c->own_stderr_ino = status.st_ino;
    }
}

/* The parent keeps nothing of it: whoever reads where fd 2 went must see its end as soon as the parent lets go of fd 2. */
void own_stderr_take(struct capture *c)
{
    if (c->own_stderr[1] < 0)
        return;
    if (dup3(2, c->saved_stderr, O_CLOEXEC) >= 0) {
        int why = capture_give(c, &(struct supply){SUPPLY_STDERR, 0, {c->own_stderr[0], c->saved_stderr, -1}});
        c->own_stderr[0] = c->saved_stderr = -1;
        if (why == 0 && dup2(c->own_stderr[1], 2) >= 0)
            atomic_store(&c->own_stderr_taken, true);
    }
    close(c->own_stderr[1]); /* the only write end is fd 2 now: its end is the stream's end */
    c->own_stderr[1] = -1;
}

/* Where no thread can be had for an output that may block, this one serves it. */
void own_stderr_adopt(struct capture *c)
{
    struct stream *own = &c->stream[c->streams - 1];
    struct kinds kinds;

    if (own->in_fd < 0)
        return;
    pthread_mutex_lock(&c->lock);
    if (!adopt_can_serve(c, (int[]){own->out_fd, -1}, false, &kinds))
        kinds.of[0] = OUT_POLLED;
    adopt_stream(own, own->in_fd, own->out_fd, kinds.of[0]);
    pthread_mutex_unlock(&c->lock);
}

void own_stderr_give(struct capture *c)
{
    int copy = -1;

    if (!atomic_load(&c->stderr_wanted) || atomic_load(&c->stderr_given))
        return;
    pthread_mutex_lock(&c->lock);
    if (c->stream[c->streams - 1].out_fd >= 0)
        copy = fcntl(c->stream[c->streams - 1].out_fd, F_DUPFD_CLOEXEC, 3);
    pthread_mutex_unlock(&c->lock);
    if (copy >= 0)
        (void)supply_send(c->supply[0], &(struct supply){SUPPLY_STDERR, 0, {-1, copy, -1}});
    capture_say(c, &c->stderr_given);
}

static bool is_ours(const struct capture *c, int fd)
{
    struct stat now;
    return c->own_stderr_ino && fstat(fd, &now) == 0 && now.st_dev == c->own_stderr_dev && now.st_ino == c->own_stderr_ino;
}

void own_stderr_back(struct capture *c)
{
    struct supply back;
    unsigned lost = 0;

    if (!atomic_load(&c->own_stderr_taken) || !is_ours(c, 2))
        return;
    if (!atomic_load(&c->has_own_table)) {
        pthread_mutex_lock(&c->lock);
        if (c->stream[c->streams - 1].out_fd >= 0)
            dup2(c->stream[c->streams - 1].out_fd, 2);
        pthread_mutex_unlock(&c->lock);
        return;
    }
    atomic_store(&c->stderr_wanted, true);
    drain_kick(c);
    if (!capture_said(c, &c->stderr_given, GIVE_BACK_MS) || !supply_receive(c->supply[1], &back, &lost))
        return;
    if (back.kind == SUPPLY_STDERR && back.fd[1] >= 0)
        dup2(back.fd[1], 2);
    for (unsigned i = 0; i < SUPPLY_FDS; i++)
        if (back.fd[i] >= 0)
            close(back.fd[i]);
}
