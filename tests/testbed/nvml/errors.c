/* What has gone wrong with a GPU: ECC, remapped rows, retired pages, violation times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readings.h"

static const char *const error_types[] = {"corrected", "uncorrected"};
static const char *const counter_types[] = {"volatile", "aggregate"};
static const char *const places[] = {"l1", "l2", "dram", "register", "texture", "shm", "cbu", "sram"};

EXPORT nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending) {
    nvmlReturn_t code = reading_uint(device, "ecc.mode", current);
    return code == NVML_SUCCESS ? reading_uint(device, "ecc.pending", pending) : code;
}

EXPORT nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, unsigned int error, unsigned int counter, unsigned long long *out) {
    char key[64];
    if (error > 1 || counter > 1) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "ecc.%s.%s", counter_types[counter], error_types[error]);
    return reading_ulonglong(device, key, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, unsigned int error, unsigned int counter, unsigned int place,
                                                    unsigned long long *out) {
    char key[64];
    if (error > 1 || counter > 1 || place >= sizeof places / sizeof *places) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "ecc.%s.%s.%s", counter_types[counter], error_types[error], places[place]);
    return reading_ulonglong(device, key, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned int *corrected, unsigned int *uncorrected, unsigned int *pending,
                                              unsigned int *failure) {
    nvmlReturn_t code = reading_uint(device, "remapped.corrected", corrected);
    if (code == NVML_SUCCESS) code = reading_uint(device, "remapped.uncorrected", uncorrected);
    if (code == NVML_SUCCESS) code = reading_uint(device, "remapped.pending", pending);
    return code == NVML_SUCCESS ? reading_uint(device, "remapped.failure", failure) : code;
}

EXPORT nvmlReturn_t nvmlDeviceGetRowRemapperHistogram(nvmlDevice_t device, nvmlRowRemapperHistogramValues_t *out) {
    char text[READING_BYTES];
    nvmlReturn_t code = device_check(device, out);
    if (code == NVML_SUCCESS) code = reading_text(device->index, "remapped.histogram", text);
    if (code != NVML_SUCCESS) return code;
    int found = sscanf(text, "%u %u %u %u %u", &out->max, &out->high, &out->partial, &out->low, &out->none);
    return found == 5 ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

/* "ADDRESS@TIME ADDRESS@TIME", empty for none. */
EXPORT nvmlReturn_t nvmlDeviceGetRetiredPages_v2(nvmlDevice_t device, unsigned int cause, unsigned int *count, unsigned long long *addresses,
                                                 unsigned long long *times) {
    char text[READING_BYTES], *rest = text, *word;
    unsigned int room, found = 0;
    nvmlReturn_t code = device_check(device, count);
    if (code != NVML_SUCCESS) return code;
    if (cause > 1) return NVML_ERROR_INVALID_ARGUMENT;
    code = reading_text(device->index, cause == 0 ? "retired.sbe" : "retired.dbe", text);
    if (code != NVML_SUCCESS) return code;
    room = addresses ? *count : 0;
    while ((word = strsep(&rest, " "))) {
        if (!*word) continue;
        if (found < room) {
            char *time = strchr(word, '@');
            addresses[found] = strtoull(word, NULL, 0);
            if (times) times[found] = time ? strtoull(time + 1, NULL, 0) : 0;
        }
        found++;
    }
    *count = found;
    return found > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, unsigned int cause, unsigned int *count, unsigned long long *addresses) {
    return nvmlDeviceGetRetiredPages_v2(device, cause, count, addresses, NULL);
}

EXPORT nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "retired.pending", out); }

static const char *violation_name(unsigned int policy) {
    switch (policy) {
        case 0: return "power";
        case 1: return "thermal";
        case 2: return "sync_boost";
        case 3: return "board_limit";
        case 4: return "low_utilization";
        case 5: return "reliability";
        case 10: return "total_app_clocks";
        case 11: return "total_base_clocks";
        default: return NULL;
    }
}

/* "REFERENCE VIOLATION" */
EXPORT nvmlReturn_t nvmlDeviceGetViolationStatus(nvmlDevice_t device, unsigned int policy, nvmlViolationTime_t *out) {
    char key[48], text[READING_BYTES];
    nvmlReturn_t code = device_check(device, out);
    if (code != NVML_SUCCESS) return code;
    if (!violation_name(policy)) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "violation.%s", violation_name(policy));
    code = reading_text(device->index, key, text);
    if (code != NVML_SUCCESS) return code;
    return sscanf(text, "%llu %llu", &out->referenceTime, &out->violationTime) == 2 ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}
