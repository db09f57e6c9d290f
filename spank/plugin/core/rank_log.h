/* The frame of a rank log: header, hole mark, footer. Format: doc/formats/rank-log.md. */
#ifndef GPUALERT_RANK_LOG_H
#define GPUALERT_RANK_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RANK_LOG_HEADER_BYTES 512
#define RANK_LOG_MARK_BYTES 128

struct rank_log_name {
    uint32_t job;
    const char *attempt, *step, *stream, *node, *boot_id;
    uint32_t task, local;
    uid_t uid;
};

/* Writes the header. Returns 0 or an errno. */
int rank_log_start(int fd, const struct rank_log_name *name);

/* Writes the mark of a hole of `bytes` bytes after a head of `head` bytes, before `tail` bytes of tail. */
int rank_log_mark(int fd, uint64_t head, uint64_t bytes, uint64_t tail);

/* File offset of the tail behind a head of `head` bytes. */
uint64_t rank_log_tail_start(uint64_t head);

struct rank_log_end {
    uint64_t bytes, head, hole, tail, undelivered;
    const char *reason, *output_error, *log_error, *merged, *not_captured; /* NULL: absent */
    bool forked;
};

/* Writes the footer where the log's content ends and cuts off what lies behind it. Returns 0 or an errno. */
int rank_log_finish(int fd, const struct rank_log_end *end);

#endif
