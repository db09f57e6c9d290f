/* A memory control group, cgroups(7), of version 1 or 2: whose is which, and what it counted. Only files are read. */
#ifndef GPUALERT_MEMORY_GROUP_H
#define GPUALERT_MEMORY_GROUP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * -1 where there is none. Version 1 counts a kill in the killed process's own group alone, version 2 in all groups above as well. With
 * processes in it, a version 2 group has none below that count memory, so memory.events and memory.events.local tell the same of it.
 */
struct memory_counters {
    int64_t limit_bytes, peak_bytes, oom_events, oom_kill_events;
};

#define NO_MEMORY_COUNTERS ((struct memory_counters){-1, -1, -1, -1})

struct memory_group {
    char path[512];    /* as /proc/<pid>/cgroup names it; "": none that could be read */
    char folder[1024]; /* where its files lie */
    bool v2;
    struct memory_counters found; /* its events when its folder was found */
};

/* Takes the group that counts memory out of the text of /proc/<pid>/cgroup: its path and version, not its folder. False: there is none. */
bool memory_group_named(char *text, struct memory_group *group);

/* Whether "memory" is one of the words between commas in a list that ends at `end`. */
bool memory_group_listed(const char *list, const char *end);

/* Limit, peak and events of the group in `folder`. */
struct memory_counters memory_group_read(const char *folder, bool v2);

/* Its events alone: one file. */
struct memory_counters memory_group_events(const char *folder, bool v2);

#endif
