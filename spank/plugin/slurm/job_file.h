/* The job file's text. Format: doc/formats/job-file.md. */
#ifndef GPUALERT_JOB_FILE_H
#define GPUALERT_JOB_FILE_H

#include <slurm/spank.h>
#include <stddef.h>

#include "identity.h"
#include "storage.h"

#define JOB_FILE_MAX_BYTES 65536

/* Writes the text into `buffer`; returns its length, 0 when it does not fit. */
size_t job_file_text(char *buffer, size_t size, spank_t sp, const struct identity *id, const char *attempt, const struct storage *storage);

/* A text field of a job file that this plugin wrote; user text cannot fake one, its quotes are escaped. Returns whether it is there. */
bool job_file_field(const char *text, const char *key, char *value, size_t size);

#endif
