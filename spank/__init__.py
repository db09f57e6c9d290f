"""During the job: the C plugin and programs (plugin/), and what the node watches (watch/)."""
