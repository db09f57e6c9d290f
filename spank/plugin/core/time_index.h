/* The time index of one task: when which byte arrived. Format: doc/formats/time-index.md. */
#ifndef GPUALERT_TIME_INDEX_H
#define GPUALERT_TIME_INDEX_H

#include <stdint.h>

#include "instant.h"

enum index_kind { INDEX_READ = 1, INDEX_LATE = 2, INDEX_END = 3 };

struct time_index {
    int fd;                       /* -1: no index, or writing it failed */
    uint64_t position;            /* where the next record goes: ours alone */
    uint32_t records, span_ms;
    int64_t last_monotonic_ns[2]; /* of each stream's last record */
    uint32_t last_span_ms[2];     /* what that record promised */
};

/* Takes `fd` (or -1) and writes the header. Returns 0 or an errno; the index is then off. */
int time_index_start(struct time_index *index, int fd, const char *boot_id);

/* A read began at `offset` of stream 1 (out) or 2 (err). Most calls write nothing: at most one record a span. */
void time_index_note(struct time_index *index, unsigned stream, enum index_kind kind, uint64_t offset);

#endif
