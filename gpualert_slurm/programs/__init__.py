"""The thin wiring that is each executable. May import any room, lazily: a node never loads the mail room."""
