#include "supply.h"

#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fd_message.h"

enum { MAGIC = 0x47505355, PACKET_BYTES = 2048 /* what the kernel counts for one, with its own head */ };

struct packet {
    uint32_t magic, kind, task;
    uint8_t has[SUPPLY_FDS];
};

void supply_room(int sender, unsigned packets)
{
    int bytes = packets < INT32_MAX / PACKET_BYTES ? (int)packets * PACKET_BYTES : INT32_MAX;
    (void)setsockopt(sender, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes);
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

int supply_receive(int receiver, struct supply *supply)
{
    struct packet packet;
    int fds[FD_MESSAGE_MOST], why;
    unsigned count, next = 0;
    pid_t sender = 0;

    why = fd_message_receive(receiver, &packet, sizeof packet, fds, &count, &sender);
    if (why)
        return why;
    if (packet.magic != MAGIC || count != (unsigned)packet.has[0] + packet.has[1] + packet.has[2]) {
        while (count > 0)
            close(fds[--count]);
        return EPROTO;
    }
    *supply = (struct supply){.kind = (enum supply_kind)packet.kind, .task = packet.task};
    for (unsigned i = 0; i < SUPPLY_FDS; i++)
        supply->fd[i] = packet.has[i] ? fds[next++] : -1;
    return 0;
}
