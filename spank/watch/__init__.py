"""What the node knows: GPU counters, the kernel log; one file a signal."""
