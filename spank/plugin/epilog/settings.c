#include "settings.h"

#include <stdio.h>
#include <string.h>

static void set(struct settings *s, const char *key, const char *value, const char *where)
{
    char *to = strcmp(key, "state_dir") == 0 ? s->state_dir : strcmp(key, "off_file") == 0 ? s->off_file : NULL;
    if (to && value && value[0] == '/' && strlen(value) < sizeof s->state_dir)
        snprintf(to, sizeof s->state_dir, "%s", value);
    else
        fprintf(stderr, "gpualert-epilog: %s: '%.80s' is left out: it takes state_dir and off_file, absolute paths\n", where, key);
}

static void set_line(struct settings *s, char *line, const char *where)
{
    char *equals;
    line += strspn(line, " \t");
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line || *line == '#')
        return;
    equals = strchr(line, '=');
    if (equals)
        *equals = '\0';
    set(s, line, equals ? equals + 1 : NULL, where);
}

static void read_file(struct settings *s)
{
    char line[1100];
    FILE *file = fopen(SETTINGS_FILE, "re");
    for (int i = 0; file && i < 1000 && fgets(line, sizeof line, file); i++)
        set_line(s, line, SETTINGS_FILE);
    if (file)
        fclose(file);
}

void settings_read(struct settings *s, int argc, char **argv)
{
    snprintf(s->state_dir, sizeof s->state_dir, "/var/spool/gpualert");
    snprintf(s->off_file, sizeof s->off_file, "/etc/gpualert/off");
    read_file(s);
    for (int i = 1; i < argc; i++) {
        char word[1100];
        if (strcmp(argv[i], "--state-dir") == 0 && i + 1 < argc) {
            set(s, "state_dir", argv[++i], "arguments");
        } else if (strcmp(argv[i], "--off-file") == 0 && i + 1 < argc) {
            set(s, "off_file", argv[++i], "arguments");
        } else {
            snprintf(word, sizeof word, "%s", argv[i]);
            set_line(s, word, "arguments");
        }
    }
}
