/* Moments on both clocks, and which boot they belong to. */
#ifndef GPUALERT_INSTANT_H
#define GPUALERT_INSTANT_H

#include <stdint.h>

#define BOOT_ID_CHARS 36

struct instant {
    int64_t realtime_ns;  /* CLOCK_REALTIME */
    int64_t monotonic_ns; /* CLOCK_MONOTONIC; 0 in an instant that has not happened */
};

struct instant instant_now(void);
int64_t monotonic_now_ns(void);

/* The kernel's boot id as text; "" where it cannot be read. */
void boot_id_read(char text[BOOT_ID_CHARS + 1]);

/* How far CLOCK_REALTIME may be off true time (adjtimex(2) maxerror), -1 when the kernel does not know. */
int64_t clock_error_ns(void);

#endif
