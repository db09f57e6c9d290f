/* How the command ended: end.json and the exit record. Formats: doc/formats/bundle.md, doc/formats/exit-record.md. */
#ifndef GPUALERT_RUN_END_H
#define GPUALERT_RUN_END_H

#include <stdbool.h>
#include <sys/types.h>

#include "capture.h"
#include "bundle.h"
#include "cpu_trail.h"

#define MAX_SENT_SIGNALS 16

struct sent_signal {
    int signal;
    int64_t at_ns;
    pid_t sender; /* 0: the terminal */
    uid_t sender_uid;
    bool forwarded;
};

struct end {
    bool by_guardian;
    struct instant ended;
    bool waited;     /* wait_status is known */
    int wait_status;
    int exec_errno;  /* 0: the command was started */
    bool timed_out, output_open;
    struct memory_counters memory; /* of the bundle's group; events since the run began */
    struct cpu_trail cpu;
    unsigned signals;
    struct sent_signal signal[MAX_SENT_SIGNALS];
};

/* What the memory group counted since the run began; its limit and peak only where the command did not end well. Needs the status. */
void end_count_memory(const struct bundle *b, struct end *e);

/* Returns 0 or an errno. */
int end_write(const struct bundle *b, const struct end *e);

/* run.0.exit.json. `e` is NULL before the end, `c` without capture, `pid` 0 before the start. Returns 0 or an errno. */
int exit_record_write(const struct bundle *b, struct capture *c, const char *capture, const struct end *e, pid_t pid, struct instant started);

#endif
