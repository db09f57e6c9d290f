/* nvmlDeviceGetFieldValues: many values in one call, each with its own error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "readings.h"

enum { MAX_LINKS = 36 };

/* Fields that say what another function says too, by NVML_FI_DEV_ number. "+" sums the key over all links. */
static const struct {
    unsigned int id;
    const char *key;
    unsigned int type;
} derived[] = {
    {1, "ecc.mode", NVML_VALUE_TYPE_UNSIGNED_INT},
    {2, "ecc.pending", NVML_VALUE_TYPE_UNSIGNED_INT},
    {3, "ecc.volatile.corrected", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {4, "ecc.volatile.uncorrected", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {5, "ecc.aggregate.corrected", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {6, "ecc.aggregate.uncorrected", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {31, "retired.pending", NVML_VALUE_TYPE_UNSIGNED_INT},
    {38, "+crc_flit", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {45, "+crc_data", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {52, "+replay", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {59, "+recovery", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {82, "memory.temperature", NVML_VALUE_TYPE_UNSIGNED_INT},
    {83, "energy", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {94, "pcie.replay", NVML_VALUE_TYPE_UNSIGNED_INT},
    {230, "recovery_action", NVML_VALUE_TYPE_UNSIGNED_INT},
    {269, "slowdown.sw_thermal", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {270, "slowdown.hw_thermal", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {271, "slowdown.hw_power_brake", NVML_VALUE_TYPE_UNSIGNED_LONG_LONG},
    {142, "remapped.corrected", NVML_VALUE_TYPE_UNSIGNED_INT},
    {143, "remapped.uncorrected", NVML_VALUE_TYPE_UNSIGNED_INT},
    {144, "remapped.pending", NVML_VALUE_TYPE_UNSIGNED_INT},
    {145, "remapped.failure", NVML_VALUE_TYPE_UNSIGNED_INT},
};

static nvmlReturn_t over_links(int gpu, const char *counter, unsigned long long *sum) {
    nvmlReturn_t code = NVML_ERROR_NOT_SUPPORTED;
    *sum = 0;
    for (unsigned int link = 0; link < MAX_LINKS; link++) {
        char key[48];
        unsigned long long value;
        snprintf(key, sizeof key, "nvlink.%u.%s", link, counter);
        if (!reading_has(gpu, key)) continue;
        code = reading_number(gpu, key, &value);
        if (code != NVML_SUCCESS) return code;
        *sum += value;
    }
    return code;
}

static void set_number(nvmlFieldValue_t *field, unsigned int type, unsigned long long number) {
    field->valueType = type;
    if (type == NVML_VALUE_TYPE_UNSIGNED_INT)
        field->value.uiVal = (unsigned int)number;
    else
        field->value.ullVal = number;
}

/* "field.ID = TYPE VALUE" or "field.ID.SCOPE = TYPE VALUE"; TYPE is u32, u64 or double. */
static nvmlReturn_t scripted(int gpu, const char *key, nvmlFieldValue_t *field) {
    char text[READING_BYTES], type[16], value[64];
    nvmlReturn_t code = reading_text(gpu, key, text);
    if (code != NVML_SUCCESS) return code;
    if (sscanf(text, "%15s %63s", type, value) != 2) return NVML_ERROR_UNKNOWN;
    if (strcmp(type, "double") == 0) {
        field->valueType = NVML_VALUE_TYPE_DOUBLE;
        field->value.dVal = strtod(value, NULL);
    } else {
        int wide = strcmp(type, "u64") == 0;
        set_number(field, wide ? NVML_VALUE_TYPE_UNSIGNED_LONG_LONG : NVML_VALUE_TYPE_UNSIGNED_INT, strtoull(value, NULL, 0));
    }
    return NVML_SUCCESS;
}

static nvmlReturn_t field_of(int gpu, nvmlFieldValue_t *field) {
    char key[48];
    unsigned long long number = 0;
    snprintf(key, sizeof key, "field.%u.%u", field->fieldId, field->scopeId);
    if (reading_has(gpu, key)) return scripted(gpu, key, field);
    snprintf(key, sizeof key, "field.%u", field->fieldId);
    if (reading_has(gpu, key)) return scripted(gpu, key, field);
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++) {
        if (derived[i].id != field->fieldId) continue;
        const char *name = derived[i].key;
        nvmlReturn_t code = *name == '+' ? over_links(gpu, name + 1, &number) : reading_number(gpu, name, &number);
        if (code == NVML_SUCCESS) set_number(field, derived[i].type, number);
        return code;
    }
    return NVML_ERROR_NOT_SUPPORTED;
}

EXPORT nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
    char all[READING_BYTES];
    nvmlReturn_t code = device_check(device, values);
    if (code != NVML_SUCCESS) return code;
    if (reading_has(device->index, "*") && (code = reading_text(device->index, "*", all)) != NVML_SUCCESS) return code;
    for (int i = 0; i < count; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        memset(&values[i].value, 0, sizeof values[i].value);
        values[i].nvmlReturn = field_of(device->index, &values[i]);
        values[i].timestamp = now.tv_sec * 1000000ll + now.tv_nsec / 1000;
        values[i].latencyUsec = 0;
    }
    return NVML_SUCCESS;
}
