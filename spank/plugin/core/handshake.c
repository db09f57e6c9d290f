#include "handshake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd_message.h"

enum { MAGIC = 0x47504149, OWN_FDS = 2, MAX_FDS = OWN_FDS + 4, CLAIMED_WAIT_MS = 1000 };

struct packet {
    uint32_t magic, task, rank;
    int32_t pid;
    uint8_t has_in[2], has_out[2], why_not[2], merged, shared, own;
};

int handshake_sockets(int *receiver, int *sender)
{
    int ends[2], on = 1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return errno;
    if (setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
        int why = errno;
        close(ends[0]);
        close(ends[1]);
        return why;
    }
    *receiver = ends[0];
    *sender = ends[1];
    return 0;
}

static void close_if(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* poll for at most the time left until `deadline`. */
static bool wait_for(int fd, short events, int64_t deadline_ns)
{
    for (;;) {
        int64_t left_ns = deadline_ns - monotonic_now_ns();
        struct pollfd p = {.fd = fd, .events = events};
        int got = left_ns > 0 ? poll(&p, 1, (int)(left_ns / 1000000) + 1) : 0;
        if (got > 0)
            return (p.revents & events) != 0;
        if (got == 0 || errno != EINTR)
            return false;
    }
}

static bool send_packet(int socket, const struct packet *packet, const int *fds, unsigned count, int64_t deadline_ns)
{
    int why;
    while ((why = fd_message_send(socket, packet, sizeof *packet, fds, count)))
        if (why != EAGAIN || !wait_for(socket, POLLOUT, deadline_ns))
            return false;
    return true;
}

/* Takes the token, which one side alone gets. */
static bool take_token(int claim)
{
    uint64_t token;
    ssize_t got;
    do
        got = read(claim, &token, sizeof token);
    while (got < 0 && errno == EINTR);
    return got == sizeof token;
}

/* The word, or the certainty that there will be none: one that came later would change outputs which the task uses itself by then. */
static bool wait_for_word(int ack, int claim, int64_t deadline_ns)
{
    if (wait_for(ack, POLLIN, deadline_ns))
        return true;
    return !take_token(claim) && wait_for(ack, POLLIN, monotonic_now_ns() + CLAIMED_WAIT_MS * 1000000LL);
}

bool capture_hand_over(int socket, unsigned task, uint32_t rank, const struct capture_ends *ends, int wait_ms)
{
    struct packet packet = {.magic = MAGIC, .task = task, .rank = rank, .pid = ends->pid, .merged = ends->merged, .shared = ends->shared};
    int64_t deadline_ns = monotonic_now_ns() + (int64_t)wait_ms * 1000000;
    int fds[MAX_FDS], ack = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), claim = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    unsigned count = 0;
    bool yes;

    if (ack < 0 || claim < 0) {
        close_if(ack);
        close_if(claim);
        return false;
    }
    fds[count++] = ack;
    fds[count++] = claim;
    for (int i = 0; i < 2; i++)
        if ((packet.has_in[i] = ends->in[i] >= 0))
            fds[count++] = ends->in[i];
    for (int i = 0; i < 2; i++)
        if ((packet.has_out[i] = ends->out[i] >= 0))
            fds[count++] = ends->out[i];
    for (int i = 0; i < 2; i++)
        packet.why_not[i] = (uint8_t)ends->why_not[i];
    yes = send_packet(socket, &packet, fds, count, deadline_ns) && wait_for_word(ack, claim, deadline_ns);
    close(ack);
    close(claim);
    return yes;
}

bool handshake_send_own(int socket, int in, int out)
{
    struct packet packet = {.magic = MAGIC, .own = 1, .has_in = {in >= 0}, .has_out = {out >= 0}};
    int fds[2];
    unsigned count = 0;

    if (in >= 0)
        fds[count++] = in;
    if (out >= 0)
        fds[count++] = out;
    return count > 0 && fd_message_send(socket, &packet, sizeof packet, fds, count) == 0;
}

static enum capture_why_not look_at(int fd, struct stat *status)
{
    if (fstat(fd, status) < 0)
        return NO_STDIO;
    return isatty(fd) ? IS_A_TTY : CAPTURED;
}

bool capture_attach(int socket, unsigned task, uint32_t rank, int wait_ms)
{
    struct capture_ends ends = {.in = {-1, -1}, .out = {-1, -1}};
    struct stat status[2];
    int write_end[2] = {-1, -1};
    bool captured;

    for (int i = 0; i < 2; i++)
        ends.why_not[i] = look_at(i + 1, &status[i]);
    ends.merged = ends.why_not[0] == CAPTURED && ends.why_not[1] == CAPTURED && status[0].st_dev == status[1].st_dev &&
                  status[0].st_ino == status[1].st_ino;
    for (int i = 0; i < 2; i++) {
        int pipe_ends[2];
        if (ends.why_not[i] != CAPTURED || (i == 1 && ends.merged))
            continue;
        if (pipe2(pipe_ends, O_CLOEXEC) < 0) {
            ends.why_not[i] = NO_STDIO;
            if (i == 0 && ends.merged) {
                ends.merged = false;
                ends.why_not[1] = NO_STDIO;
            }
            continue;
        }
        ends.in[i] = pipe_ends[0];
        write_end[i] = pipe_ends[1];
        ends.out[i] = i + 1;
    }
    captured = capture_hand_over(socket, task, rank, &ends, wait_ms) && (ends.in[0] >= 0 || ends.in[1] >= 0);
    if (captured) {
        if (write_end[0] >= 0)
            dup2(write_end[0], 1);
        if (ends.merged || write_end[1] >= 0)
            dup2(ends.merged ? write_end[0] : write_end[1], 2);
    }
    for (int i = 0; i < 2; i++) {
        close_if(ends.in[i]);
        close_if(write_end[i]);
    }
    return captured;
}

bool handshake_receive(int receiver, struct handshake *h)
{
    struct packet packet;
    int fds[FD_MESSAGE_MOST], why;
    unsigned count, want, next = 0;

    *h = (struct handshake){.ack_fd = -1, .claim_fd = -1, .in = {-1, -1}, .out = {-1, -1}};
    why = fd_message_receive(receiver, &packet, sizeof packet, fds, &count, &h->pid);
    if (why)
        return false;
    want = (packet.own ? 0 : OWN_FDS) + !!packet.has_in[0] + !!packet.has_in[1] + !!packet.has_out[0] + !!packet.has_out[1];
    if (count != want || packet.magic != MAGIC || (!packet.own && !take_token(fds[1]))) {
        while (count > 0)
            close(fds[--count]);
        return false;
    }
    h->task = packet.task;
    h->rank = packet.rank;
    h->merged = packet.merged;
    h->shared = packet.shared;
    if (packet.pid > 0)
        h->pid = packet.pid;
    h->own = packet.own;
    if (!packet.own) {
        h->ack_fd = fds[next++];
        h->claim_fd = fds[next++];
    }
    for (int i = 0; i < 2; i++) {
        h->why_not[i] = packet.why_not[i] <= NO_STDIO ? (enum capture_why_not)packet.why_not[i] : NO_STDIO;
        h->in[i] = packet.has_in[i] ? fds[next++] : -1;
    }
    for (int i = 0; i < 2; i++)
        h->out[i] = packet.has_out[i] ? fds[next++] : -1;
    return true;
}

void handshake_close(struct handshake *h)
{
    for (int i = 0; i < 2; i++) {
        close_if(h->in[i]);
        close_if(h->out[i]);
    }
}

void handshake_drop(struct handshake *h)
{
    handshake_close(h);
    close_if(h->ack_fd);
    close_if(h->claim_fd);
}

void handshake_answer(struct handshake *h, bool yes)
{
    uint64_t one = 1;
    int fd = yes ? h->ack_fd : h->claim_fd;
    if (write(fd, &one, sizeof one) < 0)
        errno = 0; /* an empty eventfd takes it */
    close(h->ack_fd);
    close(h->claim_fd);
    h->ack_fd = h->claim_fd = -1;
}
