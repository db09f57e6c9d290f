/* What is done last: by the drain thread where it has a table of its own, else by the parent. */
#include <fcntl.h>
#include <unistd.h>

#include "errno_name.h"
#include "rank_log.h"
#include "state.h"

static void write_end(struct capture *c, unsigned number)
{
    static const char *const why_not[] = {NULL, "never_forked", "tty", "no_stdio"};
    struct stream *s = &c->stream[number];
    bool attached = c->task[number / 2].said.attached, ended = atomic_load(&c->task[number / 2].ended);
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

static void write_ends(struct capture *c)
{
    for (unsigned i = 0; i < c->streams; i++) {
        struct stream *s = &c->stream[i];
        stream_close_log(s);
        s->undelivered += s->got - s->sent; /* what a thread left behind in a blocked write was to bring */
        if (s->framed && s->log_fd >= 0)
            write_end(c, i);
    }
}

static void flush(struct capture *c)
{
    if (c->flush == FLUSH_NOT)
        return;
    for (unsigned i = 0; i < c->streams; i++)
        if (c->stream[i].log_fd >= 0)
            (void)sync_file_range(c->stream[i].log_fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    if (c->flush != FLUSH_WAIT)
        return;
    for (unsigned i = 0; i < c->streams; i++)
        if (c->stream[i].log_fd >= 0)
            (void)fsync(c->stream[i].log_fd);
    for (unsigned i = 0; i < c->tasks; i++)
        if (c->task[i].index.fd >= 0)
            (void)fsync(c->task[i].index.fd);
}

static void close_and_forget(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_all(struct capture *c)
{
    for (unsigned i = 0; i < c->streams; i++) {
        close_and_forget(&c->stream[i].in_fd);
        close_and_forget(&c->stream[i].out_fd);
        close_and_forget(&c->stream[i].log_fd);
    }
    for (unsigned i = 0; i < c->tasks; i++) {
        close_and_forget(&c->task[i].pidfd);
        close_and_forget(&c->task[i].index.fd);
    }
    while (c->durables > 0)
        close(c->durable[--c->durables]);
}

void closing_run(struct capture *c)
{
    write_ends(c);
    flush(c);
    if (!atomic_load(&c->forward_runs)) /* else it hangs in a write, and needs them when it comes back */
        close_all(c);
}
