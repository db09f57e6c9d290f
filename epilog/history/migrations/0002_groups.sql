-- What decides whether a run's mail waits for others, without opening its verdict. NULL in rows from before this step: never grouped.
ALTER TABLE verdict ADD COLUMN array_job_id INTEGER;
ALTER TABLE verdict ADD COLUMN het_job_id INTEGER;
ALTER TABLE verdict ADD COLUMN problem INTEGER;
ALTER TABLE verdict ADD COLUMN started_ns INTEGER;
ALTER TABLE verdict ADD COLUMN addresses TEXT;

-- One message may be about many runs, and is planned (state 'planned', with its runs) before it is composed, so that a daemon which dies
-- in between composes the same one. grp names what the message belongs to; thread and subject are those that an answer in the thread repeats.
ALTER TABLE message ADD COLUMN grp TEXT;
ALTER TABLE message ADD COLUMN thread TEXT;
ALTER TABLE message ADD COLUMN subject TEXT;
CREATE INDEX message_by_time ON message (queued_ns);
CREATE TABLE message_run (
    key    TEXT    NOT NULL REFERENCES message (key) ON DELETE CASCADE,
    run_id INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    PRIMARY KEY (key, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_run_by_run ON message_run (run_id);
INSERT INTO message_run (key, run_id) SELECT key, run_id FROM message;
