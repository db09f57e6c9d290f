/* Files that appear whole or not at all: written privately, renamed into place. */
#ifndef GPUALERT_WHOLE_FILE_H
#define GPUALERT_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Puts `length` bytes at `name` in the folder `folder` (a descriptor), mode 0600. `durable`: the content survives power loss once this
 * has returned (the name does after an fsync of the folder, which is the caller's). Returns 0 or an errno; nothing is left behind then.
 */
int whole_file_put(int folder, const char *name, const char *bytes, size_t length, bool durable);

/* Creates `name` exclusively, mode 0600, and writes it. Returns 0 or an errno (EEXIST: somebody was first). */
int whole_file_create(int folder, const char *name, const char *bytes, size_t length, bool durable);

/* Reads at most size - 1 bytes and ends them with a NUL; follows no link. Returns the length or -1 and errno. */
long whole_file_read(int folder, const char *name, char *buffer, size_t size);

#endif
