/* Which GPUs there are, and what they are called. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "readings.h"

enum { MAX_GPUS = 64, MAX_SLICES = 7 };
static struct nvmlDevice_st devices[MAX_GPUS];
static struct nvmlDevice_st slices[MAX_GPUS][MAX_SLICES];

nvmlReturn_t device_check(nvmlDevice_t device, const void *out) {
    nvmlReturn_t code = library_check(out);
    if (code != NVML_SUCCESS) return code;
    return device >= devices && device < devices + MAX_GPUS ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

/* A handle, unless the file scripts an error for "handle". */
static nvmlReturn_t handle_of(int index, nvmlDevice_t *out) {
    char text[READING_BYTES];
    if (reading_has(index, "handle")) {
        nvmlReturn_t code = reading_text(index, "handle", text);
        if (code != NVML_SUCCESS) return code;
    }
    devices[index].index = index;
    *out = &devices[index];
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *out) {
    nvmlReturn_t code = library_check(out);
    if (code != NVML_SUCCESS) return code;
    int count = reading_gpus();
    *out = count < 0 ? 0 : count > MAX_GPUS ? MAX_GPUS : (unsigned int)count;
    return count < 0 ? NVML_ERROR_UNKNOWN : NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *out) {
    unsigned int count;
    nvmlReturn_t code = library_check(out);
    if (code == NVML_SUCCESS) code = nvmlDeviceGetCount_v2(&count);
    if (code != NVML_SUCCESS) return code;
    return index < count ? handle_of((int)index, out) : NVML_ERROR_INVALID_ARGUMENT;
}

static int same_bus_id(const char *one, const char *other) {
    unsigned int a[4], b[4];
    return sscanf(one, "%x:%x:%x.%x", &a[0], &a[1], &a[2], &a[3]) == 4 && sscanf(other, "%x:%x:%x.%x", &b[0], &b[1], &b[2], &b[3]) == 4 &&
           memcmp(a, b, sizeof a) == 0;
}

static int same_text(const char *one, const char *other) { return strcmp(one, other) == 0; }

static nvmlReturn_t handle_by(const char *key, const char *wanted, int (*same)(const char *, const char *), nvmlDevice_t *out) {
    char text[READING_BYTES];
    nvmlReturn_t code = library_check(out);
    if (code != NVML_SUCCESS || !wanted) return code != NVML_SUCCESS ? code : NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < reading_gpus() && i < MAX_GPUS; i++)
        if (reading_text(i, key, text) == NVML_SUCCESS && same(text, wanted)) return handle_of(i, out);
    return NVML_ERROR_NOT_FOUND;
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *out) { return handle_by("uuid", uuid, same_text, out); }
EXPORT nvmlReturn_t nvmlDeviceGetHandleBySerial(const char *serial, nvmlDevice_t *out) { return handle_by("serial", serial, same_text, out); }
EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *out) { return handle_by("pci.bus_id", id, same_bus_id, out); }

static int is_slice(nvmlDevice_t device) {
    return device >= &slices[0][0] && device <= &slices[MAX_GPUS - 1][MAX_SLICES - 1];
}

EXPORT nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int *out) {
    nvmlReturn_t code = device_check(device, out);
    if (code == NVML_SUCCESS) *out = MAX_SLICES;
    return code;
}

/* "mig.N.uuid" for slices N = 0 … 6. */
EXPORT nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int number, nvmlDevice_t *out) {
    char key[32];
    nvmlReturn_t code = device_check(device, out);
    if (code != NVML_SUCCESS) return code;
    snprintf(key, sizeof key, "mig.%u.uuid", number);
    if (number >= MAX_SLICES || !reading_has(device->index, key)) return NVML_ERROR_NOT_FOUND;
    *out = &slices[device->index][number];
    **out = (struct nvmlDevice_st){device->index, (int)number + 1};
    return NVML_SUCCESS;
}

static nvmlReturn_t device_text(nvmlDevice_t device, const char *key, char *out, unsigned int length) {
    char text[READING_BYTES];
    nvmlReturn_t code = device_check(device, out);
    if (code == NVML_SUCCESS) code = reading_text(device->index, key, text);
    return code == NVML_SUCCESS ? text_out(text, out, length) : code;
}

EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t d, char *out, unsigned int length) { return device_text(d, "name", out, length); }
EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *out, unsigned int length) {
    char key[32], text[READING_BYTES];
    if (!device || !is_slice(device)) return device_text(device, "uuid", out, length);
    snprintf(key, sizeof key, "mig.%d.uuid", device->slice - 1);
    nvmlReturn_t code = reading_text(device->index, key, text);
    return code == NVML_SUCCESS ? text_out(text, out, length) : code;
}

/* "mig.N.instance": the GPU instance that the slice's processes are listed with. */
EXPORT nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned int *out) {
    char key[32];
    unsigned long long value;
    nvmlReturn_t code = library_check(out);
    if (code != NVML_SUCCESS) return code;
    if (!device || !is_slice(device)) return NVML_ERROR_INVALID_ARGUMENT;
    snprintf(key, sizeof key, "mig.%d.instance", device->slice - 1);
    code = reading_number(device->index, key, &value);
    if (code == NVML_SUCCESS) *out = (unsigned int)value;
    return code;
}

EXPORT nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t d, char *out, unsigned int length) { return device_text(d, "serial", out, length); }
EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t d, unsigned int *out) { return reading_uint(d, "minor", out); }

EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *out) {
    nvmlReturn_t code = device_check(device, out);
    if (code == NVML_SUCCESS) *out = (unsigned int)device->index;
    return code;
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *out) {
    char text[READING_BYTES];
    unsigned int function;
    nvmlReturn_t code = device_check(device, out);
    if (code == NVML_SUCCESS) code = reading_text(device->index, "pci.bus_id", text);
    if (code != NVML_SUCCESS) return code;
    memset(out, 0, sizeof *out);
    if (sscanf(text, "%x:%x:%x.%x", &out->domain, &out->bus, &out->device, &function) != 4) return NVML_ERROR_UNKNOWN;
    snprintf(out->busId, sizeof out->busId, "%08X:%02X:%02X.%X", out->domain, out->bus & 0xff, out->device & 0xff, function & 0xf);
    snprintf(out->busIdLegacy, sizeof out->busIdLegacy, "%04X:%02X:%02X.%X", out->domain & 0xffff, out->bus & 0xff, out->device & 0xff,
             function & 0xf);
    if (reading_has(device->index, "pci.device_id")) code = reading_uint(device, "pci.device_id", &out->pciDeviceId);
    return code;
}
