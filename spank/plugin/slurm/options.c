#include "options.h"

#include <slurm/slurm.h>
#include <stdio.h>
#include <string.h>

#include "wishes.h"

enum { MAIL, WHEN, ARTIFACTS, SPLIT, OPTIONS };

static struct {
    bool given;
    char value[WISHES_MAX_CHARS + 1];
} given[OPTIONS];

static const struct {
    const char *name, *environment;
    const char *(*check)(const char *);
} rules[OPTIONS] = {
    {"gpualert-mail", "SLURM_SPANK__SLURM_SPANK_OPTION_gpualert_gpualert_mail", wishes_check_mail},
    {"gpualert-when", "SLURM_SPANK__SLURM_SPANK_OPTION_gpualert_gpualert_when", wishes_check_when},
    {"gpualert-artifacts", "SLURM_SPANK__SLURM_SPANK_OPTION_gpualert_gpualert_artifacts", wishes_check_artifacts},
    {"gpualert-split", "SLURM_SPANK__SLURM_SPANK_OPTION_gpualert_gpualert_split", wishes_check_split},
};

/* Called once or, before 24.05, twice. A bad value is refused at submit time; on a node it is user input that is left out. */
static int take(int option, const char *value, int remote)
{
    const char *why = value ? rules[option].check(value) : "no value";
    if (why && remote) {
        slurm_verbose("gpualert: --%s: %s; left out", rules[option].name, why);
        return 0;
    }
    if (why) {
        slurm_error("gpualert: --%s=%s", rules[option].name, why);
        return -1;
    }
    given[option].given = true;
    snprintf(given[option].value, sizeof given[option].value, "%s", value);
    return 0;
}

static struct spank_option table[] = {
    {"gpualert-mail", "ADDRESSES", "mail this job's diagnosis to these addresses (comma-separated); none: do not watch it", 1, MAIL, take},
    {"gpualert-when", "always|problem|never", "when to send it (default: always)", 1, WHEN, take},
    {"gpualert-artifacts", "GLOBS", "files below the working directory to attach (comma-separated)", 1, ARTIFACTS, take},
    {"gpualert-split", "torchrun", "a log for each rank below a torchrun; its lines get a prefix", 1, SPLIT, take},
};

void options_register(spank_t sp)
{
    for (int i = 0; i < OPTIONS; i++)
        if (spank_option_register(sp, &table[i]) != ESPANK_SUCCESS)
            slurm_verbose("gpualert: --%s could not be registered", table[i].name);
}

void options_complete(spank_t sp)
{
    char value[WISHES_MAX_CHARS + 1];
    for (int i = 0; i < OPTIONS; i++)
        if (!given[i].given && spank_getenv(sp, rules[i].environment, value, sizeof value) == ESPANK_SUCCESS)
            take(i, value, 1);
}

static const char *value_of(int option)
{
    return given[option].given ? given[option].value : NULL;
}

bool options_declined(void)
{
    return given[MAIL].given && strcmp(given[MAIL].value, "none") == 0;
}

bool options_asked(void)
{
    return given[MAIL].given && !options_declined();
}

const char *options_mail(void)
{
    return value_of(MAIL);
}

const char *options_when(void)
{
    return value_of(WHEN);
}

const char *options_artifacts(void)
{
    return value_of(ARTIFACTS);
}

bool options_split(void)
{
    return given[SPLIT].given;
}
