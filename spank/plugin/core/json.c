#include "json.h"

#include <stdio.h>
#include <string.h>

static void put(struct json *j, const char *bytes, size_t n)
{
    if (j->overflow || n >= j->size - j->used) {
        j->overflow = true;
        return;
    }
    memcpy(j->buffer + j->used, bytes, n);
    j->used += n;
}

/* Length of the UTF-8 sequence at s (RFC 3629), 0 when it is none. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
    static const struct {
        unsigned char from, to, second_from, second_to, length;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
        {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (s[0] < forms[i].from || s[0] > forms[i].to)
            continue;
        if (left < forms[i].length || s[1] < forms[i].second_from || s[1] > forms[i].second_to)
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

static void put_string(struct json *j, const char *value, size_t length)
{
    const unsigned char *s = (const unsigned char *)value;
    put(j, "\"", 1);
    for (size_t i = 0; i < length;) {
        if (s[i] == '"' || s[i] == '\\') {
            put(j, (char[]){'\\', (char)s[i++]}, 2);
        } else if (s[i] < 0x20 || s[i] == 0x7f) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", s[i++]);
            put(j, escape, 6);
        } else if (s[i] < 0x80) {
            put(j, value + i++, 1);
        } else {
            size_t n = utf8_length(s + i, length - i);
            put(j, n ? value + i : "\xef\xbf\xbd", n ? n : 3);
            i += n ? n : 1;
        }
    }
    put(j, "\"", 1);
}

static void put_key(struct json *j, const char *key)
{
    if (j->comma)
        put(j, ",", 1);
    if (key) {
        put_string(j, key, strlen(key));
        put(j, ":", 1);
    }
    j->comma = true;
}

void json_begin(struct json *j, char *buffer, size_t size, const char *prefix)
{
    *j = (struct json){.buffer = buffer, .size = size};
    if (prefix)
        put(j, prefix, strlen(prefix));
    put(j, "{", 1);
}

size_t json_end(struct json *j)
{
    put(j, "}", 1);
    if (j->overflow)
        return 0;
    j->buffer[j->used] = '\0';
    return j->used;
}

void json_text(struct json *j, const char *key, const char *value)
{
    if (!value)
        return;
    put_key(j, key);
    put_string(j, value, strlen(value));
}

void json_int(struct json *j, const char *key, int64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%lld", (long long)value);
    put_key(j, key);
    put(j, text, (size_t)n);
}

void json_bool(struct json *j, const char *key, bool value)
{
    put_key(j, key);
    put(j, value ? "true" : "false", value ? 4 : 5);
}

void json_open(struct json *j, const char *key, char bracket)
{
    put_key(j, key);
    put(j, &bracket, 1);
    j->comma = false;
}

void json_close(struct json *j, char bracket)
{
    put(j, &bracket, 1);
    j->comma = true;
}

void json_element(struct json *j, const char *value, size_t length)
{
    put_key(j, NULL);
    put_string(j, value, length);
}
