"""Tokenizers and sentencepiece: vocabularies that are absent, cut or of another kind."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser

PARSER = Parser(
    program="tokenizers",
    exceptions=(
        ExceptionRule(
            detail="tokenizer_missing",
            words=r"Can't load tokenizer for|Couldn't instantiate the backend tokenizer|Unable to load vocabulary from file|make sure '.{1,200}' is the correct path to a directory containing all relevant files for an? \w{1,60}Tokenizer",
            samples=(
                ("OSError", "Can't load tokenizer for './base'. If you were trying to load it from 'https://huggingface.co/models', make sure you don't have a local directory"),
                ("ValueError", "Couldn't instantiate the backend tokenizer from one of: (1) a `tokenizers` library serialization file"),
                ("OSError", "Unable to load vocabulary from file. Please check that the provided vocabulary is accessible and not corrupted."),
            ),
            near_misses=(("ValueError", "the tokenizer has no pad token"), ("OSError", "Can't load the model for './base'")),
            cause=Cause.FILE_NOT_FOUND,
            about="asset",
        ),
        ExceptionRule(
            detail="tokenizer_class",
            words=r"Tokenizer class \w{1,80} does not exist or is not currently imported|Unrecognized configuration class .{1,200} to build an AutoTokenizer|You need to have sentencepiece(?: or tiktoken)? installed",
            samples=(
                ("ValueError", "Tokenizer class LLaMATokenizer does not exist or is not currently imported."),
                ("ValueError", "You need to have sentencepiece installed to convert a slow tokenizer to a fast one."),
                ("ValueError", "You need to have sentencepiece or tiktoken installed to convert a slow tokenizer to a fast one."),
            ),
            near_misses=(("ValueError", "Tokenizer class is fast"),),
            about="env",
        ),
        ExceptionRule(
            detail="tokenizer_broken",
            words=r"data did not match any variant of untagged enum|expected (?:value|ident|`[^`]{1,4}`)(?: or `[^`]{1,4}`)? at line \d{1,9} column \d{1,9}|EOF while parsing .{1,60} at line \d{1,9}|could not parse ModelProto",
            samples=(
                ("Exception", "data did not match any variant of untagged enum ModelWrapper at line 250373 column 3"),
                ("Exception", "EOF while parsing a string at line 120 column 9"),
                ("RuntimeError", "Internal: could not parse ModelProto from tokenizer.model"),
            ),
            near_misses=(("json.decoder.JSONDecodeError", "Expecting value: line 1 column 1 (char 0)"),),
            about="asset",
        ),
        ExceptionRule(
            detail="no_pad_token",
            words=r"Asking to pad but the tokenizer does not have a padding token|Cannot handle batch sizes > 1 if no padding token is defined",
            samples=(
                ("ValueError", "Asking to pad but the tokenizer does not have a padding token. Please select a token to use as `pad_token`"),
                ("ValueError", "Cannot handle batch sizes > 1 if no padding token is defined."),
            ),
            near_misses=(("ValueError", "padding must be a string"),),
            about="config",
        ),
        ExceptionRule(
            detail="no_chat_template",
            words=r"tokenizer\.chat_template is not set|chat template (?:is not set|could not be found)",
            samples=(
                ("ValueError", "Cannot use chat template functions because tokenizer.chat_template is not set and no template argument was passed!"),
                ("ValueError", "the tokenizer's chat template is not set"),
            ),
            near_misses=(("ValueError", "chat template rendered nothing"),),
            about="config",
        ),
    ),
)
