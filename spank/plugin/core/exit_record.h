/* The exit record of one task. Format: doc/formats/exit-record.md. */
#ifndef GPUALERT_EXIT_RECORD_H
#define GPUALERT_EXIT_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture.h"
#include "memory_group.h"

struct exit_record {
    const char *attempt, *node, *boot_id, *step;
    uint32_t job, task, local, local_tasks, step_tasks, node_index, node_count;
    pid_t parent_pid, pid; /* 0: not known */
    const char *state;     /* prepared, exited, closed */
    uint32_t rank;         /* CAPTURE_NO_RANK: not known */
    bool waited;
    int wait_status;
    struct instant prepared, started, exited, closed; /* monotonic_ns 0: did not happen */
    const char *exited_by;                            /* pidfd, wait; NULL */
    const char *cgroup;                               /* NULL: the task is in no cgroup of its own */
    struct memory_counters memory, job_memory;
    const char *capture;                              /* "on" or "off: why" */
    bool has_streams;
    struct capture_stream stream[2];
};

/* Writes `<step>.<task>.exit.json` into the folder. Returns 0 or an errno. */
int exit_record_put(int folder, const struct exit_record *record, bool durable);

#endif
