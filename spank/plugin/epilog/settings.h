/* Where gpualert-epilog looks: Slurm gives an Epilog no arguments, so a file of two lines can say it too. */
#ifndef GPUALERT_SETTINGS_H
#define GPUALERT_SETTINGS_H

#define SETTINGS_FILE "/etc/gpualert/epilog.conf"

struct settings {
    char state_dir[1024], off_file[1024];
};

/*
 * Defaults, then SETTINGS_FILE (lines state_dir=PATH, off_file=PATH; # starts a comment), then the arguments: state_dir=PATH, off_file=PATH,
 * --state-dir PATH, --off-file PATH. What it does not know is named on stderr and left out.
 */
void settings_read(struct settings *settings, int argc, char **argv);

#endif
