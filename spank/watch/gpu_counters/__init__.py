"""One GPU signal a file: each defines ``COUNTER``. Units are those of ``GpuSnapshot``."""
