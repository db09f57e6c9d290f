/* The state folder: may it be used, and how much room has it. */
#ifndef GPUALERT_STORAGE_H
#define GPUALERT_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

struct storage {
    int fd;             /* the state folder, -1: not usable at all */
    char type[32];      /* of the file system, as the mount table says it; ext2 and ext3 may be ext4 */
    bool in_memory;     /* tmpfs, ramfs */
    char refused[256];  /* why the folder cannot be used; "" otherwise */
    char too_full[128]; /* why no log is kept there; "" otherwise */
};

/* Looks before it opens: a dead network file system must hang nobody. */
void storage_open(struct storage *storage, const char *path, uint64_t min_free_mib);

#endif
