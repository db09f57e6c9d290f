"""Names of the attention projections by model family, for adapters' ``target_modules``: as the models' own code calls them."""

from __future__ import annotations

import re

Modules = tuple[str, ...]
_QKVO: Modules = ("q_proj", "k_proj", "v_proj", "o_proj")
_QKV_OUT: Modules = ("q_proj", "k_proj", "v_proj", "out_proj")
FAMILIES: tuple[tuple[str, Modules], ...] = (
    ("deepseek-v2|deepseek-v3|deepseek_v[23]", ("q_proj", "kv_a_proj_with_mqa", "kv_b_proj", "o_proj")),
    ("phi-?[34]|phi3|phi4", ("qkv_proj", "o_proj")),
    ("phi-?[12]|phi", ("q_proj", "k_proj", "v_proj", "dense")),
    (
        "llama|vicuna|alpaca|mistral|mixtral|qwen[23]?|qwq|gemma|yi-|olmo|internlm3|smollm|cohere|command-r|aya|granite|stablelm|deepseek",
        _QKVO,
    ),
    ("internlm2", ("wqkv", "wo")),
    ("baichuan", ("W_pack", "o_proj")),
    ("chatglm|glm-?[34]", ("query_key_value", "dense")),
    ("falcon|bloom|gpt[-_]?neox|pythia|redpajama|dolly", ("query_key_value", "dense")),
    ("gpt[-_]?j", _QKV_OUT),
    ("gpt[-_]?neo", _QKV_OUT),
    ("starcoder2", _QKVO),
    ("gpt[-_]?2|starcoder|santacoder|gpt[-_]?bigcode", ("c_attn", "c_proj")),
    ("mpt", ("Wqkv", "out_proj")),
    ("opt", _QKV_OUT),
    ("whisper|bart|pegasus|clip|siglip|wav2vec2|hubert", _QKV_OUT),
    ("t5|ul2|mt5", ("q", "k", "v", "o")),
    ("bert|roberta|electra|vit|deit|dinov2|beit", ("query", "key", "value")),
)
"""Asked in this order: the finer name before the one it contains."""
_COMPILED = tuple((re.compile(rf"^(?:meta-|open-|tiny|code)?(?P<family>{names})(?![a-z])", re.IGNORECASE), modules) for names, modules in FAMILIES)
_NAMED = re.compile(r"(?:model|pretrained|checkpoint|tokenizer)[\w.-]{0,40}[=:\s'\"]{1,3}(?P<name>[\w.@/-]{2,200})", re.IGNORECASE)
"""A model is what stands behind an option or a word that says so: ``/opt/conda`` is no OPT."""


def modules_of(text: str) -> tuple[str, Modules] | None:
    """The family of the model that ``text`` (command lines, an error) names, and its attention's modules; None where it names none that is known."""
    for named in _NAMED.finditer(text):
        for part in reversed(named["name"].strip("/.").split("/")):
            for regex, modules in _COMPILED:
                found = regex.match(part)
                if found:
                    return found["family"], modules
    return None
