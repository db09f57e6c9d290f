/* A thread with a table of descriptors of its own, so that the one its process has does not grow by what the thread holds. */
#ifndef GPUALERT_OWN_TABLE_H
#define GPUALERT_OWN_TABLE_H

#include <stdbool.h>

/*
 * Gives the calling thread a table with 0 (also as 1 and 2) and `keep` in it, under the same numbers, and room for `room` descriptors: threads that it
 * starts afterwards share it, its process's others do not. Sorts `keep`. Returns false where the kernel cannot (before Linux 5.9:
 * close_range(2)): the table is the process's as before, which is right as well, and slower.
 */
bool own_table(int *keep, unsigned count, unsigned room);

#endif
