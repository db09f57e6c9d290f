/* Small files that appear whole: written privately and renamed into place, or as one block of the disk in one write. */
#ifndef GPUALERT_WHOLE_FILE_H
#define GPUALERT_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Puts `length` bytes at `name` in the folder `folder` (a descriptor), mode 0600. `durable`: the content survives power loss once this
 * has returned (the name does after an fsync of the folder, which is the caller's). Returns 0 or an errno; nothing is left behind then.
 */
int whole_file_put(int folder, const char *name, const char *bytes, size_t length, bool durable);

/*
 * As whole_file_put, in place: one write of one block, which no signal cuts in half, and which spares a file system the
 * second file and the removal of the first. `length` at most WHOLE_FILE_BLOCK_BYTES, and always the same for the same file.
 */
#define WHOLE_FILE_BLOCK_BYTES 4096
int whole_file_put_block(int folder, const char *name, const char *bytes, size_t length, bool durable);

/* Creates `name` exclusively, mode 0600, and writes it. Returns 0 or an errno (EEXIST: somebody was first). */
int whole_file_create(int folder, const char *name, const char *bytes, size_t length, bool durable);

/* Reads at most size - 1 bytes and ends them with a NUL; follows no link. Returns the length or -1 and errno. */
long whole_file_read(int folder, const char *name, char *buffer, size_t size);

#endif
