/* Starts the Python side on a bundle, once the command is over. */
#ifndef GPUALERT_RUN_FINISH_H
#define GPUALERT_RUN_FINISH_H

#include "bundle.h"

/* Runs `gpualert finish` on the bundle, its output in report.log, and waits for it within bounds. */
void finish_run(const struct bundle *b);

#endif
