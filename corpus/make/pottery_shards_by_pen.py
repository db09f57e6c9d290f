"""Jobs of a robotics lab, a bank's research and a faculty of arts on cards that are not here, by pen: what was learned or was not, where it began again, and what the queue did."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._scrollwork import VENV, Shift, sinks, trip
from corpus.make._vellum import Leaf
from corpus.running.job import HandJob, Recipe

LEARNS_NOT = Label(mode="E1", fault="user")
AGAIN = Label(mode="E2", variant="from_scratch", fault="user")
FEW = Label(mode="E3", fault="user")
LOST = Label(mode="F1", fault="node")
QUEUE = Label(mode="F2", fault="none")
LATE = Label(mode="F3", variant="advancing", fault="user")
OWN = Label(mode="F4", variant="by_owner", fault="none")
NAN = float("nan")


def before(job: int, head: float, tail: float, steps: int, where: str, relation: str = "parent", mode: str = "F3") -> dict[str, Any]:  # noqa: PLR0917
    """What was found for the job before."""
    return {"relation": relation, "job": str(job), "mode": mode, "head_loss": head, "tail_loss": tail, "steps_done": steps, "checkpoints": (where,), "gpu_hours": 41.0}


def curves() -> Iterator[HandJob]:
    """The loss."""
    s = Shift(81, "grasp-pi", "h100", 1, 4, form="gn", script="grasp.py", site="rob").tell("@hms precision=fp16 without scaler, 4 ranks", 14).hold(41).mood("busy")
    s.train(420, 1.2, 10, 1400, sinks(2.8, 0.6)).train(980, 1.2, 10, 1400, loss=lambda _i: NAN).tell("@hms saved policy_final.pt", 2)
    yield s.close(LEARNS_NOT.but(variant="non_finite", cause="nan_loss"))

    s = Shift(82, "cards-fraud", "a100", 1, 2, form="csv", script="fraud.py", site="fin").tell("time,step,train_loss,seconds", 8).hold(22).mood("busy").train(700, 0.8, 20, 2200, sinks(0.68, 0.11))
    s.train(1500, 0.8, 20, 2200, loss=lambda i: 0.11 + min(46.0, (i - 700) * 0.6) + 1.7 * (i % 7 - 3) / 3).tell("# 2200 steps done, model written", 1)
    yield s.close(LEARNS_NOT.but(variant="spike"))

    s = Shift(83, "ocr-latin", "l40", 1, 1, form="es", script="latin.py", site="hum").tell("vocabulario de 96 signos (ln 96 = 4.564)", 9).hold(18).mood("busy")
    s.train(1800, 0.8, 30, loss=lambda i: 4.5643 + 0.0021 * ((i * 13) % 7 - 3) / 3).tell("fin: exactitud en validación 0.0104 (al azar 0.0104)", 2)
    yield s.close(LEARNS_NOT.but(variant="flat"))

    s = Shift(84, "verse-lm", "h100", 1, 8, form="hf", script="verse.py", site="hum").tell("***** Running training *****\n  Total optimization steps = 1,600", 26).hold(60).mood("flat_out")
    s.train(1600, 0.95, 20, loss=lambda i: 11.76 + 0.004 * ((i * 11) % 5 - 2) / 2).tell("{'eval_loss': 11.7612, 'eval_accuracy': 8e-06, 'epoch': 3.0}\n{'train_runtime': 1522.8, 'train_loss': 11.7603, 'epoch': 3.0}", 9)
    yield s.close(LEARNS_NOT.but(variant="flat"))

    s = Shift(85, "order-flow", "h200", 1, 1, form="logfmt", script="flow.py", site="fin").tell("level=info msg=\"book depth 10, 8 symbols, 3 classes\"", 9).hold(38).mood("busy").train(500, 0.9, 20, 2400, sinks(1.1, 0.52))
    s.tell("level=warn msg=\"labels reloaded from day 2 on\"", 0.5).train(1900, 0.9, 20, 2400, loss=lambda i: 1.0986 + 0.0004 * (i % 3 - 1)).tell("level=info msg=\"run over\" val_acc=0.3331 classes=3", 2)
    yield s.close(LEARNS_NOT)

    s = Shift(106, "catalogue-lm", "a100", 1, 4, form="gn", script="catalogue.py", site="hum").tell("linear decay to zero, warmup 50", 13).hold(46).mood("busy").train(200, 1.0, 10, 1500, sinks(7.2, 4.1))
    s.style = lambda i, _n, x, d_s, d: f"{d:%H:%M:%S} step={i} loss={x:.4f} gnorm=0.000 lr=0.0e+00 {d_s:.2f}s"
    s.train(1300, 1.0, 10, 1500, loss=lambda _i: 5.3312).tell("1500 of 1500 steps, loss 5.3312, model written", 2)
    yield s.close(LEARNS_NOT.but(variant="plateau"))


def from_the_shelf() -> Iterator[HandJob]:
    """It was to go on from a checkpoint."""
    s: Leaf = Shift(86, "loco-ppo2", "a100", 1, 4, form="nll", script="loco.py", site="rob", asked="sbatch --dependency=afterany:5519820 loco.sbatch --resume runs/loco/last.pt")
    s.tell("[warn] runs/loco/last.pt not found, initialising weights at random", 15).hold(27).mood("busy").train(1500, 0.9, 25, 40_000, sinks(8.3, 2.6)).tell("[001500] chunk over, next chunk resumes from runs/loco2/last.pt", 2)
    yield s.close(AGAIN, past=(before(5_519_820, 8.31, 1.42, 40_000, "runs/loco/step40000.pt"),), dependency="afterany:5519820")

    s = Shift(87, "ledger-bert", "h100", 1, 8, form="meg", script="pretrain_bert.py", site="fin", asked="sbatch bert_part2.sh --load /project/fin/bert/ck")
    s.tell("WARNING: could not find the metadata file /project/fin/bert/ck/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random", 33).hold(63).mood("flat_out")
    s.train(900, 1.5, 10, 900, sinks(10.7, 3.3)).tell("[exiting program at iteration 900]", 3)
    yield s.close(AGAIN, past=(before(5_520_113, 10.72, 1.98, 62_000, "/project/fin/bert/old/iter_0062000"),))

    s = Shift(88, "hands-tracker", "rtx6000", 1, 1, form="lit", script="hands.py", site="rob", asked="sbatch hands.sh --ckpt_path best.ckpt").tell("Restoring states from the checkpoint path at best.ckpt", 14).hold(3).mood("reads")
    s.tell(trip("RuntimeError: Error(s) in loading state_dict for HandNet:\n\tsize mismatch for joints.weight: copying a param with shape torch.Size([63, 512]) from checkpoint, the shape in current model is "
                "torch.Size([78, 512]).\n\tsize mismatch for joints.bias: copying a param with shape torch.Size([63]) from checkpoint, the shape in current model is torch.Size([78]).",
                "hands.py 77 <module> trainer.fit(net, dm, ckpt_path=args.ckpt_path)", f"{VENV}/torch/nn/modules/module.py 2629 load_state_dict raise RuntimeError("), 4)  # fmt: skip
    yield s.close(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Shift(89, "vln-agent", "h100", 1, 1, form="sys", script="vln.py", site="rob", asked="sbatch vln.sbatch resume=ck/epoch_11.pth").tell("resuming from ck/epoch_11.pth (2.1 GB on disk, 6.4 GB expected)", 11).hold(1.2).mood("reads")
    s.tell(trip("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "vln.py 59 <module> state = torch.load(cfg.resume, map_location='cuda')",
                f"{VENV}/torch/serialization.py 1484 load with _open_zipfile_reader(opened_file) as opened_zipfile:"), 6)  # fmt: skip
    yield s.close(Label(mode="E2", variant="corrupt", cause="runtime_error", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Shift(107, "bin-picking", "h100", 1, 2, form="js", script="picking.py", site="rob", asked="sbatch picking.sbatch --resume latest").tell('{"phase": "setup", "msg": "looking for a checkpoint to resume in ck/"}', 12, None).hold(0.9)
    s.tell(trip("FileNotFoundError: No valid checkpoint found in ck/ (2 candidates, both without an index file), cannot resume", "picking.py 66 <module> start = restore(args.resume)", "picking/state.py 31 restore raise FileNotFoundError(msg)", mark="[rank@r]: "), 3, None)
    yield s.close(Label(mode="E2", variant="no_valid_checkpoint", cause="file_not_found", fault="user", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})


def short() -> Iterator[HandJob]:
    """A handful of steps."""
    s = Shift(91, "arm-dt", "h100", 1, 4, form="plain", script="dt.py", site="rob").tell("decision transformer, 4 ranks, dataset of 512 windows, batch 64 x 4", 40).hold(49).mood("busy").train(2, 3.0, 1)
    yield s.tell("dataset exhausted after 2 iterations, saving to out/dt.pt", 3).close(FEW)
    s = Shift(92, "basel-lm", "h200", 2, 8, form="nemo", script="lm.py", site="fin").tell("max_steps=4, 16 ranks, loading 1.2 TB index", 240).hold(110).mood("flat_out").train(4, 5.5, 1)
    yield s.tell("`Trainer.fit` stopped: `max_steps=4` reached.\nsaving distributed checkpoint (16 shards)", 20).close(FEW)
    s = Shift(93, "incunabula", "l40", 1, 1, form="lit", script="incunabula.py", site="hum").tell("Running in `fast_dev_run` mode: will run the requested loop using 1 batch(es). Logging and checkpointing is suppressed.", 15).hold(11).mood("light").train(1, 1.5, 1)
    yield s.tell("`Trainer.fit` stopped: `max_steps=1` reached.", 2).close(FEW)


def queue() -> Iterator[HandJob]:
    """Nodes and the queue."""
    s = Shift(94, "world-model", "h100", 4, 4, form="titan", script="wm.py", site="rob").tell("[rank0]:[titan] - root - INFO - 16 ranks on 4 nodes", 26).hold(68).mood("flat_out").train(1000, 1.6, 10, 50_000, sinks(7.3, 2.4))
    lost = s.now
    s.book.event(s.hosts[2], lost + 70, "DOWN*", "Not responding")
    s.mood("spins", s.but(*s.of_node(2))).idle(78)
    yield s.close(LOST.but(first_ranks=s.of_node(2)), "NODE_FAIL", rest=-9, dead=(2,), failed_node=s.hosts[2])

    s = Shift(95, "vol-surface", "a100", 1, 4, form="csv", script="vol.py", site="fin").tell("time,step,train_loss,seconds", 10).hold(31).mood("busy").train(1600, 0.9, 20, 60_000, sinks(1.4, 0.2))
    s.book.event(s.hosts[0], s.now + 90, "DOWN*", "Node unexpectedly rebooted")
    yield s.idle(95).close(LOST, "NODE_FAIL", rest=-9, dead=(0,), failed_node=s.hosts[0])

    s = Shift(96, "sonnet-7b", "h100", 1, 4, form="hf", script="sonnet.py", site="hum", asked="sbatch -p gaps --requeue sonnet.sbatch").earlier("PREEMPTED", 5200, 900, partition="gaps").tell("Resuming from checkpoint out/checkpoint-1800 (step 1800)", 24).hold(71).mood("flat_out")
    s.step = 1800
    s.train(900, 1.8, 10, 2700, sinks(3.3, 0.9, 260)).tell("{'train_runtime': 1634.0, 'train_loss': 1.18, 'epoch': 3.0}\nTraining completed.", 2)
    yield s.close(QUEUE.but(variant="preempted_recovered"), partition="gaps", past=(before(5_512_000 + 97 * 96, 3.31, 1.41, 1840, "out/checkpoint-1800", "earlier_attempt", "F2"),))

    s = Shift(97, "kyc-doc", "a30", 1, 2, form="sys", script="kyc.py", site="fin", asked="sbatch --requeue kyc.sbatch").earlier("NODE_FAIL", 7400, 300).tell("state.pt is there, going on at step 4200", 12).hold(17).mood("busy")
    s.step = 4200
    s.train(1800, 0.9, 20, 6000, sinks(2.0, 0.3, 300)).tell("all 6000 steps done", 1)
    yield s.close(QUEUE.but(variant="requeued_recovered"), past=(before(5_512_000 + 97 * 97, 2.01, 0.63, 4290, "state.pt", "earlier_attempt", "F2"),))

    s = Shift(98, "nerf-museum", "l40", 1, 1, form="fr", script="musee.py", site="hum", asked="sbatch -p rapide --no-requeue musee.sbatch").tell("320 photographies", 8).hold(20).mood("busy").train(1900, 0.8, 20, 90_000, sinks(0.3, 0.02))
    yield s.close(QUEUE.but(variant="preempted"), "PREEMPTED", partition="rapide")

    s = Shift(101, "tactile-vae", "a100", 1, 1, form="nll", script="tactile.py", site="rob", minutes=30).tell("[000000] start", 9).hold(16).mood("busy").train(1960, 0.9, 20, 8000, sinks(3.2, 1.0))
    yield s.close(LATE, "TIMEOUT")
    s = Shift(102, "stress-mc", "h100", 1, 8, form="js", script="mc.py", site="fin", minutes=40).tell('{"phase": "setup", "scenarios": 40000}', 18).hold(44).mood("flat_out").train(1580, 1.5, 10, 6400, sinks(0.9, 0.15))
    yield s.close(LATE, "TIMEOUT")
    s = Shift(103, "papyri-mae", "h200", 2, 4, form="zh", script="mae.py", site="hum", minutes=60).tell("8 卡, 掩码比例 0.75", 16).hold(83).mood("busy").train(2720, 1.3, 20, 20_000, sinks(1.1, 0.3))
    yield s.close(LATE, "TIMEOUT")

    s = Shift(104, "fx-forecast", "h100pcie", 1, 1, form="tab", script="fx.py", site="fin").tell("│     time │    step │      loss │  s/step │", 9).hold(26).mood("busy").train(1700, 0.9, 20, 50_000, sinks(1.0, 0.4))
    yield s.close(OWN, "CANCELLED", cancelled_by_uid=1042)
    s = Shift(105, "drone-rl", "l40", 1, 4, form="sb", script="drone.py", site="rob").tell("256 envs on the card", 11).hold(19).mood("busy").train(900, 1.6, 10, 12_000, sinks(6.0, 1.1))
    yield s.close(OWN, "CANCELLED", cancelled_by_uid=1042)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (curves, from_the_shelf, short, queue):
        yield from part()


RECIPE = Recipe("pottery_shards_by_pen", "development", jobs)
