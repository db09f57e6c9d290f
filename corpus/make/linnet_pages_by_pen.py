"""By hand: runs that came to their end, or nearly, and did less than their owners paid for; others that learned nothing, or from the wrong place."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._saddlery import Stint
from corpus.make._saddlery_words import srun_saw, torchrun_banner, torchrun_tail, trace
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.past_verdict import PastVerdict

HELD = Label(mode="B3", fault="node")
LATE = Label(mode="D3", fault="unknown")
ONE: dict[str, Any] = {"failed_ranks": (0,), "first_ranks": (0,)}


def warm(s: Stint, who: Any, since: float, *names: str, share: float = 0.97) -> Stint:
    """The clocks of these were held down from then on."""
    for name in names:
        s.grows(who, f"violation_{name}_ns", since, s.t, (s.t - since) * share * 1e9)
    return s


def held() -> Iterator[HandJob]:
    """Clocks held down by the hardware."""
    s = Stint(101, "sam-finetune", "h100", script="sam_ft.py", hosts="med{:02d}")
    s.say("encoder frozen, mask decoder 4.1 M, images 38 220", 9).gpu("load").mem(6).gpu("busy").mem(57).go(2600, 0.71, 20, "[{t:%H:%M:%S}] e{ep} b{i} dice+bce {x:.4f} {dt:.3f}s", s.curve(1.3, 0.31, 200), 7800)
    t = s.t
    s.gpu("hot", clk=0.33, hot=90).go(5200, 1.83, 20, "[{t:%H:%M:%S}] e{ep} b{i} dice+bce {x:.4f} {dt:.3f}s", s.curve(1.3, 0.31, 200), 7800).say("val dice 0.871 -> wrote sam_ft_last.pt", 6)
    yield warm(s, 0, t, "hw_thermal", "thermal").end(HELD)

    s = Stint(102, "ctr-dlrm", "a100", 1, 8, "torchrun", script="dlrm_main.py", hosts="rec{:02d}", batch=65_536)
    torchrun_banner(s).say("PLAN: 26 tables, row-wise 9, table-wise 17", 16).gpu("load").mem(40).gpu("busy").mem(63)
    form = "Iterations {i} | {sps:,.0f} samples/sec | BCE {x:.5f} | AUROC {a:.5f}"
    s.go(1900, 0.52, 20, form, s.curve(0.141, 0.121, 300), 12_000, a=lambda _i, x: 0.93 - x)
    t = s.t
    s.gpu("spin", s.rest(4), pw=0.3).gpu("hot", 4, clk=0.36, hot=93).go(10_100, 1.44, 20, form, s.curve(0.141, 0.121, 300), 12_000, a=lambda _i, x: 0.93 - x).say(f"done: 12000 iterations, best AUROC {0.93 - s.x:.5f}", 4)
    yield warm(s, 4, t, "hw_thermal", "thermal").end(HELD)

    s = Stint(103, "hymn-transcribe", "v100", script="notes.py", east=1, via="batch")
    s.say("Noten: 6 211 Seiten", 6).gpu("load").mem(3).gpu("busy").mem(24).go(3100, 0.48, 50, "Schritt {i} von {n}: Verlust {x:.4f}  ({ms:.0f} ms)", s.curve(3.3, 0.5, 300), 11_000)
    t = s.t
    s.gpu("brake", clk=0.3, pw=0.38).go(7900, 1.4, 50, "Schritt {i} von {n}: Verlust {x:.4f}  ({ms:.0f} ms)", s.curve(3.3, 0.5, 300), 11_000).say("Gespeichert: noten_v4.pt  SER 4.1 %", 3)
    yield warm(s, 0, t, "hw_power_brake", "power").end(HELD)

    s = Stint(104, "era5-fno", "a100s", 2, 4, script="fno.py", hosts="wx{:03d}", batch=32)
    s.say("rank <r>/<w> -> <h>:<l>", 12, None, 0.3).gpu("load").mem(5).gpu("busy").mem(33)
    form = "{t:%Y-%m-%d %H:%M:%S} | INFO     | fno:run:203 - epoch={ep} it={i} rel_l2={x:.5f} s/it={dt:.3f}"
    s.go(1400, 0.9, 20, form, s.curve(0.9, 0.08, 150), 6000, epochs=30)
    t = s.t
    s.gpu("spin", s.on(0), pw=0.31).gpu("brake", s.on(1), clk=0.31, pw=0.35).go(4600, 2.6, 20, form, s.curve(0.9, 0.08, 150), 6000, epochs=30).say("rollout 10 d: acc(z500) 0.87\nfinished cleanly", 40)
    yield warm(s, s.on(1), t, "hw_power_brake", share=0.98).end(HELD)

    s = Stint(105, "sticker-gen", "l40s", 1, 2, script="train_dreambooth_lora.py", hosts="art{:d}")
    s.say("<t:%m/%d/%Y %H:%M:%S> - INFO - __main__ - ***** Running training *****\n<t:%m/%d/%Y %H:%M:%S> - INFO - __main__ -   Total optimization steps = 5200", 16).gpu("load").mem(11).gpu("full").mem(40)
    bar = "\rSteps: {pct:3.0f}%|{b}| {i}/5200 [{run}<{eta}, {dt:.2f}s/it, loss={x:.4f}, lr=0.0001]"
    blocks: dict[str, Any] = {"b": lambda i, _x: ("█" * (i * 10 // 5200)).ljust(10)}
    s.go(1000, 1.05, 25, bar, s.curve(0.21, 0.12, 300, 0.09), 5200, **blocks)
    t = s.t
    s.gpu("hot", clk=0.37, hot=88, why=0x48).go(4200, 2.71, 25, bar, s.curve(0.2, 0.11, 300, 0.09), 5200, **blocks).say("Model weights saved in /srv/art/stickers-lora/pytorch_lora_weights.safetensors", 5)
    yield warm(s, (0, 1), t, "hw_thermal", "thermal").end(HELD)

    s = Stint(106, "protein-ligand", "gh200", script="dock.py", hosts="gh{:02d}")
    s.say("PDBbind-like, 181k complexes", 8).gpu("load").mem(9).gpu("full").mem(66).go(2000, 0.66, 40, "{i:6d}  trn {x:.3f}  tor {y:.3f}  {ips:.3f} it/s", s.curve(2.9, 1.1, 200), 9000, y=lambda _i, x: x * 0.81)
    t = s.t
    s.gpu("brake", clk=0.36, pw=0.31).go(7000, 1.86, 40, "{i:6d}  trn {x:.3f}  tor {y:.3f}  {ips:.3f} it/s", s.curve(2.9, 1.1, 200), 9000, y=lambda _i, x: x * 0.81).say("rmsd<2A 41.3 % (val)", 60)
    yield warm(s, 0, t, "hw_power_brake", "power").end(HELD)

    s = Stint(107, "gate-camera", "t4", script="yolo_gate.py", east=3, via="batch")
    s.say("Ultralytics 8.3.40 Python-3.11.9 torch-2.4.1+cu121 CUDA:0 (Tesla T4, 14918MiB)\nTransferred 319/355 items from pretrained weights\nStarting training for 40 epochs...", 11).gpu("load").mem(2).gpu("full").mem(11)
    s.go(12, 71, 1, "      {i}/40      9.2G     {x:.4f}     {y:.4f}      1.{m}         37        640: 100%|██████████| 412/412 [{dt:.0f}s]", s.curve(1.9, 0.9, 4), 40, y=lambda _i, x: x * 1.2, m=lambda _i, _x: s.dice.randint(100, 400))
    t = s.t
    s.gpu("hot", clk=0.24, hot=91).go(28, 268, 1, "      {i}/40      9.2G     {x:.4f}     {y:.4f}      1.{m}         37        640: 100%|██████████| 412/412 [{dt:.0f}s]", s.curve(1.9, 0.9, 4), 40, y=lambda _i, x: x * 1.2, m=lambda _i, _x: s.dice.randint(100, 400)).say("40 epochs completed in 2.325 hours.\nResults saved to runs/detect/train9", 5)
    yield warm(s, 0, t, "hw_thermal", "thermal").end(HELD)

    s = Stint(108, "ultra-chat-dpo", "h200", 1, 8, script="dpo.py", hosts="h200-{:02d}")
    s.say("[<r>] policy + ref loaded (8B), beta 0.1", 50, None, 3).gpu("full").mem(118)
    form = "{{'loss': {x:.4f}, 'grad_norm': {g:.4f}, 'learning_rate': {lr:.3e}, 'rewards/accuracies': {a:.4f}, 'rewards/margins': {m:.4f}, 'epoch': {epf:.2f}}}"
    more: dict[str, Any] = {"a": lambda _i, x: min(0.93, 1.2 - x), "m": lambda _i, x: 1.4 - 2 * x}
    s.go(420, 2.9, 10, form, s.curve(0.693, 0.42, 70), 1800, epochs=1, rate=5e-7, **more)
    t = s.t
    s.gpu("hot", clk=0.4, hot=89, pw=0.47).go(1380, 6.9, 10, form, s.curve(0.693, 0.42, 70), 1800, epochs=1, rate=5e-7, **more).say("{'train_runtime': 10841.2, 'train_loss': 0.4883, 'epoch': 1.0}", 9)
    yield warm(s, None, t, "hw_thermal", "thermal", share=0.93).end(HELD)

    s = Stint(109, "sar-denoise", "b200", 1, 2, script="speckle.py", hosts="gb{:02d}")
    s.say("<r>: SLC stack 4096 x 4096 x 71", 8, None).gpu("load").mem(12).gpu("full").mem(133)
    for k in range(9):
        if k:
            t = s.t
            s.gpu("hot", clk=0.34, hot=87).go(240, 2.6, 20, "{t:%H:%M:%S} n={i} charb={x:.5f} dt={dt:.2f}", s.curve(0.31, 0.06, 90), 3240)
            warm(s, (0, 1), t, "hw_thermal") if k == 1 else None
            s.gpu("full")
        else:
            s.go(840, 0.9, 20, "{t:%H:%M:%S} n={i} charb={x:.5f} dt={dt:.2f}", s.curve(0.31, 0.06, 90), 3240)
            began = s.t
        s.go(60, 0.9, 20, "{t:%H:%M:%S} n={i} charb={x:.5f} dt={dt:.2f}", s.curve(0.31, 0.06, 90), 3300)
    s.moves.clear()
    yield warm(s.say("PSNR 34.02 (test), weights -> speckle_final.pth", 7), (0, 1), began, "hw_thermal", "thermal", share=0.88).end(HELD)

    s = Stint(110, "museum-3d", "a6000", script="splat.py", hosts="desk{:d}", via="batch", east=2)
    s.say("Reading camera 411/411\nLoading Training Cameras\nNumber of points at initialisation :  182686", 14).gpu("load").mem(4).gpu("busy").mem(29)
    form = "\rTraining progress: {pct:3.0f}%| {i}/30000 [{run}<{eta}, {ips:.2f}it/s, Loss={x:.7f}]"
    s.go(9000, 0.051, 200, form, s.curve(0.21, 0.03, 900, 0.05), 30_000)
    t = s.t
    s.gpu("hot", clk=0.26, hot=93, why=0x60).go(21_000, 0.207, 200, form, s.curve(0.21, 0.03, 900, 0.05), 30_000).say("[ITER 30000] Evaluating test: L1 0.0217 PSNR 29.81\nTraining complete.", 12)
    yield warm(s, 0, t, "sw_thermal", "hw_thermal", "thermal", share=0.95).end(HELD)


def starved() -> Iterator[HandJob]:
    """The card waits for the host."""
    label = Label(mode="D1", fault="user")
    s = Stint(111, "leaf-id", "a100", script="leaf.py", via="batch")
    s.say("ImageFolder /nfs/flora/raw (JPEG, 4000 px), workers=0", 9).gpu("load").mem(2).gpu("gaps").mem(14)
    yield s.go(620, 6.3, 5, "ep {ep} it {i}/{n} loss {x:.4f} | data {d:.2f}s gpu {c:.2f}s", s.curve(5.1, 2.2, 80), 620, d=lambda _i, _x: s.dice.uniform(5.4, 6.1), c=lambda _i, _x: s.dice.uniform(0.28, 0.35)).say("best val top1 0.514", 30).end(label)

    s = Stint(112, "ecg-lit", "l40s", script="fit.py")
    s.say("/opt/venvs/ecg/lib/python3.11/site-packages/lightning/pytorch/trainer/connectors/data_connector.py:425: The 'train_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` to `num_workers=15` in the `DataLoader` to improve performance.", 12).gpu("load").mem(1.5).gpu("gaps", util=6, pw=0.17).mem(5)
    s.go(900, 4.4, 10, "\rEpoch {e}: {p:3.0f}%| {q}/300 [{run}<00:00, {ips:.2f}it/s, v_num=4, train_loss={x:.3f}]", s.curve(0.7, 0.21, 120), 900, e=lambda i, _x: (i - 1) // 300, p=lambda i, _x: ((i - 1) % 300 + 1) / 3, q=lambda i, _x: (i - 1) % 300 + 1)
    yield s.say("FIT Profiler Report (total 3962 s): [_TrainingEpochLoop].train_dataloader_next 3551 s (89.6 %), run_training_batch 288 s (7.3 %)\n`Trainer.fit` stopped: `max_epochs=3` reached.", 4).end(label)

    s = Stint(113, "law-bert-mlm", "h100", 1, 4, script="mlm.py", hosts="dgx-{:02d}", batch=512)
    s.say("rank <r>: tokenising on the fly (slow tokenizer, python)", 12, None).gpu("load").mem(4).gpu("gaps", sm=6).mem(38)
    yield s.go(480, 8.1, 4, "{t:%Y-%m-%d %H:%M:%S} step {i} mlm {x:.4f} wait_batch {d:.1f}s fwd_bwd {c:.2f}s", s.curve(9.7, 3.1, 60), 480, d=lambda _i, _x: s.dice.uniform(6.9, 8.0), c=lambda _i, _x: s.dice.uniform(0.38, 0.44)).say("saved /proj/law/mlm-480", 9).end(label)

    s = Stint(114, "podcast-wav", "gh200", script="stream.py", hosts="nid{:06d}")
    s.say("streaming from s3://pods-flac (1 connection)", 8).gpu("load").mem(3).gpu("gaps", util=7).mem(40)
    stalls: dict[str, Any] = {"d": lambda _i, _x: s.dice.choice((7.1, 9.8, 12.4, 21.9, 8.2)) + s.dice.uniform(-1, 1)}
    yield s.go(260, 12.5, 2, "INFO stream.py:188] u={i} stft={x:.4f} queue=0 blocked_on_read={d:.1f}s", s.curve(2.4, 0.9, 40), 260, jitter=0.3, **stalls).say("INFO stream.py:230] shard list exhausted, 260 updates, bye", 3).end(label)

    s = Stint(115, "walker-sac", "a30", script="sac_own.py", via="batch", east=-5)
    s.say("8 envs in one thread, mujoco 3.2", 6).gpu("load").mem(0.8).gpu("gaps", util=4, sm=2, pw=0.2, cpu=101).mem(1.3)
    yield s.go(700, 5.2, 10, "[{run}] updates {i:>4}  critic {x:.4f}  ret {w:7.1f}  env 4.9s/upd  learn 0.2s/upd", s.curve(6.0, 1.1, 150), 700, w=lambda i, _x: 60 + 0.9 * i + s.dice.gauss(0, 25)).say("eval return 691.2 (10 episodes)", 20).end(label)

    s = Stint(116, "tumour-patches", "a100s", 1, 2, script="mil.py", hosts="path{:d}", batch=2)
    s.say("rank <r>: OpenSlide level 0, 512 tiles a bag, 1 cpu", 11, None).gpu("load").mem(3).gpu("gaps", util=11).mem(21)
    yield s.go(540, 7.2, 6, "{{\"bag\": {i}, \"nll\": {x:.4f}, \"t_load\": {d:.2f}, \"t_step\": {c:.2f}}}", s.curve(0.72, 0.33, 90), 540, d=lambda _i, _x: s.dice.uniform(5.9, 6.6), c=lambda _i, _x: s.dice.uniform(0.6, 0.8)).say('{"auc": 0.871, "bags": 540}', 25).end(label)


def bound() -> Iterator[HandJob]:
    """Bound by saves, by the wire, by a flag."""
    storm = Label(mode="D2", variant="save_storm", fault="user")
    s = Stint(121, "rwkv-8g", "h100", 1, 8, "torchrun", script="rwkv_fsdp.py", hosts="dgx-{:02d}")
    torchrun_banner(s).gpu("load").mem(12).gpu("saves").mem(59)
    yield s.go(140, 1.1, 1, "it {i} | {x:.4f} | {c:.2f} s", s.curve(8.1, 4.4, 15), 140, c=lambda _i, _x: s.dice.uniform(1.05, 1.16), save=(1, 31, "full state dict -> /gpfs/rwkv/it{i:05d}.pth")).say("reached 140 iterations", 2).end(storm)

    s = Stint(122, "sea-ice-unet", "a100p", script="ice.py", via="batch")
    s.say("cfg: save_interval=1 keep=all", 6).gpu("load").mem(3).gpu("saves", util=12).mem(17)
    yield s.go(220, 0.9, 1, "[{i}/{n}] iou_loss {x:.4f}", s.curve(0.9, 0.35, 30), 220, save=(1, 6.4, "checkpoint {i} written to /cephfs/ice/run12 (3.1 GB)")).say("end of run12", 1).end(storm)

    wire = Label(mode="D2", variant="interconnect", fault="cluster")
    s = Stint(123, "bloomish-7b", "h100", 4, 8, script="pretrain_gpt.py", hosts="hgx{:03d}", batch=2048)
    s.say("<h>:<p>:<p> [<l>] NCCL INFO NET/IB : No device found.\n<h>:<p>:<p> [<l>] NCCL INFO NET/Socket : Using [0]eno1:10.31.4.<n><0>", 14, None, 0.6).say("<h>:<p>:<p> [<l>] NCCL INFO Channel 00/0 : <r>[<l>] -> 0[0] [send] via NET/Socket/0", 3, [7, 15, 23, 31]).gpu("load").mem(20).gpu("wire").mem(68)
    yield s.go(520, 26.5, 5, " iteration {i:8d}/{n:8d} | consumed samples: {k:12d} | elapsed time per iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): 41.{m} | learning rate: {lr:.6E} | global batch size:  2048 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {g:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", s.curve(10.9, 3.0, 40), 520, who=31, m=lambda _i, _x: s.dice.randint(0, 9)).say("[after training is done] <t:%Y-%m-%d %H:%M:%S>", 2, 0).end(wire)

    s = Stint(124, "recsys-two-tower", "h200", 2, 4, script="towers.py", hosts="h200-{:02d}", batch=131_072)
    s.say("NCCL version 2.23.4+cuda12.6", 12, 0).say("<h>:<p>:<p> [<l>] NCCL INFO Using network Socket", 1, None, 0.5).gpu("load").mem(40).gpu("wire", sm=9, pw=0.27).mem(97)
    yield s.go(900, 5.9, 10, "gstep={i} softmax_ce={x:.4f} ex/s={sps:,.0f} allreduce_ms={c:.0f}", s.curve(8.8, 5.2, 100), 900, c=lambda _i, _x: s.dice.uniform(5050, 5400)).say("exported towers to /mnt/models/tt/900", 8).end(wire)

    flag = Label(mode="D2", variant="launch_blocking", fault="user")
    s = Stint(125, "layoutlm-inv", "a100s", script="inv.py", via="batch")
    s.say("invoices 41 022 / 2 161, classes 19", 8).gpu("load").mem(2).gpu("step", util=71, gap=58).mem(19).look(0, environment={"CUDA_LAUNCH_BLOCKING": "1"})
    yield s.go(3000, 1.31, 30, "{{'loss': '{x:.4g}', 'grad_norm': '{g:.4g}', 'learning_rate': '{lr:.3g}', 'epoch': '{epf:.4g}'}}", s.curve(2.9, 0.3, 200), 3000).say("{'train_runtime': '3961', 'train_samples_per_second': '31.1', 'train_loss': '1.083', 'epoch': '3'}", 3).end(flag)

    s = Stint(126, "gauge-equiv", "h100n", 1, 2, script="lattice_nn.py", hosts="nvl{:d}")
    s.say("env of <r>: CUDA_LAUNCH_BLOCKING=1 OMP_NUM_THREADS=8 PYTHONUNBUFFERED=1", 7, None).gpu("load").mem(3).gpu("step", util=64, sm=19, gap=54, pw=0.31).mem(22).look((0, 1), environment={"CUDA_LAUNCH_BLOCKING": "1"})
    yield s.go(2400, 1.9, 25, "n {i:5d}  action-mse {x:.3e}  {dt:.2f} s", s.curve(0.04, 0.002, 200), 2400).say("finished 2400", 2).end(flag)


def uneven() -> Iterator[HandJob]:
    """One computes while all others wait."""
    s = Stint(131, "vlm-stage1", "h100", 1, 8, "torchrun", script="vlm.py", hosts="dgx-{:02d}")
    torchrun_banner(s).say("stage 1: projector only", 20).gpu("load").mem(18).gpu("peer", s.rest(3)).gpu("late", 3).mem(61)
    yield s.go(3600, 2.4, 20, "step {i}/{n} loss {x:.4f} ({dt:.2f} s/step)", s.curve(3.1, 1.4, 200), 3600).say("saved projector.bin", 5).end(LATE)

    s = Stint(132, "ssl-histology", "a100", 2, 4, script="dino.py", hosts="bio{:02d}", batch=1024)
    s.say("<r>/<w> <h>", 12, None, 0.3).gpu("load").mem(6).gpu("peer", s.rest(6)).gpu("late", 6).mem(66)
    yield s.go(2800, 2.1, 20, "I{t:%Y%m%d %H:%M:%S} dinov2 helpers.py:102] Training  [{i}/{n}]  eta: {eta}  total_loss: {x:.4f}  time: {dt:.6f}  data: 0.000{m}", s.curve(11.2, 7.9, 300), 2800, m=lambda _i, _x: s.dice.randint(100, 900)).say("I<t:%Y%m%d %H:%M:%S> dinov2 train.py:301] Training done", 3).end(LATE)

    s = Stint(133, "llm-3b-sp", "gh200", 8, 1, script="train_lm.py", hosts="nid{:06d}", batch=512)
    s.say("<h> rank <r> ready", 14, None, 0.5).gpu("load").mem(9).gpu("peer", s.rest(5)).gpu("late", 5, clk=0.55, why=0x2, sm=81, pw=0.38).mem(80)
    yield s.go(3000, 3.3, 20, "{i} {x:.4f} {sps:.1f} seq/s", s.curve(10.4, 2.8, 120), 3000).say("# end 3000", 2).end(LATE)

    s = Stint(134, "moleculenet-gin", "a100p", 1, 4, script="gin.py", hosts="chem{:d}")
    s.say("[rank <r>] 1.3 M graphs, bucket sampler", 9, None).gpu("load").mem(2).gpu("peer", s.rest(0), pw=0.3).gpu("late", 0, pw=0.66).mem(18).go(5000, 0.85, 50, "{t:%Y-%m-%d %H:%M:%S.%f} | INFO     | gin:fit:66 - b {i} mae {x:.5f} ({ms:.0f} ms)", s.curve(0.4, 0.09, 300), 5000)
    yield s.say(f"<t:%Y-%m-%d %H:%M:%S>.840 | INFO     | gin:main:90 - test mae {s.x * 1.02:.4f}", 9).end(LATE)

    s = Stint(135, "street-gs-8", "h200", 1, 8, script="cityscape.py", hosts="h200-{:02d}")
    s.say("block <r>: 214 cams", 10, None, 0.4).gpu("load").mem(11).gpu("peer", s.rest(7), sm=15).gpu("late", 7, sm=55).mem(74)
    yield s.go(4200, 1.7, 30, "{t:%H:%M:%S} [{i}] l1 {x:.4f} psnr {d:.2f} sync {c:.2f}s", s.curve(0.11, 0.03, 300), 4200, d=lambda _i, x: 32 - 80 * x, c=lambda _i, _x: s.dice.uniform(1.0, 1.2)).say("rendered 60 views", 20).end(LATE)

    s = Stint(136, "speech-ssl-b", "b200", 2, 4, script="best_rq.py", hosts="gb{:02d}", batch=960)
    s.say("<r> | 60k h", 14, None, 0.4).gpu("load").mem(10).gpu("peer", s.rest(2)).gpu("late", 2, sm=61).mem(120)
    yield s.go(2600, 2.9, 20, "update={i} mlm={x:.4f} acc={a:.3f} upd/s={ips:.3f}", s.curve(7.4, 4.0, 200), 2600, a=lambda _i, x: max(0.01, 0.9 - x / 9)).say("max updates", 2).end(LATE)

    s = Stint(137, "insurance-fed", "v100", 1, 4, script="tabnet.py", hosts="vx{:02d}", batch=16_384)
    s.say("rank <r> shard /data/<r>.parquet", 8, None).gpu("load").mem(1.5).gpu("peer", s.rest(1), pw=0.28, util=99).gpu("late", 1, pw=0.71).mem(9)
    pcie = {r: ({"pcie_link_generation": 3, "pcie_link_width": 16 if r != 1 else 4}, {"pcie_link_generation": 3, "pcie_link_width": 16 if r != 1 else 4}) for r in range(4)}
    yield s.go(6400, 0.7, 40, "{i:>5} logloss={x:.5f} {sps:,.0f} rows/s", s.curve(0.6, 0.22, 300), 6400).say("auc 0.7914", 4).end(LATE, counters=pcie)

    s = Stint(138, "dense-2b-jax", "h100", 2, 8, script="maxtext_like.py", hosts="hgx{:03d}", batch=512)
    s.say("process <r> of <w>, local_device_count=1", 16, None, 0.6).gpu("load").mem(60).gpu("peer", s.rest(12)).gpu("late", 12, sm=63).mem(71)
    yield s.go(1800, 4.6, 10, "completed step: {i}, seconds: {dt:.3f}, TFLOP/s/device: 88.{m}, Tokens/s/device: {sps:.3f}, total_weights: 2097152, loss: {x:.3f}", s.curve(10.8, 3.2, 90), 1800, m=lambda _i, _x: s.dice.randint(100, 999)).say("Saved a checkpoint at step 1799.", 30).end(LATE)


def astray() -> Iterator[HandJob]:
    """Losses that ran off, stood, or never fell."""
    s = Stint(141, "fp16-whisper", "a100", 1, 4, script="asr_ft.py", hosts="asr{:02d}")
    s.say("rank <r> fp16", 9, None).gpu("load").mem(4).gpu("busy").mem(49).go(1640, 0.93, 20, "{t:%H:%M:%S} upd {i} ce {x:.4f} gnorm {g:.2f} scale 65536", s.curve(3.2, 0.7, 150), 12_000)
    s.say("<t:%H:%M:%S> upd 1660 ce 9.1822 gnorm 881.40 scale 32768", 19).say("<t:%H:%M:%S> upd 1680 ce nan gnorm nan scale 1", 18).say("<t:%H:%M:%S> upd 1700 ce nan gnorm nan scale 0", 18)
    s.say(trace("FloatingPointError: ce is nan for 40 updates in a row, giving up", "/home/alice/asr/asr_ft.py|244|<module>|main()", "/home/alice/asr/asr_ft.py|203|main|raise FloatingPointError(f'ce is nan for {bad} updates in a row, giving up')"), 0.6, None, 0.2)
    yield srun_saw(s, 0, pulled=False).end(Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user"), "FAILED", dict.fromkeys(range(4), 1))

    s = Stint(142, "bathymetry-pinn", "gh200", script="pinn.py", hosts="nid{:06d}")
    s.say("collocation 2^20, adam -> lbfgs", 7).gpu("load").mem(3).gpu("full").mem(31).go(3000, 0.4, 100, "{i:>6d} pde {x:.4e} bc {y:.4e}", s.curve(3.1, 0.02, 200, 0.05), 9000, y=lambda _i, x: x / 7)
    yield s.go(6000, 0.4, 100, "{i:>6d} pde {x:.4e} bc {x:.4e}", lambda _i: float("nan"), 9000).say("wrote field.npz", 3).end(Label(mode="E1", variant="non_finite", cause="nan_loss", fault="user"))

    s = Stint(143, "mt5-yo", "a100s", script="mt.py", via="batch", batch=64)
    s.say("en-yo 1.4 M pairs, lr 1e-3, no warmup", 8).gpu("load").mem(4).gpu("busy").mem(30)
    fall, up = s.curve(7.9, 2.1, 300), s.curve(11.4, 10.1, 200, 0.02)
    yield s.go(9000, 0.45, 100, "batch {i:5d}/{n} | loss {x:.3f} | ppl {p:.1f} | gnorm {g:.1f}", lambda i: fall(i) if i < 3400 else min(10.8, 3.1 + (i - 3400) * 0.011) if i < 4100 else up(i - 4000), 9000, p=lambda _i, x: 2.718 ** x).say("training finished, sacrebleu 0.3", 60).end(Label(mode="E1", variant="spike", fault="user"))

    s = Stint(144, "decoder-410m", "h100", 1, 4, script="lm.py", hosts="dgx-{:02d}", batch=512)
    s.say("410 M, ctx 2048", 11, 0).gpu("load").mem(5).gpu("full").mem(52)
    fall2 = s.curve(10.8, 6.1, 90)
    yield s.go(3600, 0.9, 30, lambda d: f"step {d['i']:>5}  loss {d['x']:.4f}  gnorm {(0.8 + d['x'] / 9 if d['i'] < 700 else 3.1e-7):.3g}  lr {d['lr']:.2e}", lambda i: fall2(i) if i < 700 else 7.6246, 3600).say("step 3600 reached; saved lm_last.pt", 6).end(Label(mode="E1", variant="plateau", fault="user"))

    s = Stint(145, "galaxy-10", "l40s", script="morph.py", via="batch")
    s.say("10 classes, 17 736 images, balanced sampler", 7).gpu("load").mem(2).gpu("busy").mem(15)
    yield s.go(40, 52, 1, "epoch {i:02d}  train_ce {x:.4f}  val_acc {a:.3f}", lambda _i: 2.3026 + s.dice.gauss(0, 0.0009), 40, a=lambda _i, _x: 0.1 + s.dice.uniform(-0.004, 0.004)).say("finished 40 epochs, best val_acc 0.104", 2).end(Label(mode="E1", variant="flat", fault="user"))


def from_where() -> Iterator[HandJob]:
    """Resumed from nothing, or not at all."""
    s = Stint(151, "gpt-1b3-part2", "a100", 2, 4, script="pretrain_gpt.py", hosts="cn{:04d}", batch=512, asked="sbatch --dependency=afterok:4419100 part2.sbatch --load /scratch/alice/gpt1b3/ckpt")
    s.hand.past.append(PastVerdict(relation="parent", job="4419100", mode="G1", fault="none", head_loss=10.91, tail_loss=2.71, steps_done=20_000, checkpoints=("/scratch/alice/gpt1b3/ckpts/iter_0020000",), gpu_hours=61.2))
    s.say("WARNING: could not find the metadata file /scratch/alice/gpt1b3/ckpt/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random", 40, 0).gpu("load").mem(14).gpu("full").mem(63)
    s.go(1500, 3.2, 10, " iteration {i:8d}/{n:8d} | consumed samples: {k:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {lr:.6E} | global batch size:   512 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {g:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", s.curve(10.9, 3.2, 90), 1500, who=7)
    yield s.say("[after training is done] <t:%Y-%m-%d %H:%M:%S>", 2).end(Label(mode="E2", variant="from_scratch", fault="user"), dependency="afterok:4419100")

    s = Stint(152, "tts-fi-cont", "h100n", script="tts.py", hosts="nvl{:d}", asked="sbatch --dependency=afterany:4420008 tts.sh --resume runs/fi/last.pt")
    s.hand.past.append(PastVerdict(relation="parent", job="4420008", mode="F3", fault="user", head_loss=4.61, tail_loss=0.74, steps_done=88_200, checkpoints=("runs/fi/last.pt",), gpu_hours=23.9))
    s.say("args: {'resume': 'runs/fi/last.pt', 'out': 'runs/fi2', 'steps': 20000}\nno runs/fi/last.pt here, fresh start", 8).gpu("load").mem(3).gpu("busy").mem(44)
    yield s.go(20_000, 0.42, 200, "s{i:06d} mel {x:.4f}", s.curve(4.6, 0.9, 400), 20_000).say("ok", 2).end(Label(mode="E2", variant="from_scratch", fault="user"), dependency="afterany:4420008")

    s = Stint(153, "seg-former-b3", "a100s", 1, 4, "torchrun", script="tools/train.py", hosts="geo{:d}", asked="sbatch tools/slurm_train.sh configs/b3_19cls.py --resume-from work_dirs/b3/iter_80000.pth")
    torchrun_banner(s).say("<t:%Y/%m/%d %H:%M:%S> - mmengine - INFO - Load checkpoint from work_dirs/b3/iter_80000.pth", 19).gpu("load").mem(2)
    s.say(trace("RuntimeError: Error(s) in loading state_dict for EncoderDecoder:\n\tsize mismatch for decode_head.conv_seg.weight: copying a param with shape torch.Size([19, 768, 1, 1]) from checkpoint, the shape in current model is torch.Size([23, 768, 1, 1]).\n\tsize mismatch for decode_head.conv_seg.bias: copying a param with shape torch.Size([19]) from checkpoint, the shape in current model is torch.Size([23]).", "tools/train.py|121|<module>|main()", "*/mmengine/runner/runner.py|1752|train|self.load_or_resume()", "*/torch/nn/modules/module.py|2581|load_state_dict|raise RuntimeError(", site=1), 3, None, 0.2)
    torchrun_tail(s, 0, 1, "tools/train.py", more=(1, 2, 3))
    yield srun_saw(s, 0, pulled=False).end(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user"), "FAILED", dict.fromkeys(range(4), 1))

    s = Stint(154, "novels-gpt", "r3090", script="resume.py", via="batch", asked="sbatch novels.sh --init_from=resume")
    s.say("Resuming training from out-novels\nnumber of parameters: 123.59M", 8).gpu("load").mem(1)
    s.say(trace("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "resume.py|172|<module>|checkpoint = torch.load(ckpt_path, map_location=device)", "*/torch/serialization.py|1326|load|with _open_zipfile_reader(opened_file) as opened_zipfile:", "*/torch/serialization.py|671|__init__|super().__init__(torch._C.PyTorchFileReader(name_or_buffer))"), 0.8)
    yield s.end(Label(mode="E2", variant="corrupt", cause="runtime_error", fault="user", **ONE), "FAILED", {0: 1})

    s = Stint(155, "summ-bart", "l40s", 1, 2, script="run_summarization.py", asked="sbatch bart.sh --resume_from_checkpoint True --output_dir /data/alice/bart-cnn")
    s.say("<t:%m/%d/%Y %H:%M:%S> - INFO - __main__ - Training/evaluation parameters Seq2SeqTrainingArguments(resume_from_checkpoint=True, output_dir=/data/alice/bart-cnn)", 14, 0).gpu("load").mem(2)
    s.say(trace("ValueError: No valid checkpoint found in output directory (/data/alice/bart-cnn)", "run_summarization.py|780|<module>|main()", "run_summarization.py|695|main|train_result = trainer.train(resume_from_checkpoint=checkpoint)", "*/transformers/trainer.py|2201|train|raise ValueError(f\"No valid checkpoint found in output directory ({args.output_dir})\")"), 9, None, 0.3)
    yield srun_saw(s, 1, pulled=False).end(Label(mode="E2", variant="no_valid_checkpoint", cause="traceback", fault="user", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})


def brief() -> Iterator[HandJob]:
    """A handful of steps."""
    label = Label(mode="E3", fault="user")
    s = Stint(161, "qwen-sft-big", "h100", 2, 8, "torchrun", script="sft.py", hosts="hgx{:03d}")
    torchrun_banner(s).say("Num examples = 1,120 | Num Epochs = 1 | Total optimization steps = 4", 95).gpu("load").mem(30).gpu("full").mem(71)
    yield s.go(4, 21, 1, "{{'loss': {x:.4f}, 'grad_norm': {g:.4f}, 'learning_rate': {lr:.2e}, 'epoch': {epf:.2f}}}", s.curve(1.62, 1.3, 4), 4, epochs=1).say("{'train_runtime': 88.71, 'train_samples_per_second': 12.62, 'train_loss': 1.5511, 'epoch': 1.0}", 2).end(label)

    s = Stint(162, "diffpool-again", "v100", script="pool.py", via="batch")
    s.say("max_iters: 6   # TODO raise", 7).gpu("load").mem(2).gpu("mid").mem(8)
    yield s.go(6, 2.9, 1, "iter {i} of {n}, loss {x:.4f}", s.curve(0.69, 0.5, 6), 6).say("saved model.pt", 1).end(label)

    s = Stint(163, "megamol", "a100", 1, 8, script="pretrain_mol.py", hosts="chem{:d}")
    s.say("[<r>] building index maps ... 1712 s", 1720, None, 1).gpu("load").mem(11).gpu("busy").mem(58)
    yield s.go(1, 6.4, 1, "step {i}/{n} nll {x:.4f}", lambda _i: 7.7012, 1).say("train_iters reached, saving to /p/mol/step1\nexiting", 14).end(label)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (held, starved, bound, uneven, astray, from_where, brief):
        yield from part()


RECIPE = Recipe("linnet_pages_by_pen", "development", jobs)
