/* gpualert-run: runs a command as it is, keeps what it prints, and has its end diagnosed afterwards. See doc/man/gpualert-run.1. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "guardian.h"
#include "keeper.h"
#include "rank_log.h"
#include "run.h"

enum { HAND_OVER_MS = 2000, AWAIT_MS = 120000 };

/* As in Slurm, but the caller's output is never given up: without us the command itself would have waited for its reader. */
static struct capture_bounds bounds_of_run(void)
{
    struct capture_bounds bounds = capture_default_bounds;
    bounds.backlog_max_bytes = 4 << 20;
    bounds.min_free_bytes = 256 << 20;
    bounds.stall_ms = bounds.finish_ms = ~0u;
    bounds.leave_open = true;
    return bounds;
}

/* Closed standard descriptors must not become our files. Close-on-exec: the command finds them closed, as it would without us. */
static void fill_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd < 3);
    if (fd >= 3)
        close(fd);
}

static int new_log(const struct bundle *b, const char *file, const char *stream)
{
    struct rank_log_name name = {.attempt = b->name, .step = "run", .stream = stream, .node = b->host, .boot_id = b->boot_id, .uid = geteuid()};
    int fd = bundle_file(b, file);
    if (fd >= 0 && rank_log_start(fd, &name) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Logs, index, threads, and the command's outputs in their hands. NULL, with a reason, when the command is to run as if we were not there. */
static struct capture *start_capture(const struct bundle *b, struct outputs *outputs, const char **why)
{
    struct capture_bounds bounds = bounds_of_run();
    struct capture *c = capture_new(1, &bounds);
    int out = new_log(b, "run.0.out", "out"), err = new_log(b, "run.0.err", "err");
    *why = "off: no memory";
    if (c)
        (void)capture_add_task(c, 0, out, err, bundle_file(b, "run.0.idx"), b->boot_id);
    if (c && (out < 0 || err < 0))
        *why = "off: the logs cannot be written";
    else if (c && capture_start(c) != 0)
        *why = "off: no threads to be had";
    else if (c) {
        outputs_make(outputs);
        outputs->ends.pid = getpid();
        if (capture_hand_over(capture_socket(c), 0, CAPTURE_NO_RANK, &outputs->ends, HAND_OVER_MS)) {
            *why = "on";
            return c;
        }
        *why = "off: its outputs could not be taken over";
        outputs_release(outputs);
        capture_task_ended(c, 0);
        capture_finish(c, FLUSH_NOT);
    }
    *outputs = (struct outputs){.ends = {.in = {-1, -1}, .out = {-1, -1}}, .task_end = {-1, -1}};
    capture_free(c);
    fprintf(stderr, "gpualert-run: capture is %s; the command runs without\n", *why);
    return NULL;
}

/* The whole of a run is over: say how, in the only words a parent hears. */
_Noreturn static void end_as(const struct end *end)
{
    int signal_number = WIFSIGNALED(end->wait_status) ? WTERMSIG(end->wait_status) : 0;
    sigset_t only;
    if (end->timed_out)
        exit(EXIT_TIMED_OUT);
    if (!signal_number)
        exit(WEXITSTATUS(end->wait_status));
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* the core that matters is the command's */
    prctl(PR_SET_DUMPABLE, 0);
    signal(signal_number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(signal_number);
    exit(128 + signal_number); /* it did not end us: the shell's word for it */
}

/* While the last output is being delivered a signal is for us alone, and ends us as it would have ended the command. */
static void feel_signals_again(const struct inherited *was)
{
    sigset_t mask = was->mask;
    sigaddset(&mask, SIGPIPE);
    sigaddset(&mask, SIGXFSZ);
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

int main(int argc, char **argv)
{
    static struct options options;
    struct bundle bundle;
    struct outputs outputs = {.ends = {.in = {-1, -1}, .out = {-1, -1}}, .task_end = {-1, -1}};
    struct inherited was;
    sigset_t forwarded;
    struct command command = {.witness = -1};
    struct end end = {0};
    struct capture *capture = NULL;
    const char *captured = "off: no bundle";
    int guardian[2] = {-1, -1}, witness[2] = {-1, -1};

    fill_standard_descriptors();
    int status = options_read(&options, argc, argv);
    if (status >= 0)
        return status;
    int signals = command_signals(&was, &forwarded);
    bool kept = bundle_make(&bundle), diagnosed = false;
    if (kept) {
        bundle_watch_memory(&bundle);
        int why = bundle_write_run(&bundle, &options);
        if (why)
            fprintf(stderr, "gpualert-run: cannot write %s/run.json: %s; there will be no diagnosis\n", bundle.path, strerror(why));
        diagnosed = !why && guardian_start(&bundle, guardian, witness, &forwarded, argv);
        capture = start_capture(&bundle, &outputs, &captured);
    }
    if (options.verbose && kept)
        fprintf(stderr, "gpualert-run: bundle %s\n", bundle.path);
    if (signals < 0 || !command_start(&command, options.command, &outputs, &was, guardian[0])) {
        fprintf(stderr, "gpualert-run: %s: %s\n", options.command[0], strerror(errno));
        return EXIT_NOT_RUN;
    }
    outputs_release(&outputs);
    command.witness = witness[0];
    command_wait(&command, signals, options.timeout_s, &outputs, &end);
    if (kept)
        end_count_memory(&bundle, &end);
    if (kept && !guardian_end(guardian[0], &end))
        (void)end_write(&bundle, &end);
    feel_signals_again(&was);
    if (capture) {
        capture_task_ended(capture, 0);
        (void)capture_finish(capture, FLUSH_NOT);
        end.output_open = keeper_start((int[2]){capture_left_open(capture, 0, CAPTURE_OUT), capture_left_open(capture, 0, CAPTURE_ERR)});
        if (end.output_open && !guardian_end(guardian[0], &end))
            (void)end_write(&bundle, &end);
    }
    if (kept)
        (void)exit_record_write(&bundle, capture, captured, &end, command.pid, command.started);
    if (diagnosed) {
        guardian_finish(guardian[0]);
        if (getpid() == 1) /* a container's first process: with us the kernel would end the guardian, and the mail with it */
            guardian_await(guardian[0], AWAIT_MS);
    }
    if (options.verbose && kept)
        fprintf(stderr, "gpualert-run: the diagnosis goes to %s; see it with: gpualert show %s\n", bundle.path, bundle.path);
    capture_free(capture);
    end_as(&end);
}
