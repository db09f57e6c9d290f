#include "readings.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

enum { MAX_LINES = 4096 };

struct line {
    int gpu;
    char *key, *value;
    double from_s; /* holds from then on, UNIX time */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct line lines[MAX_LINES];
static int line_count, gpu_count = -1;
static char *content;
static struct stat seen;

static const struct {
    const char *name;
    nvmlReturn_t code;
} error_names[] = {
    {"UNINITIALIZED", 1}, {"INVALID_ARGUMENT", 2}, {"NOT_SUPPORTED", 3}, {"NO_PERMISSION", 4}, {"NOT_FOUND", 6},
    {"DRIVER_NOT_LOADED", 9}, {"TIMEOUT", 10}, {"IRQ_ISSUE", 11}, {"LIBRARY_NOT_FOUND", 12}, {"CORRUPTED_INFOROM", 14},
    {"GPU_IS_LOST", 15}, {"RESET_REQUIRED", 16}, {"OPERATING_SYSTEM", 17}, {"LIB_RM_VERSION_MISMATCH", 18}, {"IN_USE", 19},
    {"MEMORY", 20}, {"NO_DATA", 21}, {"NOT_READY", 27}, {"GPU_NOT_FOUND", 28}, {"UNKNOWN", 999},
};

static char *trim(char *text) {
    while (*text == ' ' || *text == '\t') text++;
    char *end = text + strlen(text);
    while (end > text && strchr(" \t\r", end[-1])) *--end = '\0';
    return text;
}

static void forget(void) {
    free(content);
    content = NULL;
    line_count = 0;
    gpu_count = -1;
}

/* "start = UNIX TIME" above the first [gpu] is what the times of "[at SECONDS]" count from; the file's own time where it is absent. */
static void parse(char *text, double start_s) {
    double from_s = 0;
    gpu_count = 0;
    for (char *rest = text, *next; rest && line_count < MAX_LINES; rest = next) {
        next = strchr(rest, '\n');
        if (next) *next++ = '\0';
        char *start = trim(rest), *equals = strchr(start, '=');
        if (*start == '#' || *start == '\0') continue;
        if (strcmp(start, "[gpu]") == 0) {
            gpu_count++;
        } else if (strncmp(start, "[at ", 4) == 0) {
            from_s = start_s + strtod(start + 4, NULL);
        } else if (equals) {
            char *key = start;
            int gpu = gpu_count - 1;
            *equals = '\0';
            if (from_s > 0) { /* "GPU.key" */
                gpu = (int)strtol(start, &key, 10);
                key = *key == '.' ? key + 1 : key;
            }
            lines[line_count++] = (struct line){gpu, trim(key), trim(equals + 1), from_s};
            if (gpu < 0 && strcmp(lines[line_count - 1].key, "start") == 0) start_s = strtod(lines[line_count - 1].value, NULL);
        } else {
            fprintf(stderr, "libnvidia-ml (test bed): not a reading: %s\n", start);
        }
    }
}

/* Read the file again if it is another one than last time; called with the lock held. */
static void refresh(void) {
    const char *path = getenv("GPUALERT_NVML_READINGS");
    struct stat now;
    if (!path || stat(path, &now) != 0) {
        forget();
        memset(&seen, 0, sizeof seen);
        return;
    }
    if (content && now.st_ino == seen.st_ino && now.st_size == seen.st_size && now.st_mtim.tv_sec == seen.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == seen.st_mtim.tv_nsec)
        return;
    FILE *file = fopen(path, "re");
    forget();
    if (!file) return;
    if (fstat(fileno(file), &now) != 0) { /* it may have been replaced since it was looked at */
        fclose(file);
        return;
    }
    content = calloc(1, (size_t)now.st_size + 1);
    if (content && fread(content, 1, (size_t)now.st_size, file) == (size_t)now.st_size) {
        seen = now;
        parse(content, (double)now.st_mtim.tv_sec + (double)now.st_mtim.tv_nsec * 1e-9);
    } else {
        forget();
    }
    fclose(file);
}

/* The last of a key's lines whose time has come. */
static const char *find(int gpu, const char *key) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double now_s = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    for (int i = line_count - 1; i >= 0; i--)
        if (lines[i].gpu == gpu && lines[i].from_s <= now_s && strcmp(lines[i].key, key) == 0) return lines[i].value;
    return NULL;
}

int reading_gpus(void) {
    pthread_mutex_lock(&lock);
    refresh();
    int count = gpu_count;
    pthread_mutex_unlock(&lock);
    return count;
}

int reading_has(int gpu, const char *key) {
    pthread_mutex_lock(&lock);
    refresh();
    int has = find(gpu, key) != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}

static nvmlReturn_t error_code(const char *name) {
    char *end;
    unsigned long code = strtoul(name, &end, 10);
    if (end != name && *end == '\0') return (nvmlReturn_t)code;
    for (size_t i = 0; i < sizeof error_names / sizeof *error_names; i++)
        if (strcmp(error_names[i].name, name) == 0) return error_names[i].code;
    return NVML_ERROR_UNKNOWN;
}

static void wait_s(double seconds) {
    struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* Obey "@hang=SECONDS" in front of a value, then "!ERROR"; what is left is the value. Called without the lock. */
static nvmlReturn_t obey(char *value) {
    char *rest = value;
    if (strncmp(rest, "@hang=", 6) == 0) {
        wait_s(strtod(rest + 6, &rest));
        rest = trim(rest);
    }
    if (*rest == '!') return error_code(rest + 1);
    memmove(value, rest, strlen(rest) + 1);
    return NVML_SUCCESS;
}

static nvmlReturn_t look_up(int gpu, const char *key, char out[READING_BYTES], nvmlReturn_t absent) {
    pthread_mutex_lock(&lock);
    refresh();
    const char *value = find(gpu, key);
    if (value) snprintf(out, READING_BYTES, "%s", value);
    pthread_mutex_unlock(&lock);
    return value ? obey(out) : absent;
}

nvmlReturn_t reading_text(int gpu, const char *key, char out[READING_BYTES]) {
    char all[READING_BYTES];
    nvmlReturn_t code = gpu == HOST ? NVML_SUCCESS : look_up(gpu, "*", all, NVML_SUCCESS);
    return code == NVML_SUCCESS ? look_up(gpu, key, out, NVML_ERROR_NOT_SUPPORTED) : code;
}

nvmlReturn_t reading_number(int gpu, const char *key, unsigned long long *out) {
    char text[READING_BYTES], *end;
    nvmlReturn_t code = reading_text(gpu, key, text);
    if (code != NVML_SUCCESS) return code;
    *out = strtoull(text, &end, 0);
    return end != text && *end == '\0' ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

nvmlReturn_t reading_ulonglong(nvmlDevice_t device, const char *key, unsigned long long *out) {
    nvmlReturn_t code = device_check(device, out);
    return code == NVML_SUCCESS ? reading_number(device->index, key, out) : code;
}

nvmlReturn_t reading_uint(nvmlDevice_t device, const char *key, unsigned int *out) {
    unsigned long long value;
    nvmlReturn_t code = device_check(device, out);
    if (code == NVML_SUCCESS) code = reading_number(device->index, key, &value);
    if (code == NVML_SUCCESS) *out = (unsigned int)value;
    return code;
}

nvmlReturn_t text_out(const char *text, char *out, unsigned int length) {
    if (strlen(text) + 1 > length) return NVML_ERROR_INSUFFICIENT_SIZE;
    memcpy(out, text, strlen(text) + 1);
    return NVML_SUCCESS;
}
