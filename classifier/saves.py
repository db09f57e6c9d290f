"""Saves told in words that no pattern knows: ``state kept epoch=10 path=…``, ``[saved] x.pkl at step 50``, ``event=checkpoint step=3 file=…``.

Read at the ends of a log (``log_ends.py``) in which the patterns found next to no save, so that it costs a scan little. What is saved must be a
state to go on from: a word for one, a file of a kind that holds one, or a count of steps behind the verb. Figures, tables, settings,
predictions and features are none, nor is what is not yet saved, or could not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.pattern import Data, Match
from gpualert_slurm.evidence import Role

PATTERN = "saves.words"
MOST_TEXT = 300
HINT = re.compile(
    rb"[Ss]av|SAV|ckpt|CKPT|[Cc]heck-?point|CHECKPOINT|[Ss]napshot|SNAPSHOT|[Ww]rote|[Ww]rit|[Ss]tor|[Dd]ump|[Kk]ept|[Kk]eep|ersist|erialis"
    rb"|erializ|ickled|tash|lush|arked|-> |=> |took"
    rb"|sicher|peichert|auvegard|nregistr|uardad|alvat|alvo|\xd1\x81\xd0\xbe\xd1\x85\xd1\x80\xd0\xb0\xd0\xbd|\xe4\xbf\x9d\xe5\xad\x98"
)
"""Bytes of which one stands in every line that tells of a save."""
_ENDING = r"\.(?:pth?|ckpt|pkl|pickle|safetensors|npz|h5|hdf5|keras|msgpack|tar|pdparams|eqx|state|chkpt?|jld2|joblib|weights|dill|nemo|distcp)\b"
STATE_ENDING = (
    r"\.(?:pth?|ckpt|pkl|pickle|safetensors|npz|npy|h5|hdf5|keras|msgpack|json|bin|state|joblib|ubj|model|db|tar|eqx|weights|ini|w|dat)"
)
"""Of files that may hold a state, where something beside the name says that they do."""
_PATH = r"['\"`]?[\w./~@+=-]{0,200}"
_STATE = (
    r"(?:check-?points?|ckpts?|snap-?shots?|(?:train(?:ing|er)|run|optimi[sz]er|model|learner)?[ _-]?states?|models?|weights|param(?:eter)?s"
    r"|network"
    r"|policy|agent|Zwischenstand|Stand|Modell|Gewichte|mod[èe]le|[ée]tat|modelo|estado|modello|stato|модель|состояние|模型|检查点|权重)"
)
_VERB = (
    r"(?:saved|saving|wrote|writing|written|stored|storing|dumped|dumping|kept|keeping|persist(?:ed|ing)|seriali[sz](?:ed|ing)|pickled|checkpointed"
    r"|checkpointing|snapshotted|stashed|parked|flushed|gesichert|gespeichert|speichere|sichere|sauvegard[ée]e?s?|enregistr[ée]e?s?|guardad[oa]s?"
    r"|guardando|salvat[oaie]|salvando|salv[oa]s?|сохран\w{1,6})"
)
_UNIT = (
    r"(?:steps?|iter(?:ation)?s?|it|updates?|upd|rounds?|sweeps?|batch|epochs?|ep|passe?s?|generation|gen|episodes?|chunk|cycle|turn|tour|Schritt"
    r"|Epoche|Runde"
    r"|[ée]tape|[ée]poque|[ée]poca|paso|passo|шаг\w?|эпох\w?)"
)
_COUNTED = re.compile(rf"(?<![A-Za-z])(?P<unit>{_UNIT})['\"]?\s{{0,2}}[:=#_-]?\s{{0,2}}(?P<at>\d{{1,12}})(?![\d.:]{{0,12}}\d)", re.IGNORECASE)
_REVERSED = re.compile(
    r"(?<![\w.,/-])(?P<at>\d{1,12}) (?P<unit>steps|iterations|updates|rounds|sweeps|batches|epochs|passes|episodes)\b", re.IGNORECASE
)
_SAVES = re.compile(
    rf"\b{_VERB}\b(?: (?:to|in(?:to)?|as|at|the|a|an|new|best|latest|last|current|full|all|of|unter|nach|den|dans|en|in))*[\s:=\])>-]{{0,4}}"
    rf"(?:(?:\w+ ){{0,2}}{_STATE}\b|(?:\w+ ){{0,2}}{_PATH}{_ENDING}|.{{0,40}}?\b(?:at|after|@|nach|bei|of|for|[àa]) (?:\w+ )?{_UNIT}\W{{0,3}}\d)"
    rf"|\b{_STATE}\b(?: (?:is|was|were|has been|ist|files?|now))*[\s:,(\[-]{{0,4}}(?:(?:{_PATH}\.\w{{1,12}}|(?:(?:of|at|@|nach|after"
    rf"|for) )?(?:(?:\w+ )?{_UNIT} )?\d+|\d+|{_UNIT}[ _=-]?\d+)[\s:,)\]-]{{1,4}})?{_VERB}\b"
    rf"|(?:{_ENDING}|\b{_STATE}\.\w{{2,8}})['\"`]?:? (?:is |was |has been )?{_VERB}\b"
    rf"|\b(?:event|msg|message|type|kind|what|action|ev|op|tag|phase|name|stage|evt)['\"]?\s?[:=]\s?(?P<quote>['\"])?(?:{_STATE}[ _-]?)?"
    rf"(?:{_VERB}|save|persist|store|dump|flush"
    rf"|ckpt|check-?point|snap-?shot)(?:[ _-](?:{_VERB}|{_STATE}|written|done|end|ok))?(?(quote)['\"]|(?=[\s,}}|]|$))"
    rf"|(?:^|[\s\[(<|*#:-])(?:save|{_VERB}|ckpt|check-?point|snap-?shot)[\])>|*]?\s{{0,3}}(?::|=|-+>|=>|→|>>"
    rf"|\|)?\s{{0,3}}['\"`]?(?:{_PATH}{_ENDING}|{_UNIT}[ =#]\d)"
    rf"|\b{_STATE}(?: (?:of|at|after|for) {_UNIT} \d{{1,12}})?\s{{0,3}}(?:-+>|=>|→|>>)\s{{0,3}}\S"
    rf"|\b(?:check-?point|ckpt|snap-?shot) (?:{_PATH}/[\w.-]{{0,80}}\d|\d+ of \d)|^\W{{0,6}}save: \d"
    rf"|^\W{{0,6}}(?:\d[\d:.,]{{0,16}}\s?s?[\])|]?\s{{1,4}})?(?:-+>|=>|→|>>|\+)\s{{0,3}}{_PATH}{_ENDING}"
    rf"|\|\s{{0,2}}{_VERB}\s{{0,4}}$|\b(?:check-?pointing|saving|writing)\b.{{0,60}}?\b(?:done|ok|finished)\b|\b(?:save|check-?point"
    rf"|snap-?shot) (?:done|ok|finished|complete)\b|\b{_VERB} to disk\b"
    rf"|\b(?:{_STATE}|save|saving|write|dump)(?: \w+)? (?:write |save |dump )?(?:took|in)\W{{1,3}}\d"
    r"|已?保存(?:了|到|至)?|を保存",
    re.IGNORECASE,
)
_NOT_SO = re.compile(
    r"\b(?:no|not|never|nothing|without|unable|cannot|could(?:n't)?|can't|fail\w*|error|skip\w*|will|would|should|shall|going to|if|when"
    r"|unless|until|every|each"
    r"|interval|freq\w*|once|disabled|off|load\w*|read\w*|restor\w*|resum\w*|pick\w*|found|from the|continu\w*|delet\w*|remov\w*|prun\w*"
    r"|rotat\w*|oldest|avoid\w*"
    r"|please|usage|option|default|directory|folder|dir)\b"
    r"|\bbest (?:check-?point|model|step|epoch)\s?[:=]|ProcessGroup|<-|--\w|\b(?:save|ckpt|checkpoint|snapshot)[_-](?:every|steps|interval"
    r"|freq|dir|path|total|strategy|top)|keep_|max_to_keep",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:config\w*|settings?|arg(?:ument)?s|hparams|hyper\w*|tokeni[sz]er|vocab\w*|merges|figures?|plots?|png|curves?|images?|pictures?"
    r"|samples?|metrics?|logs?|history"
    r"|report|summary|predict\w*|outputs?|results?|scores?|embeddings?|features?|data ?sets?|data|shards?|cache\w*|index|csv|tables?|audio"
    r"|videos?|histogram|manifest"
    r"|(?:written|stored) in (?!\d|about|just)\w+|rows|records|sentences|documents|labels?|splits?|onnx|tflite|torchscript|trace|profile"
    r"|events?|tensorboard|memory|time|[GMK]i?B of|bytes|\d+ ?%|space|energy|files? list|schema|statistics|stats"
    r"|scaler|normali[sz]er|encoder|requirements|tests?|answers?|generations|translations|transcripts?)\b",
    re.IGNORECASE,
)
_NO_STATE = re.compile(
    r"\.(?:csv|tsv|jsonl|parquet|png|jpe?g|svg|pdf|log|ya?ml|toml|arrow|html|wav|mp4|gif|feather|tfrecord|md|npy)\b"
    r"|\b(?:config|metrics|pred\w{0,10}|vocab|token\w{0,6}|samples?|log|history|feat\w{0,5}|emb\w{0,7}|scaler|results?|summary|hparams|args"
    r"|stats)(?:[_-][\w-]{0,40}|\d{1,6})?\.\w",
    re.IGNORECASE,
)
_PLACE = re.compile(r"['\"`]?[\w./~@+=-]*(?:/[\w.~@+=-]+|\.[A-Za-z]\w{0,11}\b)['\"`]?")
_FIELDS = re.compile(
    r"['\"]?\b(?:event|msg|message|type|kind|what|action|ev|op|tag|phase|evt|level|lvl|ts|time|logger|name|node|worker|run|mib|bytes"
    r"|size|dir|folder|path|file|gb|mb|gib)['\"]?\s?[:=]",
    re.IGNORECASE,
)


def saved(lines: Iterable[Line], taken: frozenset[int]) -> list[Match]:
    """Lines that tell of a save, in order of place; ``taken``: offsets of lines that say something else already."""
    found = []
    for line in lines:
        text = line.text
        if not text or len(text) > MOST_TEXT or line.offset in taken:
            continue
        if (data := told(text)) is not None:
            found.append(Match("checkpoint_saved", Role.MARKER, line, PATTERN, data=data))
    return found


def of_no_state(text: str) -> bool:
    """Whether what a line tells of as written is something else than a state: figures, tables, features, data."""
    return _OTHERS.search(_FIELDS.sub(" ", _PLACE.sub(" ", text))) is not None or _NO_STATE.search(text) is not None


def told(text: str) -> Data | None:
    """What a line that tells of a save says: its step or epoch, where it has one; None for every other line."""
    if _SAVES.search(text) is None:
        return None
    bare = _FIELDS.sub(" ", _PLACE.sub(" ", text))
    if _NOT_SO.search(bare) or _OTHERS.search(bare) or _NO_STATE.search(text):
        return None
    counted = _COUNTED.search(text) or _REVERSED.search(text)
    if counted is None:
        return {}
    unit = counted["unit"].lower()
    passes = unit.startswith(("ep", "pass", "é", "эпох")) and not unit.startswith("episode")
    return {"epoch" if passes else "step": int(counted["at"])}


_JUDGED = re.compile(
    r"(?<![A-Za-z])(?:ppl|perplexity|bleu|acc\w{0,6}|f1|auc|[wc]er|map|m?iou|rouge\w{0,4}|psnr|fid|score|eval\w{0,8})(?![A-Za-z])", re.IGNORECASE
)
_WRITES = re.compile(r"sav|writ|wrote|dump|stor|upload|sync|flush|cop(?:y|ied)|persist|kept|serial|sicher|guard|enregistr|grav", re.IGNORECASE)


def judged(text: str) -> bool:
    """Whether a line tells what a checkpoint is worth, and not that it was written."""
    return _JUDGED.search(text) is not None and _WRITES.search(text) is None
