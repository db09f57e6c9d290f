/* Events: "events = TYPE:DATA TYPE:DATA@INSTANCE" of a GPU is all that ever happened to it, and grows; a set gives what came after it was registered.
 * A driver blocks; here the file is looked at five times a second, so that waiting costs next to nothing here too. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "readings.h"

enum { MAX_GPUS = 64, POLL_NS = 200000000 };

struct nvmlEventSet_st {
    nvmlDevice_t device[MAX_GPUS];
    unsigned long long types[MAX_GPUS];
    unsigned int given[MAX_GPUS];
};

/* The event number "which" of a GPU; the count of all, if there are fewer, with found untouched. */
static unsigned int event_of(nvmlDevice_t device, unsigned int which, nvmlEventData_t *found) {
    char text[READING_BYTES], *rest = text, *word;
    unsigned int count = 0;
    if (!reading_has(device->index, "events") || reading_text(device->index, "events", text) != NVML_SUCCESS) return 0;
    while ((word = strsep(&rest, " "))) {
        char *data = strchr(word, ':');
        if (!*word || !data) continue;
        char *instance = strchr(data, '@');
        unsigned int slice = instance ? (unsigned int)strtoul(instance + 1, NULL, 10) : ~0u;
        if (count++ == which && found) *found = (nvmlEventData_t){device, strtoull(word, NULL, 0), strtoull(data + 1, NULL, 0), slice, ~0u};
    }
    return count;
}

EXPORT nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *out) {
    nvmlReturn_t code = library_check(out);
    if (code == NVML_SUCCESS) *out = calloc(1, sizeof **out);
    return code;
}

EXPORT nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
    free(set);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *out) {
    return reading_ulonglong(device, "events.supported", out);
}

EXPORT nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) {
    nvmlReturn_t code = device_check(device, set);
    if (code != NVML_SUCCESS) return code;
    set->device[device->index] = device;
    set->types[device->index] = types;
    set->given[device->index] = event_of(device, ~0u, NULL);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *out, unsigned int timeout_ms) {
    nvmlReturn_t code = library_check(out);
    if (code != NVML_SUCCESS) return code;
    for (unsigned long long waited_ns = 0;; waited_ns += POLL_NS) {
        for (int i = 0; i < MAX_GPUS; i++) {
            if (!set->device[i]) continue;
            while (event_of(set->device[i], set->given[i], out) > set->given[i]) {
                set->given[i]++;
                if (out->eventType & set->types[i]) return NVML_SUCCESS;
            }
        }
        if (waited_ns >= timeout_ms * 1000000ull) return NVML_ERROR_TIMEOUT;
        nanosleep(&(struct timespec){0, POLL_NS}, NULL);
    }
}
