-- One job as submitted: all of its attempts. Times are nanoseconds since 1970 UTC.
CREATE TABLE run (
    id            INTEGER PRIMARY KEY,
    cluster       TEXT    NOT NULL,
    job_id        INTEGER NOT NULL,
    uid           INTEGER NOT NULL,
    user          TEXT,
    label         TEXT    NOT NULL,
    state         TEXT    NOT NULL CHECK (state IN ('collecting', 'judged', 'composed', 'done')),
    outcome       TEXT,
    first_seen_ns INTEGER NOT NULL,
    started_ns    INTEGER NOT NULL,
    ended_seen_ns INTEGER,
    ended_ns      INTEGER,
    judged_ns     INTEGER,
    done_ns       INTEGER
) STRICT;
CREATE INDEX run_by_job ON run (cluster, job_id, uid);
CREATE INDEX run_by_state ON run (state);

-- A note or a report, once each: head is its JSON without the bulk, content all of it, compressed by zlib.
CREATE TABLE document (
    id          INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    kind        TEXT    NOT NULL CHECK (kind IN ('note', 'report')),
    node        TEXT    NOT NULL,
    sha256      BLOB    NOT NULL,
    received_ns INTEGER NOT NULL,
    late        INTEGER NOT NULL,
    head        TEXT    NOT NULL,
    content     BLOB    NOT NULL,
    UNIQUE (run_id, sha256)
) STRICT;

-- One attempt's verdict; the newest attempt's is the one that is mailed. content and record are JSON, compressed by zlib.
CREATE TABLE verdict (
    id          INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    newest      INTEGER NOT NULL,
    cluster     TEXT    NOT NULL,
    job_id      INTEGER NOT NULL,
    label       TEXT    NOT NULL,
    uid         INTEGER NOT NULL,
    job_name    TEXT,
    mode        TEXT    NOT NULL,
    cause       TEXT,
    fault       TEXT    NOT NULL,
    fingerprint TEXT,
    nodes       TEXT,
    ended_ns    INTEGER NOT NULL,
    head_loss   REAL,
    tail_loss   REAL,
    gpu_hours   REAL,
    content     BLOB    NOT NULL,
    record      BLOB    NOT NULL,
    UNIQUE (run_id, position)
) STRICT;
CREATE INDEX verdict_by_user ON verdict (cluster, uid, ended_ns);

CREATE TABLE verdict_node (
    verdict_id INTEGER NOT NULL REFERENCES verdict (id) ON DELETE CASCADE,
    node       TEXT    NOT NULL,
    PRIMARY KEY (node, verdict_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX verdict_node_by_verdict ON verdict_node (verdict_id);

-- What went into the outbox, by the outbox's key.
CREATE TABLE message (
    key         TEXT    PRIMARY KEY,
    run_id      INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    recipients  TEXT    NOT NULL,
    queued_ns   INTEGER NOT NULL,
    state       TEXT    NOT NULL,
    changed_ns  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX message_by_run ON message (run_id);
