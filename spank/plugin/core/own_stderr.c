/* What the process itself says while it has tasks: its fd 2 is a pipe of ours, and goes on to where it went. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state.h"

enum { GIVE_BACK_MS = 1000 };

void capture_own_stderr(struct capture *c, int log, uint64_t max_bytes)
{
    c->own_stderr = true;
    c->stream[c->streams - 1].head_max = max_bytes;
    (void)capture_give(c, &(struct supply){SUPPLY_OWN_LOG, 0, {log, -1, -1}});
}

/*
 * The parent's table keeps nothing of where fd 2 went: who reads there must see its end as soon as the parent lets go of fd 2. So the pipe and the
 * old fd 2 go through the socket into the table that the thread has later. Made only now, for while tasks are forked the parent's may
 * have no room to spare.
 */
void own_stderr_take(struct capture *c)
{
    struct stat status;
    int ends[2];

    if (!c->own_stderr || pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) /* a message may be lost, but nothing ever waits for us */
        return;
    if (fstat(ends[0], &status) == 0 && handshake_send_own(c->sender, ends[0], 2) && dup2(ends[1], 2) >= 0) {
        c->own_stderr_dev = status.st_dev;
        c->own_stderr_ino = status.st_ino;
        atomic_store(&c->own_stderr_taken, true);
    }
    close(ends[0]);
    close(ends[1]); /* the only write end is fd 2 now: its end is the stream's end */
}

/* Where no thread can be had for an output that may block, this one serves it. */
void own_stderr_adopt(struct capture *c, struct handshake *h)
{
    struct kinds kinds;

    pthread_mutex_lock(&c->lock);
    if (!adopt_can_serve(c, h->out, false, &kinds))
        kinds.of[0] = OUT_POLLED;
    adopt_stream(&c->stream[c->streams - 1], h->in[0], h->out[0], kinds.of[0]);
    pthread_mutex_unlock(&c->lock);
}

static bool is_ours(const struct capture *c, int fd)
{
    struct stat now;
    return fstat(fd, &now) == 0 && now.st_dev == c->own_stderr_dev && now.st_ino == c->own_stderr_ino;
}

/*
 * A disk that hangs keeps the thread from the packet, and the packet keeps open what fd 2 was: whoever reads there would wait for the disk as well.
 * The tasks have gone on without us by then.
 */
void own_stderr_rescue(struct capture *c)
{
    struct handshake h;
    for (unsigned i = 0; i <= c->tasks && !atomic_load(&c->flushed); i++) { /* each task may have left one there, that tells nothing any more */
        if (!handshake_receive(c->receiver, &h))
            continue;
        if (h.own && is_ours(c, 2))
            dup2(h.out[0], 2);
        handshake_drop(&h);
    }
}

void own_stderr_give(struct capture *c)
{
    if (!atomic_load(&c->stderr_wanted) || atomic_load(&c->stderr_given))
        return;
    pthread_mutex_lock(&c->lock);
    (void)handshake_send_own(c->receiver, -1, c->stream[c->streams - 1].out_fd);
    pthread_mutex_unlock(&c->lock);
    capture_say(c, &c->stderr_given);
}

void own_stderr_back(struct capture *c)
{
    struct handshake back;

    if (!atomic_load(&c->own_stderr_taken) || !is_ours(c, 2))
        return;
    atomic_store(&c->stderr_wanted, true);
    drain_kick(c);
    if (!capture_said(c, &c->stderr_given, GIVE_BACK_MS) || !handshake_receive(c->sender, &back))
        return;
    dup2(back.out[0], 2);
    close(back.out[0]);
}
