"""More jobs that did well, by pen: of a seismological service, a museum and a chip maker's group."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bandstand import Tune
from corpus.make._bandstand_words import SITE, trace
from corpus.running.job import HandJob, Recipe

GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)


def plain() -> Iterator[HandJob]:
    """Quiet ones."""
    rows = (
        (321, "picker-eqt", "a100", 1, 1, "keras", 30.0, "work", "Test F1: 0.961"), (322, "aftershock-pp", "h100", 1, 2, "absl", 68.0, "work", "I«m» «t».«u» 140211 pp.py:71] done after 1500 steps"),
        (323, "caption-archive", "l40s", 1, 4, "hf", 38.0, "heavy", "{'train_runtime': 1652.8, 'train_samples_per_second': 58.1, 'train_loss': 1.42, 'epoch': 2.0}"), (324, "rtl-lm", "h200", 2, 4, "guru", 119.0, "heavy", "«d».002 | INFO     | engine.loop:fit:120 - finished"),
        (325, "wafer-defect", "a30", 1, 1, "mm", 18.0, "work", "«d» - mmengine - INFO - Saving checkpoint at 1500 iterations"), (326, "tomografia", "v100", 1, 2, "esp", 13.0, "work", "entrenamiento terminado"),
        (327, "paint-age", "ada", 1, 1, "bar", 33.0, "work", "wrote paint_age.safetensors"), (328, "layout-gnn", "gh200", 1, 1, "json", 60.0, "work", '{"event": "end", "steps": 1500}'),
    )  # fmt: skip
    for no, name, card, nodes, per, form, held, mood, last in rows:
        s = Tune(no, name, card, nodes, per, form=form, script=f"{name.replace('-', '_')}.py")
        yield s.say("begin", 12).hold(held).mood(mood).run(1500, 0.95, 20).say(last, 2).end(GOOD)


def loud() -> Iterator[HandJob]:
    """Noisy ones."""
    s = Tune(331, "fwi-grad", "a100l", 1, 2, form="kv", script="fwi.py").say("UserWarning: CUDA initialization: compat libraries of 550 are used with driver 535, this is supported", 8, None).hold(61).mood("work").run(1500, 0.9, 20)
    yield s.say("inversion finished, misfit 0.031", 1).end(HARD)
    s = Tune(332, "catalog-cls", "l40s", form="guru", script="cat.py").say("«d».020 | WARNING  | data:load:31 - 214 of 90,112 scans could not be read and are left out:", 9)
    s.say(trace("PIL.UnidentifiedImageError: cannot identify image file '/gpfs/data/scans/inv_00871.tif'", "/gpfs/work/alice/cat/data.py:28 load Image.open(path)", f"{SITE}/PIL/Image.py:3498 open raise UnidentifiedImageError(msg)"), 0.3)
    yield s.hold(27).mood("work").run(1500, 0.9, 20).say("«d».900 | INFO     | cat:main:60 - done, accuracy 0.884", 1).end(HARD)
    s = Tune(333, "timing-pred", "h100", 1, 8, form="nano", script="tp.py").say("[W«m» «t».«u» socket.cpp:752] [c10d] The client socket has failed to connect to [node112]:29500 (errno: 111 - Connection refused).", 8, (1, 2, 3, 4, 5, 6, 7)).say("rank «r»: connected", 6, None)
    yield s.hold(63).mood("heavy").run(1500, 1.0, 20).say("max_iters reached", 1).end(HARD)
    s = Tune(334, "seis-diff", "h200", 1, 4, form="json", by="torchrun", script="sd.py").say('{"event": "begin", "guard": "skip steps whose grad norm is inf or nan"}', 12).hold(104).mood("heavy").run(700, 1.1, 20, 1500)
    yield s.say('{"event": "skip", "step": 701, "grad_norm": "inf"}', 1).run(800, 1.1, 20, 1500).say('{"event": "end", "skipped": 1}', 1).end(HARD)
    s = Tune(335, "noisy-rare", "a30", form="plain", script="nr.py").say("Stapel 4, seltene Klassen", 7).hold(10).mood("work").run(2000, 0.7, 20, noise=0.16)
    yield s.say("fertig, F1 0.71 (vorher 0.58)", 2).end(HARD)
    s = Tune(336, "replay-counters", "h100p", 1, 4, form="kv", script="rc.py").say("4 ranks", 9).hold(58).mood("work").run(1500, 0.9, 20).count(1, "pcie_replay_count", 14, 6, since=300, over=900).count(1, "nvlink_replay_errors", 2, since=500)
    yield s.say("finished", 1).end(HARD)
    s = Tune(337, "app-clock", "a100", 1, 4, form="csv", script="ac.py").say("# site policy: application clocks 1215 MHz\ntime;step;loss;s", 9).hold(30).mood("work", mhz=1215, reasons=2.0, watts=262).run(1500, 0.95, 20)
    yield s.say("# finished", 1).end(HARD)
    s = Tune(338, "notebook-batch", "l4", form="bar", script="papermill_run.py").say("Executing notebook with kernel: python3", 8).hold(9).mood("rest").cpu(110).pause(240).mood("light").run(900, 1.2, 20)
    yield s.say("[NbConvertApp] WARNING | pattern '*.tmp' matched no files\nnotebook finished, 41 of 41 cells", 3).end(HARD)
    s = Tune(339, "compile-first", "b200", 1, 2, form="guru", script="cf.py").say("W«m» «t».«u» 41 torch/_dynamo/convert_frame.py:1016] [0/8] torch._dynamo hit config.recompile_limit (8)\nE«m» «t».«u» 41 torch/_inductor/select_algorithm.py:2123] Exception out of resource: shared memory, Required: 327680, Hardware limit: 232448 for benchmark choice TritonTemplateCaller(triton_mm_12); choice is ignored", 40, None)
    yield s.hold(90).mood("rest").cpu(800).pause(190).mood("heavy").cpu(80).run(1400, 1.0, 20).say("«d».010 | INFO     | cf:main:50 - finished", 1).end(HARD)
    s = Tune(340, "distil-embed", "a100l", 2, 2, form="trl", by="accelerate", script="de.py").say("[rank«r»]:[W«m» «t».«u» ProcessGroupNCCL.cpp:4571] [PG ID 0 PG GUID 0 Rank «r»]  using GPU «l» to perform barrier as devices used by this process are currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect.", 14, None)
    yield s.hold(57).mood("work").run(1500, 0.9, 20).say("{'train_runtime': '1371', 'train_loss': '0.7', 'epoch': '1'}", 1).end(HARD)


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from plain()
    yield from loud()


RECIPE = Recipe("ocarina_sheets", "development", jobs)
