#include "job_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "json.h"
#include "options.h"

static void put_list(struct json *j, const char *key, const char *words)
{
    json_open(j, key, '[');
    while (words && *words) {
        size_t length = strcspn(words, ",");
        json_element(j, words, length);
        words += length + (words[length] == ',');
    }
    json_close(j, ']');
}

static void claim_text(struct json *j, spank_t sp, const char *key, const char *variable)
{
    char value[8192];
    if (spank_getenv(sp, variable, value, sizeof value) == ESPANK_SUCCESS && *value)
        json_text(j, key, value);
}

static void claim_number(struct json *j, spank_t sp, const char *key, const char *variable)
{
    char value[32], *end;
    long number;
    if (spank_getenv(sp, variable, value, sizeof value) != ESPANK_SUCCESS)
        return;
    number = strtol(value, &end, 10);
    if (end != value && !*end && number >= 0)
        json_int(j, key, number);
}

static void put_claims(struct json *j, spank_t sp)
{
    json_open(j, "claims", '{');
    claim_text(j, sp, "nodes", "SLURM_JOB_NODELIST");
    claim_number(j, sp, "node_count", "SLURM_JOB_NUM_NODES");
    claim_text(j, sp, "user", "SLURM_JOB_USER");
    claim_text(j, sp, "work_dir", "SLURM_SUBMIT_DIR");
    claim_text(j, sp, "cluster", "SLURM_CLUSTER_NAME");
    claim_number(j, sp, "het_job_id", "SLURM_HET_JOB_ID");
    claim_number(j, sp, "het_offset", "SLURM_HET_JOB_OFFSET");
    json_close(j, '}');
}

size_t job_file_text(char *buffer, size_t size, spank_t sp, const struct identity *id, const char *attempt, const struct storage *storage)
{
    struct instant now = instant_now();
    const char *state = config()->state_dir;
    char path[1400];
    struct json j;

    json_begin(&j, buffer, size, NULL);
    json_text(&j, "format", "gpualert-job/1");
    json_text(&j, "attempt", attempt);
    json_int(&j, "job_id", id->job);
    if (id->array_job) {
        json_int(&j, "array_job_id", id->array_job);
        json_int(&j, "array_task_id", id->array_task);
    }
    json_int(&j, "uid", id->uid);
    json_int(&j, "gid", id->gid);
    json_text(&j, "node", id->node);
    json_text(&j, "first_step", id->step);
    json_int(&j, "step_node_index", id->node_index);
    json_int(&j, "step_node_count", id->node_count);
    snprintf(path, sizeof path, "%s/logs/%s", state, attempt);
    json_text(&j, "log_folder", path);
    snprintf(path, sizeof path, "%s/node/%s/%s", state, id->node, attempt);
    json_text(&j, "record_folder", path);
    json_text(&j, "boot_id", id->boot_id);
    json_int(&j, "started_ns", now.realtime_ns);
    json_int(&j, "started_monotonic_ns", now.monotonic_ns);
    json_int(&j, "stepd_pid", getpid());
    if (id->memory_limit_mib)
        json_int(&j, "memory_limit_mib", (int64_t)id->memory_limit_mib);
    json_text(&j, "capture", *storage->too_full ? storage->too_full : "on");
    json_text(&j, "storage", storage->type);
    json_text(&j, "plugin_version", GPUALERT_VERSION);
    json_text(&j, "slurm_version", id->slurm_version);
    json_open(&j, "wishes", '{');
    put_list(&j, "addresses", options_asked() ? options_mail() : NULL);
    json_text(&j, "when", options_when() ? options_when() : "always");
    put_list(&j, "artifacts", options_artifacts());
    json_close(&j, '}');
    put_claims(&j, sp);
    if (json_end(&j) == 0 || j.used + 1 >= size)
        return 0;
    buffer[j.used++] = '\n';
    return j.used;
}

bool job_file_field(const char *text, const char *key, char *value, size_t size)
{
    char start[40];
    const char *at, *end;
    snprintf(start, sizeof start, "\"%s\":\"", key);
    at = strstr(text, start);
    if (!at)
        return false;
    at += strlen(start);
    end = strchr(at, '"');
    if (!end || (size_t)(end - at) >= size)
        return false;
    memcpy(value, at, (size_t)(end - at));
    value[end - at] = '\0';
    return true;
}
