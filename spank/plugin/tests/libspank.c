#include "libspank.h"

#include <slurm/slurm.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct libspank libspank = {.job = 4242, .tasks = 1, .task = -1};

spank_context_t spank_context(void)
{
    return libspank.context;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *option)
{
    (void)sp;
    if (libspank.option_count < LIBSPANK_MOST)
        libspank.options[libspank.option_count++] = *option;
    return ESPANK_SUCCESS;
}

spank_err_t spank_getenv(spank_t sp, const char *name, char *buffer, int length)
{
    const char *value = getenv(name);
    (void)sp;
    if (libspank.context != S_CTX_REMOTE)
        return ESPANK_NOT_REMOTE;
    if (!value)
        return ESPANK_ENV_NOEXIST;
    return snprintf(buffer, (size_t)length, "%s", value) < length ? ESPANK_SUCCESS : ESPANK_NOSPACE;
}

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
    (void)sp;
    if (libspank.context != S_CTX_REMOTE)
        return ESPANK_NOT_REMOTE;
    if (!overwrite && getenv(name))
        return ESPANK_ENV_EXISTS;
    return setenv(name, value, overwrite) == 0 ? ESPANK_SUCCESS : ESPANK_ERROR;
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
    case S_JOB_ID: said = put(items, libspank.job); break;
    case S_JOB_STEPID: said = put(items, libspank.step); break;
    case S_JOB_UID: said = put(items, getuid()); break;
    case S_JOB_GID: said = put(items, getgid()); break;
    case S_JOB_LOCAL_TASK_COUNT:
    case S_JOB_TOTAL_TASK_COUNT: said = put(items, libspank.tasks); break;
    case S_JOB_NNODES: said = put(items, 1); break;
    case S_JOB_NODEID: said = put(items, 0); break;
    case S_JOB_ARRAY_ID:
    case S_JOB_ARRAY_TASK_ID: said = put(items, NO_VAL); break;
    case S_JOB_LOCAL_TO_GLOBAL_ID: {
        uint32_t local = va_arg(items, uint32_t);
        said = put(items, local);
        break;
    }
    case S_TASK_ID: *va_arg(items, int *) = libspank.task; said = libspank.task < 0 ? ESPANK_NOT_TASK : ESPANK_SUCCESS; break;
    case S_TASK_EXIT_STATUS: *va_arg(items, int *) = libspank.status; break;
    case S_TASK_PID: *va_arg(items, pid_t *) = libspank.pid; break;
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
        if (libspank.quiet)                  \
            return;                          \
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
