#include "pace.h"

#include <fcntl.h>

enum { REST_MOST_NS = 5000000, REST_LEAST_NS = 50000 }; /* shorter ones the kernel's timers do not keep */

void pace_start(struct pace *pace, int fd)
{
    int size = fcntl(fd, F_GETPIPE_SZ);
    *pace = (struct pace){.pipe_bytes = size > 0 ? (uint32_t)size : 0};
}

void pace_widen(struct pace *pace, int fd, uint32_t bytes)
{
    if (pace->pipe_bytes && pace->pipe_bytes < bytes && fcntl(fd, F_SETPIPE_SZ, (int)bytes) > 0)
        pace->pipe_bytes = bytes;
}

void pace_full(struct pace *pace, uint64_t taken, int64_t now_ns)
{
    uint64_t moved = taken - pace->full_at, room = pace->pipe_bytes / 4 * 3;
    int64_t took_ns = now_ns - pace->full_ns, rest_ns = REST_MOST_NS;

    if (pace->pipe_bytes == 0)
        return;
    /* Nothing moved in a whole rest: no guess is good, wait for room. */
    if (moved == 0 || pace->full_ns == 0)
        rest_ns = 0;
    else if ((uint64_t)took_ns < (uint64_t)REST_MOST_NS * 64 && (uint64_t)took_ns * room / moved < REST_MOST_NS)
        rest_ns = (int64_t)((uint64_t)took_ns * room / moved);
    pace->full_ns = now_ns;
    pace->full_at = taken;
    pace->rest_until_ns = rest_ns >= REST_LEAST_NS ? now_ns + rest_ns : 0;
}

int64_t pace_left_ns(struct pace *pace, int64_t now_ns)
{
    if (pace->rest_until_ns && pace->rest_until_ns <= now_ns)
        pace->rest_until_ns = 0;
    return pace->rest_until_ns ? pace->rest_until_ns - now_ns : 0;
}
