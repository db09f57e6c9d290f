/* GPM: two samples of a GPU, and metrics between them. "gpm.supported = 1", "gpm.N = PERCENT" by metric number. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "readings.h"

struct nvmlGpmSample_st {
    int index;
    double taken_s;
};

EXPORT nvmlReturn_t nvmlGpmQueryDeviceSupport(nvmlDevice_t device, nvmlGpmSupport_t *out) {
    unsigned long long value = 0;
    nvmlReturn_t code = device_check(device, out);
    if (code != NVML_SUCCESS) return code;
    if (out->version != 1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    out->isSupportedDevice = 0;
    if (!reading_has(device->index, "gpm.supported")) return NVML_SUCCESS;
    code = reading_number(device->index, "gpm.supported", &value);
    out->isSupportedDevice = value != 0;
    return code;
}

EXPORT nvmlReturn_t nvmlGpmSampleAlloc(nvmlGpmSample_t *out) {
    nvmlReturn_t code = library_check(out);
    if (code != NVML_SUCCESS) return code;
    *out = calloc(1, sizeof **out);
    if (!*out) return NVML_ERROR_MEMORY;
    (*out)->index = -1;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlGpmSampleFree(nvmlGpmSample_t sample) {
    free(sample);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlGpmSampleGet(nvmlDevice_t device, nvmlGpmSample_t sample) {
    char text[READING_BYTES];
    struct timespec now;
    nvmlReturn_t code = device_check(device, sample);
    if (code == NVML_SUCCESS) code = reading_text(device->index, "gpm.supported", text);
    if (code != NVML_SUCCESS) return code;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sample->index = device->index;
    sample->taken_s = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlGpmMetricsGet(nvmlGpmMetricsGet_t *request) {
    nvmlReturn_t code = library_check(request);
    if (code != NVML_SUCCESS) return code;
    if (request->version != 1) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvmlGpmSample_t first = request->sample1, second = request->sample2;
    if (!first || !second || first->index < 0 || first->index != second->index || first->taken_s >= second->taken_s)
        return NVML_ERROR_INVALID_ARGUMENT;
    for (unsigned int i = 0; i < request->numMetrics; i++) {
        char key[32], text[READING_BYTES];
        nvmlGpmMetric_t *metric = &request->metrics[i];
        snprintf(key, sizeof key, "gpm.%u", metric->metricId);
        metric->nvmlReturn = reading_text(first->index, key, text);
        metric->value = metric->nvmlReturn == NVML_SUCCESS ? strtod(text, NULL) : 0;
    }
    return NVML_SUCCESS;
}
