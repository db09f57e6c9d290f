-- What years of verdicts need: each look-up of a job's past reads a handful of rows, however many there are of its node, user or name.
ALTER TABLE verdict_node ADD COLUMN uid INTEGER;
ALTER TABLE verdict_node ADD COLUMN fault TEXT;
ALTER TABLE verdict_node ADD COLUMN ended_ns INTEGER;
UPDATE verdict_node SET (uid, fault, ended_ns) = (SELECT uid, fault, ended_ns FROM verdict WHERE verdict.id = verdict_id);
CREATE INDEX verdict_node_by_user ON verdict_node (node, uid, ended_ns);
CREATE INDEX verdict_node_at_fault ON verdict_node (node, ended_ns) WHERE fault = 'node';
CREATE INDEX verdict_by_name ON verdict (cluster, uid, job_name, ended_ns);
CREATE INDEX verdict_with_losses ON verdict (cluster, uid, ended_ns) WHERE head_loss IS NOT NULL;
CREATE INDEX message_by_thread ON message (thread, queued_ns);

-- Moments by name. 'reconcile from': jobs that ended before then are not searched for in Slurm's accounting.
CREATE TABLE mark (
    name    TEXT    PRIMARY KEY,
    time_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
