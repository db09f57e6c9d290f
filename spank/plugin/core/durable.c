/* Logs that outlive the machine's end before their tasks begin. */
#include <fcntl.h>
#include <unistd.h>

#include "one_commit.h"
#include "state.h"

/* A task gets its word when its own logs will outlive the machine's end: the disk works on the others' while it starts. */
void durable_task(struct capture *c, unsigned task)
{
    if (task >= c->tasks || c->task[task].durable)
        return;
    c->task[task].durable = true;
    for (unsigned i = 0; i < 2; i++)
        if (c->stream[2 * task + i].log_fd >= 0)
            (void)fsync(c->stream[2 * task + i].log_fd);
}

/* Before the first task gets its word: by one commit where the file system knows how, else so that commits are few. */
void durable_all(struct capture *c)
{
    unsigned n = 0;
    for (unsigned i = 0; i < c->streams; i++)
        if (c->stream[i].framed && c->stream[i].log_fd >= 0)
            c->to_sync[n++] = c->stream[i].log_fd;
    if (c->one_commit) {
        for (unsigned i = 1; i < c->durables; i++)
            c->to_sync[n++] = c->durable[i];
        one_commit(c->to_sync, n, c->durable[0]);
        for (unsigned i = 0; i < c->tasks; i++)
            c->task[i].durable = true;
        return;
    }
    for (unsigned i = 0; i < n; i++)
        (void)sync_file_range(c->to_sync[i], 0, 0, SYNC_FILE_RANGE_WRITE);
    for (unsigned i = 0; i < c->durables; i++)
        (void)fsync(c->durable[i]);
    for (unsigned i = 0; i < c->tasks; i++) {
        durable_task(c, i);
        drain_receive(c);
    }
}
