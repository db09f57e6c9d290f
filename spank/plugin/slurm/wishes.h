/* Checks of what a user may ask for. Pure: no Slurm, no file. */
#ifndef GPUALERT_WISHES_H
#define GPUALERT_WISHES_H

#include <stdbool.h>
#include <stddef.h>

#define WISHES_MAX_CHARS 2048

/* Comma-separated addresses, or "none". Returns NULL, or what is wrong and where (a static buffer). */
const char *wishes_check_mail(const char *value);
/* always, problem, never */
const char *wishes_check_when(const char *value);
/* Comma-separated globs below the work dir. */
const char *wishes_check_artifacts(const char *value);
/* torchrun: the one launcher that can be told so from outside. */
const char *wishes_check_split(const char *value);

#endif
