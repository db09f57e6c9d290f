/* Descriptors in one packet of an AF_UNIX socket, with a head of fixed size. */
#ifndef GPUALERT_FD_MESSAGE_H
#define GPUALERT_FD_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FD_MESSAGE_MOST = 8 };

/* Sends without waiting; at least one descriptor and at most FD_MESSAGE_MOST, which stay the caller's too. Returns 0 or an errno, EAGAIN where it is full. */
int fd_message_send(int socket, const void *head, size_t size, const int *fds, unsigned count);

/*
 * Takes one packet without waiting: its descriptors, the caller's from now on, and (where the socket asks for it, unix(7)) who sent it.
 * Returns 0; EAGAIN where there is none; EPROTO where it was cut or malformed, and nothing of it is left; another errno.
 */
int fd_message_receive(int socket, void *head, size_t size, int fds[FD_MESSAGE_MOST], unsigned *count, pid_t *sender);

#endif
