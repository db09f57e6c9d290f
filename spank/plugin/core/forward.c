#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "state.h"

void forward_kick(struct capture *c)
{
    if (c->forward_waits)
        pthread_cond_signal(&c->work);
}

/* The next output with something to take, or to be closed. With the lock. */
static struct stream *next_output(struct capture *c, unsigned *turn)
{
    for (unsigned i = 0; i < c->streams; i++) {
        struct stream *s = &c->stream[(*turn + i) % c->streams];
        if (s->out_kind != OUT_BLOCKING || s->out_fd < 0)
            continue;
        if (s->retry_ns) {
            stream_skip_failing(s, monotonic_now_ns());
            if (s->paused)
                drain_kick(c);
        }
        if (s->sent < s->got || s->in_fd < 0 || atomic_load(&c->give_up)) {
            *turn = (*turn + i + 1) % c->streams;
            return s;
        }
    }
    return NULL;
}

/*
 * Finds the next bytes for `s`: in the ring, where nothing overwrites them when the log is no queue any more (stream_room), or as a copy
 * out of ring or log; the lock is let go of while the log is read.
 */
static uint64_t fetch(struct capture *c, struct stream *s, const unsigned char **at)
{
    uint64_t n = s->got - s->sent, from = s->sent, log_to;

    if (n > STREAM_CHUNK_BYTES)
        n = STREAM_CHUNK_BYTES;
    *at = c->forward_buffer;
    if (s->log_done && from >= s->logged) {
        uint64_t straight;
        *at = stream_ring_at(s, from, &straight);
        return straight < n ? straight : n;
    }
    if (from >= s->floor) {
        uint64_t first;
        const unsigned char *bytes = stream_ring_at(s, from, &first);
        if (first > n)
            first = n;
        memcpy(c->forward_buffer, bytes, first);
        if (first < n)
            memcpy(c->forward_buffer + first, s->ring, n - first);
        return n;
    }
    log_to = s->logged;
    if (n > log_to - from)
        n = log_to - from;
    pthread_mutex_unlock(&c->lock);
    n = stream_read_back(s, from, n, c->forward_buffer);
    pthread_mutex_lock(&c->lock);
    if (n == 0) { /* cut under us: go on with what the ring still has */
        uint64_t to = s->floor < s->logged ? s->floor : s->logged;
        s->log_lost += to - from;
        s->sent = to;
    }
    return n;
}

static void serve(struct capture *c, struct stream *s)
{
    const unsigned char *bytes;
    uint64_t n = s->sent < s->got ? fetch(c, s, &bytes) : 0;
    ssize_t done;
    int fd = s->out_fd, why;

    if (n == 0) {
        if (s->sent == s->got && s->in_fd < 0)
            output_close(s);
        return;
    }
    pthread_mutex_unlock(&c->lock);
    done = write(fd, bytes, n); /* may block for as long as the job's own file system does */
    why = errno;
    if (done < 0 && why == EAGAIN) { /* somebody made a shared output non-blocking */
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        (void)poll(&p, 1, 1000);
    }
    pthread_mutex_lock(&c->lock);
    if (stream_sent(s, done, n, why, monotonic_now_ns()))
        output_close(s);
    if (done > 0)
        atomic_fetch_add(&c->moved, 1);
    if (s->paused || s->out_fd < 0)
        drain_kick(c);
}

void *forward_run(void *argument)
{
    struct capture *c = argument;
    unsigned turn = 0;

    prctl(PR_SET_NAME, "gpualert-fwd"); /* what top -H and the kernel call it */
    pthread_mutex_lock(&c->lock);
    for (;;) {
        struct stream *s = next_output(c, &turn);
        if (s && atomic_load(&c->give_up))
            output_close(s);
        else if (s)
            serve(c, s);
        else if (atomic_load(&c->drained))
            break;
        else {
            c->forward_waits = true;
            pthread_cond_wait(&c->work, &c->lock);
            c->forward_waits = false;
        }
    }
    pthread_mutex_unlock(&c->lock);
    capture_say(c, &c->forwarded);
    return NULL;
}
