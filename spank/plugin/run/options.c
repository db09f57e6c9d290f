#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char usage[] =
    "usage: gpualert-run [OPTION]... [--] COMMAND [ARG]...\n"
    "Run COMMAND as it is, keep what it prints, and have its end diagnosed afterwards.\n"
    "\n"
    "  --mail=ADDR[,ADDR]...  mail the diagnosis there\n"
    "  --email-to ADDR        the same, for one address\n"
    "  --when=WHEN            mail always (default), on a problem, or never\n"
    "  --artifacts=GLOB[,GLOB]...\n"
    "                         files to attach, as patterns below the working folder\n"
    "  --attach PATH          one file to attach, its name taken literally\n"
    "  --timeout SECONDS      end COMMAND and all below it after this long; exit 124\n"
    "  --no-notify            diagnose, but send nothing\n"
    "  --dry-run              write the mail into the bundle instead of sending it\n"
    "  --verbose              say where the bundle lies\n"
    "  --help, --version\n"
    "\n"
    "The exit status is COMMAND's own; it ends by COMMAND's own signal. 124: the time limit was over, 125: gpualert-run\n"
    "was called wrongly, 126 and 127: COMMAND could not be started, or was not found.\n";

static int refuse(const char *what, const char *value, const char *why)
{
    fprintf(stderr, "gpualert-run: %s '%s': %s; nothing was run, see gpualert-run --help\n", what, value, why);
    return EXIT_OWN;
}

/* local@domain of printable ASCII, as the mail room's own check starts; the relay has the last word. */
static bool is_address(const char *s)
{
    const char *at = strrchr(s, '@');
    if (!at || at == s || !at[1] || strlen(s) > 254 || at - s > 64 || at[1] == '.' || at[strlen(at) - 1] == '.')
        return false;
    for (const char *c = s; *c; c++)
        if (*c <= ' ' || *c > '~' || strchr("<>()[]\\,;:\"", *c) || (*c == '@' && c != at))
            return false;
    return true;
}

static bool add(struct words *list, char *word)
{
    if (list->count == MAX_WORDS)
        return false;
    list->at[list->count++] = word;
    return true;
}

static int add_list(struct words *list, const char *given, const char *what, bool addresses)
{
    char *save = NULL, *text = strdup(given); /* kept: the words lie in it */
    int status = -1;
    if (!text || !*text)
        status = refuse(what, given, text ? "is empty" : "does not fit into memory");
    for (char *word = text ? strtok_r(text, ",", &save) : NULL; word && status < 0; word = strtok_r(NULL, ",", &save)) {
        if (addresses && !is_address(word))
            status = refuse(what, word, "is no mail address");
        else if (!add(list, word))
            status = refuse(what, word, "is one too many (at most 64)");
    }
    if (status >= 0)
        free(text); /* nobody looks at the words any more */
    return status;
}

static int read_timeout(struct options *o, const char *text)
{
    char *end;
    o->timeout_s = strtod(text, &end);
    if (end == text || *end || !isfinite(o->timeout_s) || o->timeout_s <= 0 || o->timeout_s > 1e9)
        return refuse("--timeout", text, "is no number of seconds above 0");
    return -1;
}

int options_read(struct options *o, int argc, char **argv)
{
    enum { MAIL = 1, EMAIL_TO, WHEN, ARTIFACTS, ATTACH, TIMEOUT, NO_NOTIFY, DRY_RUN, VERBOSE, HELP, VERSION };
    static const struct option known[] = {
        {"mail", required_argument, 0, MAIL},           {"email-to", required_argument, 0, EMAIL_TO}, {"when", required_argument, 0, WHEN},
        {"artifacts", required_argument, 0, ARTIFACTS}, {"attach", required_argument, 0, ATTACH},     {"timeout", required_argument, 0, TIMEOUT},
        {"no-notify", no_argument, 0, NO_NOTIFY},       {"dry-run", no_argument, 0, DRY_RUN},         {"verbose", no_argument, 0, VERBOSE},
        {"help", no_argument, 0, HELP},                 {"version", no_argument, 0, VERSION},         {0, 0, 0, 0},
    };
    *o = (struct options){.when = "always", .notify = true};
    int status = -1, option;
    while (status < 0 && (option = getopt_long(argc, argv, "+", known, NULL)) != -1) {
        switch (option) {
        case MAIL:
            status = add_list(&o->addresses, optarg, "--mail", true);
            break;
        case EMAIL_TO:
            status = add_list(&o->addresses, optarg, "--email-to", true);
            break;
        case WHEN:
            o->when = optarg;
            if (strcmp(optarg, "always") && strcmp(optarg, "problem") && strcmp(optarg, "never"))
                status = refuse("--when", optarg, "is not one of always, problem, never");
            break;
        case ARTIFACTS:
            status = add_list(&o->artifacts, optarg, "--artifacts", false);
            break;
        case ATTACH:
            if (!add(&o->attach, optarg))
                status = refuse("--attach", optarg, "is one too many (at most 64)");
            break;
        case TIMEOUT:
            status = read_timeout(o, optarg);
            break;
        case NO_NOTIFY:
            o->notify = false;
            break;
        case DRY_RUN:
            o->dry_run = true;
            break;
        case VERBOSE:
            o->verbose = true;
            break;
        case HELP:
            fputs(usage, stdout);
            return fflush(stdout) ? EXIT_OWN : 0;
        case VERSION:
            puts("gpualert-run " GPUALERT_VERSION);
            return fflush(stdout) ? EXIT_OWN : 0;
        default: /* getopt_long has said what is wrong */
            status = EXIT_OWN;
        }
    }
    if (status < 0 && !argv[optind]) {
        fputs("gpualert-run: no command given; see gpualert-run --help\n", stderr);
        status = EXIT_OWN;
    }
    o->command = argv + optind;
    return status;
}
