"""What gpualert costs, as interleaved comparisons on one machine: ``make bench``."""
