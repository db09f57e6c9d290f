/* Where a memory control group lies, by the mounts that this process sees: on the machine itself and in a container. Only files are read. */
#ifndef GPUALERT_MEMORY_MOUNT_H
#define GPUALERT_MEMORY_MOUNT_H

#include "memory_group.h"

/* Finds the folder of a named group by the text of /proc/self/mountinfo. False: no mount shows it, or it counts no kills. */
bool memory_mount_find(char *text, struct memory_group *group);

/* This process's own group. False, and an empty path: none, none that can be read, or the root of all, which is nobody's own. */
bool memory_mount_own(struct memory_group *group);

/* The smallest limit of the groups above, as far up as they can be seen; -1: none has one. */
int64_t memory_mount_limit_above(const struct memory_group *group);

#endif
