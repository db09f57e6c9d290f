/* What a GPU is doing: memory, utilisation, heat, power, clocks, processes, modes, samples. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readings.h"

static nvmlReturn_t memory_of(nvmlDevice_t device, nvmlMemory_v2_t *out) {
    nvmlReturn_t code = reading_ulonglong(device, "memory.total", &out->total);
    if (code == NVML_SUCCESS) code = reading_ulonglong(device, "memory.used", &out->used);
    out->reserved = 0;
    if (code == NVML_SUCCESS && reading_has(device->index, "memory.reserved")) code = reading_ulonglong(device, "memory.reserved", &out->reserved);
    if (code == NVML_SUCCESS) out->free = out->total - out->used - out->reserved;
    return code;
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *out) {
    nvmlMemory_v2_t all;
    nvmlReturn_t code = device_check(device, out);
    if (code == NVML_SUCCESS) code = memory_of(device, &all);
    /* The first version of the call counts what the driver reserves as used. */
    if (code == NVML_SUCCESS) *out = (nvmlMemory_t){all.total, all.free, all.used + all.reserved};
    return code;
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *out) {
    nvmlReturn_t code = device_check(device, out);
    if (code != NVML_SUCCESS) return code;
    if (out->version != (sizeof *out | 2u << 24)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    return memory_of(device, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *out) {
    nvmlReturn_t code = device_check(device, out);
    if (code == NVML_SUCCESS) code = reading_uint(device, "utilization.gpu", &out->gpu);
    return code == NVML_SUCCESS ? reading_uint(device, "utilization.memory", &out->memory) : code;
}

EXPORT nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, unsigned int sensor, unsigned int *out) {
    return sensor == 0 ? reading_uint(device, "temperature", out) : NVML_ERROR_INVALID_ARGUMENT;
}

EXPORT nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *out) {
    unsigned int value;
    nvmlReturn_t code = device_check(device, out);
    if (code != NVML_SUCCESS) return code;
    if (out->version != (sizeof *out | 1u << 24)) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    code = nvmlDeviceGetTemperature(device, out->sensorType, &value);
    if (code == NVML_SUCCESS) out->temperature = (int)value;
    return code;
}

EXPORT nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, unsigned int which, unsigned int *out) {
    char key[48];
    snprintf(key, sizeof key, "temperature.threshold.%u", which);
    return reading_uint(device, key, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "power.usage", out); }
EXPORT nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "power.limit", out); }
EXPORT nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "power.limit", out); }
EXPORT nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t d, unsigned long long *out) { return reading_ulonglong(d, "energy", out); }
EXPORT nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "pstate", out); }
EXPORT nvmlReturn_t nvmlDeviceGetPowerState(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "pstate", out); }
EXPORT nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "compute_mode", out); }
EXPORT nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "pcie.generation", out); }
EXPORT nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "pcie.width", out); }
EXPORT nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "pcie.replay", out); }

static const char *const clocks[] = {"graphics", "sm", "mem", "video"};

static nvmlReturn_t clock_of(nvmlDevice_t device, const char *kind, unsigned int type, unsigned int *out) {
    char key[48];
    if (type >= sizeof clocks / sizeof *clocks) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "%s.%s", kind, clocks[type]);
    return reading_uint(device, key, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t d, unsigned int type, unsigned int *out) { return clock_of(d, "clock", type, out); }
EXPORT nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t d, unsigned int type, unsigned int *out) { return clock_of(d, "clock.max", type, out); }

EXPORT nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t d, unsigned int type, unsigned int *out) {
    return clock_of(d, "clock.application", type, out);
}

EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t d, unsigned long long *out) {
    return reading_ulonglong(d, "throttle_reasons", out);
}

EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t d, unsigned long long *out) {
    return reading_ulonglong(d, "throttle_reasons", out);
}

EXPORT nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending) {
    nvmlReturn_t code = reading_uint(device, "mig.mode", current);
    return code == NVML_SUCCESS ? reading_uint(device, "mig.pending", pending) : code;
}

/* "PID:BYTES PID:BYTES@INSTANCE"; BYTES may be "?" where the driver cannot say; INSTANCE is the GPU instance of a sliced card. */
EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *out) {
    char text[READING_BYTES], *rest = text, *word;
    unsigned int room, found = 0;
    nvmlReturn_t code = device_check(device, count);
    if (code == NVML_SUCCESS) code = reading_text(device->index, "processes", text);
    if (code != NVML_SUCCESS) return code;
    room = out ? *count : 0;
    while ((word = strsep(&rest, " "))) {
        char *bytes = strchr(word, ':');
        if (!*word || !bytes) continue;
        if (found < room) {
            char *instance = strchr(bytes, '@');
            unsigned int slice = instance ? (unsigned int)strtoul(instance + 1, NULL, 10) : ~0u;
            unsigned long long used = bytes[1] == '?' ? ~0ull : strtoull(bytes + 1, NULL, 0);
            out[found] = (nvmlProcessInfo_t){(unsigned int)strtoul(word, NULL, 10), used, slice, instance ? 0 : ~0u};
        }
        found++;
    }
    *count = found;
    return found > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *out) {
    return nvmlDeviceGetComputeRunningProcesses_v3(device, count, out);
}

static const char *const samples[] = {"power", "gpu", "memory", "encoder", "decoder", "processor_clock", "memory_clock"};

/* "samples.gpu = TIME:VALUE TIME:VALUE", times in microseconds; those after last_seen are given, at most *count of them. */
EXPORT nvmlReturn_t nvmlDeviceGetSamples(nvmlDevice_t device, unsigned int type, unsigned long long last_seen, unsigned int *value_type,
                                         unsigned int *count, nvmlSample_t *out) {
    char key[48], text[READING_BYTES], *rest = text, *word;
    unsigned int found = 0;
    nvmlReturn_t code = device_check(device, count);
    if (code != NVML_SUCCESS) return code;
    if (!value_type || type >= sizeof samples / sizeof *samples) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "samples.%s", samples[type]);
    code = reading_text(device->index, key, text);
    if (code != NVML_SUCCESS) return code;
    *value_type = NVML_VALUE_TYPE_UNSIGNED_INT;
    while ((word = strsep(&rest, " "))) {
        char *value = strchr(word, ':');
        unsigned long long time_us = strtoull(word, NULL, 10);
        if (!*word || !value || time_us <= last_seen || (out && found == *count)) continue;
        if (out) {
            out[found].timeStamp = time_us;
            out[found].sampleValue.ullVal = 0;
            out[found].sampleValue.uiVal = (unsigned int)strtoul(value + 1, NULL, 10);
        }
        found++;
    }
    *count = found;
    return found ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}
