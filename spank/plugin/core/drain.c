#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lookout.h"
#include "state.h"

enum { SAVE_TAIL_MS = 5000, TURN_BYTES = 1 << 20, READS_A_TURN = 8, LOUD_BYTES = 4 << 20, LOUD_PIPE_BYTES = 256 << 10,
       READ_TRIES = 100 };

void drain_kick(struct capture *c)
{
    uint64_t one = 1;
    if (write(c->wake_fd, &one, sizeof one) < 0)
        return; /* the counter is full: it is awake already */
}

void output_close(struct stream *s)
{
    if (s->out_fd >= 0)
        close(s->out_fd);
    s->out_fd = -1;
    s->undelivered += s->got - s->sent;
    s->sent = s->got;
}

static void input_close(struct capture *c, struct stream *s, const char *why)
{
    pthread_mutex_lock(&c->lock);
    if (c->bounds.leave_open && strcmp(why, "deadline") == 0)
        s->left_fd = s->in_fd;
    else
        close(s->in_fd);
    s->in_fd = -1;
    s->ended = why;
    if (s->out_kind == OUT_BLOCKING) /* else it is this thread that closes the output */
        forward_kick(c);
    pthread_mutex_unlock(&c->lock);
    if (s->index)
        time_index_note(s->index, s->index_stream, INDEX_END, s->got);
}

/* The ring has what it had before the reservation, but for what was really read. Under the lock. */
static void settle(struct stream *s)
{
    s->floor = s->got > s->ring_bytes ? s->got - s->ring_bytes : 0;
}

/* One read: pipe -> ring -> log. Returns true when there may be more. */
static bool take_in(struct capture *c, struct stream *s)
{
    uint64_t want, logged, start = s->got;
    ssize_t n;

    pthread_mutex_lock(&c->lock);
    want = stream_room(s, c->bounds.backlog_max_bytes);
    if (s->last_drain && want > s->quota)
        want = s->quota;
    if (want > 0 && s->got + want > s->ring_bytes && s->got + want - s->ring_bytes > s->floor)
        s->floor = s->got + want - s->ring_bytes;
    pthread_mutex_unlock(&c->lock);
    if (want == 0) {
        if (s->last_drain && s->quota == 0)
            input_close(c, s, "deadline");
        return false;
    }
    n = stream_read(s, want);
    if (n <= 0) {
        int why = errno;
        pthread_mutex_lock(&c->lock);
        settle(s);
        pthread_mutex_unlock(&c->lock);
        errno = why;
    }
    if (n < 0 && errno == EINTR)
        return true;
    if (n < 0 && errno == EAGAIN) {
        if (s->last_drain)
            input_close(c, s, "deadline");
        return false;
    }
    if (n < 0 && errno != EIO && ++s->failed_reads < READ_TRIES)
        return false; /* such as no memory just now: what the pipe holds is not lost */
    if (n <= 0) { /* a terminal's master says EIO at the end */
        input_close(c, s, n == 0 || errno == EIO ? "eof" : "read_error");
        return false;
    }
    s->failed_reads = 0;
    if (s->index)
        time_index_note(s->index, s->index_stream, s->late ? INDEX_LATE : INDEX_READ, start);
    s->late = false;
    if (s->last_drain)
        s->quota -= (uint64_t)n;
    if (start < LOUD_BYTES && start + (uint64_t)n >= LOUD_BYTES) { /* fewer turns for a loud task; the user's pipe pages are spared otherwise */
        (void)fcntl(s->in_fd, F_SETPIPE_SZ, LOUD_PIPE_BYTES);
        if (s->out_kind == OUT_POLLED)
            pace_widen(&s->pace, s->out_fd, LOUD_PIPE_BYTES);
    }
    pthread_mutex_lock(&c->lock);
    s->got += (uint64_t)n;
    settle(s);
    pthread_mutex_unlock(&c->lock);
    logged = stream_log(s, (uint64_t)n, c->bounds.min_free_bytes);
    pthread_mutex_lock(&c->lock);
    s->logged += logged;
    s->log_done = s->log_fd < 0 || s->hole_reason;
    if (s->out_fd < 0)
        s->sent = s->got;
    else if (s->out_kind == OUT_BLOCKING)
        forward_kick(c);
    pthread_mutex_unlock(&c->lock);
    return (uint64_t)n == want;
}

/* Notes what a write of `tried` bytes did, under the lock: exit records read it at any time. Returns false when the output is closed for good. */
static bool sent(struct capture *c, struct stream *s, ssize_t done, uint64_t tried, int why)
{
    int64_t now_ns = monotonic_now_ns();
    bool over;

    pthread_mutex_lock(&c->lock);
    over = stream_sent(s, done, tried, why, now_ns);
    if (s->blocked)
        pace_full(&s->pace, s->sent, now_ns);
    if (over)
        output_close(s);
    else if (s->retry_ns && !s->blocked)
        stream_skip_failing(s, now_ns);
    pthread_mutex_unlock(&c->lock);
    return !over;
}

/* Serves an OUT_POLLED output until it is full or has all; closes it after the input's end. */
static void pass_on(struct capture *c, struct stream *s)
{
    uint64_t turn = 0;

    while (s->sent < s->got && turn < TURN_BYTES) {
        const unsigned char *bytes;
        uint64_t n;
        ssize_t done;
        if (s->sent >= s->floor) {
            bytes = stream_ring_at(s, s->sent, &n);
        } else {
            uint64_t upto = s->logged - s->sent;
            n = stream_read_back(s, s->sent, upto < STREAM_CHUNK_BYTES ? upto : STREAM_CHUNK_BYTES, c->drain_buffer);
            bytes = c->drain_buffer;
            if (n == 0) { /* cut under us: go on with what the ring still has */
                uint64_t to = s->floor < s->logged ? s->floor : s->logged;
                pthread_mutex_lock(&c->lock);
                s->log_lost += to - s->sent;
                s->sent = to;
                pthread_mutex_unlock(&c->lock);
                continue;
            }
        }
        done = write(s->out_fd, bytes, (size_t)n);
        if (!sent(c, s, done, n, errno)) {
            if (s->in_fd >= 0)
                input_close(c, s, "output_closed");
            return;
        }
        if (s->blocked)
            return;
        turn += n;
        atomic_fetch_add(&c->moved, 1);
    }
    if (s->in_fd < 0 && s->sent == s->got) {
        pthread_mutex_lock(&c->lock);
        output_close(s);
        pthread_mutex_unlock(&c->lock);
    }
}

/* The forward thread found that nobody reads the output any more: the task must learn it, as it would without us. */
static bool reader_gone(struct capture *c, const struct stream *s)
{
    bool gone;
    pthread_mutex_lock(&c->lock);
    gone = s->out_fd < 0 && s->output_error == EPIPE;
    pthread_mutex_unlock(&c->lock);
    return gone;
}

static void handle_stream(struct capture *c, struct stream *s, short in_events, short out_events)
{
    if (out_events)
        s->blocked = false;
    if (s->in_fd >= 0 && (in_events || s->last_drain))
        for (unsigned turn = 0; turn < READS_A_TURN && take_in(c, s); turn++)
            if (s->out_kind == OUT_POLLED)
                break;
    if (s->out_kind == OUT_POLLED && s->out_fd >= 0 && !s->blocked)
        pass_on(c, s);
    if (s->out_kind == OUT_POLLED && s->in_fd >= 0 && s->paused)
        take_in(c, s); /* into the room that this made: it need not be polled for */
    if (s->out_kind == OUT_BLOCKING && s->in_fd >= 0 && reader_gone(c, s))
        input_close(c, s, "output_closed");
}

/* From now on the stream's input is read no further than the pipe can hold: what its last writers left. */
static void last_drain(struct stream *s)
{
    int size = fcntl(s->in_fd, F_GETPIPE_SZ);
    s->last_drain = true;
    s->quota = size > 0 ? (uint64_t)size : 65536;
}

bool drain_all_ended(const struct capture *c)
{
    for (unsigned i = 0; i < c->tasks; i++)
        if (!atomic_load(&c->task[i].ended))
            return false;
    return true;
}

/* Sets what the end of the tasks, and of the step, means for the streams. Returns when to wake next, -1: never. */
static int deadlines(struct capture *c)
{
    bool finishing = atomic_load(&c->finishing);
    int64_t now_ns;
    bool lingered;

    if (!finishing && !drain_all_ended(c))
        return -1;
    now_ns = monotonic_now_ns();
    if (!c->linger_until_ns)
        c->linger_until_ns = now_ns + (int64_t)c->bounds.linger_ms * 1000000;
    lingered = now_ns >= c->linger_until_ns;
    for (unsigned i = 0; i < c->streams; i++) {
        struct stream *s = &c->stream[i];
        bool own = i == c->streams - 1;
        if (s->in_fd >= 0 && !s->last_drain && (finishing || (lingered && !own)))
            last_drain(s);
    }
    return finishing || lingered ? -1 : (int)((c->linger_until_ns - now_ns) / 1000000) + 1;
}

static void notice_exit(struct capture *c, struct task *task)
{
    pthread_mutex_lock(&c->lock);
    task->said.exited = instant_now();
    pthread_mutex_unlock(&c->lock);
    close(task->pidfd);
    task->pidfd = -1;
    atomic_store(&task->ended, true);
}

static void save_tails(struct capture *c, int *timeout_ms)
{
    int64_t now_ns = 0;
    for (unsigned i = 0; i < c->streams; i++) {
        struct stream *s = &c->stream[i];
        if (!s->hole_reason || s->in_fd < 0 || s->got == s->tail_saved)
            continue;
        now_ns = now_ns ? now_ns : monotonic_now_ns();
        if (now_ns - s->tail_saved_ns >= SAVE_TAIL_MS * 1000000LL) {
            s->tail_saved_ns = now_ns;
            (void)stream_save_tail(s);
        } else if (*timeout_ms < 0 || *timeout_ms > SAVE_TAIL_MS) {
            *timeout_ms = SAVE_TAIL_MS;
        }
    }
}

static void give_up(struct capture *c)
{
    for (unsigned i = 0; i < c->streams; i++) {
        if (c->stream[i].in_fd >= 0)
            input_close(c, &c->stream[i], "deadline");
        pthread_mutex_lock(&c->lock);
        if (c->stream[i].out_kind == OUT_POLLED)
            output_close(&c->stream[i]);
        pthread_mutex_unlock(&c->lock);
    }
}

void drain_receive(struct capture *c)
{
    struct handshake h;
    while (handshake_receive(c->receiver, &h)) {
        if (h.own) {
            own_stderr_adopt(c, &h);
            continue;
        }
        if (c->bounds.sync_first)
            durable_task(c, h.task);
        bool ours = drain_adopt(c, &h);
        handshake_answer(&h, ours);
    }
}

/*
 * Nothing happens before all tasks are forked, or (with one table) one has its word to say. Until then changes of user id are to be expected in
 * this process: glibc has each thread answer to one (nptl(7)), and a thread that waits for a disk answers when the disk does. And fd 2 is
 * not yet what it will be.
 */
static void await_fork(struct capture *c)
{
    struct pollfd p[] = {{.fd = c->wake_fd, .events = POLLIN}, {.fd = c->bounds.own_table ? -1 : c->receiver, .events = POLLIN}};
    while (poll(p, 2, -1) < 0 && errno == EINTR)
        continue;
}

static void await_closing(struct capture *c)
{
    pthread_mutex_lock(&c->lock);
    while (!atomic_load(&c->closing))
        pthread_cond_wait(&c->news, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void handle_events(struct capture *c)
{
    const struct pollfd *p = c->polled;
    uint64_t count;

    if (p[0].revents && read(c->wake_fd, &count, sizeof count) < 0)
        count = 0; /* somebody else's wake was read with ours */
    if (p[1].revents)
        drain_receive(c);
    for (unsigned i = 0; i < c->tasks; i++)
        if (p[2 + 2 * c->streams + i].revents && c->task[i].pidfd >= 0)
            notice_exit(c, &c->task[i]);
    for (unsigned i = 0; i < c->streams; i++)
        handle_stream(c, &c->stream[i], p[2 + 2 * i].revents, p[3 + 2 * i].revents);
}

void *drain_run(void *argument)
{
    struct capture *c = argument;
    int64_t wake_ns;

    prctl(PR_SET_NAME, "gpualert-drain"); /* what top -H and the kernel call it */
    await_fork(c);
    if (!atomic_load(&c->finishing))
        own_stderr_take(c);
    intake_run(c);
    if (c->bounds.sync_first && !atomic_load(&c->finishing))
        durable_all(c);
    atomic_store(&c->flushed, true);
    while (lookout_prepare(c, &wake_ns)) {
        int timeout_ms = deadlines(c);
        save_tails(c, &timeout_ms);
        if (atomic_load(&c->give_up)) {
            give_up(c);
            break;
        }
        bool busy = false;
        for (unsigned i = 0; i < c->streams; i++)
            busy |= c->stream[i].last_drain && c->stream[i].in_fd >= 0 && !c->stream[i].paused;
        if (timeout_ms >= 0 && (wake_ns < 0 || wake_ns > timeout_ms * 1000000LL))
            wake_ns = timeout_ms * 1000000LL;
        if (lookout_wait(c, busy ? 0 : wake_ns))
            handle_events(c);
        own_stderr_give(c);
    }
    capture_say(c, &c->drained);
    pthread_mutex_lock(&c->lock);
    forward_kick(c);
    pthread_mutex_unlock(&c->lock);
    if (atomic_load(&c->has_own_table)) { /* else the parent's is the same, and it need not be woken twice */
        await_closing(c);
        closing_run(c);
        capture_say(c, &c->closed);
    }
    return NULL;
}
