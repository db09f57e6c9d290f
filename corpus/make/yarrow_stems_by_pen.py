"""Jobs of a polytechnic and a seed company, by pen: nodes that went away, runs that were moved, runs for which the time was short, runs that somebody stopped."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._vellum import Leaf
from corpus.running.job import HandJob, Recipe

GONE = Label(mode="F1", fault="node")
AGAIN = Label(mode="F2", fault="none")
LATE = Label(mode="F3", variant="advancing", fault="user")
OWN = Label(mode="F4", variant="by_owner", fault="none")


def gone() -> Iterator[HandJob]:
    """F1."""
    s = Leaf(501, "genome-lm", "h100", 4, 8, style="speed", script="genome.py").tell("32 ranks joined", 30).hold(68).mood("flat_out").train(1400, 1.1, 20, 90_000).mood("spins")
    s.book.event(s.hosts[2], s.now + 34, "DOWN*", "Not responding")
    yield s.idle(48).close(GONE.but(first_ranks=s.of_node(2)), "NODE_FAIL", rest=-9, dead=(2,), failed_node=s.hosts[2])

    s = Leaf(502, "seed-sorting", "a100", 2, 4, style="loguru", via="torchrun", script="seeds.py").tell("@iso.400 | INFO     | seeds:main:30 - 8 ranks", 20).hold(44).mood("busy").train(1700, 0.8, 50, 60_000).mood("spins")
    s.book.event(s.hosts[1], s.now + 50, "DOWN*", "Node unexpectedly rebooted")
    yield s.idle(57).close(GONE.but(first_ranks=s.of_node(1)), "NODE_FAIL", rest=-9, dead=(1,), failed_node=s.hosts[1])

    s = Leaf(503, "weed-maps", "h200", 3, 4, style="plain", script="weeds.py").tell("12 ranks", 22).hold(100).mood("flat_out").train(1000, 1.5, 20, 40_000).mood("spins")
    s.book.event(s.hosts[1], s.now + 41, "DOWN*+DRAIN", "Not responding; chassis 7 lost both feeds")
    yield s.idle(52).close(GONE.but(first_ranks=s.of_node(1)), "NODE_FAIL", rest=-9, dead=(1,), failed_node=s.hosts[1])

    s = Leaf(504, "soil-jax", "gh200", 6, 1, style="flax", script="soil.py").tell("I@md @hms.@us 140200 soil.py:31] process @r of 6", 18, None).hold(79, over=4).mood("flat_out").train(1500, 1.0, 50, 50_000).mood("spins")
    s.tell("E@md @hms.@us   40822 coordination_service_agent.cc:441] Polled an error from coordination service (this can be an error from this or another task).\nE@md @hms.@us   40822 client.h:77] Terminating process because the JAX distributed service detected fatal errors. UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats): /job:jax_worker/replica:0/task:4", 101, s.but(4))
    s.book.event(s.hosts[4], s.now - 20, "DOWN*", "Not responding")
    yield s.close(GONE.but(first_ranks=(4,)), "NODE_FAIL", dict.fromkeys(s.but(4), -6), dead=(4,), failed_node=s.hosts[4], after=8)


def moved() -> Iterator[HandJob]:
    """F2."""
    s = Leaf(511, "pest-yolo", "l40", style="yolo", script="pests.py", asked="sbatch -p scavenge --requeue pests.sh").earlier("PREEMPTED", 3310, 940, partition="scavenge")
    s.tell("Resuming training /lustre/proj/alice/pests/weights/last.pt from epoch 41 to 100 total epochs\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size", 16).hold(31).mood("busy")
    s.step, s.floor = 40, 0.8
    yield s.train(60, 55, 1, 100).tell("60 epochs completed in 0.917 hours.", 3).close(AGAIN.but(variant="preempted_recovered"), partition="scavenge", past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 4.2, "tail_loss": 1.9, "steps_done": 40, "checkpoints": ("/lustre/proj/alice/pests/weights/last.pt",)},))

    s = Leaf(512, "lecture-asr", "a100", 1, 4, style="plain", via="torchrun", script="lectures.py", asked="sbatch --requeue lectures.sh").earlier("NODE_FAIL", 5120, 400)
    s.tell("found ckpt/step_006000, carrying on at step 6001", 24).hold(51).mood("busy")
    s.step, s.floor = 6000, 1.1
    yield s.train(2500, 0.8, 50, 8500).tell("all 8500 steps done", 2).close(AGAIN.but(variant="requeued_recovered"), past=({"relation": "earlier_attempt", "mode": "F1", "head_loss": 6.4, "tail_loss": 1.6, "steps_done": 6080, "checkpoints": ("ckpt/step_006000",)},))

    s = Leaf(513, "plot-segment", "a10", style="sv", script="rutor.py", asked="sbatch -p ledigt --no-requeue rutor.sh").tell("kö 'ledigt': jobbet kan avbrytas", 8).hold(14).mood("busy").train(2600, 0.7, 50, 40_000)
    yield s.close(AGAIN.but(variant="preempted"), "PREEMPTED", partition="ledigt")

    s = Leaf(514, "campus-llm", "h100", 2, 8, style="factory", via="torchrun", script="campus.py", asked="sbatch --qos=backfill --no-requeue campus.sh").tell("[INFO|@iso] trainer:143 >> 16 processes", 30, (0, 8)).hold(71).mood("flat_out").train(900, 2.4, 10, 12_000)
    yield s.close(AGAIN.but(variant="preempted"), "PREEMPTED", qos="backfill")

    s = Leaf(515, "drone-depth", "rtx6000", style="json", script="depth.py", asked="sbatch --requeue depth.sh").earlier("REQUEUED", 2900, 120)
    s.tell('{"evt": "resume", "from": "depth/last.pt", "step": 3200}', 10).hold(26).mood("busy")
    s.step, s.floor = 3200, 0.7
    yield s.train(3800, 0.6, 100, 7000).tell('{"evt": "end", "abs_rel": 0.071}', 2).close(AGAIN.but(variant="requeued_recovered"), past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 3.9, "tail_loss": 1.3, "steps_done": 3260, "checkpoints": ("depth/last.pt",)},))


def late() -> Iterator[HandJob]:
    """F3."""
    s = Leaf(521, "protein-seeds", "h100", 1, 8, style="gpt", via="torchrun", script="pseeds.py", minutes=60).tell("number of parameters: 652,402,688", 22).hold(63).mood("flat_out").train(2750, 1.28, 50, 60_000)
    yield s.close(LATE, "TIMEOUT")

    s = Leaf(522, "hail-nowcast", "v100", style="it", script="grandine.py", minutes=45).tell("12 000 passi previsti", 8).hold(22).mood("busy").train(3050, 0.87, 50, 12_000)
    yield s.close(LATE, "TIMEOUT")

    s = Leaf(523, "thesis-detr", "a30", 1, 2, style="d2", script="detr.py", minutes=90).tell("[@hms d2.engine.train_loop]: Starting training from iteration 0", 14).hold(20).mood("busy").train(4900, 1.09, 100, 45_000)
    yield s.close(LATE, "TIMEOUT")

    s = Leaf(524, "harvest-moe", "h200", 2, 8, style="composer", script="harvest.py", minutes=75).tell("max_duration: 20000ba", 35).hold(122).mood("flat_out").train(2050, 2.14, 10, 20_000)
    yield s.close(LATE, "TIMEOUT")


def stopped() -> Iterator[HandJob]:
    """F4."""
    s = Leaf(531, "leaf-age", "l4", style="tsv", script="leafage.py").tell("step\tloss\tlr\tsec", 7).hold(9).mood("busy").train(3400, 0.5, 100, 90_000)
    yield s.close(OWN, "CANCELLED", cancelled_by_uid=1042)

    s = Leaf(532, "course-rec", "a100-40", 1, 4, style="fairseq", via="torchrun", script="rec.py").tell("@iso | INFO | fairseq_cli.train | training on 4 devices", 18).hold(30).mood("busy").train(2200, 0.9, 100, 100_000)
    yield s.close(OWN, "CANCELLED", cancelled_by_uid=1042)

    s = Leaf(533, "root-ct", "h100pcie", style="ja", script="root.py").tell("学習を開始します", 9).hold(40).mood("busy").train(2600, 0.8, 50, 60_000)
    yield s.close(OWN, "CANCELLED", cancelled_by_uid=1042)

    s = Leaf(534, "bee-tracks", "t4", style="pt", script="abelhas.py").tell("vídeo 1080p, 30 quadros/s", 7).hold(12).mood("busy").train(2300, 0.9, 50, 50_000)
    yield s.close(Label(mode="F4", variant="by_other", fault="unknown"), "CANCELLED", cancelled_by_uid=0)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (gone, moved, late, stopped):
        yield from part()


RECIPE = Recipe("yarrow_stems_by_pen", "development", jobs)
