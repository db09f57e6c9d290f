#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "errno_name.h"
#include "one_commit.h"
#include "rank_log.h"
#include "state.h"

enum { STACK_BYTES = 256 << 10, SLICE_MS = 100 };

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
    if (!c)
        return NULL;
    *c = (struct capture){.bounds = *bounds, .tasks = tasks, .streams = 2 * tasks + 1};
    c->receiver = c->sender = c->wake_fd = c->own_stderr[0] = c->own_stderr[1] = c->saved_stderr = -1;
    c->rings_bytes = (size_t)ring * c->streams + 2 * STREAM_CHUNK_BYTES; /* and the two threads' buffers */
    c->task = calloc(tasks, sizeof *c->task);
    c->stream = calloc(c->streams, sizeof *c->stream);
    c->polled = calloc(2 + 2 * c->streams + tasks, sizeof *c->polled);
    c->to_sync = calloc(c->streams + CAPTURE_MOST_DURABLE, sizeof *c->to_sync);
    c->rings = mmap(NULL, c->rings_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (c->rings == MAP_FAILED)
        c->rings = NULL;
    if (!c->task || !c->stream || !c->polled || !c->to_sync || !c->rings) {
        capture_free(c);
        errno = ENOMEM;
        return NULL;
    }
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
    return c;
}

void capture_add_task(struct capture *c, unsigned task, int out_log, int err_log, int index_fd, const char *boot_id)
{
    for (unsigned i = 0; i < 2; i++) {
        struct stream *s = &c->stream[2 * task + i];
        s->log_fd = i == 0 ? out_log : err_log;
        s->framed = true;
        s->index = &c->task[task].index;
        s->index_stream = i + 1;
    }
    (void)time_index_start(&c->task[task].index, index_fd, boot_id); /* without an index capture goes on */
}

void capture_own_stderr(struct capture *c, int log, uint64_t max_bytes)
{
    struct stream *own = &c->stream[c->streams - 1];
    own->log_fd = log;
    own->head_max = max_bytes;
    if (pipe2(c->own_stderr, O_CLOEXEC | O_NONBLOCK) < 0) /* a message may be lost, but nothing ever waits for us */
        c->own_stderr[0] = c->own_stderr[1] = -1;
}

void capture_durable(struct capture *c, int fd)
{
    int copy = c->durables < CAPTURE_MOST_DURABLE ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (copy >= 0)
        c->durable[c->durables++] = copy;
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
    int why = handshake_sockets(&c->receiver, &c->sender);
    if (why)
        return why;
    c->one_commit = c->bounds.sync_first && c->durables > 0 && one_commit_serves(c->durable[0]);
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
}

/* Puts fd 2 back where it went, unless somebody else has replaced it since: then it is no pipe of ours. */
static void give_stderr_back(struct capture *c)
{
    struct stream *own = &c->stream[c->streams - 1];
    struct stat ours, now;

    pthread_mutex_lock(&c->lock);
    if (c->saved_stderr >= 0 && own->in_fd >= 0 && own->out_fd >= 0 && fstat(own->in_fd, &ours) == 0 && fstat(2, &now) == 0 &&
        ours.st_dev == now.st_dev && ours.st_ino == now.st_ino)
        dup2(own->out_fd, 2);
    c->saved_stderr = -1;
    pthread_mutex_unlock(&c->lock);
}

/* Waits for a thread while the outputs make progress. Returns whether it ended. */
static bool join_within(struct capture *c, pthread_t thread, int64_t *progress_ns, unsigned long long *moved, int64_t end_ns)
{
    for (;;) {
        struct timespec slice;
        unsigned long long now_moved = atomic_load(&c->moved);
        int64_t now_ns;
        clock_gettime(CLOCK_REALTIME, &slice);
        slice.tv_nsec += SLICE_MS * 1000000L;
        slice.tv_sec += slice.tv_nsec / 1000000000L;
        slice.tv_nsec %= 1000000000L;
        if (pthread_timedjoin_np(thread, NULL, &slice) == 0)
            return true;
        now_ns = monotonic_now_ns();
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
}

static void write_ends(struct capture *c)
{
    for (unsigned i = 0; i < c->streams; i++) {
        struct stream *s = &c->stream[i];
        stream_close_log(s);
        s->undelivered += s->got - s->sent; /* what a thread left behind in a blocked write was to bring */
        if (s->framed && s->log_fd >= 0) {
            static const char *const why_not[] = {NULL, "never_forked", "tty", "no_stdio"};
            bool attached = c->task[i / 2].said.attached, ended = atomic_load(&c->task[i / 2].ended);
            struct rank_log_end end = {
                .bytes = s->got, .head = s->head, .hole = s->hole, .tail = s->tail, .undelivered = s->undelivered,
                .reason = s->hole ? s->hole_reason : NULL,
                .output_error = errno_name(s->output_error),
                .log_error = errno_name(s->log_error),
                .merged = s->merged ? "out" : NULL,
                .not_captured = ended && s->why_not == NOT_FORKED ? "no_handshake" : why_not[s->why_not],
                .forked = attached || ended,
            };
            int why = rank_log_finish(s->log_fd, &end);
            if (why && !s->log_error)
                s->log_error = why;
        }
    }
}

bool capture_finish(struct capture *c)
{
    int64_t start_ns = monotonic_now_ns(), progress_ns = start_ns, end_ns = start_ns + (int64_t)c->bounds.finish_ms * 1000000;
    unsigned long long moved = atomic_load(&c->moved);

    if (c->drain_runs) {
        give_stderr_back(c);
        atomic_store(&c->finishing, true);
        drain_kick(c);
        c->drain_runs = !join_within(c, c->drain, &progress_ns, &moved, end_ns);
        if (atomic_load(&c->forward_runs) && join_within(c, c->forward, &progress_ns, &moved, end_ns))
            atomic_store(&c->forward_runs, false);
    }
    if (!c->drain_runs)
        write_ends(c);
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

void capture_sync(struct capture *c, bool wait)
{
    if (c->drain_runs)
        return; /* left behind in a write: the disk is the last thing to wait for */
    for (unsigned i = 0; i < c->streams; i++)
        if (c->stream[i].log_fd >= 0)
            (void)sync_file_range(c->stream[i].log_fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    if (!wait)
        return;
    for (unsigned i = 0; i < c->streams; i++)
        if (c->stream[i].log_fd >= 0)
            (void)fsync(c->stream[i].log_fd);
    for (unsigned i = 0; i < c->tasks; i++)
        if (c->task[i].index.fd >= 0)
            (void)fsync(c->task[i].index.fd);
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
    close_if(c->own_stderr[0]);
    close_if(c->own_stderr[1]);
    if (c->rings)
        munmap(c->rings, c->rings_bytes);
    free(c->task);
    free(c->stream);
    free(c->polled);
    free(c->to_sync);
    free(c);
}
