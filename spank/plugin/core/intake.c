/* What the parent gives to the drain thread. */
#include <errno.h>
#include <unistd.h>

#include "own_table.h"
#include "state.h"

enum { RECEIVE_TRIES = 4 };

void intake_place(struct capture *c, const struct supply *supply)
{
    unsigned rest = 0;
    switch (supply->kind) {
    case SUPPLY_TASK:
        if (supply->task < c->tasks) {
            c->stream[2 * supply->task].log_fd = supply->fd[0];
            c->stream[2 * supply->task + 1].log_fd = supply->fd[1];
            c->task[supply->task].index.fd = supply->fd[2];
            rest = SUPPLY_FDS;
        }
        break;
    case SUPPLY_OWN_LOG:
        c->stream[c->streams - 1].log_fd = supply->fd[0];
        rest = 1;
        break;
    case SUPPLY_DURABLE:
        if (c->durables < CAPTURE_MOST_DURABLE)
            c->durable[c->durables++] = supply->fd[rest++];
        break;
    }
    for (; rest < SUPPLY_FDS; rest++)
        if (supply->fd[rest] >= 0)
            close(supply->fd[rest]);
}

/* Into a table of our own, where the kernel knows how; what was lost on the way is a log that failed. */
void intake_run(struct capture *c)
{
    int keep[] = {c->receiver, c->wake_fd};
    unsigned failed = 0;
    struct supply supply;

    if (!c->bounds.own_table)
        return;
    atomic_store(&c->has_own_table, own_table(keep, 2, c->tasks * CAPTURE_FDS_A_TASK + CAPTURE_FDS_OTHERS));
    for (unsigned left = atomic_load(&c->supplied); left > 0 && failed < RECEIVE_TRIES;) {
        int why = supply_receive(c->receiver, &supply);
        if (why == 0)
            intake_place(c, &supply);
        left -= why == 0;
        failed += why != 0;
    }
    for (unsigned i = 0; failed > 0 && i < c->streams; i++)
        if (c->stream[i].framed && c->stream[i].log_fd < 0) {
            c->stream[i].log_error = EMFILE;
            c->stream[i].hole_reason = "log_error";
        }
}
