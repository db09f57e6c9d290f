"""Jobs of an observatory, a brewery's laboratory and a translation bureau, by pen: runs that ended well on cards with a past, with pauses, or with much said by the way."""

from collections.abc import Callable, Iterator

from corpus.label import Label
from corpus.make._vellum import Leaf
from corpus.make._vellum_lines import HOME, SITE, fault, full
from corpus.running.job import HandJob, Recipe

LOUD = Label(mode="G1", fault="none", hard=True)


def anew(at: int, low: float, high: float, knee: float) -> Callable[[int], float]:
    """A loss that begins again at a step."""
    return lambda i: float(low + high * (1 + (i - at) / knee) ** -0.8)


def cards() -> Iterator[HandJob]:
    """What the cards count."""
    s = Leaf(701, "yeast-growth", "h100", 1, 8, style="speed", via="torchrun", script="yeast.py").tell("world 8", 18).hold(69).mood("flat_out", mhz=1545, celsius=71, why=4.0, watts=695).train(2300, 0.7, 50)
    yield s.tell("done", 2).close(LOUD, counters={r: ({}, {"violation_power_ns": 1_390_000_000_000}) for r in range(8)})
    s = Leaf(702, "comet-finder", "a100", style="plain", script="comets.py").tell("frames 2048 px", 9).hold(51).mood("busy").train(2400, 0.6, 50)
    yield s.tell("saved", 1).close(LOUD, counters={0: ({"ecc_volatile_corrected": 12, "ecc_aggregate_corrected": 4010}, {"ecc_volatile_corrected": 97, "ecc_aggregate_corrected": 4095})})
    s = Leaf(703, "hop-aroma", "a100-40", 1, 2, style="it", script="luppolo.py").tell("due schede, 310 campioni per lotto", 9).hold(29).mood("busy").train(2000, 0.7, 40)
    yield s.tell("fine", 1).close(LOUD, counters={1: ({"remapped_rows_uncorrectable": 3, "ecc_aggregate_uncorrected": 8, "recovery_action": "none"}, {"remapped_rows_uncorrectable": 3, "ecc_aggregate_uncorrected": 8})})
    s = Leaf(704, "glossary-mt", "v100", 1, 4, style="fairseq", via="torchrun", script="hydra_train.py").tell("@iso | INFO | fairseq_cli.train | training on 4 devices (GPUs/TPUs)", 15).hold(28).mood("busy").train(2100, 0.8, 50)
    yield s.tell("@iso | INFO | fairseq_cli.train | done training in 1702.4 seconds", 2).close(LOUD, counters={2: ({"retired_pages_dbe": 2, "ecc_aggregate_uncorrected": 2}, {"retired_pages_dbe": 2, "ecc_aggregate_uncorrected": 2})})
    s = Leaf(705, "transit-fit", "h200", 1, 4, style="json", script="transit.py").tell('{"evt": "start"}', 12).hold(88).mood("flat_out").train(1800, 0.9, 30)
    yield s.tell('{"evt": "end"}', 2).close(LOUD, counters={0: ({"nvlink_replay_errors": 2}, {"nvlink_replay_errors": 5}), 3: ({"pcie_replay_count": 7}, {"pcie_replay_count": 11})})
    s = Leaf(706, "foam-video", "l40", style="structlog", script="foam.py").tell("@tz [info     ] warm room, fans at 60 %", 8).hold(34).mood("busy", celsius=85, why=32.0, mhz=2340).train(60, 0.75, 20, 2200).mood("busy", celsius=78)
    yield s.train(2140, 0.7, 20, 2200).tell("@tz [info     ] finished", 1).close(LOUD, counters={0: ({}, {"violation_thermal_ns": 9_000_000_000})})
    s = Leaf(707, "moon-craters", "gh200", style="flax", script="craters.py").tell("I@md @hms.@us 140200 craters.py:30] preallocating 95% of the memory of the card", 12).hold(91.2, over=2).mood("flat_out").train(2200, 0.7, 50)
    yield s.tell("I@md @hms.@us 140200 craters.py:160] finished", 1).close(LOUD)
    s = Leaf(708, "term-align", "a30", 1, 4, style="sv", script="termer.py").tell("4 kort, plugga inte ur", 9).hold(18).mood("busy").train(2300, 0.6, 50)
    s.book.event(s.hosts[0], 900, "DRAIN", "kernel update after the running jobs")
    yield s.tell("klart", 1).close(LOUD)


def pauses() -> Iterator[HandJob]:
    """Cards at rest for a good reason."""
    s = Leaf(721, "legal-lm", "h100", 1, 4, style="axo", via="accelerate", script="legal.py").tell("Map (num_proc=32):   0%|          | 0/4120884 [00:00<?, ? examples/s]", 20).meter("cpu_percent", 3100)
    for k in range(1, 9):
        s.tell(f"Map (num_proc=32): {12 * k:3d}%|{'█' * k:<9}| {494_506 * k}/4120884", 105)
    yield s.tell("Map (num_proc=32): 100%|██████████| 4120884/4120884", 30).meter("cpu_percent", 110).hold(64).mood("flat_out").train(1200, 1.4, 10).tell("{'train_runtime': 1690.2, 'train_loss': 1.13, 'epoch': 1.0}", 3).close(LOUD)
    s = Leaf(722, "variable-stars", "rtx6000", style="loguru", script="stars.py").tell("@iso.100 | INFO     | stars:main:22 - validation runs on the CPU (scipy), about six minutes each", 8).hold(27)
    for k in range(1, 4):
        s.mood("busy").train(900, 0.6, 50, 2700).mood("holds").meter("cpu_percent", 1580).tell(f"@iso.200 | INFO     | stars.val:run:51 - period search {k}/3", 1).idle(350).tell(f"@iso.900 | INFO     | stars.val:run:77 - recovered periods: {81 + 4 * k}.2 %", 1).meter("cpu_percent", 100)
    yield s.tell("@iso.100 | INFO     | stars:main:90 - done", 1).close(LOUD)
    s = Leaf(723, "taste-notebook", "a10", style="plain", script="-m ipykernel_launcher").tell("[I @iso ServerApp] Jupyter Server is running at: http://cn-02-07:8888/lab", 6).hold(4)
    for k in range(1, 7):
        s.mood("holds").idle(260).mood("busy").tell(f"[I @iso ServerApp] Saving file at /taste_{k}.ipynb", 1).train(60, 0.5, 20, 60 * k)
    yield s.mood("holds").idle(120).tell("[I @iso ServerApp] Shutting down on /api/shutdown request.", 1).close(LOUD)
    s = Leaf(724, "interp-eval", "h100pcie", style="plain", script="bleu.py").tell("decode only: 12 language pairs, beam 5", 12).hold(31).mood("light")
    for k, pair in enumerate(("de-en", "en-de", "fr-en", "en-fr", "cs-en", "en-cs", "fi-en", "en-fi", "ja-en", "en-ja", "zh-en", "en-zh")):
        s.tell(f"{pair}: BLEU {24.1 + 3.3 * (k % 5):.1f}  chrF {51.0 + 2.1 * (k % 4):.1f}  COMET {0.81 + 0.01 * (k % 6):.3f}  (3003 sentences, 118 s)", 119)
    yield s.tell("all pairs decoded", 1).close(LOUD)
    s = Leaf(725, "deep-field", "a100", 2, 8, style="plain", script="deepfield.py").tell("torch.compile: max-autotune, be patient", 26).hold(20, over=60).mood("reads").tell("AUTOTUNE mm(8192x4096, 4096x16384)\n  triton_mm_41 0.9013 ms 100.0%\n  triton_mm_38 failed: OutOfResources: out of resource: shared memory, Required: 196608, Hardware limit: 166912", 240)
    yield s.idle(300).hold(66).mood("flat_out").train(1300, 1.1, 20).tell("finished", 2).close(LOUD)
    s = Leaf(726, "malt-diffusion", "h200", style="tsv", script="malt.py").tell("step\tloss\tlr\tsec", 8).hold(84)
    for k in range(1, 4):
        s.mood("flat_out").train(1000, 0.7, 50, 3000).mood("writes").tell(f"# checkpoint {k} of 3 (41 GB)", 0.5).idle(48)
    yield s.tell("# done", 1).close(LOUD)
    s = Leaf(727, "night-sky", "l4", style="nl", script="hemel.py").tell("kleine kaart, grote hemel", 7).hold(11).mood("busy").train(1200, 0.6, 40, 2600).mood("holds").meter("cpu_percent", 0).idle(1500).mood("busy").meter("cpu_percent", 100)
    yield s.train(1400, 0.6, 40, 2600).tell("klaar", 1).close(LOUD, suspended_s=1498)


def words() -> Iterator[HandJob]:
    """Much is said."""
    s = Leaf(741, "phrase-lm", "h100", 1, 2, style="gpt", via="torchrun", script="phrase.py").tell("number of parameters: 353,772,544", 14).hold(55).mood("flat_out").train(700, 0.8, 20, 2400)
    s.tell("grad norm is inf at iter 701, update skipped (1 in a row)", 0.8).train(600, 0.8, 20, 2400, loss=lambda i: s.law(i) + 1.4 * max(0.0, 1 - (i - 700) / 200)).tell("grad norm is inf at iter 1301, update skipped (1 in a row)", 0.8)
    yield s.train(1100, 0.8, 20, 2400).tell("val loss of the last checkpoint is the best", 3).close(LOUD)
    s = Leaf(742, "brew-curriculum", "a30", style="rich", script="brew.py").tell("[@hms] INFO     curriculum: 3 levels, the loss jumps when the next begins", 8).hold(15).mood("busy")
    for k in range(3):
        s.train(900, 0.5, 50, 2700, loss=anew(900 * k, 0.4 + 0.25 * k, 2.6, 60)).tell(f"[@hms] INFO     level {k + 1} passed", 1)
    yield s.tell("[@hms] INFO     final exam: 0.921 of 1", 4).close(LOUD)
    s = Leaf(743, "contrast-spectra", "a100", 1, 4, style="timmlike", script="contrast.py").tell("InfoNCE over 16384 negatives, ln(16385) = 9.704", 12).hold(60).mood("busy")
    yield s.train(2400, 0.7, 40, loss=lambda i: 9.69 - 4.6 * (1 - (1 + i / 700) ** -0.7)).tell("knn top1 71.8", 5).close(LOUD)
    s = Leaf(744, "style-rlhf", "h200", 1, 8, style="verl", script="style.py").tell("(TaskRunner pid=40812) WARNING: worker heartbeat late by 3.1 s, still alive", 90).hold(120, over=60).mood("busy")
    yield s.train(80, 21, 1, loss=lambda i: 4.4 * (1 + i / 14) ** -0.7).tell("Final validation metrics: {'val/score': 0.741}", 30).close(LOUD)
    s = Leaf(745, "field-solver", "l40", style="plain", script="fields.py").tell("source of this run:\n  104     try:\n  105         out = net(x)\n  106     except torch.cuda.OutOfMemoryError:\n  107         raise SystemExit('CUDA out of memory: lower --batch')\n  108     if not torch.isfinite(loss):\n  109         raise FloatingPointError('loss is nan')", 8).hold(28).mood("busy")
    yield s.train(2300, 0.6, 50).tell("run ok", 1).close(LOUD)
    s = Leaf(746, "dict-compress", "h100pcie", style="es", script="dicc.py").tell("registro remoto caído, se reintenta (1/5): ConnectionRefusedError: [Errno 111] Connection refused", 9).tell("registro remoto caído, se reintenta (2/5): ConnectionRefusedError: [Errno 111] Connection refused", 5).tell("registro remoto disponible", 5).hold(30).mood("busy")
    s.train(1300, 0.6, 50, 2500).tell(fault("requests.exceptions.HTTPError: 502 Server Error: Bad Gateway for url: http://registro:5000/api/runs", f"{SITE}/requests/models.py:1024:raise_for_status:raise HTTPError(http_error_msg, response=self)") + "\nmétricas guardadas en disco, se envían más tarde", 1)
    yield s.train(1200, 0.6, 50, 2500).tell("métricas enviadas\nterminado", 3).close(LOUD)
    s = Leaf(747, "barley-gnn", "a100", style="dgl", script="barley.py").tell("graphs with more than 60k edges may be skipped", 8).hold(62).mood("busy")
    for k in range(1, 4):
        s.train(700, 0.6, 50, 2100).hold(79.1, over=1).tell(f"graph {18_000 + 77 * k} skipped: " + full("6.10 GiB", "79.25 GiB", "2.20 GiB", "77.04 GiB", "74.90 GiB", "802.11 MiB"), 1.1).hold(62, over=1)
    yield s.tell("3 of 2,100,000 graphs were skipped; test mae 0.0388", 5).close(LOUD)
    s = Leaf(748, "dome-forecast", "t4", style="ja", script="dome.py").tell("精度: fp16 (autocast)", 7).hold(10).mood("busy").train(2500, 0.6, 50).tell("完了", 1)
    s.tell("Exception in thread QueueFeederThread:\n" + fault("BrokenPipeError: [Errno 32] Broken pipe", "/usr/lib/python3.11/multiprocessing/queues.py:244:_feed:send_bytes(obj)", "/usr/lib/python3.11/multiprocessing/connection.py:384:_send:n = write(self._handle, buf)"), 0.5)
    yield s.close(LOUD)
    s = Leaf(749, "dpo-register", "h100", 1, 4, style="factory", via="torchrun", script="dpo.py").tell("[WARNING|@iso] transformers.tokenization_utils_base:4126 >> Token indices sequence length is longer than the specified maximum sequence length for this model (9120 > 8192). Running this sequence through the model will result in indexing errors", 30).hold(72).mood("flat_out")
    yield s.train(900, 1.8, 10, loss=lambda i: 0.31 + 0.383 * (1 + i / 120) ** -0.8).tell("{'train_runtime': 1632.2, 'train_loss': 0.4402, 'epoch': 1.0}", 3).close(LOUD)
    s = Leaf(750, "spectro-ft", "l4", style="loguru", script="spectro.py", asked="sbatch spectro.sh --resume runs/spectro/last.pt").tell("@iso.100 | INFO     | spectro.ckpt:load:40 - resumed from runs/spectro/last.pt at step 5000", 8).hold(12).mood("busy")
    s.step, s.floor = 5000, 0.9
    yield s.train(2600, 0.6, 50, 7600).tell(f"@iso.100 | INFO     | spectro:main:88 - finished, wrote {HOME}/spectro/final.pt", 2).close(LOUD, past=({"relation": "same_name", "job": "2190877", "mode": "F3", "head_loss": 5.2, "tail_loss": 1.33, "steps_done": 5020, "checkpoints": ("runs/spectro/last.pt",), "gpu_hours": 1.0},))


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (cards, pauses, words):
        yield from part()


RECIPE = Recipe("gable_roofs_by_pen", "development", jobs)
