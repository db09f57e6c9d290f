"""How a case is made: under gpualert-run on this machine, on the test bed's Slurm, or by hand."""
