#include "fd_message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    struct cmsghdr aligned;
    char bytes[CMSG_SPACE(FD_MESSAGE_MOST * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

int fd_message_send(int socket, const void *head, size_t size, const int *fds, unsigned count)
{
    union control control;
    struct iovec part = {(void *)(uintptr_t)head, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    memset(&control, 0, sizeof control);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), fds, count * sizeof(int));
    while (sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int fd_message_receive(int socket, void *head, size_t size, int fds[FD_MESSAGE_MOST], unsigned *count, pid_t *sender)
{
    union control control;
    struct iovec part = {head, size};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;

    *count = 0;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    for (struct cmsghdr *m = CMSG_FIRSTHDR(&message); m; m = CMSG_NXTHDR(&message, m)) {
        if (m->cmsg_level != SOL_SOCKET)
            continue;
        if (m->cmsg_type == SCM_RIGHTS && *count == 0) {
            *count = (unsigned)((m->cmsg_len - CMSG_LEN(0)) / sizeof(int));
            memcpy(fds, CMSG_DATA(m), *count * sizeof(int));
        } else if (m->cmsg_type == SCM_CREDENTIALS) {
            struct ucred who;
            memcpy(&who, CMSG_DATA(m), sizeof who);
            *sender = who.pid;
        }
    }
    if ((size_t)got == size && !(message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)))
        return 0;
    while (*count > 0)
        close(fds[--*count]);
    return EPROTO;
}
