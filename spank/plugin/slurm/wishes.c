#include "wishes.h"

#include <stdio.h>
#include <string.h>

enum { MAX_WORDS = 16, MAX_ADDRESS = 254, MAX_LOCAL = 64, MAX_LABEL = 63, MAX_GLOB = 512 };

static char said[512];

/* `word` may be hostile and is printed on the user's own terminal: only its printable part is shown. */
static const char *wrong(const char *word, size_t length, const char *why)
{
    char shown[129];
    size_t n = length < sizeof shown - 1 ? length : sizeof shown - 1;
    for (size_t i = 0; i < n; i++)
        shown[i] = word[i] >= ' ' && word[i] < 0x7f ? word[i] : '?';
    shown[n] = '\0';
    snprintf(said, sizeof said, "'%s': %s", shown, why);
    return said;
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* RFC 5321's dot-string: what real mailboxes look like; quoted local parts and address literals are refused. */
static const char *check_local(const char *local, size_t length)
{
    if (length == 0)
        return "nothing before the @";
    if (length > MAX_LOCAL)
        return "more than 64 characters before the @";
    for (size_t i = 0; i < length; i++) {
        if (local[i] == '.' && (i == 0 || i == length - 1 || local[i - 1] == '.'))
            return "a dot at the start, at the end or doubled before the @";
        if (!is_alnum(local[i]) && !(local[i] && strchr(".!#$%&'*+/=?^_`{|}~-", local[i])))
            return "a character that an address cannot have (only ASCII, no spaces, no quotes)";
    }
    return NULL;
}

static const char *check_domain(const char *domain, size_t length)
{
    size_t label = 0;
    if (length == 0)
        return "nothing behind the @";
    for (size_t i = 0; i <= length; i++) {
        if (i == length || domain[i] == '.') {
            if (label == 0 || domain[i - 1] == '-' || domain[i - label] == '-')
                return "not a host name behind the @";
            label = 0;
        } else if (is_alnum(domain[i]) || domain[i] == '-') {
            if (++label > MAX_LABEL)
                return "a part of more than 63 characters behind the @";
        } else {
            return domain[i] == '@' ? "more than one @ (several addresses are separated by commas)" : "not a host name behind the @";
        }
    }
    return NULL;
}

static const char *check_address(const char *word, size_t length)
{
    const char *at = memchr(word, '@', length), *why;
    if (length == 0)
        return wrong(word, length, "an empty address");
    if (!at)
        return wrong(word, length, "not a mail address: there is no @");
    why = length > MAX_ADDRESS ? "longer than 254 characters" : check_local(word, (size_t)(at - word));
    if (!why)
        why = check_domain(at + 1, length - (size_t)(at - word) - 1);
    return why ? wrong(word, length, why) : NULL;
}

static const char *check_glob(const char *word, size_t length)
{
    if (length == 0 || length > MAX_GLOB)
        return wrong(word, length, "an empty pattern, or one of more than 512 characters");
    if (word[0] == '/' || word[0] == '~')
        return wrong(word, length, "patterns are relative to the job's working directory");
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)word[i] < ' ' || word[i] == 0x7f)
            return wrong(word, length, "a control character");
        if ((i == 0 || word[i - 1] == '/') && length - i >= 2 && word[i] == '.' && word[i + 1] == '.' && (i + 2 == length || word[i + 2] == '/'))
            return wrong(word, length, "'..' would leave the job's working directory");
    }
    return NULL;
}

static const char *each_word(const char *value, const char *(*check)(const char *, size_t))
{
    unsigned words = 0;
    if (strlen(value) > WISHES_MAX_CHARS)
        return wrong(value, 40, "longer than 2048 characters");
    for (;;) {
        size_t length = strcspn(value, ",");
        const char *why = check(value, length);
        if (why)
            return why;
        if (++words > MAX_WORDS)
            return wrong(value, length, "more than 16 of them");
        if (!value[length])
            return NULL;
        value += length + 1;
    }
}

const char *wishes_check_mail(const char *value)
{
    return strcmp(value, "none") == 0 ? NULL : each_word(value, check_address);
}

const char *wishes_check_when(const char *value)
{
    if (strcmp(value, "always") == 0 || strcmp(value, "problem") == 0 || strcmp(value, "never") == 0)
        return NULL;
    return wrong(value, strlen(value), "must be always, problem or never");
}

const char *wishes_check_artifacts(const char *value)
{
    return each_word(value, check_glob);
}

const char *wishes_check_split(const char *value)
{
    return strcmp(value, "torchrun") == 0 ? NULL : wrong(value, strlen(value), "must be torchrun");
}
