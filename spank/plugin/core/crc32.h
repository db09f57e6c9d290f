/* CRC-32 of IEEE 802.3, the one of zlib and gzip. */
#ifndef GPUALERT_CRC32_H
#define GPUALERT_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *bytes, size_t length);

#endif
