/*
 * libFuzzer target: everything that reads words of users and admins. Options of sbatch (in the client and on the node), plugstack.conf,
 * the job file that a later step reads back, the command line of gpualert-run, gpualert-epilog's settings.
 * The first byte says which; what is accepted must also keep its promises.
 */
#undef NDEBUG
#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../epilog/settings.h"
#include "../run/options.h"
#include "config.h"
#include "job_file.h"
#include "libspank.h"
#include "nearest.h"
#include "options.h"
#include "wishes.h"

enum { MOST_WORDS = 24, MOST_BYTES = 8192 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static char text[MOST_BYTES + 1]; /* kept: config and options point into their arguments */

static int split(char **words, char separator)
{
    int count = 1;
    words[0] = text;
    for (char *c = text; *c && count < MOST_WORDS - 1; c++)
        if (*c == separator) {
            *c = '\0';
            words[count++] = c + 1;
        }
    words[count] = NULL;
    return count;
}

static void wishes(void)
{
    if (!wishes_check_mail(text)) {
        assert(strlen(text) <= WISHES_MAX_CHARS && (strcmp(text, "none") == 0 || strchr(text, '@')));
        for (const char *c = text; *c; c++)
            assert(*c > ' ' && *c < 0x7f && !strchr("\"\\<>();:[]", *c));
    }
    if (!wishes_check_artifacts(text)) {
        assert(text[0] != '/' && strncmp(text, "../", 3) != 0 && !strstr(text, "/../") && !strstr(text, ",/") && strcmp(text, "..") != 0);
        for (const unsigned char *c = (const unsigned char *)text; *c; c++)
            assert(*c >= ' ' && *c != 0x7f);
    }
    if (!wishes_check_when(text))
        assert(strcmp(text, "always") == 0 || strcmp(text, "problem") == 0 || strcmp(text, "never") == 0);
}

static void options(int remote)
{
    libspank.context = remote ? S_CTX_REMOTE : S_CTX_ALLOCATOR;
    libspank.option_count = 0;
    options_register(NULL);
    assert(libspank.option_count == 4);
    for (unsigned i = 0; i < libspank.option_count; i++) {
        int said = libspank.options[i].cb(libspank.options[i].val, text, remote);
        assert(said == 0 || (said == -1 && !remote)); /* on a node a bad value is left out, never an error */
    }
    assert(!options_mail() || !wishes_check_mail(options_mail()));
    assert(!options_artifacts() || !wishes_check_artifacts(options_artifacts()));
}

static void plugstack(enum spank_context context)
{
    char *words[MOST_WORDS];
    int count = split(words, '\n');
    libspank.context = context;
    config_read(count, words);
    assert(config()->rank_max_mib >= 1 && config()->rank_max_mib <= 1 << 20);
    assert(config()->tail_kib >= 64 && config()->tail_kib <= 1 << 16);
    assert(config()->job_max_logs >= 2 && config()->backlog_mib >= 1 && config()->tmpfs_rank_max_kib >= 64);
}

static void job_file(void)
{
    static const char *const names[] = {"attempt", "boot_id", "node", NULL};
    char value[40];
    for (unsigned i = 0; names[i]; i++)
        if (job_file_field(text, names[i], value, sizeof value))
            assert(strlen(value) < sizeof value && !strchr(value, '"'));
    (void)nearest_name(text, strlen(text) % 64, names);
}

static void run_arguments(void)
{
    char *words[MOST_WORDS + 1] = {"gpualert-run"};
    struct options *o = calloc(1, sizeof *o);
    int said, count = split(words + 1, '\n');
    optind = 0;
    said = options_read(o, count + 1, words);
    assert(said >= -1 && said <= 255);
    if (said == -1)
        assert(o->command[0] && o->timeout_s >= 0 && o->timeout_s <= 1e9 && o->addresses.count <= MAX_WORDS);
    free(o);
}

static void epilog_arguments(void)
{
    char *words[MOST_WORDS + 1] = {"gpualert-epilog"};
    struct settings s;
    int count = split(words + 1, '\n');
    settings_read(&s, count + 1, words);
    assert(s.state_dir[0] == '/' && s.off_file[0] == '/');
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    if (size < 1 || size > MOST_BYTES)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    libspank.quiet = true;
    switch (data[0] % 8) {
    case 0: wishes(); break;
    case 1: options(0); break;
    case 2: options(1); break;
    case 3: plugstack(S_CTX_REMOTE); break;
    case 4: plugstack(S_CTX_SLURMD); break;
    case 5: job_file(); break;
    case 6: run_arguments(); break;
    default: epilog_arguments(); break;
    }
    return 0;
}
