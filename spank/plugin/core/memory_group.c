#include "memory_group.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whole_file.h"

static bool read_text(const char *folder, const char *name, char *text, size_t size)
{
    char path[1100];
    text[0] = '\0';
    return (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path && whole_file_read(AT_FDCWD, path, text, size) > 0;
}

static int64_t number_in(const char *text)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    return end == text || value < 0 || value >= (1LL << 62) ? -1 : value; /* v1 writes "no limit" as a huge number, v2 as "max" */
}

/* The number behind `key ` at the start of a line, -1 where there is none. */
static int64_t line_value(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, key, n) == 0 && line[n] == ' ')
            return number_in(line + n + 1);
    return -1;
}

struct memory_counters memory_group_events(const char *folder, bool v2)
{
    struct memory_counters m = NO_MEMORY_COUNTERS;
    char text[1024];
    if (read_text(folder, v2 ? "memory.events" : "memory.oom_control", text, sizeof text)) {
        m.oom_events = v2 ? line_value(text, "oom") : -1;
        m.oom_kill_events = line_value(text, "oom_kill");
    }
    return m;
}

struct memory_counters memory_group_read(const char *folder, bool v2)
{
    struct memory_counters m = memory_group_events(folder, v2);
    char text[64];
    if (read_text(folder, v2 ? "memory.max" : "memory.limit_in_bytes", text, sizeof text))
        m.limit_bytes = number_in(text);
    if (read_text(folder, v2 ? "memory.peak" : "memory.max_usage_in_bytes", text, sizeof text))
        m.peak_bytes = number_in(text);
    return m;
}

bool memory_group_listed(const char *list, const char *end)
{
    static const char word[] = "memory";
    size_t n = sizeof word - 1;
    for (const char *at = list; at < end; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!comma)
            comma = end;
        if ((size_t)(comma - at) == n && memcmp(at, word, n) == 0)
            return true;
        at = comma;
    }
    return false;
}

/* "<id>:<controllers>:<path>", v2 as "0::<path>". */
bool memory_group_named(char *text, struct memory_group *group)
{
    char *save = NULL;
    group->path[0] = group->folder[0] = '\0';
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *controllers = strchr(line, ':'), *where = controllers ? strchr(controllers + 1, ':') : NULL;
        bool unified = controllers && where == controllers + 1;
        if (!where || where[1] != '/' || strlen(where + 1) >= sizeof group->path || (!unified && !memory_group_listed(controllers + 1, where)))
            continue;
        if (*group->path && unified)
            continue; /* a hybrid host counts memory in v1 */
        memcpy(group->path, where + 1, strlen(where + 1) + 1);
        group->v2 = unified;
    }
    return *group->path;
}
