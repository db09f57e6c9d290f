#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "errno_name.h"
#include "one_commit.h"
#include "state.h"

enum { STACK_BYTES = 256 << 10, SLICE_MS = 100, END_WAIT_MS = 5000, FLUSH_WAIT_MS = 30000 };

const struct capture_bounds capture_default_bounds = {
    .head_max_bytes = 64ULL << 20,
    .tail_max_bytes = 256 << 10,
    .backlog_max_bytes = 64ULL << 20,
    .min_free_bytes = 1ULL << 30,
    .linger_ms = 2000,
    .stall_ms = 5000,
    .finish_ms = 300000,
};

static uint32_t ring_size(uint32_t wanted)
{
    uint32_t size = 65536;
    while (size < wanted && size < (1u << 30))
        size *= 2;
    return size;
}

static void close_if(int fd)
{
    if (fd >= 0)
        close(fd);
}

struct capture *capture_new(unsigned tasks, const struct capture_bounds *bounds)
{
    struct capture *c = calloc(1, sizeof *c);
    uint32_t ring = ring_size(bounds->tail_max_bytes);
    int why;
    if (!c)
        return NULL;
    *c = (struct capture){.bounds = *bounds, .tasks = tasks, .streams = 2 * tasks + 1};
    c->receiver = c->sender = c->wake_fd = -1;
    c->rings_bytes = (size_t)ring * c->streams + 2 * STREAM_CHUNK_BYTES; /* and the two threads' buffers */
    c->task = calloc(tasks, sizeof *c->task);
    c->stream = calloc(c->streams, sizeof *c->stream);
    c->polled = calloc(2 + 2 * c->streams + tasks, sizeof *c->polled);
    c->to_sync = calloc(c->streams + CAPTURE_MOST_DURABLE, sizeof *c->to_sync);
    c->rings = mmap(NULL, c->rings_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c->rings == MAP_FAILED)
        c->rings = NULL;
    why = !c->task || !c->stream || !c->polled || !c->to_sync || !c->rings ? ENOMEM : handshake_sockets(&c->receiver, &c->sender);
    if (why) {
        c->streams = c->tasks = 0; /* their descriptors are no numbers yet */
        capture_free(c);
        errno = why;
        return NULL;
    }
    if (bounds->own_table)
        supply_room(c->sender, tasks + CAPTURE_MOST_DURABLE + 1);
    c->drain_buffer = c->rings + (size_t)ring * c->streams;
    c->forward_buffer = c->drain_buffer + STREAM_CHUNK_BYTES;
    for (unsigned i = 0; i < c->streams; i++) {
        stream_reset(&c->stream[i], c->rings + (size_t)ring * i, ring, bounds->head_max_bytes);
        if (bounds->tail_kept_bytes && bounds->tail_kept_bytes < ring)
            c->stream[i].tail_max = bounds->tail_kept_bytes;
    }
    for (unsigned i = 0; i < tasks; i++) {
        c->task[i].pidfd = c->task[i].index.fd = -1;
        c->task[i].said.rank = CAPTURE_NO_RANK;
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    pthread_cond_init(&c->news, NULL);
    return c;
}

int capture_give(struct capture *c, struct supply *supply)
{
    int why = 0;
    if (!c->bounds.own_table)
        intake_place(c, supply);
    else if ((why = supply_send(c->sender, supply)) == 0)
        atomic_fetch_add(&c->supplied, 1);
    return why;
}

int capture_add_task(struct capture *c, unsigned task, int out_log, int err_log, int index_fd, const char *boot_id)
{
    for (unsigned i = 0; i < 2; i++) {
        struct stream *s = &c->stream[2 * task + i];
        s->framed = true;
        s->index = &c->task[task].index;
        s->index_stream = i + 1;
    }
    (void)time_index_start(&c->task[task].index, index_fd, boot_id); /* without an index capture goes on */
    index_fd = c->task[task].index.fd;
    c->task[task].index.fd = -1;
    return capture_give(c, &(struct supply){SUPPLY_TASK, task, {out_log, err_log, index_fd}});
}

void capture_durable(struct capture *c, int fd)
{
    if (!c->asked_durable) {
        c->asked_durable = true;
        c->one_commit = c->bounds.sync_first && one_commit_serves(fd);
    }
    fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (fd >= 0)
        (void)capture_give(c, &(struct supply){SUPPLY_DURABLE, 0, {fd, -1, -1}});
}

int capture_thread(pthread_t *thread, void *(*run)(void *), struct capture *c)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int why = pthread_attr_init(&attributes);
    if (why)
        return why;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* inherited: no signal of the parent's is ever taken by our threads */
    why = pthread_create(thread, &attributes, run, c);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return why;
}

int capture_start(struct capture *c)
{
    int why;
    c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->wake_fd < 0)
        return errno;
    why = capture_thread(&c->drain, drain_run, c);
    c->drain_runs = why == 0;
    return why;
}

void capture_forked(struct capture *c)
{
    drain_kick(c);
}

int capture_socket(const struct capture *c)
{
    return c->sender;
}

void capture_task_ended(struct capture *c, unsigned task)
{
    if (task >= c->tasks)
        return;
    if (!atomic_exchange(&c->task[task].ended, true)) /* else the drain thread knows by the pidfd */
        drain_kick(c);
    if (atomic_load(&c->own_stderr_taken) && !atomic_load(&c->flushed) && drain_all_ended(c))
        own_stderr_rescue(c);
}

void capture_say(struct capture *c, atomic_bool *what)
{
    pthread_mutex_lock(&c->lock);
    atomic_store(what, true);
    pthread_cond_broadcast(&c->news);
    pthread_mutex_unlock(&c->lock);
}

bool capture_said(struct capture *c, atomic_bool *what, int wait_ms)
{
    struct timespec until;
    bool said;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += wait_ms / 1000;
    until.tv_nsec += wait_ms % 1000 * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&c->lock);
    while (!(said = atomic_load(what)) && pthread_cond_timedwait(&c->news, &c->lock, &until) != ETIMEDOUT)
        continue;
    pthread_mutex_unlock(&c->lock);
    return said;
}

/* Waits for a thread's word while the outputs make progress. Returns whether it came. */
static bool said_while_moving(struct capture *c, atomic_bool *what, int64_t *progress_ns, unsigned long long *moved, int64_t end_ns)
{
    while (!capture_said(c, what, SLICE_MS)) {
        unsigned long long now_moved = atomic_load(&c->moved);
        int64_t now_ns = monotonic_now_ns();
        if (now_moved != *moved) {
            *moved = now_moved;
            *progress_ns = now_ns;
        }
        if (now_ns - *progress_ns > (int64_t)c->bounds.stall_ms * 1000000 || now_ns > end_ns) {
            if (atomic_exchange(&c->give_up, true))
                return false; /* asked before, and it did not end: it hangs in a write */
            drain_kick(c);
            pthread_mutex_lock(&c->lock);
            forward_kick(c);
            pthread_mutex_unlock(&c->lock);
            *progress_ns = now_ns + SLICE_MS * 5000000LL - (int64_t)c->bounds.stall_ms * 1000000; /* half a second to comply */
            end_ns = now_ns + SLICE_MS * 5000000LL;
        }
    }
    return true;
}

bool capture_finish(struct capture *c, enum capture_flush flush)
{
    int64_t start_ns = monotonic_now_ns(), progress_ns = start_ns, end_ns = start_ns + (int64_t)c->bounds.finish_ms * 1000000;
    unsigned long long moved = atomic_load(&c->moved);

    if (!c->drain_runs)
        return true;
    own_stderr_back(c);
    atomic_store(&c->finishing, true);
    drain_kick(c);
    if (!said_while_moving(c, &c->drained, &progress_ns, &moved, end_ns))
        return false;
    if (atomic_load(&c->forward_runs) && said_while_moving(c, &c->forwarded, &progress_ns, &moved, end_ns)) {
        pthread_join(c->forward, NULL);
        atomic_store(&c->forward_runs, false);
    }
    c->flush = flush;
    if (!atomic_load(&c->has_own_table)) {
        pthread_join(c->drain, NULL);
        c->drain_runs = false;
        closing_run(c);
        return !atomic_load(&c->forward_runs);
    }
    capture_say(c, &c->closing);
    if (capture_said(c, &c->closed, flush == FLUSH_WAIT ? FLUSH_WAIT_MS : END_WAIT_MS)) {
        pthread_join(c->drain, NULL);
        c->drain_runs = false;
    }
    return !c->drain_runs && !atomic_load(&c->forward_runs);
}

int capture_left_open(struct capture *c, unsigned task, enum capture_stream_name name)
{
    struct stream *s = &c->stream[2 * task + (unsigned)name];
    int fd;
    pthread_mutex_lock(&c->lock);
    fd = s->left_fd;
    s->left_fd = -1;
    pthread_mutex_unlock(&c->lock);
    return fd;
}

struct capture_task capture_task(struct capture *c, unsigned task)
{
    struct capture_task said;
    pthread_mutex_lock(&c->lock);
    said = c->task[task].said;
    pthread_mutex_unlock(&c->lock);
    return said;
}

struct capture_stream capture_stream(struct capture *c, unsigned task, enum capture_stream_name name)
{
    const struct stream *s = &c->stream[2 * task + (unsigned)name];
    struct capture_stream said;
    pthread_mutex_lock(&c->lock);
    said = (struct capture_stream){
        .why_not = s->why_not, .merged = s->merged, .bytes = s->got, .head = s->head, .hole = s->hole, .tail = s->tail,
        .hole_reason = s->hole ? s->hole_reason : NULL, .undelivered = s->undelivered, .output_error = s->output_error,
        .output_error_at = s->output_error_at, .log_error = s->log_error, .log_lost = s->log_lost, .ended = s->ended,
    };
    pthread_mutex_unlock(&c->lock);
    return said;
}

void capture_free(struct capture *c)
{
    if (!c || c->drain_runs || atomic_load(&c->forward_runs))
        return; /* a thread left behind still uses it */
    for (unsigned i = 0; c->stream && i < c->streams; i++) {
        close_if(c->stream[i].in_fd);
        close_if(c->stream[i].left_fd);
        close_if(c->stream[i].out_fd);
        close_if(c->stream[i].log_fd);
    }
    for (unsigned i = 0; c->task && i < c->tasks; i++) {
        close_if(c->task[i].pidfd);
        close_if(c->task[i].index.fd);
    }
    while (c->durables > 0)
        close(c->durable[--c->durables]);
    close_if(c->receiver);
    close_if(c->sender);
    close_if(c->wake_fd);
    if (c->rings)
        munmap(c->rings, c->rings_bytes);
    free(c->task);
    free(c->stream);
    free(c->polled);
    free(c->to_sync);
    free(c);
}
