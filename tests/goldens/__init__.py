"""Logs of real frameworks, recorded by running them: ``make goldens`` runs every recipe again and compares."""
