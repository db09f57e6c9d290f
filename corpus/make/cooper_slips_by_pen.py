# ruff: noqa: ARG005
"""Jobs on several clusters' cards, thought out: what the scheduler and its nodes did to them while they went on."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._halyards import Watch, falls
from corpus.running.job import HandJob, Recipe

GONE = Label(mode="F1", fault="node")
AGAIN = Label(mode="F2", fault="none")
LATE = Label(mode="F3", variant="advancing", fault="user")
OWN = Label(mode="F4", variant="by_owner", fault="none")


def nodes() -> Iterator[HandJob]:
    """A node was lost on the way."""
    w = Watch("aurora-lm-9b", "h100", 4, 8, script="lm9.py").p("32 ranks, fsdp2", 26).gib(67).do("hard").run(640, 2.2, 10, lambda i, n, x, s, d: f"{d:%H:%M:%S} {i:>6} {x:.4f} {int(1048576 / s):>9,}/s", of=100_000, curve=falls(11, 2.9))
    w.book.event(w.hosts[3], w.t + 44, "DOWN*", "Not responding")
    yield w.do("poll").lull(58).over(GONE.but(first_ranks=tuple(range(24, 32))), "NODE_FAIL", rest=-9, lost=(3,), code=0, failed_node=w.hosts[3])
    w = Watch("qmc-net", "a100x", 2, 4, by="torchrun", script="qmc.py").p("walkers 4096", 12).gib(40).do("train").run(1100, 1.2, 20, lambda i, n, x, s, d: f"step {i} E = {-128.9 + x:.5f} +- {x / 40:.5f} Ha  ({s:.2f} s)", of=50_000, curve=falls(2.2, 0.02))
    w.book.event(w.hosts[1], w.t + 21, "DOWN", "Node unexpectedly rebooted")
    yield w.do("poll").lull(33).over(GONE.but(first_ranks=(4, 5, 6, 7)), "NODE_FAIL", rest=-9, lost=(1,), code=0, failed_node=w.hosts[1])
    w = Watch("swot-assim", "gh200", 6, 1, script="swot.py", host="nid{:06d}").p("tile ~r~ of 6", 15, None).gib(80).do("hard").run(520, 2.6, 10, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S} assim cycle={i} J={x:.4f}", of=9000, curve=falls(6.1, 0.7))
    w.book.event(w.hosts[4], w.t + 70, "DOWN*+DRAIN", "Not responding; BMC: VRM over-temperature, power off")
    yield w.do("poll").lull(84).over(GONE.but(first_ranks=(4,)), "NODE_FAIL", rest=-9, lost=(4,), code=0, failed_node=w.hosts[4])
    w = Watch("dinov2-micro", "h200", 2, 8, script="dino.py").p("microscopy 40 M crops, 16 ranks", 22).gib(101).do("hard").run(900, 1.6, 20, lambda i, n, x, s, d: f"[{i}/{n}] total_loss: {x:.4f}  lr: 0.0020  time: {s:.3f}  max mem: 98113", of=125_000, curve=falls(14.2, 8.1))
    w.book.event(w.hosts[1], w.t + 36, "DOWN*", "Not responding")
    yield w.do("poll").lull(51).over(GONE.but(first_ranks=tuple(range(8, 16))), "NODE_FAIL", rest=-9, lost=(1,), code=0, failed_node=w.hosts[1])
    w = Watch("tokamak-surr", "a30", 3, 2, script="toka.py", host="gpu-{:03d}.priv").p("shots 4100-9800", 10).gib(18).do("train").run(1500, 0.9, 30, lambda i, n, x, s, d: f"shotbatch={i} nrmse={x:.4f} sec={s:.2f}", of=60_000, curve=falls(0.9, 0.12))
    w.book.event(w.hosts[2], w.t + 40, "DOWN", "Low RealMemory (reported:128000 < 100.00% of configured:256000)")
    yield w.do("poll").lull(47).over(GONE.but(first_ranks=(4, 5)), "NODE_FAIL", rest=-9, lost=(2,), code=0, failed_node=w.hosts[2])


def again() -> Iterator[HandJob]:
    """Preempted or requeued."""
    def early(head: float, tail: float, steps: int, where: str) -> dict[str, object]:
        return {"relation": "earlier_attempt", "mode": "F2", "head_loss": head, "tail_loss": tail, "steps_done": steps, "checkpoints": (where,)}

    w = Watch("scav-clip", "a100", 1, 4, script="clip.py", submit="sbatch -p scavenge --requeue clip.slurm").before("PREEMPTED", 6100, 1240, partition="scavenge").p("restored runs/clip/ckpt_05200.pt, continuing at step 5200", 16).gib(32)
    w.step = 5200
    yield w.do("train").run(1500, 1.0, 25, lambda i, n, x, s, d: f"step={i} total={n} itc={x:.4f}", curve=falls(8.6, 1.4, 200)).p("training finished at 6700", 2).over(AGAIN.but(variant="preempted_recovered"), restarts=1, partition="scavenge", past=(early(8.6, 2.2, 5240, "runs/clip/ckpt_05200.pt"),))
    w = Watch("prio-rl-fold", "l40", 1, 1, script="rlf.py", submit="sbatch -q low --requeue rlf.slurm").before("PREEMPTED", 2600, 5100, qos="low").before("PREEMPTED", 3300, 420, qos="low").p("[resume] state.npz: iteration 3100", 9).gib(12)
    w.step = 3100
    yield w.do("light").run(1400, 1.1, 20, lambda i, n, x, s, d: f"[{i}] energy {x:.3f} accept {0.31 + x / 90:.3f}", curve=falls(6.0, 1.1, 150)).p("[end] best energy 1.31", 1).over(AGAIN.but(variant="preempted_recovered"), restarts=2, qos="low", past=(early(6.0, 1.9, 3133, "state.npz"),))
    w = Watch("gpt-2n-main", "h100", 2, 8, script="pretrain_gpt.py", submit="sbatch --requeue gpt.slurm").before("NODE_FAIL", 14_900, 260).p(" loading checkpoint from /lustre/gpt/ck at iteration 4500\n  successfully loaded checkpoint from /lustre/gpt/ck [ t 1/1, p 1/1 ] at iteration 4500", 41).gib(70)
    w.step = 4500
    yield w.do("hard").run(1000, 1.5, 20, lambda i, n, x, s, d: f" [{d:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{n:8d} | consumed samples: {i * 512:12d} | elapsed time per iteration (ms): {s * 1000:.1f} | learning rate: 1.0E-04 | global batch size:   512 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: 0.812 | number of skipped iterations:   0 | number of nan iterations:   0 |", curve=falls(11, 2.1, 150)).p("  successfully saved checkpoint from iteration    5500 to /lustre/gpt/ck", 20).p("[exiting program at iteration 5500]", 1).over(AGAIN.but(variant="requeued_recovered"), restarts=1, past=(early(11.0, 2.95, 4610, "/lustre/gpt/ck"),))
    w = Watch("bert-de-2", "a100x", 1, 4, by="torchrun", script="bert.py", submit="sbatch --requeue bert.slurm").before("REQUEUED", 5200, 900).p("Fortsetzung von Schritt 2600 (zustand.pt)", 13).gib(58)
    w.step = 2600
    yield w.do("train").run(1300, 1.3, 20, lambda i, n, x, s, d: f"{d:%H:%M} Schritt {i}/{n} MLM {x:.4f}", curve=falls(9.8, 1.7, 150)).p("Training beendet", 1).over(AGAIN.but(variant="requeued_recovered"), restarts=1, past=(early(9.8, 2.9, 2655, "zustand.pt"),))
    w = Watch("spot-vqgan", "h200", 1, 2, script="vqgan.py", submit="sbatch -p spot --no-requeue vqgan.slurm").p("codebook 16384", 12).gib(90).do("train").run(1400, 1.1, 20, lambda i, n, x, s, d: f"it {i} rec {x:.4f} perplex {4000 - 900 * x:.0f}", of=60_000, curve=falls(1.1, 0.24))
    yield w.over(AGAIN.but(variant="preempted"), "PREEMPTED", partition="spot")
    w = Watch("free-tier-mae", "l4", 1, 1, script="mae.py", host="edge{:02d}", submit="sbatch -q free mae.slurm").p("mask ratio 0.75", 6).gib(18).do("train").run(1700, 0.8, 40, lambda i, n, x, s, d: f"{i}\t{x:.5f}", of=90_000, curve=falls(0.98, 0.41))
    yield w.over(AGAIN.but(variant="preempted"), "PREEMPTED", qos="free")


def late() -> Iterator[HandJob]:
    """The limit came first."""
    for name, card, nodes_, per, limit, pace, head, form, curve, gib in (
        ("bloom-yo-1b", "a100x", 2, 4, 7200, 2.1, "steps planned: 40000", lambda i, n, x, s, d: f"{d:%H:%M:%S} igbese {i}/{n} ipadanu {x:.4f} {s:.2f}s", falls(10.9, 2.6), 66),
        ("ct-recon-3d", "l40", 1, 1, 5400, 3.3, "Epochs: 200", lambda i, n, x, s, d: f"epoch {i // 300 + 1}/200 batch {i % 300}/300 psnr {38 - 9 * x:.2f} l1 {x:.5f}", falls(0.9, 0.11), 39),
        ("minerva-rl", "h100", 1, 8, 10_800, 31, "grpo, 900 updates planned", lambda i, n, x, s, d: f"update {i}/{n} reward {0.9 - x / 2:.4f} kl {0.001 * i ** 0.5:.4f} ({s:.1f} s)", falls(1.4, 0.5, 40), 74),
        ("mp-relax", "gh200", 1, 1, 3600, 0.9, "structures to fit: 154718", lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 relax.py:61] batch {i} of {n}: mae_f {x:.4f}", falls(1.8, 0.08), 70),
        ("turk-asr", "a10", 1, 2, 6000, 1.4, "toplam 60 devir", lambda i, n, x, s, d: f"devir {1 + i // 900} adım {i % 900}/900 ctc {x:.4f}", falls(5.4, 0.9), 19),
        ("dit-xl-2", "h200", 2, 8, 9000, 1.7, "train steps 400000", lambda i, n, x, s, d: f"[{d:%Y-%m-%d %H:%M:%S}] (step={i:07d}) Train Loss: {x:.4f}, Train Steps/Sec: {1 / s:.2f}", falls(1.0, 0.149), 120),
    ):
        w = Watch(name, card, nodes_, per, limit=limit).p(head, 14).gib(gib).do("train" if per < 8 else "hard")
        steps = int((limit - w.t - 4) / pace)
        yield w.run(steps, pace, max(1, steps // 130), form, of=3 * steps if per < 8 else 5 * steps, curve=curve).over(LATE, "TIMEOUT")


def called() -> Iterator[HandJob]:
    """By who had sent it, while it went on."""
    w = Watch("abl-rope-17", "h100", 1, 4, script="abl.py").p("ablation 17 of 24", 12).gib(55).do("hard").run(900, 1.4, 20, lambda i, n, x, s, d: f"abl17 {i} {x:.4f}", of=20_000, curve=falls(9.6, 3.0))
    yield w.over(OWN, "CANCELLED", cancelled_by_uid=1042)
    w = Watch("tft-demand", "a30", 1, 1, script="tft.py", host="gpu-{:03d}.priv").p("stores: 54, horizon 28 d", 5).gib(8).do("light").run(2600, 0.5, 50, lambda i, n, x, s, d: f"quantile loss @{i}: {x:.5f} (val {x * 1.07:.5f})", of=40_000, curve=falls(0.62, 0.29))
    yield w.over(OWN, "CANCELLED", cancelled_by_uid=1042)
    w = Watch("pile-dedup-lm", "h200", 2, 8, by="torchrun", script="pile.py").p("16 ranks", 21).gib(119).do("hard").run(800, 1.9, 20, lambda i, n, x, s, d: f'{{"s":{i},"l":{x:.4f},"ts":"{d:%H:%M:%S}"}}', of=70_000, curve=falls(10.8, 2.8))
    w.p("W~M~ ~H~.~U~ 210300 torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal, shutting down workers", 1.0, (0, 8))
    yield w.over(OWN, "CANCELLED", cancelled_by_uid=1042, lag=3)
    w = Watch("gen-melody", "rtx6000", 1, 2, script="mel.py", host="em{:02d}").p("tokens/bar 64", 6).gib(33).do("train").run(1500, 0.9, 30, lambda i, n, x, s, d: f"bar-step {i:>5}  nll {x:.4f}  {1 / s:.1f}/s", of=30_000, curve=falls(5.1, 1.9))
    yield w.over(OWN, "CANCELLED", cancelled_by_uid=1042)
    w = Watch("hier-vae-old", "v100", 1, 4, script="hv.py", host="nv{:03d}").p("bits/dim", 9).gib(14).do("train").run(1200, 1.1, 25, lambda i, n, x, s, d: f"{d:%d-%m %H:%M:%S} it {i} bpd {x:.4f}", of=80_000, curve=falls(7.9, 3.2))
    yield w.over(OWN, "CANCELLED", cancelled_by_uid=1042)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (nodes, again, late, called):
        yield from part()


RECIPE = Recipe("cooper_slips_by_pen", "development", jobs)
