/* Writes one JSON object into a caller's buffer: no allocation, always valid UTF-8, overflow is remembered. */
#ifndef GPUALERT_JSON_H
#define GPUALERT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    char *buffer;
    size_t size, used;
    bool overflow; /* it did not fit: the content is of no use */
    bool comma;
};

/* Starts with "{". `prefix` may be NULL; it is copied before the brace. */
void json_begin(struct json *j, char *buffer, size_t size, const char *prefix);
/* Ends with "}" and a NUL; returns the length without it, 0 on overflow. */
size_t json_end(struct json *j);

/* A NULL value leaves the key out. Control characters are escaped, bytes that are not UTF-8 become U+FFFD. */
void json_text(struct json *j, const char *key, const char *value);
void json_int(struct json *j, const char *key, int64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_open(struct json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *j, char bracket);                 /* '}' or ']' */
/* An element of an array: `length` bytes of `value`. */
void json_element(struct json *j, const char *value, size_t length);

#endif
