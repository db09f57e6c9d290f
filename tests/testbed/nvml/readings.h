/* The readings file: found by $GPUALERT_NVML_READINGS, read again whenever it changed. README.md has its format. */
#ifndef TESTBED_READINGS_H
#define TESTBED_READINGS_H

#include "nvml.h"

enum { READING_BYTES = 1024, HOST = -1 };

/* How many GPUs the file lists; -1 where there is no file. */
int reading_gpus(void);

/* The value of key for one GPU (or HOST: above the first [gpu]) as text. Waits and errors that the file scripts for it happen here;
 * an absent key is NVML_ERROR_NOT_SUPPORTED. */
nvmlReturn_t reading_text(int gpu, const char *key, char out[READING_BYTES]);

/* As a number, decimal or 0x…; what is no number is NVML_ERROR_UNKNOWN. */
nvmlReturn_t reading_number(int gpu, const char *key, unsigned long long *out);

/* The same into an unsigned int, for a device handle, with the checks every device function makes first. */
nvmlReturn_t reading_uint(nvmlDevice_t device, const char *key, unsigned int *out);
nvmlReturn_t reading_ulonglong(nvmlDevice_t device, const char *key, unsigned long long *out);

/* Whether the library is initialised and device is a handle of it. */
nvmlReturn_t device_check(nvmlDevice_t device, const void *out);
nvmlReturn_t library_check(const void *out);

/* Whether the file scripts key for that GPU at all; nothing is waited for. */
int reading_has(int gpu, const char *key);

/* Copy text into a caller's buffer of length bytes; NVML_ERROR_INSUFFICIENT_SIZE where it does not fit. */
nvmlReturn_t text_out(const char *text, char *out, unsigned int length);

#endif
