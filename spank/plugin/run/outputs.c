#include "outputs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void copy_size(int from, int to)
{
    struct winsize size;
    if (ioctl(from, TIOCGWINSZ, &size) == 0)
        ioctl(to, TIOCSWINSZ, &size);
}

/*
 * Looks to the command like the terminal on `fd`, but is nobody's controlling terminal: Ctrl-C, Ctrl-Z and input stay with the real one.
 * Bytes pass unchanged; the real terminal makes its own line ends.
 */
static bool make_terminal(int fd, int *ours, int *task_end, char path[64])
{
    struct termios mode;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0)
        return false;
    int slave = unlockpt(master) < 0 ? -1 : ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcgetattr(fd, &mode) < 0) {
        close_fd(&slave);
        close(master);
        return false;
    }
    mode.c_oflag &= (tcflag_t)~OPOST;
    mode.c_lflag &= (tcflag_t) ~(ECHO | ECHONL);
    tcsetattr(slave, TCSANOW, &mode);
    copy_size(fd, slave);
    if (ptsname_r(master, path, 64) != 0)
        path[0] = '\0';
    *ours = master;
    *task_end = slave;
    return true;
}

static bool make_pipe(int *ours, int *task_end)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    *ours = ends[0];
    *task_end = ends[1];
    return true;
}

/* A pipe opened again is ours alone: it can be made non-blocking without the other users of the original noticing. */
static int original(int fd, const struct stat *status, bool *shared)
{
    int again = S_ISFIFO(status->st_mode) ? open(fd == 1 ? "/proc/self/fd/1" : "/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (again < 0) {
        *shared |= S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode);
        again = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    }
    return again;
}

void outputs_make(struct outputs *o)
{
    struct stat status[2];
    bool there[2];
    *o = (struct outputs){.ends = {.in = {-1, -1}, .out = {-1, -1}, .why_not = {NO_STDIO, NO_STDIO}}, .task_end = {-1, -1}};
    for (int i = 0; i < 2; i++) /* a closed one was opened again by us, close-on-exec: the command is to find it closed */
        there[i] = fstat(i + 1, &status[i]) == 0 && !(fcntl(i + 1, F_GETFD) & FD_CLOEXEC);
    bool same = there[0] && there[1] && status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino;
    for (int i = 0; i < 2; i++) {
        if (!there[i] || (i == 1 && same && o->ends.in[0] >= 0))
            continue;
        bool terminal = isatty(i + 1);
        if (!(terminal ? make_terminal(i + 1, &o->ends.in[i], &o->task_end[i], o->terminal[i]) : make_pipe(&o->ends.in[i], &o->task_end[i])))
            continue;
        o->ends.out[i] = original(i + 1, &status[i], &o->ends.shared);
        o->ends.why_not[i] = CAPTURED;
    }
    if (same && o->ends.in[0] >= 0) {
        o->ends.merged = true;
        o->ends.why_not[1] = CAPTURED;
    }
}

void outputs_take(const struct outputs *o)
{
    if (o->task_end[0] >= 0)
        dup2(o->task_end[0], 1);
    if (o->ends.merged || o->task_end[1] >= 0)
        dup2(o->ends.merged ? o->task_end[0] : o->task_end[1], 2);
}

void outputs_release(struct outputs *o)
{
    for (int i = 0; i < 2; i++) {
        close_fd(&o->task_end[i]);
        close_fd(&o->ends.in[i]);
        close_fd(&o->ends.out[i]);
    }
}

bool outputs_resize(const struct outputs *o)
{
    bool any = false;
    for (int i = 0; i < 2; i++) {
        /* Opened for this moment only: an end that stayed open here would hide the command's end, or ours, from the other side. */
        int slave = o->terminal[i][0] ? open(o->terminal[i], O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;
        if (slave < 0)
            continue;
        copy_size(i + 1, slave);
        close(slave);
        any = true;
    }
    return any;
}
