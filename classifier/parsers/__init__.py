"""Text to evidence: one file for each program that prints."""
