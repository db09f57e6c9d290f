/* --gpualert-mail, --gpualert-when, --gpualert-artifacts, --gpualert-split, in clients and in slurmstepd. */
#ifndef GPUALERT_OPTIONS_H
#define GPUALERT_OPTIONS_H

#include <slurm/spank.h>
#include <stdbool.h>

void options_register(spank_t sp);

/* In slurmstepd, after Slurm called the options: looks where 22.05 hides them under --export=NONE. */
void options_complete(spank_t sp);

/* The job asked for us, and did not say none. */
bool options_asked(void);

/* It said none. */
bool options_declined(void);

/* NULL where the user did not give one. */
const char *options_mail(void);
const char *options_when(void);
const char *options_artifacts(void);

/* Ranks below a torchrun are to be told apart. */
bool options_split(void);

#endif
