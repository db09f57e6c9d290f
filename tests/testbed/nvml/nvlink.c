/* NVLink: state and error counters of each link. */
#include <stdio.h>

#include "readings.h"

enum { MAX_LINKS = 36 };
static const char *const counters[] = {"replay", "recovery", "crc_flit", "crc_data", "ecc_data"};

EXPORT nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link, unsigned int *active) {
    char key[48];
    if (link >= MAX_LINKS) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "nvlink.%u.state", link);
    return reading_uint(device, key, active);
}

EXPORT nvmlReturn_t nvmlDeviceGetNvLinkVersion(nvmlDevice_t device, unsigned int link, unsigned int *version) {
    char key[48];
    if (link >= MAX_LINKS) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "nvlink.%u.version", link);
    return reading_uint(device, key, version);
}

EXPORT nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t device, unsigned int link, unsigned int counter, unsigned long long *out) {
    char key[48];
    if (link >= MAX_LINKS || counter >= sizeof counters / sizeof *counters) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "nvlink.%u.%s", link, counters[counter]);
    return reading_ulonglong(device, key, out);
}
