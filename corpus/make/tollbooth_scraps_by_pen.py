"""Jobs of a film studio, a seed bank and a railway's laboratory, by pen: one card alone and still, time that went elsewhere, losses that went nowhere, beginnings that were meant to be continuations."""

from collections.abc import Iterator
from datetime import datetime

from corpus.label import Label
from corpus.make import _inkwell_voices as v
from corpus.make._inkwell import Slip, Voice, sinking
from corpus.make._inkwell_words import stack
from corpus.running.job import HandJob, Recipe

ALONE = Label(mode="C3", fault="user")
HUNGRY = Label(mode="D1", fault="user")
SAVES = Label(mode="D2", variant="save_storm", fault="user")
WIRE = Label(mode="D2", variant="interconnect", fault="cluster")
ONE_SLOW = Label(mode="D3", fault="unknown")
LEARNS_NOT = Label(mode="E1", fault="user")
AFRESH = Label(mode="E2", variant="from_scratch", fault="user")
NAN = float("nan")


def told(form: str, **shares: float) -> Voice:
    """A line by a form; the shares are of the step's seconds."""
    def line(i: int, n: int, x: float, s: float, d: datetime) -> str:
        return form.format(i=i, n=n, x=x, s=s, d=d, **{k: part * s for k, part in shares.items()})
    return line


def alone() -> Iterator[HandJob]:
    """C3."""
    s = Slip(81, "rotoscope", "h100", voice=v.tabular, hours=6, script="roto.py").say("|     time |     step |      loss |          ppl |  s/step |", 9).mem(52).cards("hard").run(5200, 0.8, 20, 40_000, sinking(1.7, 0.4))
    s.cards("held").stands_at(0, "S", "futex_wait_queue", 1600)
    yield s.done(ALONE, "TIMEOUT")

    s = Slip(82, "germination", "a6000", voice=v.francais, script="germe.py", eyes="plain").say("photographies : 88 410", 7).mem(21).cards("well").run(2800, 0.9, 20, 20_000, sinking(2.0, 0.5)).cards("held").stands_at(0, "S", "pipe_read", 700).wait(7400)
    yield s.done(ALONE, "CANCELLED", cancelled_by_uid=1042)

    s = Slip(83, "rail-cracks", "v100", voice=v.jsonl, hours=3, script="cracks.py").say('{"event": "start", "images": 41022}', 8).mem(26).cards("fair").run(3600, 0.6, 20, 30_000, sinking(1.2, 0.2)).cards("held").stands_at(0, "D", "rpc_wait_bit_killable", 800, file_systems=("nfs4 /archive",))
    yield s.done(ALONE, "TIMEOUT")

    s = Slip(84, "dubbing-tts", "l40s", voice=v.bar, hours=4, script="dub.py").say("speakers: 12", 6).mem(30).cards("well").run(7000, 0.5, 50, 60_000, sinking(3.0, 0.9)).say("evaluating 512 utterances with 8 workers", 2).cards("held").stands_at(0, "S", "futex_wait_queue", 1000)
    yield s.done(ALONE, "TIMEOUT")


def hungry() -> Iterator[HandJob]:
    """D1: most of the time goes to waiting for data."""
    s = Slip(85, "matte-4k", "h100", voice=told("{d:%H:%M:%S} frame batch {i}/{n}  loss {x:.4f}  | read+decode {a:.2f}s  gpu {b:.2f}s", a=0.9, b=0.1), script="matte.py").say("EXR sequences on /nfs/shots, 2 readers", 9).mem(44).cards("gaps").meter("cpu_percent", 205).run(2600, 2.3, 20, curve=sinking(0.5, 0.1))
    yield s.say("2600 batches done", 1).done(HUNGRY)

    s = Slip(86, "seed-traits", "a100", 1, 4, voice=v.logfmt, script="traits.py").say('t=<iso> lvl=info msg="rank <rank> ready"', 12, None).mem(37).cards("gaps").run(3100, 1.6, 20, curve=sinking(2.2, 0.6))
    yield s.say('t=<iso> lvl=info msg="training over" steps=3100 wall_s=4960 blocked_on_dataloader_s=4117 forward_backward_s=702 optimizer_s=96 other_s=45', 2).done(HUNGRY)

    s = Slip(87, "bearing-sound", "a6000", voice=told("[{d:%H:%M:%S}] {i:>5}/{n} loss={x:.4f} total={s:.2f}s (augment+collate {a:.2f}s, model {b:.2f}s)", a=0.86, b=0.14), script="bearing.py", eyes="plain").say("pitch shift, reverberation and noise on the host, num_workers=1", 7).mem(13).cards("crumbs").meter("cpu_percent", 199).run(4000, 1.4, 25, curve=sinking(1.5, 0.4))
    yield s.say("best F1 0.913", 2).done(HUNGRY)

    s = Slip(88, "trailer-clips", "h200", 1, 8, voice=told('{{"ev": "step", "n": {i}, "loss": {x:.4f}, "fetch_s": {a:.2f}, "train_s": {b:.2f}}}', a=0.88, b=0.12), script="clips.py", rack="hgx").say('{"ev": "open", "rank": <rank>, "bucket": "s3://clips-eu/shards", "shards": 512}', 18, None).mem(88).cards("gaps").run(1500, 4.2, 10, curve=sinking(4.6, 1.8))
    yield s.say('{"ev": "close", "steps": 1500}', 2).done(HUNGRY)

    s = Slip(89, "track-video", "l4", voice=v.deutsch, script="gleis.py").say("Videodekodierung auf der CPU (4 Kerne)", 8).mem(16).cards("gaps")
    for k in range(1, 19):
        s.run(100, 1.9, 50, 1800, sinking(1.0, 0.2)).say(f"Warteschlange leer: in den letzten 100 Schritten {163 + (k * 7) % 11} von 190 s auf Bilder gewartet", 0.2)
    yield s.say("1800 Schritte, Modell gespeichert", 2).done(HUNGRY)

    s = Slip(90, "herbarium-mae", "mi300", 1, 4, voice=v.zhong, script="mae.py", rack="mi").say("4 卡, 图像 5.1M 张, /hdd/herbarium", 14).mem(71).cards("gaps").run(2200, 2.4, 20, curve=sinking(0.9, 0.4))
    s.say("----------------------  ------------  -----------\nphase                      seconds     share\n----------------------  ------------  -----------\nnext(loader)               4311.6       81.7 %\nh2d copy                     96.0        1.8 %\nforward                     301.2        5.7 %\nbackward                    489.9        9.3 %\noptimizer                    79.3        1.5 %\n----------------------  ------------  -----------", 3)
    yield s.done(HUNGRY)

    s = Slip(91, "ticket-demand", "v100", voice=v.hugectr, script="demand.py").say("[HCTR][<hms>.000][INFO][RK0][main]: parquet source, 1 reader thread", 9).mem(19).cards("gaps").run(200_000, 0.026, 1000, curve=lambda i: 0.31 + 0.4 / (1 + i / 9000) ** 0.6)
    yield s.say("[HCTR][<hms>.000][INFO][RK0][main]: Finish 200000 iterations in 5200.4s. Data reader: trainer was idle for 4402.9s (84.7%)", 3).done(HUNGRY)

    s = Slip(92, "pollen-clouds", "gh200", voice=told("epoch {i:3d}/{n}: loss {x:.4f} | zarr reads {a:6.1f} s | transform {b:5.1f} s | gpu {c:5.1f} s", a=0.79, b=0.08, c=0.13), script="pollen.py").say("store: /scratch/pollen.zarr (chunks 1x1x721x1440)", 6).mem(40).cards("gaps").run(60, 96, 1, curve=sinking(1.1, 0.3))
    yield s.say("done after 60 epochs", 1).done(HUNGRY)


def bound() -> Iterator[HandJob]:
    """D2: saving or exchanging takes the time."""
    s = Slip(93, "script-writer", "h100", 1, 8, voice=v.whisper, script="writer.py").say("***** Running training *****\n  Total optimization steps = 120", 24).mem(72)
    for k in range(1, 121):
        s.cards("hard").run(1, 8.1, 1, 120, sinking(2.6, 1.4)).cards("saves").say(f"Saving model checkpoint to out/checkpoint-{k}\nModel weights saved in out/checkpoint-{k}/model.safetensors, optimizer state in out/checkpoint-{k}/global_step{k}", 2).wait(19)
    yield s.say("{'train_runtime': 3504.2, 'train_loss': 1.7106, 'epoch': 1.0}", 3).done(SAVES)

    s = Slip(94, "pod-counting", "a100", 1, 2, voice=v.portugues, script="vagens.py").say("processo <rank>", 9, None).mem(41)
    for k in range(1, 61):
        s.cards("well").run(25, 1.1, 5, 1500, sinking(1.4, 0.3)).cards("saves").say(f"gravado em /nfs/vagens/estado_{25 * k:05d}.pt em {38 + (k * 5) % 7}.{k % 10} s", 40)
    yield s.say("fim do treino: 1500 lotes, 2471 s gastos em gravações", 2).done(SAVES)

    s = Slip(95, "shunting-rl", "r6000", voice=v.nihongo, script="shunt.py", eyes="plain").say("再生バッファ 2,000,000 件", 8).mem(17)
    for k in range(1, 241):
        s.cards("fair").run(20, 0.5, 20, 4800, sinking(3.3, 0.9)).cards("saves").say(f"バッファと重みを保存しました: {k:04d}.npz (11.2 GB)、{13 + k % 3} 秒", 14)
    yield s.say("終了 4800 回", 1).done(SAVES)

    s = Slip(96, "scene-llm", "h100", 4, 8, voice=told(" iteration {i:6d}/{n:6d} | lm loss {x:.4f} | iter {s:.2f} s | forward {a:.2f} | backward {b:.2f} | grad all-reduce {c:.2f} | opt {e:.2f}", a=0.07, b=0.13, c=0.79, e=0.01), script="scene.py", rack="hgx")
    s.say("<host>:<pid>:<pid> [<local>] NCCL INFO NET/IB : No device found.\n<host>:<pid>:<pid> [<local>] NCCL INFO NET/Socket : Using [0]eno1:10.7.3.41<0>\n<host>:<pid>:<pid> [<local>] NCCL INFO Using network Socket", 26, None, 0.01).mem(70).cards("wire").run(700, 9.1, 5, curve=sinking(5.8, 2.9))
    yield s.say("training over after 700 iterations", 3).done(WIRE)

    s = Slip(97, "track-geometry", "a100", 2, 4, voice=told("{d:%d.%m. %H:%M:%S} Schritt {i}/{n} Verlust {x:.4f}  gesamt {s:.2f} s, davon Gradientenaustausch {a:.2f} s", a=0.72), script="geometrie.py").say("Rang <rank> auf <host>", 14, None).mem(58).cards("wire").run(2600, 2.6, 20, curve=sinking(1.6, 0.4))
    yield s.say("Gesamt 6760 s, Gradientenaustausch 4867 s (72 %), Rechnen 1810 s", 2).done(WIRE)

    s = Slip(98, "pest-atlas", "l40s", 8, 1, voice=v.olmo, script="pest.py").say("<host>:<pid>:<pid> [0] NCCL INFO NET/Socket : Using [0]eth0:192.168.40.11<0>\n<host>:<pid>:<pid> [0] NCCL INFO Using network Socket", 15, None).mem(36).cards("wire").run(900, 6.2, 10, curve=sinking(3.9, 1.7))
    yield s.say("profile of rank 0, 900 steps: compute 0.88 s, all_reduce 5.21 s, rest 0.11 s a step (mean)", 3).done(WIRE)

    s = Slip(99, "signal-box-vae", "a100p", voice=v.litgpt, script="vae.py").say("+ export CUDA_LAUNCH_BLOCKING=1\n+ python3 -u vae.py --epochs 3", 3).mem(33)
    s.env["CUDA_LAUNCH_BLOCKING"] = "1"
    s.cards("single").run(4200, 1.3, 20, curve=sinking(2.1, 0.5))
    yield s.say("Training time: 5460.20s", 2).done(SAVES.but(variant="launch_blocking"))

    s = Slip(100, "storyboards", "mi300", 4, 4, voice=told("[{d:%H:%M:%S}] step {i}/{n} loss {x:.4f} step {s:.2f}s exposed_comm {a:.2f}s", a=0.68), script="boards.py", rack="mi").say("rank <rank> RCCL: NET/Socket, 1 channel", 20, None).mem(120).cards("wire").run(1300, 4.4, 10, curve=sinking(3.0, 1.1))
    yield s.say("[<hms>] 1300 steps, exposed communication 3889 s of 5720 s on each rank (min 3871, max 3902)", 3).done(WIRE)


def one_slow() -> Iterator[HandJob]:
    """D3: one rank takes longest, the others wait for it."""
    s = Slip(101, "weathering", "h100", 1, 8, voice=v.tabular, script="weather.py", rack="hgx")
    s.say("|     time |     step |      loss |          ppl |  s/step |", 13).mem(60).cards("queue", s.others(3)).cards("pulls", 3)
    for _ in range(12):
        s.run(200, 1.9, 50, 2400, sinking(2.2, 0.7)).say("compute seconds a step by rank: 0.71 0.70 0.72 1.79 0.71 0.70 0.71 0.72", 0.3)
    yield s.say("finished", 1).done(ONE_SLOW)

    s = Slip(102, "pantograph", "a100", 1, 4, voice=v.deutsch, script="panto.py")
    s.say("Rang <rank> bereit", 10, None).mem(49).cards("queue", s.others(2)).cards("pulls", 2).run(3900, 1.6, 20, curve=sinking(1.3, 0.3))
    yield s.say("Rechenzeit je Rang: 0: 1980 s, 1: 2011 s, 2: 5874 s, 3: 1993 s (Wanduhr 6240 s)", 2).done(ONE_SLOW)

    s = Slip(103, "stunt-motion", "h200", 2, 8, voice=v.nanotron, script="stunt.py", rack="hgx")
    s.say("16 ranks", 19).mem(111).cards("queue", s.others(9)).cards("pulls", 9)
    for k in range(10):
        s.run(150, 3.1, 10, 1500, sinking(4.4, 1.6)).say(f"[timers] fwd+bwd of the last 150 steps: min {1.18 + k % 2 / 100:.2f} s (rank 4), median 1.21 s, max 2.{91 + k % 5} s (rank 9)", 0.3)
    yield s.say("done", 1).done(ONE_SLOW)

    s = Slip(104, "leaf-spectra", "v100", 1, 4, voice=v.francais, script="feuille.py")
    s.say("rang <rank> prêt", 8, None).mem(23).cards("queue", s.others(1)).cards("pulls", 1, mhz=1005, why=2).run(4400, 1.4, 20, curve=sinking(0.9, 0.2))
    yield s.say("durée moyenne du calcul par pas : rang 0 0.58 s, rang 1 1.33 s, rang 2 0.59 s, rang 3 0.58 s", 2).done(ONE_SLOW)

    s = Slip(105, "caption-7b", "l40s", 1, 4, voice=v.jsonl, script="caption.py").say('{"event": "start", "rank": <rank>}', 11, None).mem(40).cards("queue", (1, 2, 3)).cards("pulls", 0)
    for k in range(1, 13):
        s.run(200, 2.0, 20, 2400, sinking(3.1, 1.2)).say(f'{{"event": "timing", "global_step": {200 * k}, "compute_s": {{"0": 1.86, "1": 0.79, "2": 0.80, "3": 0.78}}, "wait_s": {{"0": 0.02, "1": 1.09, "2": 1.08, "3": 1.10}}}}', 0.2)
    yield s.done(ONE_SLOW)

    s = Slip(106, "plant-proteins", "gh200", 8, 1, voice=v.megatron, script="pretrain_prot.py")
    s.say("> initialized distributed, 8 ranks", 22).mem(80).cards("queue", s.others(5)).cards("pulls", 5)
    for _ in range(8):
        s.run(100, 7.4, 5, 800, sinking(2.9, 2.2)).say("INFO:megatron.core.utils: ** [<iso>]\nglobal rank: 0 ... \nMnRtt/Rnk: 3011.42ms/2 | MxRtt/Rnk: 7102.88ms/5 | MnPwr/Rnk: 214.20W/7 | MxPwr/Rnk: 641.77W/5 | MnTmp/Rnk: 41.00C/1 | MxTmp/Rnk: 63.00C/5 | MnUtl/Rnk: 100.00%/0 | MxUtl/Rnk: 100.00%/7 | "
              "MnClk/Rnk: 1965.00MHz/4 | MxClk/Rnk: 1980.00MHz/0 | MnEtpt/Rnk: 141.20TF/5 | MxEtpt/Rnk: 333.02TF/2", 0.4)  # fmt: skip
    yield s.say("[exiting program at iteration 800]", 2).done(ONE_SLOW)

    s = Slip(107, "crowd-scenes", "mi300", 1, 8, voice=v.zhong, script="crowd.py", rack="mi")
    s.say("卡 <local> 就绪", 12, None).mem(140).cards("queue", s.others(6)).cards("pulls", 6)
    for _ in range(10):
        s.run(150, 2.5, 10, 1500, sinking(2.0, 0.8)).say("最近150步各卡计算耗时(秒/步): 0.97 0.96 0.98 0.97 0.96 0.97 2.38 0.97", 0.3)
    yield s.say("训练结束", 1).done(ONE_SLOW)

    s = Slip(108, "wheel-flats", "a40", 1, 4, voice=told("[rank 0] {i}/{n} loss {x:.4f} step {s:.2f}s", a=0), script="wheel.py", eyes="plain")
    s.say("[rank <rank>] <host> cuda:<local>", 9, None).mem(28).cards("queue", s.others(2)).cards("pulls", 2)
    for k in range(1, 21):
        s.run(120, 1.8, 40, 2400, sinking(1.5, 0.5))
        for r in range(4):
            s.say(f"[rank {r}] steps {120 * k - 119}-{120 * k}: own work {(0.62, 0.63, 1.74, 0.61)[r]:.2f} s/step, waited in all_reduce {(1.15, 1.14, 0.03, 1.16)[r]:.2f} s/step", 0.1, r)
    yield s.say("[rank 0] end of training", 1).done(ONE_SLOW)


def learns_not() -> Iterator[HandJob]:
    """E1."""
    s = Slip(109, "subtitle-mt", "h100", 1, 4, voice=v.ds, script="mt.py").say("fp16, static loss scale 65536", 14).mem(61).cards("hard").run(700, 1.2, 10, 3000, sinking(5.1, 2.2)).run(2300, 1.2, 10, 3000, lambda _i: NAN)
    yield s.say("[<iso>] saving the final weights to out/final", 3).done(LEARNS_NOT.but(variant="non_finite", cause="nan_loss"))

    s = Slip(110, "pod-disease", "a100s", voice=v.francais, script="cosse.py").say("classes : 64 (ln 64 = 4.159)", 8).mem(24).cards("well").run(4000, 0.7, 40, curve=lambda i: 4.1589 + 0.0019 * ((i // 40 * 5) % 7 - 3))
    yield s.say("précision en validation : 0.0157 (au hasard : 0.0156)", 2).done(LEARNS_NOT.but(variant="flat"))

    s = Slip(111, "timetable-lm", "h200", voice=v.litgpt, script="fahrplan.py").say("lr 3e-3, no warmup", 12).mem(88).cards("hard").run(1500, 0.9, 20, 5000, sinking(6.2, 2.1)).run(3500, 0.9, 20, 5000, lambda i: 2.6 + min(6.7, (i - 1500) * 0.05) + 0.2 * ((i // 20) % 5 - 2) / 2)
    yield s.say("final val loss 9.3140 (best 2.3971 at step 1480)", 4).done(LEARNS_NOT.but(variant="spike"))

    s = Slip(112, "colour-grade", "l40s", 1, 2, voice=lambda i, n, x, t, d: f"{d:%H:%M:%S} {i:>6}/{n} loss={x:.5f} grad={0.0 if i > 500 else 0.4 + x / 9:.2e} lr={2e-4:.1e} {t:.2f}s", script="grade.py").say("2 cards", 9).mem(29).cards("well").run(500, 0.8, 20, 6000, sinking(0.9, 0.42)).run(5500, 0.8, 20, 6000, lambda _i: 0.69315)
    yield s.say("6000 steps, psnr 8.11 dB (first evaluation at step 250: 17.90 dB)", 2).done(LEARNS_NOT.but(variant="plateau"))

    s = Slip(113, "sleeper-ties", "r4090", voice=v.nihongo, script="tie.py").say("データ 18,212 枚", 7).mem(15).cards("well").run(900, 0.6, 30, 12_000, sinking(1.9, 0.8)).run(60, 0.6, 30, 12_000, lambda _i: NAN)
    s.say("損失が有限でないため学習を打ち切ります (step 960, loss=nan)", 1)
    yield s.done(LEARNS_NOT.but(variant="non_finite", cause="nan_loss", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 2})


def again() -> Iterator[HandJob]:
    """E2."""
    s = Slip(114, "score-music2", "h100", 1, 8, voice=v.nanotron, script="music.py", asked="sbatch --dependency=afterany:7324100 music.sbatch --resume checkpoints/latest")
    s.say("[warn] checkpoints/latest: no such directory, starting with fresh weights", 18).mem(69).cards("hard").run(1600, 1.9, 10, 60_000, sinking(8.1, 2.8))
    yield s.say("reached the end of this allocation's share (1600 steps), saving to /scratch/<job>/ck", 4).done(AFRESH, dependency="afterany:7324100", past=({"relation": "parent", "job": "7324100", "mode": "F3", "head_loss": 8.12, "tail_loss": 1.37, "steps_done": 58_000, "checkpoints": ("/scratch/7324100/ck/step_58000",), "gpu_hours": 310.0},))

    s = Slip(115, "barley-genome", "a100", 2, 4, voice=v.megatron, script="pretrain_genome.py", asked="sbatch genome_part3.sbatch --load /data/alice/genome/ck")
    s.say("WARNING: could not find the metadata file /data/alice/genome/ck/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random", 30).mem(71).cards("hard").run(1200, 3.2, 10, 1200, sinking(1.39, 1.12))
    yield s.say("[after training is done] datetime: <iso>", 3).done(AFRESH, past=({"relation": "parent", "job": "7326003", "mode": "G1", "head_loss": 1.388, "tail_loss": 0.944, "steps_done": 40_000, "checkpoints": ("/data/alice/genome/old/iter_0040000",), "gpu_hours": 512.0},))

    s = Slip(116, "set-extension", "a6000", voice=v.bar, script="extend.py", asked="sbatch extend.sbatch --resume runs/ext_v4.ckpt").say("resuming from runs/ext_v4.ckpt (epoch 31)", 9).mem(2.1).cards("loads")
    s.say(stack("RuntimeError: Error(s) in loading state_dict for ExtendNet:\n\tsize mismatch for up.3.weight: copying a param with shape torch.Size([96, 48, 3, 3]) from checkpoint, the shape in current model is torch.Size([128, 64, 3, 3]).\n\tsize mismatch for out.bias: copying a param with shape torch.Size([48]) from checkpoint, the shape in current model is torch.Size([64]).",
                "extend.py@58@<module>@net.load_state_dict(saved['net'])", "~/torch/nn/modules/module.py@2593@load_state_dict@raise RuntimeError("), 5)  # fmt: skip
    yield s.done(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Slip(117, "dialogue-sep", "l40s", voice=v.jsonl, script="sep.py", asked="sbatch sep.sbatch +resume=ck/last.pt").say('{"event": "resume", "from": "ck/last.pt", "bytes": 2147479552}', 10).mem(1.4).cards("loads")
    s.say(stack("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "sep.py@44@<module>@state = torch.load(cfg.resume, map_location='cuda', weights_only=True)", "~/torch/serialization.py@1432@load@with _open_zipfile_reader(opened_file) as opened_zipfile:", "~/torch/serialization.py@763@__init__@super().__init__(torch._C.PyTorchFileReader(name_or_buffer))"), 4)
    yield s.done(Label(mode="E2", variant="corrupt", cause="runtime_error", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (alone, hungry, bound, one_slow, learns_not, again):
        yield from part()


RECIPE = Recipe("tollbooth_scraps_by_pen", "development", jobs)
