"""One signal of the node or of a job's cgroups a file: each defines ``SIGNAL``. Units are those of ``HostSnapshot`` and ``StepUsage``."""
