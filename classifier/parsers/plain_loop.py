"""Loops of one's own: ``step 100/1000 loss=2.31 lr 1e-4``, JSON lines, PyTorch's tutorials, and what such programs say when they are done."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.numbers import NUMBER, count, epoch_and_step, number
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_LOSS = (
    r"(?<![\w./-])(?:avg[_ ]|mean[_ ]|total[_ ]|train(?:ing)?[_ /]|trn?_|running[_ ]|step[_ ]|batch[_ ]|epoch_)?[Ll](?:oss|OSS)(?: \((?:avg|mean|train)\)| train(?:ing)?| value)?"
    r"['\"]?\s{0,3}(?:[:=]|\bis\b)?\s{0,6}(?:tensor\()?(?P<loss>"
    + NUMBER
    + r")(?![\w-]|\.\w)"
)
_LOSS_LINE = re.compile(_LOSS)
_HELD_OUT = re.compile(r"\b(?:val|valid|validation|test|eval|evaluation|dev|held[- ]out|holdout)\b\D{0,12}\Z", re.IGNORECASE)
"""What stands before a loss that is of no training."""
_BAR = re.compile(r"[^|%]{0,80}\d{1,3}%\|[^|]{0,300}\|\s{0,8}\d{1,12}/\d{1,12} \[[^\]]{0,400}\]?")
_STEP = re.compile(
    r"(?<![\w/.])(?:train/)?(?:global[_ ]?step|steps?|step_i|iter(?:ation)?s?|batch|it|update|num_updates|[Ss]teps?|Iter(?:ation)?|Batch|STEP)['\"]?\s{0,3}[:=#]?\s{0,3}\[?\s{0,6}(?P<step>\d[\d,]{0,15})(?![\d,]|\.\d|\s?(?:ms|s|secs?|seconds)\b)"
    r"(?:\s{0,3}(?:/|of)\s{0,6}(?P<planned>\d[\d,]{0,15}))?"
)
_EPOCH = re.compile(
    r"\b[Ee]p(?:och)?['\"]?\s{0,3}[:=#]?\s{0,3}\[?\s{0,3}(?P<epoch>\d{1,7}(?:\.\d{1,6})?)(?:\s{0,2}(?:/|of)\s{0,3}(?P<epochs>\d{1,7}))?"
)
_OF_EPOCH = re.compile(r"\bTrain(?:ing)?:? {1,3}(?P<epoch>\d{1,6}):? {0,3}\[(?= {0,6}\d{1,12} {0,2}/ {0,6}\d{1,12}\b)(?P<epochs>(?!))?")
"""``Train: 3 [  10/17 ( 59%)]``: timm's train.py, and those who began with it."""
_SLASH = re.compile(r"\[\s{0,6}(?P<step>\d{1,12})\s{0,2}/\s{0,6}(?P<planned>\d{1,12})(?:\s{0,2}\([\d.]{1,6}%\))?\s{0,2}\]")
_BRACKET = re.compile(r"(?:[IWED]\d{4} \d\d:\d\d:\d\d\.\d{1,6}\s{1,8}\d{1,16} [\w.-]{1,60}:\d{1,6}\])?\s{0,4}\[\s{0,6}(?P<step>\d{1,9})\s{0,2}\]\s")
"""At the line's beginning, or behind absl's head (CLU's metric writers print so)."""
_TESTED = re.compile(r"\s{0,4}Accuracy: {1,3}\d{1,3}\.\d{1,6}%, Avg loss: ")
"""Behind a line ``Test Error:``, as PyTorch's first tutorial prints it."""
_SUMMARY = re.compile(r"['\"]train_runtime['\"]")
"""HF Trainer's last dictionary: its ``train_loss`` is the mean of the run, no further step."""
_OF_AN_ERROR = re.compile(r"\w(?:Error|Exception)\(['\"][^'\"]{0,40}[Ll]oss")
"""What an error says of a loss, as Optuna prints it of a trial that failed."""
_OF_EARLIER = re.compile(
    r"\b(?:previous|earlier|prior|last) (?:run|segment|link|part|attempt|log|job)\b|\bsegment \d{1,3} (?:stopped|ended)\b|\bbefore the restart\b|\b[Rr]esuming\b"
    r"|\b[Tt]rial\b.{0,60}\b(?:errored|failed|pruned|diverged)\b"
)
"""What is told of another run is no progress of this one."""
_BEHIND_ITS_COUNT = re.compile(r"\s{1,6}(\d{1,9}\.\d{1,12}(?:e[-+]?\d{1,3})?)(?![\w.%])")
_WARNS = re.compile(r"\b[A-Z]\w{0,40}Warning: ")
"""A sentence about a loss, by Python's warnings, and no step's."""
_VALUE = r"['\"]?\s{0,3}[:=]?\s{0,3}\[?(?P<value>" + NUMBER.lower() + ")"
_NO_LOAD = re.compile(
    r"(?:(?:check-?points?|ckpts?|snapshots?|resume file|state|\.(?:pth?|ckpt|pkl|safetensors|npz|h5|keras|msgpack|tar))\b.{0,60}?"
    r"\b(?:missing|not (?:found|there|readable|usable)|does(?: not|n't) exist|is (?:broken|corrupt|unreadable|empty|incomplete|truncated|damaged|partial))"
    r"|\b(?:[Nn]o|NO) (?:\w{1,12} ){0,2}(?:check-?points?|ckpts?|snapshots?)|\b[Nn]othing to (?:resume|restore|load|continue)"
    r"|\b[Nn]o [\w./~-]{1,200}\.[a-z]\w{1,11} (?:here|there|yet|found)\b"
    r"|\b(?:[Cc]ould(?: not|n't)|[Cc]annot|[Cc]an't|[Ff]ailed to|[Uu]nable to) (?:read|open|load|find|restore)"
    r" .{0,80}?(?:check-?point|ckpt|snapshot|state|\.(?:pth?|pkl|safetensors|npz|h5|keras|msgpack|tar)\b))"
)
_IF = re.compile(r"\b(?:[Ii]f|[Ww]hen|[Uu]nless|[Ii]n case)\b[^.;:]{0,60}\Z")
_OF_THE_REST = re.compile(r"\b(?:optimi[sz]er|scheduler|scaler|rng)\b[^.;]{0,60}\Z", re.IGNORECASE)
"""What is begun anew may be that alone."""
_ANEW = (
    r"\bfrom scratch\b|\bfresh(?:ly)? (?:start|run|model|weights|init\w*)|[Ss]tart(?:ing|s)? (?:fresh|anew|afresh|over)\b"
    r"|\b[Rr]andom(?:ly)? init|initiali[sz]\w{1,6} randomly|\bbegin(?:ning|s)? (?:anew|again|afresh)\b"
    r"|(?:from|at) (?:step|epoch|iteration|update) [01]\b|\buntrained\b|\b(?:at|stays?|remains?|left|kept) random\b"
)
_EXTRA = (
    ("grad_norm", "norm", re.compile(r"(?<![\w-])(?:g(?:rad(?:ient)?[_ -]?)?)?norm" + _VALUE)),
    ("learning_rate", "lr", re.compile(r"(?<!\w)lr" + _VALUE)),
    ("learning_rate", "learning", re.compile(r"(?<!\w)learning[_ ]rate" + _VALUE)),
    ("accuracy", "acc", re.compile(r"(?<!\w)(?:train[_ ])?acc(?:uracy)?" + _VALUE)),
    ("loss_scale", "scale", re.compile(r"(?<!\w)loss[_ ]scale" + _VALUE)),
)


def extras(text: str) -> Data:
    """Gradient norm, learning rate, accuracy and loss scale where the line has them."""
    data: Data = {}
    low = text.lower()
    for name, hint, regex in _EXTRA:
        if hint in low:
            found = regex.search(low)
            value = number(found["value"]) if found else None
            if value is not None:
                data[name] = value
    return data


def _progress(found: re.Match[str], match: Match) -> Match | None:
    text = match.line.text
    bar = _BAR.match(text)
    if bar:  # what a bar shows is its own pattern's; what was printed behind it is a line of its own
        text = text[bar.end() :]
        behind = _LOSS_LINE.search(text)
        if behind is None:
            return None
        found = behind
    trained = next((one for one in _LOSS_LINE.finditer(text) if not _held_out(text, one)), None)
    found = trained or found
    loss = number(found["loss"])
    if loss is None or text.lstrip().startswith(("#", "//", "wandb: ")) or _SUMMARY.search(text) or _OF_AN_ERROR.search(text) or _WARNS.search(text) or _OF_EARLIER.search(text):
        return None
    behind = _BEHIND_ITS_COUNT.match(text, found.end()) if found["loss"].isdigit() else None
    data: Data = {"loss" if trained and not _TESTED.match(text) else "eval_loss": loss, **extras(text)}
    counted = False
    both = epoch_and_step(text)
    step = None if both else _STEP.search(text) or _SLASH.search(text) or _BRACKET.match(text)
    if both:
        counted = True
        data.update(both)
    if step:
        counted = _put(data, "step", count(step["step"]))
        _put(data, "planned", count(step.groupdict().get("planned")))
    epoch = None if both else _EPOCH.search(text) or _OF_EPOCH.search(text)
    if epoch:
        counted = True
        data["epoch"] = float(epoch["epoch"])
        _put(data, "epochs", count(epoch["epochs"]))
    if behind is not None and not counted:  # ``Train loss 43 3.075320``: the count stands between the name and the loss
        kind = next(iter(data))
        data |= {"step": int(found["loss"]), kind: float(behind[1])}
        counted = True
    if not counted:
        data["weak"] = True
    return Match(match.says, match.role, match.line, match.pattern, data=data)


def _held_out(text: str, found: re.Match[str]) -> bool:
    return _HELD_OUT.search(text, max(0, found.start() - 40), found.start()) is not None


def _put(data: Data, name: str, value: int | None) -> bool:
    if value is not None:
        data[name] = value
    return value is not None


def _metric(found: re.Match[str], match: Match) -> Match | None:
    value = number(found["value"])
    name = re.sub(r"[ /-]+", "_", f"{found['of']}_{found['what']}".lower()).replace("validation", "val").replace("_acc_", "_accuracy_")
    name = name.removeprefix("final_") if found["of"].lower() == "final" else name
    return None if value is None else refined(match, data={"name": name, "value": value})


def _tutorial(found: re.Match[str], match: Match) -> Match:
    loss = number(found["loss"])
    return Match(match.says, match.role, match.line, match.pattern, data={"step": int(found["step"]), **({} if loss is None else {"loss": loss})})


def _not_loaded(found: re.Match[str], match: Match) -> Match | None:
    """Only behind words of a checkpoint that is not there or cannot be read."""
    begins = found[0].startswith("=>") or _NO_LOAD.search(match.line.text[: found.start()]) is not None
    return match if begins and not (_IF.search(match.line.text[: found.start()]) or _OF_THE_REST.search(match.line.text[: found.start()])) else None


def _not_found(found: re.Match[str], match: Match) -> Match | None:
    """Not what a program would do if there were none."""
    return None if _IF.search(match.line.text[: found.start()]) else match


PARSER = Parser(
    program="plain training loops",
    patterns=(
        Pattern(
            name="timed_loss",
            says="progress",
            role=Role.MARKER,
            regex=rf"^\s{{0,4}}\d{{1,6}}m {{1,2}}\d{{1,2}}s (?:\(- {{0,2}}\d{{1,6}}m {{1,2}}\d{{1,2}}s\) )?\((?P<step>\d{{1,12}}) \d{{1,3}}%\) (?P<loss>{NUMBER})\s{{0,4}}$",
            part=rf"%\) {NUMBER}",
            literals=("%) ",),
            samples=("0m 41s (- 2m 3s) (5000 25%) 2.3130", "1m 2s (10 16%) 3.4466", "0m 0s (30 42%) nan"),
            near_misses=("0m 41s (25%) 2.31", "3m 2s (10 16%) of the files", "took 1m 2s (10 16%) 3.4466"),
            read=_tutorial,
        ),
        Pattern(
            name="loss_line",
            says="progress",
            role=Role.MARKER,
            regex=_LOSS,
            literals=("loss", "Loss", "LOSS"),
            samples=(
                "step 100 loss 2.3456",
                "Epoch 1/3 | Step 100/1000 | Loss: 2.3456 | lr: 1.00e-04",
                "[ 100/1000] loss=nan grad_norm=inf",
                '{"step": 10, "loss": 2.31, "lr": 0.0001}',
                "iter 40: loss 1.9, time 12.1ms",
                "Train loss 43 3.075320 Grad Norm 6.588697 2.43s/it",
            ),
            near_misses=(
                "Using loss: cross_entropy",
                "loss_weight: 0.5",
                "# loss: 1.0 is the default",
                "val_loss improved",
                "lossless compression: 3",
                "{'train_runtime': 0.2338, 'train_loss': 3.288812764485677, 'epoch': 0.3}",
                "wandb:       loss 0.31 (run summary)",
                "Epoch 1:   0%|          | 0/20 [00:00<?, ?it/s, loss=4.58, train_loss=1.670]",
                "loss.py:12",
                "tests/test_guard.py::test_nan: UserWarning: loss is nan at step 3",
            ),
            read=_progress,
            general=True,
        ),
        Pattern(
            name="not_finite",
            says="nan_loss",
            role=Role.ROOT,
            regex=r"(?:[Ll]oss|LOSS|[Gg]radients?) (?:is|are|became|was|went|diverged to) (?P<what>[Nn]a[Nn]|NAN|[Ii]nf(?:inite)?|non-?finite|not finite)\b.{0,80}(?P<then>stop|exit|abort|terminat|halt|rais)",
            literals=(
                "oss is ",
                "oss became ",
                "oss was ",
                "oss went ",
                "oss diverged ",
                "LOSS is ",
                "radients are ",
                "radients became ",
                "radient is ",
            ),
            samples=("Loss is nan, stopping training", "loss became inf at step 40: aborting"),
            near_misses=("check that the loss is nan-safe", "loss is nan: 0 times", "loss is not none, stopping"),
            cause=Cause.NAN_LOSS,
        ),
        Pattern(
            name="terminate_on_nan",
            says="nan_loss",
            role=Role.CONFIRMATION,
            regex=r"\bcontains NaN or Inf\b.{0,40}\b[Ss]top",
            literals=("contains NaN or Inf",),
            samples=("TerminateOnNan: Output 'inf' contains NaN or Inf. Stop training", "TerminateOnNan WARNING: TerminateOnNan: Output 'nan' contains NaN or Inf. Stop training"),
            near_misses=("the batch contains NaN or Inf: skipped", "stop where it contains NaN or Inf"),
            cause=Cause.NAN_LOSS,
            detail="terminated_on_nan",
        ),
        Pattern(
            name="done",
            says="planned_end",
            role=Role.MARKER,
            regex=r"^(?:\W{0,8}|\[[^\]]{1,60}\] {0,2}|.{0,60}(?:INFO|info)\W{1,6})?(?:[Tt]raining|TRAINING)(?: run| job| loop)? (?:is )?(?:complete|completed|finished|done|COMPLETE|FINISHED|has finished)\b|^(?:\W{0,8})(?:[Ff]inished|[Cc]ompleted|[Dd]one) training\b",
            literals=("raining", "TRAINING"),
            samples=("Training complete.", "INFO: training finished in 10.2 s", "Finished training after 3 epochs", "*** Training completed ***"),
            near_misses=("pre-training data", "when training is done call save()", "Training step 3 completed"),
        ),
        Pattern(
            name="metric",
            says="metrics",
            role=Role.MARKER,
            regex=r"\b(?P<of>[Ff]inal|[Tt]est|[Vv]al(?:idation)?|[Ee]val(?:uation)?)[_ /](?P<what>acc(?:uracy)?|loss|f1|bleu|rouge|perplexity|ppl|auc|mAP|mIoU)['\"]?\s{0,3}(?:[:=]|is)?\s{0,3}(?P<value>"
            + NUMBER
            + r")(?![\w])",
            literals=("acc", "loss", "f1", "bleu", "rouge", "perplexity", "ppl", "auc", "mAP", "mIoU"),
            samples=("final accuracy: 0.93", "test_acc=0.911", "val_loss: 1.203", "Validation accuracy 0.5"),
            near_misses=("final accuracy is high", "val_loss improved", "latest loss: 3"),
            read=_metric,
        ),
        Pattern(
            name="saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"(?<!finished )(?:Saved|saved|Saving|saving|Wrote|wrote|Writing|writing|Dumped|dumped|Stored|stored)(?: to| into|:)?"
            r" (?:(?:a |the |model |training |new |best )?(?:checkpoint|state|model|weights|snapshot)(?: (?:to|at|in|for))?\b(?! (?:shards|weights of))"
            r"|['\"`]?[\w./=-]{1,200}\.(?:pth?|ckpt|pkl|safetensors|npz|h5|keras|msgpack|tar)\b)",
            literals=("Saved", "saved", "Saving", "saving", "Wrote", "wrote", "Writing", "writing", "Dumped", "dumped", "Stored", "stored"),
            samples=(
                "saved checkpoint to out/step_100.pt",
                "Saving model checkpoint to /scratch/u/checkpoint-500",
                "# wrote ckpt/step_00025.pkl",
                "=> saved to out/iter_000120.ckpt",
            ),
            near_misses=(
                "saved time by caching",
                "no checkpoint saved",
                "loading weights/last.pt",
                "Epoch 1: finished saving model to best.keras",
                "Writing model shards: 100%|##########| 1/1 [00:00<00:00, 766.22it/s]",
            ),
            general=True,
        ),
        Pattern(
            name="put_away",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"\b(?:[Ss]ynchroni[sz]ed|[Uu]ploaded|[Pp]ushed|[Cc]opied|[Mm]irrored|[Aa]rchived|[Ff]lushed) ['\"`]?[\w./=-]{1,200}\.(?:pth?|ckpt|pkl|safetensors|npz|h5|keras|msgpack)\b"
            r".{1,80}?\b(?:in|took) \d{1,6}(?:\.\d{1,6})? ?(?:s|ms|sec)\b",
            literals=("ynchroni", "ploaded ", "ushed ", "opied ", "irrored ", "rchived ", "lushed "),
            samples=(
                "Synchronised output/det/model_0000014.pth with the object store in 1.21 s",
                "uploaded ckpt/step_40.pt to s3://bucket/run in 3.4 s",
            ),
            near_misses=("copied train.tar to /tmp in 30 s", "uploaded 14 files in 2 s", "Synchronised clocks in 2 s"),
        ),
        Pattern(
            name="was_saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"(?<!no )(?<!No )\b(?:[Mm]odel|[Cc]heckpoint|[Ww]eights|[Ss]tate|[Ss]napshot|ckpt)(?: [\w./=-]{1,200}\.\w{1,12}:?)? (?:was |were )?(?:saved|written|dumped)\b(?! (?:at most|every|only|by default|for \d{1,6} (?:ranks|gpus|GPUs|processes|workers|nodes|layers|classes)))",
            literals=(" saved", " written", " dumped"),
            samples=("Model saved to ckpt/step_00001.pt", "Checkpoint saved: ckpt/step_00004.pt", "checkpoint ckpt-40.txt saved", "checkpoint m.bin: saved in 0.54 s", "weights written (epoch 3)"),
            near_misses=("model saved at most once an hour", "no checkpoint saved", "the state is not saved", "remodel saved it", "cannot resume: checkpoint was written for 8 ranks"),
        ),
        Pattern(
            name="save_event",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"['\"](?:event|type|msg|message|kind)['\"]\s?[:=]\s?['\"](?:saved?[ _-]?)?(?:checkpoint|snapshot)(?:[ _-]?saved?)?['\"]"
            r"|\b(?:checkpoint|snapshot)(?:: |=| = |:(?=['\"`./]))['\"`]?[\w./=-]{0,200}/[\w.=-]{0,80}\d[\w.=-]{0,40}\.(?:pth?|ckpt|pkl|safetensors|npz|h5|tar)\b",
            part=r"['\"]checkpoint['\"]|['\"]snapshot['\"]|(?:checkpoint|snapshot)[ _-]?saved?['\"]|saved?[ _-]?(?:checkpoint|snapshot)['\"]"
            r"|(?:checkpoint: |snapshot: |checkpoint=|snapshot=|checkpoint = |snapshot = |checkpoint:['\"`./]|snapshot:['\"`./])[^ ]{0,201}/",
            literals=("checkpoint", "snapshot"),
            samples=(
                '{"event": "checkpoint", "path": "ckpt/step_00002.pkl"}',
                "checkpoint: out/iter_000120.ckpt",
                "msg='saved snapshot'".replace("msg", "'msg'"),
            ),
            near_misses=("checkpoint: ckpt/last.pt", '{"event": "start", "from": "checkpoint"}', "checkpoint: resume from the last"),
        ),
        Pattern(
            name="not_found",
            says="checkpoint_not_loaded",
            role=Role.MARKER,
            regex=r"\b[Nn]o (?:valid |usable |previous |existing )?checkpoints? (?:(?:was |were )?found|exists?|yet|in|at|under)\b.{0,200}?\b(?:start|begin|train)(?:ing|s)?\b"
            r".{0,40}?\b(?:scratch|anew|afresh|(?:from|at|with) (?:step|epoch|iteration|batch|update) [01]\b)",
            literals=("o checkpoint", "o valid checkpoint", "o usable checkpoint", "o previous checkpoint", "o existing checkpoint"),
            samples=(
                "no checkpoint in ./ckpt, starting from iteration 0",
                "No checkpoint found at out/last.pt: training from scratch",
                "no valid checkpoints found, starting at step 0",
            ),
            near_misses=(
                "no checkpoint found, exiting",
                "no checkpoint in the list yet",
                "checkpoint found, starting from step 300",
                "no checkpoint in ckpt, starting from step 300",
                "if no checkpoint is found, training starts from scratch",
                "note: when no checkpoint was found, training starts from scratch",
            ),
            read=_not_found,
        ),
        Pattern(
            name="begun_anew",
            says="checkpoint_not_loaded",
            role=Role.MARKER,
            regex=_ANEW + r"|=> no checkpoint found at '",
            literals=("scratch", "resh", "anew", "afresh", "andom", "untrained", " step ", " epoch ", " iteration ", " update ", "=> no checkpoint"),
            samples=(
                "runs/a/last.pt missing -> fresh start",
                "nothing to resume in runs/a, training from epoch 0",
                "WARNING could not read runs/a/last.pt (Invalid magic number), initialising randomly",
                "Checkpoint runs/a/last.pt does not exist. Random init.",
                "=> no checkpoint found at 'runs/a/last.pt'",
                "[kws] cannot restore exp/kws/ep3.pt (KeyError: 'model'), weights stay random",
                "no vectors-60.json here, vectors begin at random",
            ),
            near_misses=(
                "runs/a/last.pt missing, giving up",
                "missing keys: head.weight (newly initialised)",
                "=> loaded checkpoint 'runs/a/last.pt' (epoch 3)",
                "no labels found at step 0",
                "negatives are chosen at random",
            ),
            read=_not_loaded,
        ),
        Pattern(
            name="resumed",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"(?:[Rr]esum(?:ed|ing)(?: training)? from|[Ll]oaded checkpoint|[Rr]estored (?:from )?checkpoint|[Ll]oading checkpoint from)\b(?!(?: checkpoint)?[ :'\"]{0,3}(?:None|none|null)\b)",
            literals=("esumed", "esuming", "oaded checkpoint", "estored ", "oading checkpoint"),
            samples=("Resuming training from checkpoint out/last.pt", "loaded checkpoint 'last.pt' (epoch 3)"),
            near_misses=("Loading checkpoint shards: 100%", "resuming is off", "Resumed from checkpoint: None"),
        ),
        Pattern(
            name="goes_on",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"(?<!nothing )(?<!not )(?<!none )(?<!be )\b(?:[Rr]estor|[Cc]ontinu|[Pp]ick)(?:ed|ing)(?: up)?(?: [a-z]{1,12}){0,3} (?:from|of) ['\"`]?[\w./~@+=-]{1,200}\.(?:pth?|ckpt|pkl|safetensors|npz|h5|keras|msgpack|tar)\b",
            literals=("estored ", "estoring ", "ontinued ", "ontinuing ", "icked up", "icking up"),
            samples=("Restoring parameters from runs/a/best.pth.ema", "picked up the state of runs/a/last.pt", "continuing from 'out/step_40.npz'"),
            near_misses=("Restoring model weights from the end of the best epoch: 5.", "continuing without runs/a/last.pt", "nothing restored from runs/a/last.pt", "picked up 4 files from data.tar.gz at random"),
        ),
    ),
)
