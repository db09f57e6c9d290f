"""Where Slurm's own records come from; one provider a file."""
