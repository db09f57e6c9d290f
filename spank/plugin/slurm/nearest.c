#include "nearest.h"

#include <string.h>

enum { LONGEST = 40 };

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned m = a < b ? a : b;
    return m < c ? m : c;
}

static unsigned distance(const char *a, size_t la, const char *b, size_t lb)
{
    unsigned row[LONGEST + 1];
    for (unsigned j = 0; j <= lb; j++)
        row[j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned corner = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            unsigned up = row[j];
            row[j] = least(row[j - 1] + 1, up + 1, corner + (a[i - 1] != b[j - 1]));
            corner = up;
        }
    }
    return row[lb];
}

const char *nearest_name(const char *word, size_t length, const char *const *names)
{
    const char *best = NULL;
    unsigned best_distance = (unsigned)length / 2 + 1;
    if (length > LONGEST)
        return NULL;
    for (; *names; names++) {
        unsigned d = distance(word, length, *names, strlen(*names));
        if (d < best_distance) {
            best = *names;
            best_distance = d;
        }
    }
    return best;
}
