/*
 * Runs the plugin's callbacks in the order of slurmstepd, sbatch or slurmd, in an ordinary process: for tests without a cluster and under
 * sanitizers. It is libspank (the few functions the plugin uses) and the caller at once.
 *
 * spank-stub PLUGIN remote|allocator|slurmd [plug:KEY=VALUE] [opt:NAME=VALUE] [job=N] [step=N] [tasks=N] -- COMMAND [ARGUMENT ...]
 * What the plugin logs goes to stderr, prefixed by its level. Ends with task 0's exit code; 1 when an option is refused.
 */
#include <dlfcn.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 32 };

static enum spank_context context;
static struct spank_option options[MOST];
static unsigned option_count;
static uint32_t job = 4242, step_id = 0, tasks = 1;
static int task = -1, status;
static pid_t pid;

spank_context_t spank_context(void)
{
    return context;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *option)
{
    (void)sp;
    options[option_count++] = *option;
    return ESPANK_SUCCESS;
}

spank_err_t spank_getenv(spank_t sp, const char *name, char *buffer, int length)
{
    const char *value = getenv(name);
    (void)sp;
    if (context != S_CTX_REMOTE)
        return ESPANK_NOT_REMOTE;
    if (!value)
        return ESPANK_ENV_NOEXIST;
    return snprintf(buffer, (size_t)length, "%s", value) < length ? ESPANK_SUCCESS : ESPANK_NOSPACE;
}

spank_err_t spank_job_control_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
    (void)sp, (void)overwrite;
    fprintf(stderr, "job_control: %s=%s\n", name, value);
    return ESPANK_SUCCESS;
}

static spank_err_t put(va_list items, uint32_t value)
{
    *va_arg(items, uint32_t *) = value;
    return ESPANK_SUCCESS;
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
    spank_err_t said = ESPANK_SUCCESS;
    va_list items;
    (void)sp;
    va_start(items, item);
    switch (item) {
    case S_JOB_ID: said = put(items, job); break;
    case S_JOB_STEPID: said = put(items, step_id); break;
    case S_JOB_UID: said = put(items, getuid()); break;
    case S_JOB_GID: said = put(items, getgid()); break;
    case S_JOB_LOCAL_TASK_COUNT:
    case S_JOB_TOTAL_TASK_COUNT: said = put(items, tasks); break;
    case S_JOB_NNODES: said = put(items, 1); break;
    case S_JOB_NODEID: said = put(items, 0); break;
    case S_JOB_ARRAY_ID:
    case S_JOB_ARRAY_TASK_ID: said = put(items, NO_VAL); break;
    case S_JOB_LOCAL_TO_GLOBAL_ID: {
        uint32_t local = va_arg(items, uint32_t);
        said = put(items, local);
        break;
    }
    case S_TASK_ID: *va_arg(items, int *) = task; said = task < 0 ? ESPANK_NOT_TASK : ESPANK_SUCCESS; break;
    case S_TASK_EXIT_STATUS: *va_arg(items, int *) = status; break;
    case S_TASK_PID: *va_arg(items, pid_t *) = pid; break;
    case S_SLURM_VERSION: *va_arg(items, const char **) = "stub"; break;
    default: said = ESPANK_NOT_AVAIL; break;
    }
    va_end(items);
    return said;
}

#define LOGGER(name, level)                  \
    void name(const char *format, ...)       \
    {                                        \
        va_list words;                       \
        va_start(words, format);             \
        fprintf(stderr, level ": ");         \
        vfprintf(stderr, format, words);     \
        fprintf(stderr, "\n");               \
        va_end(words);                       \
    }
LOGGER(slurm_info, "info")
LOGGER(slurm_error, "error")
LOGGER(slurm_verbose, "verbose")
LOGGER(slurm_debug, "debug")

static void *plugin;

/* Every entry point must say 0. */
static void call(const char *name, int argc, char **argv)
{
    spank_f *entry = (spank_f *)(uintptr_t)dlsym(plugin, name);
    int said = entry ? entry(NULL, argc, argv) : 0;
    if (said != 0) {
        fprintf(stderr, "stub: %s said %d\n", name, said);
        exit(99);
    }
}

static void give_option(const char *word)
{
    const char *equals = strchr(word, '=');
    for (unsigned i = 0; equals && i < option_count; i++)
        if (strlen(options[i].name) == (size_t)(equals - word) && strncmp(options[i].name, word, (size_t)(equals - word)) == 0 &&
            options[i].cb(options[i].val, equals + 1, context == S_CTX_REMOTE) < 0)
            exit(1);
}

static pid_t launch(int number, char **command, int argc, char **argv)
{
    char text[16];
    pid_t child = fork();
    if (child)
        return child;
    task = number;
    snprintf(text, sizeof text, "%d", number);
    setenv("SLURM_PROCID", text, 1);
    call("slurm_spank_task_init", argc, argv);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

static int run_step(char **command, int argc, char **argv)
{
    pid_t children[MOST];
    int first = 0;
    for (uint32_t i = 0; i < tasks; i++)
        children[i] = launch((int)i, command, argc, argv);
    for (uint32_t left = tasks; left > 0; left--) {
        pid = wait(&status);
        for (uint32_t i = 0; i < tasks; i++)
            if (children[i] == pid)
                task = (int)i;
        if (task == 0)
            first = status;
        call("slurm_spank_task_exit", argc, argv);
    }
    return WIFSIGNALED(first) ? 128 + WTERMSIG(first) : WEXITSTATUS(first);
}

int main(int argc, char **argv)
{
    char *arguments[MOST], *given[MOST];
    int plugs = 0, opts = 0, at, code = 0;

    if (argc < 3)
        return 2;
    context = strcmp(argv[2], "remote") == 0 ? S_CTX_REMOTE : strcmp(argv[2], "slurmd") == 0 ? S_CTX_SLURMD : S_CTX_ALLOCATOR;
    for (at = 3; at < argc && strcmp(argv[at], "--") != 0 && plugs < MOST && opts < MOST; at++) {
        if (strncmp(argv[at], "plug:", 5) == 0)
            arguments[plugs++] = argv[at] + 5;
        else if (strncmp(argv[at], "opt:", 4) == 0)
            given[opts++] = argv[at] + 4;
        else if (sscanf(argv[at], "job=%u", &job) != 1 && sscanf(argv[at], "step=%u", &step_id) != 1 && sscanf(argv[at], "tasks=%u", &tasks) != 1)
            return 2;
    }
    plugin = dlopen(argv[1], RTLD_NOW);
    if (!plugin) {
        fprintf(stderr, "stub: %s\n", dlerror());
        return 2;
    }
    call("slurm_spank_init", plugs, arguments);
    for (int i = 0; i < opts; i++)
        give_option(given[i]);
    call("slurm_spank_init_post_opt", plugs, arguments);
    if (context == S_CTX_REMOTE && at + 1 < argc && tasks <= MOST)
        code = run_step(argv + at + 1, plugs, arguments);
    call("slurm_spank_exit", plugs, arguments);
    dlclose(plugin);
    return code;
}
