/* What the parent gives to the drain thread. */
#include <errno.h>
#include <unistd.h>

#include "own_table.h"
#include "state.h"

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
    case SUPPLY_STDERR:
        c->stream[c->streams - 1].in_fd = supply->fd[0];
        c->stream[c->streams - 1].out_fd = supply->fd[1];
        rest = 2;
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
    int keep[] = {c->receiver, c->wake_fd, c->supply[0]};
    unsigned lost = 0;
    struct supply supply;

    if (c->supply[0] < 0)
        return;
    atomic_store(&c->has_own_table, own_table(keep, sizeof keep / sizeof *keep, c->tasks * CAPTURE_FDS_A_TASK + CAPTURE_FDS_OTHERS));
    while (supply_receive(c->supply[0], &supply, &lost))
        intake_place(c, &supply);
    for (unsigned i = 0; lost > 0 && i < c->streams; i++)
        if (c->stream[i].framed && c->stream[i].log_fd < 0) {
            c->stream[i].log_error = EMFILE;
            c->stream[i].hole_reason = "log_error";
        }
}
