#include "supply.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fd_message.h"

enum { MAGIC = 0x47505355, PACKET_BYTES = 2048 /* what the kernel counts for one, with its own head */, MOST_LOST = 8 };

struct packet {
    uint32_t magic, kind, task;
    uint8_t has[SUPPLY_FDS];
};

int supply_sockets(int ends[2], unsigned packets)
{
    int bytes = packets < INT32_MAX / PACKET_BYTES ? (int)packets * PACKET_BYTES : INT32_MAX;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return errno;
    /* Root's alone; for others the usual size, which does for a hundred. */
    (void)setsockopt(ends[1], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes);
    return 0;
}

int supply_send(int sender, struct supply *supply)
{
    struct packet packet = {.magic = MAGIC, .kind = supply->kind, .task = supply->task};
    int fds[SUPPLY_FDS], why = EBADF;
    unsigned count = 0;

    for (unsigned i = 0; i < SUPPLY_FDS; i++)
        if ((packet.has[i] = supply->fd[i] >= 0))
            fds[count++] = supply->fd[i];
    if (count > 0)
        why = fd_message_send(sender, &packet, sizeof packet, fds, count);
    for (unsigned i = 0; i < count; i++)
        close(fds[i]);
    return why;
}

bool supply_receive(int receiver, struct supply *supply, unsigned *lost)
{
    for (unsigned tries = 0; tries < MOST_LOST; tries++) {
        struct packet packet;
        int fds[FD_MESSAGE_MOST];
        unsigned count, next = 0;
        pid_t sender = 0;
        int why = fd_message_receive(receiver, &packet, sizeof packet, fds, &count, &sender);
        if (why == EAGAIN)
            return false;
        if (why == 0 && packet.magic == MAGIC && count == (unsigned)packet.has[0] + packet.has[1] + packet.has[2]) {
            *supply = (struct supply){.kind = (enum supply_kind)packet.kind, .task = packet.task};
            for (unsigned i = 0; i < SUPPLY_FDS; i++)
                supply->fd[i] = packet.has[i] ? fds[next++] : -1;
            return true;
        }
        for (unsigned i = 0; why == 0 && i < count; i++)
            close(fds[i]);
        ++*lost;
    }
    return false;
}
