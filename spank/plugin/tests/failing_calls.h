/* Calls of the plugin that fail on request; see failing_calls.c. Absent (weak) in the plain stub. */
#ifndef GPUALERT_FAILING_CALLS_H
#define GPUALERT_FAILING_CALLS_H

/* From now on calls from the object that has this address are counted, and fail as FAIL says. */
__attribute__((weak)) void failing_calls_watch(const void *entry_point);
/* Counts no longer; writes what CALLS asks for. */
__attribute__((weak)) void failing_calls_end(void);

#endif
