"""Ways to seal a report so that only the daemon reads it and nobody forges it; one file each."""
