"""Counts the tokens of a held-out text: a job whose environment lacks a package."""

import sys
from pathlib import Path

import sentencepiece

processor = sentencepiece.SentencePieceProcessor(model_file=sys.argv[1])
text = Path(sys.argv[2]).read_text()
print("tokens", len(processor.encode(text)), "vocabulary", processor.vocab_size())
