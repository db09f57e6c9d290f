/* Passes on what a process prints that outlived the command: it is left alone, and nobody waits for it. */
#ifndef GPUALERT_RUN_KEEPER_H
#define GPUALERT_RUN_KEEPER_H

#include <stdbool.h>

/* Forks the keeper for the read ends in `left` (-1: none) of out and err, and closes them here. False when there is nothing to keep. */
bool keeper_start(int left[2]);

#endif
