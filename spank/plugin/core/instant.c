#include "instant.h"

#include <fcntl.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock_ns(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t) < 0)
        return 0;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct instant instant_now(void)
{
    return (struct instant){.realtime_ns = read_clock_ns(CLOCK_REALTIME), .monotonic_ns = read_clock_ns(CLOCK_MONOTONIC)};
}

int64_t monotonic_now_ns(void)
{
    return read_clock_ns(CLOCK_MONOTONIC);
}

void boot_id_read(char text[BOOT_ID_CHARS + 1])
{
    ssize_t got = -1;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        got = read(fd, text, BOOT_ID_CHARS);
        close(fd);
    }
    text[got == BOOT_ID_CHARS ? BOOT_ID_CHARS : 0] = '\0';
}

int64_t clock_error_ns(void)
{
    struct timex state;
    memset(&state, 0, sizeof state);
    if (adjtimex(&state) < 0 || (state.status & STA_UNSYNC))
        return -1;
    return (int64_t)state.maxerror * 1000;
}
