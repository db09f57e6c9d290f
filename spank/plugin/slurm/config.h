/* What plugstack.conf says: `key=value` arguments behind the plugin's path. */
#ifndef GPUALERT_CONFIG_H
#define GPUALERT_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

/* Jobs that are captured; whoever said --gpualert-mail=none never is. */
enum capture_whom {
    CAPTURE_OPT_IN, /* those that asked */
    CAPTURE_GPU,    /* and those that have a GPU on this node */
    CAPTURE_ALL,
};

struct config {
    bool disabled; /* an argument made no sense: capture is off, options still work, so that no submission fails */
    const char *state_dir, *off_file;
    enum capture_whom capture;
    uint64_t min_free_mib;       /* below it capture does not start, and heads grow no further */
    uint64_t rank_max_mib;       /* of one rank's two logs */
    uint64_t job_max_mib;        /* of all logs of a job on one node */
    uint64_t job_max_logs;       /* files */
    uint64_t node_max_mib;       /* of all logs of all jobs that gpualert-node has not removed yet; more is not begun */
    uint64_t tail_kib;           /* kept of each stream's end once its head is full */
    uint64_t backlog_mib;        /* not yet taken by the job's own output */
    uint64_t tmpfs_rank_max_kib; /* on tmpfs a log's pages are charged to the job's memory */
    uint64_t tmpfs_job_max_mib;
};

/* Reads the arguments; says in slurmd's log what it does not know, with the nearest valid name. */
void config_read(int argc, char **argv);

const struct config *config(void);

#endif
