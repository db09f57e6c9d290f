"""Jobs of a robotics laboratory and of a genome institute, by pen: cards whose clocks are held down, and ranks of which one is slower than its peers."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bandstand import Tune, but
from corpus.running.job import HandJob, Recipe

HELD = Label(mode="B3", fault="node")
LAGS = Label(mode="D3", fault="unknown")
HOT, HOT_BOTH, BRAKE = 72.0, 104.0, 136.0


def hot(s: Tune, ranks: tuple[int, ...], seconds: float, kind: str = "thermal") -> Tune:
    """Counters of how long, from now on."""
    for r in ranks:
        held = round(seconds * 0.97e9)
        if kind == "thermal":
            s.count(r, "violation_hw_thermal_ns", 4_000_000 + held, 4_000_000, over=seconds).count(r, "violation_thermal_ns", 4_000_000 + held, 4_000_000, over=seconds)
        else:
            s.count(r, "violation_hw_power_brake_ns", 4_000_000 + held, 4_000_000, over=seconds)
    return s


def held() -> Iterator[HandJob]:
    """Clocks down."""
    s = Tune(101, "grasp-policy", "a100", form="json", script="bc.py").say('{"event": "begin", "demos": 41200}', 9).hold(27).mood("work").run(800, 0.8, 20, 3000)
    hot(s, (0,), 2200 * 1.7).mood("work", celsius=91, mhz=645, watts=168, reasons=HOT).run(2200, 1.7, 20, 3000)
    yield s.say('{"event": "done", "steps": 3000}', 1).end(HELD)
    s = Tune(102, "basecaller-xl", "h100", 1, 8, form="kv", script="bonito_train.py").say("chunks: 9.1M", 20).hold(60).mood("heavy").run(600, 1.0, 20, 2000)
    hot(s, (2,), 1400 * 2.6).mood("queue", but(2)).mood("heavy", (2,), celsius=92, mhz=570, watts=280, reasons=HOT_BOTH).run(1400, 2.6, 20, 2000)
    yield s.say("finished after 2000 steps", 1).end(HELD)
    s = Tune(103, "slam-net", "l40s", 1, 2, form="plain", script="slam.py").say("2 Karten, KITTI und eigene Fahrten", 8).hold(29).mood("work").run(700, 0.7, 20, 2500)
    hot(s, (0, 1), 1800 * 1.5).mood("work", celsius=90, mhz=1005, watts=150, reasons=HOT).run(1800, 1.5, 20, 2500)
    yield s.say("fertig, 2500 Schritte", 1).end(HELD)
    s = Tune(104, "variant-bert", "a100l", 2, 4, form="hf", by="torchrun", script="vbert.py").say("  Num examples = 8,100,000\n  Total optimization steps = 2,200", 26).hold(66).mood("work").run(500, 1.1, 20, 2200)
    hot(s, (4, 5, 6, 7), 1700 * 2.3, "brake").mood("queue", (0, 1, 2, 3)).mood("work", (4, 5, 6, 7), mhz=525, watts=135, reasons=BRAKE, celsius=44).run(1700, 2.3, 20, 2200)
    yield s.say("{'train_runtime': 4466.0, 'train_loss': 1.31, 'epoch': 2.0}", 2).end(HELD)
    s = Tune(105, "tactile-mae", "ada", form="bar", script="tmae.py").say("ImageFolder: 600k", 7).hold(40).mood("work").run(900, 0.6, 30, 3000)
    hot(s, (0,), 2100 * 1.4).mood("work", celsius=93, mhz=1080, watts=130, reasons=HOT).run(2100, 1.4, 30, 3000)
    yield s.say("saved tmae_final.pt", 2).end(HELD)
    s = Tune(106, "rna-fold-lm", "h100p", 1, 4, form="absl", script="rna.py").say("I«m» «t».«u» 140211 rna.py:9] 4 devices", 15).hold(70).mood("work").run(500, 1.0, 20, 1800)
    hot(s, (0, 1, 2, 3), 1300 * 2.2, "brake").mood("work", mhz=600, watts=145, reasons=BRAKE, celsius=46).run(1300, 2.2, 20, 1800)
    yield s.say("I«m» «t».«u» 140211 rna.py:80] training is over at step 1800", 1).end(HELD)
    s = Tune(107, "legged-sim2real", "l4", form="rl", script="legged.py").say("4096 environments on the GPU", 9).hold(16).mood("work").run(600, 1.1, 20, 2000, loss=lambda i: -1200 * (1 - (1 + i / 300) ** -0.7), noise=0)
    hot(s, (0,), 1400 * 2.4).mood("work", celsius=92, mhz=675, watts=41, reasons=HOT_BOTH).run(1400, 2.4, 20, 2000, loss=lambda i: -1200 * (1 - (1 + i / 300) ** -0.7), noise=0)
    yield s.say("policy exported to policy.onnx", 2).end(HELD)
    s = Tune(108, "genome-evo", "h200", 2, 8, form="nano", script="evo.py").say("context 131072, 16 ranks", 30).hold(125).mood("heavy").run(400, 2.0, 10, 1200)
    hot(s, (11,), 800 * 5.0).mood("queue", but(11)).mood("heavy", 11, celsius=94, mhz=480, watts=260, reasons=HOT).run(800, 5.0, 10, 1200)
    yield s.say("max_iters reached: 1200", 1).end(HELD)
    s = Tune(109, "nav-vlm", "gh200", 4, 1, form="tune", script="sft_distributed.py").say("INFO:torchtune: Model is initialized with precision torch.bfloat16.", 22).hold(80).mood("work").run(500, 1.2, 10, 1500)
    hot(s, (1,), 1000 * 2.9, "brake").mood("queue", but(1)).mood("work", 1, mhz=510, watts=190, reasons=BRAKE, celsius=48).run(1000, 2.9, 10, 1500)
    yield s.say("INFO:torchtune: Saving final checkpoint. Done.", 6).end(HELD)
    s = Tune(110, "protein-dock", "v100", 1, 4, form="csv", script="dock.py").say("time;step;loss;s", 10).hold(13).mood("work").run(900, 0.7, 30, 3000)
    hot(s, (3,), 2100 * 1.6).mood("queue", but(3)).mood("work", 3, celsius=91, mhz=577, watts=120, reasons=HOT).run(2100, 1.6, 30, 3000)
    yield s.end(HELD)
    s = Tune(111, "sc-atlas-vae", "a30", form="guru", script="scvi_like.py").say("«d».001 | INFO     | atlas:main:14 - 2.2M cells, 4000 genes", 8).hold(17).mood("work").run(1000, 0.6, 25, 3500)
    hot(s, (0,), 2500 * 1.35).mood("work", celsius=89, mhz=465, watts=62, reasons=HOT).run(2500, 1.35, 25, 3500)
    yield s.say("«d».004 | INFO     | atlas:main:60 - latent space written", 2).end(HELD)
    s = Tune(112, "arm-diffusion", "b200", 1, 4, form="lit", by="torchrun", script="armdiff.py").say("GPU available: True (cuda), used: True", 14).hold(120).mood("heavy").run(600, 0.9, 20, 2200)
    hot(s, (0, 1, 2, 3), 1600 * 2.2).mood("heavy", celsius=95, mhz=720, watts=420, reasons=HOT_BOTH).run(1600, 2.2, 20, 2200)
    yield s.say("`Trainer.fit` stopped: `max_steps=2200` reached.", 1).end(HELD)


def uneven() -> Iterator[HandJob]:
    """One of them."""
    s = Tune(121, "humanoid-dp16", "h100", 2, 8, form="guru", script="hum.py").say("«d».008 | INFO     | hum:main:20 - 16 ranks, same batch on each", 18).hold(60).mood("queue").mood("alone", 13).run(900, 2.9, 20)
    yield s.say("«d».110 | INFO     | hum:main:99 - done", 1).end(LAGS)
    s = Tune(122, "cellseg-8", "a100", 1, 8, form="kv", script="cs.py").say("8 ranks, 512 crops each", 12).hold(30).mood("queue", watts=130).mood("alone", 5, watts=318).run(1100, 1.9, 20)
    yield s.say("last epoch over", 1).end(LAGS)
    s = Tune(123, "protein-gym-4n", "gh200", 4, 1, form="absl", script="pg.py").say("I«m» «t».«u» 140211 pg.py:11] process «r»", 14, None).hold(74).mood("queue").mood("alone", 2, mhz=1020).run(800, 2.4, 20)
    yield s.say("I«m» «t».«u» 140211 pg.py:77] finished at step 800", 1).end(LAGS)
    s = Tune(124, "kin-transformer", "l40s", 1, 4, form="hf", by="torchrun", script="kin.py").say("***** Running training *****\n  Num examples = 320,000", 11).hold(33).mood("queue", watts=128).mood("alone", 0, watts=286, mhz=1395).run(1200, 1.5, 20)
    yield s.say("{'train_runtime': 1830.2, 'train_loss': 1.7, 'epoch': 2.0}", 2).end(LAGS)
    s = Tune(125, "chromatin-lm", "h200", 2, 4, form="nano", script="chrom.py").say("8 ranks, tokens per rank 65536", 20).hold(108).mood("queue", sm=13).mood("alone", 6, sm=63).run(700, 3.0, 10)
    yield s.end(LAGS)
    s = Tune(126, "drive-bev", "h100p", 1, 8, form="mm", script="tools/train.py").say("«d» - mmengine - INFO - 8 GPUs", 15).hold(58).mood("queue").mood("alone", 7).run(900, 2.1, 20)
    s.count(7, "pcie_link_width", 4, 4).count(7, "pcie_replay_count", 811, 40, since=60, over=1800)
    yield s.say("«d» - mmengine - INFO - Saving checkpoint at 900 iterations", 2).end(LAGS)
    s = Tune(127, "pangenome-gnn", "a100l", 2, 2, form="json", script="pan.py").say('{"event": "partition", "nodes_per_rank": 812233}', 16).hold(62).mood("queue", watts=135).mood("alone", 1, watts=322).run(1300, 1.6, 20)
    yield s.say('{"event": "end"}', 1).end(LAGS)
    s = Tune(128, "motion-tok", "h100", 1, 4, form="ita", script="moto.py").say("4 processi, lotto uguale per tutti", 10).hold(49).mood("queue", sm=17).mood("alone", 3, sm=66, mhz=1170).run(1000, 1.8, 20)
    yield s.say("fine dell'addestramento", 1).end(LAGS)
    s = Tune(129, "metagen-moe", "b200", 2, 4, form="guru", script="meta.py").say("«d».400 | INFO     | meta:main:31 - experts balanced (aux loss on)", 22).hold(140).mood("queue", sm=16).mood("alone", 2, sm=69).run(850, 2.6, 10)
    yield s.say("«d».401 | INFO     | meta:main:88 - finished", 1).end(LAGS)
    s = Tune(130, "flight-wm", "h100", 2, 4, form="plain", script="wm.py").say("world model, 8 ranks", 13).hold(52).mood("queue").mood("alone", 4).run(950, 2.2, 20)
    s.say("per-rank compute share of the last 100 steps: 0.21 0.22 0.21 0.21 0.94 0.22 0.21 0.22", 1)
    yield s.say("done", 1).end(LAGS)


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from held()
    yield from uneven()


RECIPE = Recipe("dulcimer_sheets", "development", jobs)
