#include "time_index.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "crc32.h"

enum { HEADER_BYTES = 64, RECORD_BYTES = 32, FIRST_SPAN_MS = 100, LAST_SPAN_MS = 51200, RECORDS_A_SPAN = 32768 };

static void put_le(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

static void put_boot_id(unsigned char at[16], const char *text)
{
    memset(at, 0, 16);
    for (unsigned i = 0; i < 32 && *text; text++)
        if (*text != '-') {
            at[i / 2] = (unsigned char)(at[i / 2] << 4 | hex_digit(*text));
            i++;
        }
}

static int put_bytes(struct time_index *index, const unsigned char *bytes, size_t length)
{
    ssize_t done = pwrite(index->fd, bytes, length, (off_t)index->position);
    if (done != (ssize_t)length) {
        int why = done < 0 ? errno : ENOSPC;
        close(index->fd);
        index->fd = -1; /* the records so far stay sound: readers stop at a torn one */
        return why;
    }
    index->position += length;
    return 0;
}

int time_index_start(struct time_index *index, int fd, const char *boot_id)
{
    unsigned char header[HEADER_BYTES] = "GPALIDX1";
    struct instant now = instant_now();
    *index = (struct time_index){.fd = fd, .span_ms = FIRST_SPAN_MS};
    if (fd < 0)
        return EBADF;
    put_le(header + 8, 1, 4);
    put_le(header + 12, HEADER_BYTES, 2);
    put_le(header + 14, RECORD_BYTES, 2);
    put_boot_id(header + 16, boot_id);
    put_le(header + 32, (uint64_t)(now.realtime_ns - now.monotonic_ns), 8);
    put_le(header + 40, (uint64_t)now.realtime_ns, 8);
    put_le(header + 48, (uint64_t)clock_error_ns(), 8);
    put_le(header + 60, crc32_of(header, HEADER_BYTES - 4), 4);
    return put_bytes(index, header, sizeof header);
}

void time_index_note(struct time_index *index, unsigned stream, enum index_kind kind, uint64_t offset)
{
    unsigned char record[RECORD_BYTES];
    struct instant now;
    int64_t last;

    if (index->fd < 0 || stream < 1 || stream > 2)
        return;
    now = instant_now();
    last = index->last_monotonic_ns[stream - 1];
    if (kind != INDEX_END && last && now.monotonic_ns - last < (int64_t)index->last_span_ms[stream - 1] * 1000000)
        return;
    if (index->records >= RECORDS_A_SPAN && index->span_ms < LAST_SPAN_MS) {
        index->span_ms *= 2;
        index->records = 0;
    }
    index->records++;
    index->last_monotonic_ns[stream - 1] = now.monotonic_ns;
    index->last_span_ms[stream - 1] = index->span_ms;
    put_le(record, (uint64_t)now.realtime_ns, 8);
    put_le(record + 8, (uint64_t)now.monotonic_ns, 8);
    put_le(record + 16, offset, 8);
    record[24] = (unsigned char)stream;
    record[25] = (unsigned char)kind;
    put_le(record + 26, index->span_ms, 2);
    put_le(record + 28, crc32_of(record, RECORD_BYTES - 4), 4);
    (void)put_bytes(index, record, sizeof record);
}
