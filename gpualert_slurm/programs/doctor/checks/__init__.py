"""What ``gpualert doctor`` looks at: a file a check."""
