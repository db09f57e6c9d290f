/* Initialisation, versions, error texts. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "readings.h"

static atomic_int users;

nvmlReturn_t library_check(const void *out) {
    if (users == 0) return NVML_ERROR_UNINITIALIZED;
    return out ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned int flags) {
    char text[READING_BYTES];
    (void)flags;
    if (reading_gpus() < 0) return NVML_ERROR_DRIVER_NOT_LOADED;
    if (reading_has(HOST, "init")) {
        nvmlReturn_t code = reading_text(HOST, "init", text);
        if (code != NVML_SUCCESS) return code;
    }
    users++;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlInit_v2(void) { return nvmlInitWithFlags(0); }
EXPORT nvmlReturn_t nvmlInit(void) { return nvmlInitWithFlags(0); }

EXPORT nvmlReturn_t nvmlShutdown(void) {
    if (users == 0) return NVML_ERROR_UNINITIALIZED;
    users--;
    return NVML_SUCCESS;
}

static nvmlReturn_t host_text(const char *key, char *out, unsigned int length) {
    char text[READING_BYTES];
    nvmlReturn_t code = library_check(out);
    if (code == NVML_SUCCESS) code = reading_text(HOST, key, text);
    return code == NVML_SUCCESS ? text_out(text, out, length) : code;
}

EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *out, unsigned int length) { return host_text("driver", out, length); }
EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *out, unsigned int length) { return host_text("nvml", out, length); }

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *out) {
    unsigned long long value;
    nvmlReturn_t code = library_check(out);
    if (code == NVML_SUCCESS) code = reading_number(HOST, "cuda", &value);
    if (code == NVML_SUCCESS) *out = (int)value;
    return code;
}

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *out) { return nvmlSystemGetCudaDriverVersion_v2(out); }

EXPORT const char *nvmlErrorString(nvmlReturn_t code) {
    switch (code) {
        case 0: return "The operation was successful";
        case 1: return "NVML was not initialised";
        case 2: return "A supplied argument is invalid";
        case 3: return "The operation is not available on the target device";
        case 4: return "The caller has no permission for the operation";
        case 6: return "The object was not found";
        case 7: return "An input argument is not large enough";
        case 9: return "The NVIDIA driver is not loaded";
        case 10: return "The provided timeout passed";
        case 15: return "The GPU has fallen off the bus or has otherwise become inaccessible";
        case 16: return "The GPU requires a reset";
        case 999: return "An internal driver error occurred";
        default: return "Another NVML error";
    }
}
