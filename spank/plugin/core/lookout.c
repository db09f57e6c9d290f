#include "lookout.h"

#include <errno.h>

#include "state.h"

enum { POLL_AGAIN_NS = 10000000 };

/* Whether a full output is still to be left alone; *wake_ns: until when, at the latest. One whose rest is over is tried again. */
static bool rests(struct stream *s, int64_t *wake_ns)
{
    int64_t left_ns;
    if (!s->blocked || s->pace.rest_until_ns == 0)
        return false;
    left_ns = pace_left_ns(&s->pace, monotonic_now_ns());
    s->blocked = left_ns > 0;
    if (*wake_ns < 0 || left_ns < *wake_ns)
        *wake_ns = left_ns;
    return true;
}

bool lookout_prepare(struct capture *c, int64_t *wake_ns)
{
    bool open = !atomic_load(&c->finishing);
    struct pollfd *p = c->polled;

    *wake_ns = -1;
    *p++ = (struct pollfd){.fd = c->wake_fd, .events = POLLIN};
    *p++ = (struct pollfd){.fd = c->receiver, .events = POLLIN};
    pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < c->streams; i++) {
        struct stream *s = &c->stream[i];
        bool room = s->in_fd >= 0 && stream_room(s, c->bounds.backlog_max_bytes) > 0;
        bool waits = s->out_kind == OUT_POLLED && s->out_fd >= 0 && s->sent < s->got;
        s->paused = s->in_fd >= 0 && !room;
        s->late |= s->paused;
        *p++ = (struct pollfd){.fd = room ? s->in_fd : -1, .events = POLLIN};
        *p++ = (struct pollfd){.fd = waits && !rests(s, wake_ns) ? s->out_fd : -1, .events = POLLOUT};
        open |= s->in_fd >= 0 || (s->out_kind == OUT_POLLED && s->out_fd >= 0);
    }
    pthread_mutex_unlock(&c->lock);
    for (unsigned i = 0; i < c->tasks; i++)
        *p++ = (struct pollfd){.fd = c->task[i].pidfd, .events = POLLIN};
    return open;
}

/* poll(2) could not, for want of memory: look everywhere a hundred times a second. Everything but a pidfd can be asked without waiting. */
static void look_everywhere(struct capture *c)
{
    const struct timespec nap = {.tv_nsec = POLL_AGAIN_NS};
    nanosleep(&nap, NULL);
    for (unsigned i = 0; i < 2 + 2 * c->streams; i++)
        c->polled[i].revents = c->polled[i].fd >= 0 ? c->polled[i].events : 0;
    for (unsigned i = 0; i < c->tasks; i++)
        c->polled[2 + 2 * c->streams + i].revents = 0;
}

bool lookout_wait(struct capture *c, int64_t most_ns)
{
    const struct timespec most = {.tv_sec = most_ns / 1000000000, .tv_nsec = most_ns % 1000000000};

    if (ppoll(c->polled, 2 + 2 * c->streams + c->tasks, most_ns < 0 ? NULL : &most, NULL) >= 0)
        return true;
    if (errno == EINTR)
        return false;
    look_everywhere(c);
    return true;
}
