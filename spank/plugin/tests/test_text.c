/* JSON text and checksums: what no reader should ever have to forgive. */
#undef NDEBUG
#include <assert.h>
#include <string.h>

#include "crc32.h"
#include "errno_name.h"
#include "json.h"

static void strings_are_escaped_and_repaired(void)
{
    char text[256];
    struct json j;
    json_begin(&j, text, sizeof text, NULL);
    json_text(&j, "a", "q\"b\\n\n\x7f");
    json_text(&j, "u", "\xc3\xa4 \xff\xc0\xaf \xed\xa0\x80 \xf0\x9f\x98\x80 \xe2\x82");
    json_text(&j, "none", NULL);
    json_int(&j, "i", INT64_MIN);
    json_bool(&j, "t", true);
    json_open(&j, "l", '[');
    json_element(&j, "one,two", 3);
    json_element(&j, "two", 3);
    json_close(&j, ']');
    assert(json_end(&j) == strlen(text));
    assert(strcmp(text, "{\"a\":\"q\\\"b\\\\n\\u000a\\u007f\",\"u\":\"\xc3\xa4 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                        "\xf0\x9f\x98\x80 \xef\xbf\xbd\xef\xbf\xbd\",\"i\":-9223372036854775808,\"t\":true,\"l\":[\"one\",\"two\"]}") == 0);
}

static void what_does_not_fit_is_an_overflow_never_an_overrun(void)
{
    for (size_t size = 3; size < 40; size++) {
        char text[64];
        struct json j;
        memset(text, '#', sizeof text);
        json_begin(&j, text, size, "x ");
        json_text(&j, "key", "0123456789\n");
        size_t length = json_end(&j);
        assert(length == 0 || (length < size && text[length] == '\0'));
        assert(text[size] == '#');
    }
}

static void the_checksum_is_the_one_of_zlib(void)
{
    assert(crc32_of("123456789", 9) == 0xcbf43926);
    assert(crc32_of("", 0) == 0);
}

static void errors_have_names(void)
{
    assert(errno_name(0) == NULL);
    assert(strcmp(errno_name(28), "ENOSPC") == 0);
    assert(strcmp(errno_name(4095), "errno") == 0);
}

int main(void)
{
    strings_are_escaped_and_repaired();
    what_does_not_fit_is_an_overflow_never_an_overrun();
    the_checksum_is_the_one_of_zlib();
    errors_have_names();
    return 0;
}
