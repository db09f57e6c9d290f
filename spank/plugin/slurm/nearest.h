/* The nearest of some names to a mistyped one. */
#ifndef GPUALERT_NEAREST_H
#define GPUALERT_NEAREST_H

#include <stddef.h>

/* `names` ends with NULL. Edit distance; NULL when nothing is near. */
const char *nearest_name(const char *word, size_t length, const char *const *names);

#endif
