"""Jobs of a shipyard, a broadcaster, a children's clinic and others, by pen: ranks that never met or stood still, and runs that were slow for a reason."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._heronry import Run
from corpus.make._heronry_words import brimful, down, hound, trace
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

UNMET = Label(mode="C1", fault="unknown")
STILL = Label(mode="C2", fault="unknown")
ALONE = Label(mode="C3", fault="user")
HUNGRY = Label(mode="D1", fault="user")
SAVES = Label(mode="D2", variant="save_storm", fault="user")
WIRE = Label(mode="D2", variant="interconnect", fault="cluster")
BLOCKING = Label(mode="D2", variant="launch_blocking", fault="user")
LAG = Label(mode="D3", fault="unknown")
POLL = "poll_schedule_timeout.constprop.0"


def never_met() -> Iterator[HandJob]:
    """C1."""
    s = Run(201, "hull-cfd", "h100", 4, 8, script="hull.py", via="torchrun", rack="yard", hours=3, east=2)
    for k in (0, 1, 2):
        s.say("W%m %T.%u 40000 torch/distributed/run.py:792] \nW%m %T.%u 40000 torch/distributed/run.py:792] *****************************************\nW%m %T.%u 40000 torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ", 4, s.on(k)[0])
    s.say("%h: joined rendezvous c10d at %H:29500, 3 of 4 nodes are here", 6, (0, 8, 16)).stuck(None, "S", POLL)
    for _ in range(34):
        s.say("%h: still waiting for the fourth node (c10d %H:29500)", 300, 0)
    yield s.end(UNMET, "TIMEOUT")

    s = Run(202, "news-clips", "a100", 2, 4, script="clips.py", rack="tv", hours=8, east=1)
    s.say("[%T] rank %r of 8 on %h -> tcp://%H:34567", 13, s.rest(6), 0.1).stuck(s.rest(6), "S", POLL).stuck(6, "D", "nfs_wait_bit_killable", file_systems=("nfs4 /home",)).busy(0.3)
    yield s.wait(9300).end(UNMET, "CANCELLED", cancelled_by_uid=1042)

    s = Run(203, "gait-net", "a40", 1, 4, script="gait.py", rack="klin", east=1)
    s.say("Rang %r: Prozessgruppe nccl", 11, None).mem(0.7, over=2).gpu("spin", s.rest(3)).gpu("ctx", 3).stuck(3, "S", "futex_wait_queue_me", 110)
    s.say(hound("BROADCAST", 1, 1, 600_000, done=0, age=2.7), 602, s.rest(3), 0.05)
    yield s.end(UNMET.but(cause="nccl"), "FAILED", dict.fromkeys(s.rest(3), -6), rest=-9, lag=9)

    s = Run(204, "subtitle-align", "l40s", 2, 4, script="align.py", rack="tv", hours=4, east=1)
    s.say("%I | rank %r | start", 9, None)
    s.say(trace("ModuleNotFoundError: No module named 'soxr'", "align/align.py|14|<module>|from audio import resample", "align/audio.py|5|<module>|import soxr"), 3, 5)
    died = s.t + 0.3
    s.say("%I | rank %r | waiting for 8 processes at %H:29511", 2, s.rest(5)).stuck(s.rest(5), "S", POLL).busy(0.4, s.rest(5))
    yield s.end(UNMET.but(cause="missing_module", trigger="A1", fault="user", first_ranks=(5,)), "TIMEOUT", {5: 1}, at={5: died})

    s = Run(205, "weld-xray", "h200", 2, 8, script="weld.py", rack="yard", hours=2, east=2)
    s.say("I%m %T.%u %p distributed.py:126] Connecting to JAX distributed service on %H:8476", 15, s.rest(*s.on(1)[4:]), 0.02).say("I%m %T.%u %p distributed.py:119] Starting JAX distributed service on [::]:8476", 0.2, 0)
    s.say("%h task %r: module load cuda/12.4 nccl/2.21", 1, s.on(1)[4:]).stuck(s.rest(*s.on(1)[4:]), "S", "futex_wait_queue").stuck(s.on(1)[4:], "D", "cl_sync_io_wait", file_systems=("lustre /apps",)).busy(0.2)
    yield s.end(UNMET, "TIMEOUT")

    s = Run(206, "infant-cry", "v100", 1, 4, script="cry.py", rack="klin", hours=5, east=1)
    s.say("rank %r: Merkmale laden", 8, None).wait(190).oomed(2)
    died = s.t
    s.say("rank %r: Merkmale fertig, warte auf alle (gloo, %H:29602)", 44, s.rest(2), 0.4).stuck(s.rest(2), "S", POLL).busy(0.5, s.rest(2))
    yield s.end(UNMET.but(cause="oom_killer", trigger="A2", fault="user", first_ranks=(2,)), "TIMEOUT", {2: -9}, at={2: died}, memory={2: CgroupMemory(limit_bytes=128 * GIB, peak_bytes=128 * GIB, oom_events=1, oom_kill_events=1)})

    s = Run(207, "drama-lm", "mi300", 2, 8, script="drama.py", via="deepspeed", rack="amd", hours=6)
    s.say("%h: [%I,%u] [INFO] [comm.py:658:init_distributed] cdb=None", 21, None, 0.05).say("%h: [%I,%u] [INFO] [comm.py:689:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl", 0.4, s.on(0)[:1]).mem(0.5).gpu("ctx").stuck(None, "S", POLL).busy(1.1)
    yield s.wait(13_900).end(UNMET, "CANCELLED", cancelled_by_uid=1042)


def stood_still() -> Iterator[HandJob]:
    """C2."""
    s = Run(211, "speech-7b", "h100", 2, 8, "[{t:%H:%M:%S}] it {i}/{n}: ce {x:.4f}, {dt:.2f}s", script="sp7b.py", rack="tv", hours=6, east=1)
    s.say("16 Ränge, FSDP full shard", 25).mem(71).gpu("full").go(3300, 2.4, 10, down(8.8, 2.1), 40_000).gpu("spin", s.rest(9)).gpu("ctx", 9)
    yield s.stuck(9, "D", "cl_sync_io_wait", 1400, file_systems=("lustre /lustre/tv",)).end(STILL, "TIMEOUT")

    s = Run(212, "plate-forming", "a100", 1, 8, "{i:>7} {x:>10.5f} {ms:>8.1f}", script="plates.py", rack="yard", east=2)
    s.say("   step       loss     ms", 13).mem(55).gpu("run").go(6600, 1.1, 25, down(1.9, 0.2), 50_000).gpu("spin", s.rest(2)).gpu("ctx", 2).stuck(2, "S", "futex_wait_queue_me", 118)
    s.say(hound("ALLREDUCE", 26_401, 18_874_368, 600_000, age=2.4), 601, s.rest(2), 0.04)
    yield s.end(STILL.but(cause="nccl"), "FAILED", dict.fromkeys(s.rest(2), -6), rest=-9, lag=15)

    s = Run(213, "jingle-tagger", "l40s", 1, 4, "step {i} | bce {x:.4f} | map {acc:.4f}", script="jingle.py", rack="tv", hours=4, east=1)
    s.say("rank %r: 31 250 Clips", 10, None).mem(24).gpu("run").go(5100, 0.9, 25, down(0.69, 0.09), 40_000, who=range(4))
    s.say(trace("ZeroDivisionError: float division by zero", "jingle/jingle.py|131|<module>|fit()", "jingle/jingle.py|108|fit|weight = len(pos) / len(neg)", mark="[rank1]: "), 0.9, 1)
    died = s.t + 0.4
    yield s.gpu("spin", s.rest(1)).gpu("off", 1).mem(0, 1, 2).end(STILL.but(cause="div_zero", trigger="A3", fault="user", first_ranks=(1,)), "TIMEOUT", {1: 1}, at={1: died})

    s = Run(214, "maritime-30b", "h100", 8, 8, " iteration {i:7d}/{n:7d} | consumed samples: {seen:12d} | elapsed time per iteration (ms): {ms:.1f} | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {g:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", script="pretrain_gpt.py", rack="hx", hours=10, batch=1024)
    s.voice = 63
    s.say("> finished creating GPT datasets ...", 90).mem(76).gpu("full").go(1500, 8.9, 5, down(10.1, 2.5), 40_000)
    yield s.gpu("spin", s.rest(21)).gpu("ctx", 21).stuck(21, "S", "futex_wait_queue", 1900).end(STILL, "TIMEOUT")

    s = Run(215, "propeller-noise", "mi300", 1, 8, "{t:%Y-%m-%d %H:%M:%S} trainer {i}/{n} loss={x:.4f} ({ips:.2f} it/s)", script="prop.py", rack="amd", hours=24)
    yield s.say("RCCL 2.22.3, 8 ranks", 17).mem(140).gpu("full").go(5200, 1.3, 20, down(3.2, 0.5), 60_000).gpu("spin").wait(9100).end(STILL, "CANCELLED", cancelled_by_uid=1042)

    s = Run(216, "ward-triage", "v100", 2, 4, "{i} nll {x:.4f} auroc {acc:.3f}", script="triage.py", rack="klin", hours=12, east=1)
    s.say("rank %r, Bett %r", 12, None).mem(25).gpu("mid").go(7400, 0.8, 50, down(1.1, 0.2), 60_000).oomed(6)
    died = s.t
    s.gpu("spin", s.rest(6)).gpu("off", 6).mem(0, 6, 1).wait(15_200)
    yield s.end(STILL.but(cause="oom_killer", trigger="A2", fault="user", first_ranks=(6,)), "CANCELLED", {6: -9}, at={6: died}, memory={6: CgroupMemory(limit_bytes=190 * GIB, peak_bytes=190 * GIB, oom_events=2, oom_kill_events=1)}, cancelled_by_uid=1042)

    s = Run(217, "cinema-vae", "h200", 1, 8, "{{\"step\": {i}, \"rec\": {x:.5f}, \"kl\": {g:.4f}, \"t\": {dt:.2f}}}", script="cvae.py", rack="tv", east=1)
    s.say('{"rank": %r, "ready": true}', 14, None).mem(121).gpu("full").go(4000, 1.6, 20, down(0.8, 0.1), 40_000).say('{"saving": "ckpt/4000.pt"}', 1).gpu("spin", s.rest(0)).gpu("ctx", 0).stuck(0, "D", "gpfs_wait_io", 300, file_systems=("gpfs /gpfs/work",))
    s.say(hound("ALLREDUCE", 12_004, 41_943_040, 1_800_000), 1802, s.rest(0), 0.05)
    yield s.end(STILL.but(cause="nccl"), "FAILED", dict.fromkeys(s.rest(0), -6), rest=-9, lag=16)

    s = Run(218, "buoy-drift", "gh200", 4, 1, "I{t:%m%d %H:%M:%S.%f} 31001 drift.py:120] step {i}: loss={x:.5f}", script="drift.py", rack="gh", hours=5, east=2)
    s.say("I%m %T.%u 31001 drift.py:40] process %r of 4", 12, None).mem(74).gpu("run").go(4400, 1.4, 20, down(1.2, 0.1), 40_000, who=range(4))
    died = s.t + 0.2
    yield s.gpu("spin", s.rest(2)).gpu("off", 2).mem(0, 2, 1).end(STILL.but(cause="segfault", trigger="A2", fault="user", first_ranks=(2,)), "TIMEOUT", {2: -11}, at={2: died})

    s = Run(219, "rib-fracture", "a40", 1, 2, "Epoche {ep} | {i:5d} | {x:.4f}", script="rib.py", rack="klin", east=1, epochs=3)
    s.say("Rang %r, 2 GPUs", 9, None).mem(34).gpu("run").go(3120, 1.2, 20, down(1.4, 0.3), 9375).say("Rang 0: Epoche 1 zu Ende nach 3120 Stapeln, Validierung", 2, 0).say("Rang 1: Stapel 3121 von 3125", 1, 1).gpu("spin")
    s.say(hound("ALLGATHER", 9364, 16, 1_800_000, out=32), 1801, 0).say(hound("ALLREDUCE", 9364, 23_068_672, 1_800_000), 0.8, 1)
    yield s.end(STILL.but(cause="nccl", fault="user", failed_ranks=(0, 1)), "FAILED", {0: -6, 1: -6})

    s = Run(220, "crane-video", "a100s", 1, 4, "{t:%d.%m. %H:%M:%S} Schritt {i}: {x:.4f}", script="kran.py", rack="yard", east=2)
    s.say("Rang %r bereit", 11, None).mem(36).gpu("run").go(2700, 1.9, 15, down(3.0, 0.6), 30_000).mem(39.2, 3, 1)
    s.say(trace(brimful("2.53 GiB", 3, "39.39 GiB", "101.56 MiB", "39.28 GiB", "36.72 GiB", "1.90 GiB"), "kran/kran.py|140|<module>|main()", "kran/kran.py|116|main|verlust.backward()", mark="[rank3]: "), 1.4, 3)
    died = s.t + 0.7
    s.gpu("spin", s.rest(3)).gpu("off", 3).mem(0, 3, 2).say(hound("ALLREDUCE", 10_804, 7_864_320, 1_800_000, age=2.4), 1800, s.rest(3), 0.04)
    yield s.end(STILL.but(cause="cuda_oom", trigger="B1", fault="user", first_ranks=(3,)), "FAILED", {3: 1, **dict.fromkeys((0, 1, 2), -6)}, at={3: died})


def alone() -> Iterator[HandJob]:
    """C3."""
    s = Run(231, "colour-grade", "r5000", 1, 1, "{i:>6}  lpips {x:.4f}  {ips:.2f} it/s", script="grade.py", rack="ws", hours=8, east=1)
    yield s.say("LUT 33^3", 6).mem(15).gpu("run").busy(101).go(6200, 0.7, 25, down(0.6, 0.1), 60_000).gpu("ctx").busy(0.1).stuck(0, "S", "futex_wait_queue_me", 3900).end(ALONE, "TIMEOUT")
    s = Run(232, "page-layout", "l4", 1, 1, "ep {ep} it {i} loss {x:.4f}", script="layout.py", rack="pub", hours=12)
    yield s.say("8 DataLoader workers, start method fork, OpenCV threads 8", 7).mem(17).gpu("run").go(3900, 1.1, 30, down(4.0, 1.0), 50_000).gpu("ctx").busy(0).stuck(0, "S", "futex_do_wait", 6500).end(ALONE, "TIMEOUT")
    s = Run(233, "ship-tracks", "h100p", 1, 1, "{t:%H:%M:%S} step={i} mdn={x:.4f}", script="tracks.py", rack="yard", east=2)
    s.say("AIS 2019-2025, memory mapped from /nfs/ais", 9).mem(39).gpu("run").go(5000, 1.2, 20, down(2.2, 0.5), 80_000).gpu("ctx").busy(0).stuck(0, "D", "rpc_wait_bit_killable", 2100, file_systems=("nfs4 /nfs/ais",))
    yield s.wait(11_700).end(ALONE.but(fault="unknown"), "CANCELLED", cancelled_by_uid=1042)
    s = Run(234, "oxygen-forecast", "a100p", 1, 1, "{i},{x:.5f},{acc:.4f}", script="spo2.py", rack="klin", hours=6, east=1)
    yield s.say("schritt,verlust,r2", 8).mem(22).gpu("mid").busy(100).go(8200, 0.6, 50, down(0.8, 0.07), 90_000).gpu("ctx").busy(0.2).stuck(0, "S", "unix_stream_data_wait", 2400).end(ALONE, "TIMEOUT")


def hungry() -> Iterator[HandJob]:
    """D1: by gaps of the cards, or by the run's own account."""
    s = Run(241, "radio-archive", "h100", 1, 1, "{i:>6}/{n}  ctc {x:.3f}  {dt:.2f} s", script="archiv.py", rack="tv", east=1)
    s.say("FLAC wird beim Lesen dekodiert, 2 Arbeiter", 9).mem(41).gpu("starved", on=0.11).busy(99).go(3600, 2.9, 20, down(140, 21), jit=0.3).say("fertig nach 3600 Schritten, WER 0.118", 3)
    yield s.end(HUNGRY)
    s = Run(242, "weld-photos", "a100", 1, 4, "[{i}/{n}] loss {x:.4f} | data {w:.2f}s | gpu {c:.2f}s", script="welds.py", rack="yard", via="torchrun", extra={"w": lambda _i, d: 0.9 * d, "c": lambda _i, d: 0.1 * d})
    yield s.say("24-megapixel TIFF from the file server, resized on the fly", 15).mem(29).gpu("starved", on=0.1).busy(100).go(2400, 4.1, 20, down(2.9, 0.5)).say("2400 iterations done", 1).end(HUNGRY)
    s = Run(243, "ultrasound-clips", "l40s", 1, 2, "{t:%H:%M:%S} iter {i} loss {x:.4f}", script="us.py", rack="klin", east=1)
    s.say("MP4 werden im Hauptprozess gelesen (num_workers=0)", 10).mem(33).gpu("starved", on=0.16).busy(100).go(3000, 2.6, 20, down(1.5, 0.3), jit=0.25).say("Zeitbilanz: 7811 s gesamt, davon 6630 s auf Daten gewartet, 1181 s gerechnet", 2)
    yield s.end(HUNGRY)
    s = Run(244, "tile-embeddings", "v100", 1, 4, "{i}\t{x:.4f}\t{dt:.2f}", script="tiles.py", rack="geo")
    s.say("WSI regions through OpenSlide, one reader", 9).mem(20).gpu("starved", on=0.13).busy(100).go(2600, 3.4, 20, down(7.1, 2.0), jit=0.3).say("done: 2600", 1)
    yield s.end(HUNGRY)
    s = Run(245, "soccer-highlights", "r6000", 1, 1, "Epoch: [{ep}][{i}/{n}]\tTime {dt:.3f}\tData {w:.3f}\tLoss {x:.4f}\tAcc@1 {acc:.3f}", script="main.py", rack="tv", east=1, extra={"w": lambda _i, d: 0.93 * d})
    yield s.say("decord, 32 frames a clip, HDD array", 8).mem(31).gpu("starved", on=0.09).busy(98).go(2000, 3.8, 20, down(4.4, 1.3)).say(" * Acc@1 61.204", 20).end(HUNGRY)
    s = Run(246, "vessel-noise", "gh200", 1, 1, "{{\"step\": {i}, \"loss\": {x:.4f}, \"ms_fetch\": {w:.0f}, \"ms_compute\": {c:.0f}}}", script="noise.py", rack="gh", east=2, extra={"w": lambda _i, d: 1000 * 0.88 * d, "c": lambda _i, d: 1000 * 0.12 * d})
    yield s.say('{"source": "s3://hydrophones", "prefetch": 0}', 8).mem(50).gpu("starved", on=0.13).busy(14).go(4000, 2.2, 25, down(3.3, 0.8)).say('{"event": "end", "step": 4000}', 1).end(HUNGRY)
    s = Run(247, "cartoon-inbetween", "a40", 1, 1, "frames {i}: l1={x:.4f}", script="tween.py", rack="tv", east=1)
    s.say("PNG-Sequenzen, zlib 9, 1 Arbeiter", 6).mem(38).gpu("starved", on=0.12).busy(100).go(3300, 2.5, 30, down(0.4, 0.05), jit=0.3).say("Netz gespeichert. Der Lader brauchte 84 % der Laufzeit.", 2)
    yield s.end(HUNGRY)
    s = Run(248, "biobank-tab", "h200", 1, 1, "round {i} logloss {x:.5f}", script="bio.py", rack="klin", east=1)
    s.say("40 Parquet-Dateien je Stapel, ohne Zwischenspeicher", 9).mem(77).gpu("starved", on=0.1).busy(96).go(2900, 3.1, 25, down(0.69, 0.31), jit=0.35).say("AUROC 0.871", 2)
    yield s.end(HUNGRY)
    s = Run(249, "harbour-lidar", "r4090", 1, 1, "{i}/{n} | chamfer {x:.4f} | wait {w:4.1f}s of {dt:4.1f}s", script="lidar.py", rack="yard", east=2, extra={"w": lambda _i, d: 0.91 * d})
    yield s.say("LAZ is unpacked per sample with laspy", 5).mem(16).gpu("starved", on=0.1).busy(100).go(1800, 4.4, 15, down(0.9, 0.1)).say("1800 of 1800", 1).end(HUNGRY)


def throughput() -> Iterator[HandJob]:
    """D2."""
    s = Run(251, "script-writer", "h100", 1, 4, "step {i} | loss {x:.4f} | {dt:.1f}s", script="writer.py", rack="tv", east=1).say("save_steps=1, full state (weights, Adam, RNG)", 22).mem(73)
    for i in range(240):
        s.gpu("full").go(1, 9.4, 1, down(2.8, 1.2), 240).say(f"saved out/step-{i + 1:05d} (61.3 GB in {21.4 + i % 5 / 3:.1f} s)", 0.2).gpu("saves").wait(21.6)
    yield s.say("240 steps done", 1).end(SAVES)

    s = Run(252, "hull-surrogate", "a100", 1, 2, "[{t:%H:%M:%S}] {i} mse={x:.5f}", script="surr.py", rack="yard", east=2).say("checkpoint after every batch", 12).mem(38)
    for i in range(420):
        s.gpu("run").go(1, 4.8, 1, down(0.8, 0.04), 420).gpu("saves").say(f"[%T] -> state_{i + 1}.pt in {8.9 + i % 4 / 5:.1f} s", 9.2)
    yield s.say("[%T] end of run: 5.9 GB x 420 files, 3847 s writing, 2016 s training", 1).end(SAVES)

    s = Run(253, "growth-chart", "l40s", 1, 1, "{i:>5} {x:.4f}", script="growth.py", rack="klin", east=1).say("Modell, EMA und Optimierer werden alle 5 Schritte nach /home geschrieben", 8).mem(21)
    for i in range(150):
        s.gpu("run").go(5, 2.1, 5, down(1.3, 0.2), 750).gpu("saves").say(f"geschrieben: stand_{5 * i + 5}.pt, {13.0 + i % 3:.0f} s", 14)
    yield s.say("fertig. Training 1575 s, Schreiben 2100 s", 1).end(SAVES)

    s = Run(254, "dialect-13b", "a100", 4, 8, "{i}/{n} ce={x:.4f} step={dt:.2f}s comm={c:.2f}s", script="dialect.py", rack="nl", east=1, extra={"c": lambda _i, d: 0.83 * d})
    s.say("%h:%p:61011 [%l] NCCL INFO NET/IB : No device found.\n%h:%p:61011 [%l] NCCL INFO NET/Socket : Using [0]eno1:10.20.4.%r<0>\n%h:%p:61011 [%l] NCCL INFO Using network Socket", 24, s.on(0)[:1]).mem(74).gpu("wire").go(900, 14.2, 5, down(6.9, 2.4)).say("900 Schritte, Ende", 2)
    yield s.end(WIRE)
    s = Run(255, "wave-loads", "h100", 2, 8, "{t:%H:%M:%S} k={i} loss={x:.4f} {dt:.2f}s", script="waves.py", rack="yard", east=2)
    s.say("%h:%p:71188 [0] NCCL INFO NET/Socket : Using [0]bond0:192.168.8.2<0>", 18, 0).mem(66).gpu("wire", sm=7.4).go(1500, 7.7, 10, down(2.0, 0.3)).say("k=1500 reached", 1)
    yield s.end(WIRE)
    s = Run(256, "chant-diffusion", "h200", 4, 4, "it {i}: eps-mse {x:.4f}, {sps:.1f} img/s (1 node: 412 img/s)", script="chant.py", rack="h2", batch=256)
    s.say("4 nodes x 4, gradients over tcp (NCCL_IB_DISABLE=1 in site.sh)", 17).mem(119).gpu("wire", sm=8.8)
    s.env = {"NCCL_IB_DISABLE": "1"}
    yield s.go(1400, 8.1, 10, down(0.9, 0.2)).say("it 1400, finished", 2).end(WIRE.but(fault="user"))

    s = Run(257, "tumour-board", "a100s", 1, 1, "{t:%H:%M:%S} step {i:5d} loss {x:.4f} {dt:.2f} s (baseline 0.61 s)", script="board.py", rack="klin", east=1)
    s.env = {"CUDA_LAUNCH_BLOCKING": "1"}
    s.sh("+ export CUDA_LAUNCH_BLOCKING=1\n+ srun python -u board.py").say("ViT-L, 24 Blöcke", 9).mem(30).gpu("mid", use=55, sm=13, bw=6, pw=0.24, wob=5)
    yield s.busy(100).go(4200, 2.35, 20, down(2.8, 0.6)).say("4200 Schritte fertig", 2).end(BLOCKING)
    s = Run(258, "rope-tension", "h100", 1, 4, "{i}|{x:.5f}|{ms:.0f}ms", script="rope.py", rack="yard", east=2)
    s.env = {"CUDA_LAUNCH_BLOCKING": "1"}
    s.say("env: CUDA_LAUNCH_BLOCKING=1 NCCL_DEBUG=WARN\nexpected 340 ms a step (bench of 12 May, same batch)", 12).mem(48).gpu("mid", use=49, sm=11, bw=5, pw=0.22, wob=5)
    yield s.busy(100).go(5000, 1.31, 25, down(1.0, 0.1)).say("done|5000", 1).end(BLOCKING)


def lagging() -> Iterator[HandJob]:
    """D3: one computes, the others wait for it."""
    for no, name, chip, nodes, per, slow, rack, pace, count, each, form, head, tail in (
        (261, "pilot-sim", "h100", 1, 8, 5, "yard", 2.7, 3000, 20, "{i:>6} loss={x:.4f} {dt:.2f}s", "DDP, 8 ranks, equal shards", "done 3000"),
        (262, "choir-sep", "h200", 2, 8, 12, "tv", 3.1, 2600, 20, "[{t:%H:%M:%S}] Schritt {i}: SI-SDR-Verlust {x:.3f}", "16 Ränge, je 24 Proben", "Schritt 2600, Ende"),
        (263, "bed-demand", "a100", 1, 4, 0, "klin", 1.9, 4000, 25, "{i} {x:.5f} {ms:.0f}", "schritt verlust ms", "ende 4000"),
        (264, "sonar-simclr", "gh200", 4, 1, 3, "gh", 2.2, 3600, 20, "ntxent[{i}]={x:.4f}", "4 processes, batch 512 each", "ntxent finished"),
        (265, "scene-text", "v100", 1, 8, 6, "tv", 2.4, 3200, 20, "epoch {ep} step {i} loss {x:.4f}", "8 x V100, 60 samples each", "saved scene.pt after 3200 steps"),
    ):
        s = Run(no, name, chip, nodes, per, form, script=name.split("-", maxsplit=1)[0] + ".py", rack=rack, east=1)
        s.say(head, 13).mem(0.55 * s.chip.gib).gpu("queue", s.rest(slow)).gpu("pulls", slow)
        yield s.go(count, pace, each, down(3.0, 0.6)).say(tail, 2).end(LAG)

    s = Run(266, "antenna-opt", "l40s", 1, 4, "{i:05d} {x:.4f} max/median rank time {m:.2f}/{d:.2f} s (rank 2)", script="antenna.py", rack="tv", east=1, extra={"m": lambda _i, d: 0.97 * d, "d": lambda _i, d: 0.27 * d})
    s.say("4 ranks, same mesh each", 11).mem(27).gpu("queue", (0, 1, 3)).gpu("pulls", 2).busy(100)
    yield s.go(3400, 2.8, 20, down(1.4, 0.2)).say("converged after 3400", 1).end(LAG)
    s = Run(267, "keel-fatigue", "a40", 1, 4, "{t:%H:%M:%S} {i}/{n} {x:.4f}", script="keel.py", rack="yard", east=2)
    s.say("4 ranks, persistence mode off on card 1", 10).mem(33).gpu("queue", s.rest(1)).gpu("pulls", 1, mhz=735, why=2, pw=0.4, sm=61)
    yield s.go(3000, 2.6, 20, down(2.1, 0.3)).say("3000/3000 ok", 1).end(LAG)
    s = Run(268, "radio-drama-tts", "h100", 2, 4, "{{\"s\":{i},\"mel\":{x:.4f},\"compute_s\":[{a:.2f},{a:.2f},{a:.2f},{a:.2f},{a:.2f},{a:.2f},{b:.2f},{a:.2f}]}}", script="drama.py", rack="tv", east=1, extra={"a": lambda _i, d: 0.29 * d, "b": lambda _i, d: 0.96 * d})
    s.say('{"ranks": 8, "batch_each": 32}', 14).mem(59).gpu("queue", s.rest(6)).gpu("pulls", 6)
    yield s.go(2800, 2.5, 20, down(22, 8)).say('{"end": 2800}', 1).end(LAG)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (never_met, stood_still, alone, hungry, throughput, lagging):
        yield from part()


RECIPE = Recipe("cobalt_letters_by_pen", "development", jobs)
