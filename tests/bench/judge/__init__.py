"""Merging and judging a large job, measured."""
