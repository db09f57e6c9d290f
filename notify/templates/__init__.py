"""The two parts of a mail and its style sheet."""
