"""After the job: collect and seal a node's report, carry it, read Slurm's records, merge into one JobRecord."""
