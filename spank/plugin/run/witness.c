#include "witness.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "instant.h"

enum { SOON_MS = 20 }; /* the kernel signals a group in one go: this is for a witness that has to wait for a processor */

struct sighting {
    int signal;
    pid_t sender;
};

_Noreturn void witness_run(int socket, const sigset_t *signals)
{
    struct signalfd_siginfo info;
    int seen = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
    prctl(PR_SET_NAME, "run-witness"); /* no name of ours: a signal by name must not seem to be one for the group */
    while (seen >= 0) {
        struct pollfd p[2] = {{.fd = seen, .events = POLLIN}, {.fd = socket}};
        if (poll(p, 2, -1) > 0 && p[1].revents)
            break;
        while (read(seen, &info, sizeof info) == sizeof info) {
            struct sighting sighting = {.signal = (int)info.ssi_signo, .sender = (pid_t)info.ssi_pid};
            if (info.ssi_code != SI_KERNEL)
                (void)!send(socket, &sighting, sizeof sighting, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
    }
    _exit(0);
}

bool witness_saw(int socket, int signal, pid_t sender)
{
    int64_t until_ns = monotonic_now_ns() + SOON_MS * 1000000LL, left_ns;
    struct sighting sighting;
    while (socket >= 0 && (left_ns = until_ns - monotonic_now_ns()) > 0) {
        struct pollfd p = {.fd = socket, .events = POLLIN};
        if (poll(&p, 1, (int)(left_ns / 1000000) + 1) < 0)
            continue;
        if (p.revents && recv(socket, &sighting, sizeof sighting, MSG_DONTWAIT) != sizeof sighting)
            return false; /* it has gone: somebody killed it */
        if (p.revents && sighting.signal == signal && sighting.sender == sender)
            return true;
    }
    return false;
}
