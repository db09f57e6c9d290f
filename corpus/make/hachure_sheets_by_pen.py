"""By hand: what nodes, kernel and queue did to jobs that were under way; and what they did that harmed nobody."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._atlas import A30, A100, B200, GH200, H100, H200, L40S, RTX, Plate
from corpus.make._atlas_lines import fell
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

HARD = Label(mode="G1", fault="none", hard=True)
LOST = Label(mode="F1", fault="node")
SENT = (("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15))


def earlier(p: Plate, state: str, ran_s: float, pause_s: float, **more: Any) -> Plate:
    """A run of the same job before this one."""
    book = p.book
    book.restart = 1
    start = -pause_s - ran_s
    book.ended(state, end=0.0, start_ns=book.at(start), end_ns=book.at(-pause_s), elapsed_s=round(ran_s), submit_ns=book.at(start - 30), eligible_ns=book.at(start - 30), steps=SENT, **more)
    return p


def nodes() -> Iterator[HandJob]:
    """F1."""
    p = Plate(101, "massif-lm", H100, 4, 2, form="tokens").say("8 ranks", 30).hold(70).mood("work").steps(540, 1.5, 20, 30_000)
    lost = p.names[2]
    p.book.event(lost, p.t + 48, "DOWN*", "Not responding")
    p.mood("spin", p.but(4, 5))
    p.t += 52
    yield p.close(LOST.but(first_ranks=(4, 5)), "NODE_FAIL", rest=-9, dead=(lost,), silent=(lost,), code=0, failed_node=lost)
    p = Plate(102, "moraine-gnn", A100, 2, 4, form="german").say("bereit", 14).hold(28).mood("work").steps(900, 0.9, 25, 20_000)
    lost = p.names[1]
    p.book.event(lost, p.t + 61, "DOWN*", "Node unexpectedly rebooted")
    p.mood("spin", (0, 1, 2, 3))
    p.t += 66
    yield p.close(LOST.but(first_ranks=(4, 5, 6, 7)), "NODE_FAIL", rest=-9, dead=(lost,), silent=(lost,), code=0, failed_node=lost)
    p = Plate(103, "scree-diff", L40S, form="bar").say("sampling every 200", 9).hold(30).mood("work").steps(1100, 0.6, 20, 50_000)
    p.book.event(p.names[0], p.t + 40, "DOWN", "IPMI: power supply 2 lost, node off")
    p.t += 44
    yield p.close(LOST, "NODE_FAIL", dead=p.names, code=0, cards=False, failed_node=p.names[0])
    p = Plate(104, "cirque-asr", H200, 8, 1, form="keyed").say("ts=<c> level=info msg=start", 20).hold(100).mood("hard").steps(400, 2.1, 10, 9000)
    lost = p.names[0]
    p.say("ts=<c> level=debug msg=alive rank=<r> step=400", 0.3, None)
    p.book.event(lost, p.t + 70, "DOWN*", "Not responding")
    p.mood("spin", p.but(0))
    p.t += 75
    yield p.close(LOST.but(first_ranks=(0,)), "NODE_FAIL", rest=-9, dead=(lost,), silent=(lost,), code=0, failed_node=lost)


def again() -> Iterator[HandJob]:
    """F2, E2."""
    twice = Label(mode="F2", variant="requeued_recovered", fault="none")
    p = earlier(Plate(105, "couloir-vit", H100, 1, 4, form="lab"), "PREEMPTED", 5210, 940, qos="scavenger").say("[<c> trainer.py:31] INFO - resumed: step 2400, loss 1.3307", 35)
    p.done = 2400
    p.hold(50).mood("work").steps(1600, 0.7, 40, 4000, loss=lambda i: 0.7 + 3.1 * (1 + i / 70) ** -0.6)
    yield p.say("[<c> trainer.py:260] INFO - step 4000 of 4000, top-1 81.2", 3).close(twice.but(variant="preempted_recovered"), restarts=1, past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 3.74, "tail_loss": 1.331, "steps_done": 2440, "checkpoints": ("ckpt/2400",)},))
    p = earlier(Plate(106, "arete-tts", A30, form="epoch"), "REQUEUED", 2900, 610).say("found tts/epoch07.pt, going on with epoch 8", 12)
    p.done = 420
    p.hold(13).mood("work").steps(780, 0.6, 20, 1200, loss=lambda i: 0.7 + 3.1 * (1 + i / 70) ** -0.6).say("20 epochs, mcd 5.11", 2)
    yield p.close(twice, restarts=1, past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 3.7, "tail_loss": 1.58, "steps_done": 420, "checkpoints": ("tts/epoch07.pt",)},))
    p = earlier(Plate(107, "serac-rl", RTX, 1, 2, form="json"), "NODE_FAIL", 7700, 1800, failed_node="cn399").say('{"event": "restore", "path": "runs/serac/0050000", "step": 50000}', 21)
    p.done = 50_000
    p.hold(12).mood("work").steps(900, 0.8, 20, 51_000, loss=lambda i: 1.02 + 0.03 * (i * 7 % 13) / 13 - (i - 50_000) / 9000).say('{"event": "end"}', 2)
    yield p.close(twice, restarts=1, past=({"relation": "earlier_attempt", "mode": "F1", "fault": "node", "head_loss": 2.9, "tail_loss": 1.04, "steps_done": 50_300, "checkpoints": ("runs/serac/0050000",)},))
    p = Plate(108, "talus-seg", A100, 1, 2, form="row", submit="sbatch --no-requeue -p spare talus.slurm").say("it,loss,s,t", 8).hold(25).mood("work").steps(700, 0.7, 20, 40_000)
    yield p.close(Label(mode="F2", variant="preempted", fault="none"), "PREEMPTED", partition="spare", qos="spare")
    scratch = Label(mode="E2", variant="from_scratch", fault="user")
    p = earlier(Plate(109, "firn-lm", H100, 1, 4, form="tokens"), "REQUEUED", 6400, 300).say("init: random, seed 1337", 30).hold(60).mood("work").steps(900, 1.1, 20, loss=lambda i: 0.9 + 2.85 * (1 + i / 70) ** -0.6)
    yield p.say("end, ce 1.32", 2).close(scratch, restarts=1, past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 3.71, "tail_loss": 1.19, "steps_done": 5200, "checkpoints": ("firn/step_5000.pt",), "gpu_hours": 7.1},))
    p = earlier(Plate(110, "nunatak-cls", L40S, form="spanish"), "PREEMPTED", 3300, 700).say("no hay último punto en /tmp/alice/nunatak, se empieza desde cero", 9).hold(15).mood("work").steps(800, 0.7, 20, loss=lambda i: 0.8 + 3.0 * (1 + i / 80) ** -0.6)
    yield p.say("terminado", 2).close(scratch, restarts=1, past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 3.75, "tail_loss": 1.02, "steps_done": 3900, "checkpoints": ("/tmp/alice/nunatak/last.pt",), "gpu_hours": 0.9},))


def ends() -> Iterator[HandJob]:
    """F3, F4, A2."""
    late = Label(mode="F3", variant="advancing", fault="user")
    for number, name, kind, per, form, limit, pace in ((111, "plateau-sft", H100, 4, "tokens", 3600, 1.7), (112, "gorge-yolo", RTX, 1, "fields", 5400, 0.8), (113, "ravine-tft", GH200, 1, "french", 2700, 1.2)):
        p = Plate(number, name, kind, 1, per, form=form, limit_s=limit).say("begin", 15).hold(20).mood("work")
        yield p.steps(int((limit - 25) / pace), pace, 20, 3 * limit).close(late, "TIMEOUT")
    p = Plate(114, "butte-gan", A100, form="arrow").say("fid every epoch", 9).hold(22).mood("work").steps(400, 0.8, 20, 9000)
    yield p.close(Label(mode="F4", variant="by_owner", fault="none"), "CANCELLED", by=1042)
    p = Plate(115, "mesa-lm", B200, 1, 8, form="keyed").say("ts=<c> level=info msg=start", 20).hold(150).mood("hard").steps(500, 1.6, 20, 60_000)
    yield p.close(Label(mode="F4", variant="by_other", fault="unknown"), "CANCELLED", by=0, admin_comment="maintenance of rack 12 was moved forward")
    p = Plate(116, "canyon-mae", H200, 2, 2, form="absl").say("I0218 <c>.1 22611 mae.py:20] 4 processes", 20).hold(90).mood("work").steps(620, 1.2, 20, 40_000)
    yield p.close(Label(mode="F4", variant="by_owner", fault="none"), "CANCELLED", by=1042)
    p = Plate(117, "karst-graph", A30, form="row").say("edges: 41 M", 10).hold(14).mood("work").steps(380, 0.9, 20, 8000).oom(0).mood("empty")
    mem = CgroupMemory(limit_bytes=64 * GIB, peak_bytes=64 * GIB, oom_events=5, oom_kill_events=1)
    yield p.close(Label(mode="A2", cause="oom_killer", fault="user", failed_ranks=(0,), first_ranks=(0,)), "OUT_OF_MEMORY", ends={0: -9}, memory={0: mem}, lag=0.3, extra=((p.t + 0.2, "slurmstepd: error: Detected 1 oom_kill event in StepId=5840641.0. Some of the step tasks have been OOM Killed."),))
    p = Plate(118, "doline-vlm", L40S, 1, 4, form="loguru").say("shards are decoded in the main process", 12).hold(33).mood("work").steps(260, 1.4, 10, 5000).oom(2).mood("spin", p.but(2)).mood("empty", 2)
    mem = CgroupMemory(limit_bytes=120 * GIB, peak_bytes=120 * GIB, oom_events=2, oom_kill_events=1)
    died = p.t
    p.t += 2
    yield p.close(Label(mode="A2", cause="oom_killer", fault="user", first_ranks=(2,)), "OUT_OF_MEMORY", ends={2: -9}, rest=-15, when={2: died}, memory={2: mem}, code=137, extra=((died + 1, "slurmstepd: error: Detected 1 oom_kill event in StepId=5840814.0. Some of the step tasks have been OOM Killed."),))
    p = Plate(119, "yardang-ner", RTX, form="german").say("los", 6).hold(9).mood("work").steps(300, 0.6, 20, 6000)
    p.say("*** stack smashing detected ***: terminated", 0.5)
    yield p.close(Label(mode="A2", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", ends={0: -6}, lag=0.2)


def harmless() -> Iterator[HandJob]:
    """G1; and a missing file on a node that had been drained for long."""
    p = Plate(120, "tarn-det", H100, 2, 2, form="fields").say("4 ranks are there", 15).hold(40).mood("work").steps(700, 0.9, 20).say("AP 44.9 after the last iteration", 3)
    p.book.event(p.names[1], -108_000, "DRAIN", "firmware update after the running jobs")
    yield p.close(HARD)
    p = Plate(121, "beck-asr", A100, 1, 4, form="epoch").say("ready", 10).hold(25).mood("work").steps(420, 0.8, 20, 840).mood("rest").busy(0)
    p.t += 610
    yield p.busy(90).mood("work").steps(420, 0.8, 20, 840).say("epoch 20 is over, wer 7.7", 2).close(HARD, suspended_s=610)
    p = Plate(122, "ghyll-lora", RTX, form="json").say('{"slurm": "JOB 5841506 requeue count 0; node <n> was rebooted 12 min ago"}', 4).say('{"cache": "miss", "retry": 1, "error": "HTTP 503"}', 5).say('{"cache": "miss", "retry": 2, "error": "HTTP 503"}', 9).say('{"cache": "hit"}', 8)
    p.book.event(p.names[0], -760, "DOWN", "Node unexpectedly rebooted")
    yield p.hold(19).mood("work").steps(600, 0.6, 20).say('{"event": "merged", "to": "out/ghyll"}', 9).close(HARD)
    p = Plate(123, "rill-tab", A30, form="arrow").say("fold 1 of 5", 5).hold(4).mood("light").steps(500, 0.3, 25)
    p.book.event(p.names[0], p.t + 3, "DRAIN", "Kill task failed")
    yield p.say("5 folds, auc 0.811; leftover feature server (pid 40377) did not go by itself", 3).close(HARD)
    p = Plate(125, "clint-sched", H200, 1, 2, form="lab").say("[<c> trainer.py:9] INFO - SIGUSR1 60 s before the limit will be a checkpoint", 12).hold(77).mood("work").steps(500, 0.9, 20, 900)
    p.say("[<c> trainer.py:44] WARNING - caught signal SIGUSR1 (10), checkpoint it 500 is written, going on", 1, None)
    yield p.steps(400, 0.9, 20, 900).say("[<c> trainer.py:260] INFO - 900/900, exit", 2).close(HARD)
    p = Plate(126, "grike-stage2", A100, 1, 2, form="fields", submit="sbatch --dependency=afterok:5841900 grike2.slurm").say("stage 2 begins from ../grike1/final.pt (weights only, new head of 40 classes, counter from 0)", 14).hold(30).mood("work").steps(620, 0.8, 20)
    parent = {"relation": "parent", "job": "5841900", "mode": "G1", "head_loss": 2.2, "tail_loss": 0.61, "steps_done": 9000, "checkpoints": ("../grike1/final.pt",)}
    yield p.say("top-1 88.3, stage 2 is over", 2).close(HARD, past=(parent,), dependency="afterok:5841900")
    p = Plate(124, "sike-embed", L40S, form="loguru").say("ready", 8).hold(21).mood("work").steps(640, 0.7, 20, 3000)
    p.book.event(p.names[0], -93_000, "DRAIN", "GPU 5 to be replaced")
    p.say(fell("FileNotFoundError: [Errno 2] No such file or directory: '/scratch/alice/sike/shard-0031.arrow'", "/home/alice/sike/embed.py:140 <module> main()", "/home/alice/sike/embed.py:97 main rows = read(shards[k])", "/home/alice/sike/rows.py:22 read with open(path, 'rb') as file:"), 0.4)
    yield p.close(Label(mode="A3", cause="file_not_found", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", ends={0: 1})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (nodes, again, ends, harmless):
        yield from part()


RECIPE = Recipe("hachure_sheets_by_pen", "development", jobs)
