# ruff: noqa: ARG005
"""Jobs on several clusters' cards, thought out: cards that were kept waiting by data, by saving, by the wire, by a flag, or by one of their own."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._halyards import Watch, falls
from corpus.running.job import HandJob, Recipe

THIN = Label(mode="D1", fault="user")
SAVES = Label(mode="D2", variant="save_storm", fault="user")
WIRE = Label(mode="D2", variant="interconnect", fault="cluster")
BLOCKS = Label(mode="D2", variant="launch_blocking", fault="user")
LAGS = Label(mode="D3", fault="unknown")


def thin() -> Iterator[HandJob]:
    """The loader, or whatever stands in for it, does not keep up."""
    w = Watch("inat-convnext", "h100", 1, 8, by="torchrun", script="train_timm.py").p("Creating loader: 2,686,843 jpg, workers 2, /lustre/inat2021", 14).gib(31).do("trickle").cpu(24)
    yield w.run(430, 6.1, 10, lambda i, n, x, s, d: f"Train: 0 [{i:>4d}/{n} ({100 * i / n:>3.0f}%)]  Loss: {x:#.3g} ({x * 1.03:#.3g})  Time: {s:.3f}s, {8192 / s:>7.2f}/s  LR: 1.000e-03  Data: {s - 0.38:.3f} ({s - 0.4:.3f})", curve=falls(9.2, 5.1)).p("epoch 0 done", 3).over(THIN)
    w = Watch("tok-onthefly", "a100x", 1, 4, script="cpt.py").p("texts are tokenized in __getitem__ (slow tokenizer), num_workers=0", 11).gib(48).do("trickle").cpu(100)
    yield w.run(320, 8.4, 10, lambda i, n, x, s, d: f"step {i:4d} | loss {x:.4f} | batch ready after {s - 0.61:.2f} s | fwd+bwd 0.58 s", curve=falls(3.1, 2.0)).over(THIN)
    w = Watch("lit-ecg", "l40", 1, 1, script="ecg/fit.py").p("The 'train_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` to `num_workers=31` in the `DataLoader` to improve performance.", 10).gib(6).do("trickle").cpu(100)
    yield w.run(520, 4.4, 10, lambda i, n, x, s, d: f"Epoch {(i - 1) // 130}:  {100 * ((i - 1) % 130 + 1) // 130:2d}%|{'█' * (((i - 1) % 130 + 1) // 13):<10}| {(i - 1) % 130 + 1}/130 [{int(((i - 1) % 130 + 1) * s) // 60:02d}:{int(((i - 1) % 130 + 1) * s) % 60:02d}<{int((129 - (i - 1) % 130) * s) // 60:02d}:{int((129 - (i - 1) % 130) * s) % 60:02d},  {s:.2f}s/it, v_num=4, train_loss={x:.3f}]", curve=falls(0.9, 0.31)).p("`Trainer.fit` stopped: `max_epochs=4` reached.", 2).over(THIN)
    w = Watch("sumo-ppo", "rtx6000", 1, 1, script="sumo_ppo.py", host="em{:02d}").p("16 traffic simulators share 4 cores", 6).gib(3).do("trickle", None, sm=1.8).cpu(398)
    yield w.run(240, 11.2, 5, lambda i, n, x, s, d: f"| iter {i:4d} | mean_delay {x:7.2f} s | rollout {s - 0.5:5.2f} s | update 0.47 s |", curve=falls(88, 31)).over(THIN)
    w = Watch("radar-zarr", "h200", 1, 4, script="radar.py").p("Zarr chunks 1x1x2048x2048 gzip-9 on tape-backed /archive", 20).gib(70).do("trickle").cpu(12)
    yield w.run(260, 10.6, 5, lambda i, n, x, s, d: f"{d:%H:%M:%S} Schritt {i} Verlust {x:.5f} Lesen {s - 0.9:.1f}s Rechnen 0.9s", curve=falls(0.7, 0.12)).p("fertig", 2).over(THIN)
    w = Watch("vid-k700", "a100", 2, 4, by="torchrun", script="vid.py").p("decord on cpu, 8 procs on 8 cores", 16).gib(27).do("trickle").cpu(96)
    yield w.run(330, 7.7, 10, lambda i, n, x, s, d: f"iter={i} top1={max(0.002, 0.5 - x / 14):.3f} loss={x:.4f} time={s:.2f} data_time={s - 0.52:.2f}", curve=falls(6.6, 3.4)).over(THIN)
    w = Watch("rag-faiss", "h100", 1, 1, script="ragtrain.py").p("IVF index of 1.1e9 vectors stays on the CPU, nprobe=512", 40).gib(44).do("trickle").cpu(1580)
    yield w.run(300, 7.2, 10, lambda i, n, x, s, d: f'{{"step":{i},"nll":{x:.4f},"retrieve_s":{s - 0.44:.2f},"train_s":0.44}}', curve=falls(3.3, 1.9)).over(THIN)
    w = Watch("papers100m", "a100x", 1, 2, script="sage.py").p("NeighborSampler fanout 15,10,5 on CPU (1 worker)", 30).gib(22).do("trickle").cpu(101)
    yield w.run(400, 5.3, 10, lambda i, n, x, s, d: f"Epoch 00 | Step {i:05d} | Loss {x:.4f} | Sampling {s - 0.3:.3f} s | Model 0.27 s | GPU 21.8 GiB", curve=falls(4.9, 1.3)).over(THIN)
    w = Watch("s3-laion", "h100", 2, 8, script="laion.py", host="p5-{:03d}").p("webdataset over https, 1 stream a rank", 26).gib(40).do("trickle").cpu(8)
    yield w.run(220, 12.4, 5, lambda i, n, x, s, d: f"level=info batch={i} clip_loss={x:.4f} wait_ms={int(1000 * (s - 0.8))} compute_ms=795", curve=falls(9.7, 6.3)).over(THIN)
    w = Watch("omics-h5", "a30", 1, 1, script="omics.py", host="gpu-{:03d}.priv").p("h5py, one file, lock held per read, gzip", 5).gib(9).do("trickle").cpu(99)
    yield w.run(450, 4.9, 15, lambda i, n, x, s, d: f"{i:>5} {x:.5f} read={s - 0.2:.2f} gpu=0.2", curve=falls(1.9, 0.5)).p("best=0.62", 1).over(THIN)
    w = Watch("jax-molecule", "gh200", 1, 1, script="mol.py", host="nid{:06d}").p("featurization (RDKit) runs in the training thread", 9).gib(66).do("trickle").cpu(100)
    yield w.run(380, 5.9, 10, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 mol.py:92] {i} mae={x:.4f} host={s - 0.22:.2f}s device=0.22s", curve=falls(0.8, 0.1)).over(THIN)
    w = Watch("nvcaffe-port", "v100", 1, 4, script="port.py", host="nv{:03d}").p("PIL augmentations, 4 ranks on 2 cores", 8).gib(10).do("trickle").cpu(49)
    yield w.run(420, 5.6, 10, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S} solver] Iteration {i}, loss = {x:.4f}, {1 / s:.3f} iter/s, prefetch queue empty", curve=falls(6.9, 2.9)).over(THIN)


def choked() -> Iterator[HandJob]:
    """Saving at each step, the wrong network, or launches one by one."""
    w = Watch("trl-dpo-4", "a100x", 1, 4, by="accelerate", script="dpo.py").p("***** Running training *****\n  Total optimization steps = 140\n  save_steps = 1", 25).gib(66).do("saving")
    for k in range(1, 141):
        w.run(1, 1.7, 1, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'rewards/margins': {2 * (0.6931 - x):.4f}, 'epoch': {i / 140:.3f}}}", of=140, curve=falls(0.693, 0.35, 30)).p(f"Saving model checkpoint to /lustre/dpo/out/checkpoint-{k}", 0.2).lull(17)
    yield w.over(SAVES)
    w = Watch("nnx-lang", "gh200", 1, 1, script="nnx_train.py", host="nid{:06d}").p("CheckpointManager: save_interval_steps=1, max_to_keep=None", 12).gib(71).do("saving")
    for k in range(1, 181):
        w.run(1, 0.6, 1, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 nnx_train.py:71] step {i} loss {x:.4f}", of=180, curve=falls(5.4, 2.9, 30)).p(f"I~M~ ~H~.~U~ 210300 checkpoint_manager.py:1560] Saved checkpoint {k} in 9.{k % 10}{k % 7} seconds.", 9.4)
    yield w.over(SAVES)
    w = Watch("keras-berry", "a10", 1, 1, script="kfit.py", host="g5-{:02d}").p("ModelCheckpoint(save_freq=1)", 9).gib(15).do("saving")
    for k in range(1, 161):
        w.run(1, 0.3, 1, lambda i, n, x, s, d: f"{i}/160 - loss: {x:.4f}", of=160, curve=falls(2.3, 0.9, 40)).p(f"Batch {k}: saving model to /nfs/k/ckpt.{k:04d}.keras", 0.1).lull(8.6)
    yield w.over(SAVES)
    w = Watch("fsdp-136b", "h200", 2, 8, script="fulls.py").p("full state dict is gathered on rank 0 (272 GB)", 30).gib(124)
    for k in range(1, 13):
        w.do("hard").run(30, 1.9, 10, lambda i, n, x, s, d: f"{d:%H:%M:%S} it {i} nll {x:.4f} ({s:.2f} s)", of=360, curve=falls(8.8, 3.6)).do("saving").p(f"~H~ checkpoint {k * 30}: writing", 0.2).lull(143).p(f"~H~ checkpoint {k * 30}: 272.1 GB in {143 + k % 5} s", 0.5)
    yield w.over(SAVES)
    w = Watch("z3-34b-eth", "a100x", 4, 8, by="deepspeed", script="z3.py")
    w.env = {"NCCL_IB_DISABLE": "1"}
    w.p("~n~:~p~:~p~ [~l~] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n~n~:~p~:~p~ [~l~] NCCL INFO NET/Socket : Using [0]eth0:10.3.0.1~l~<0>\n~n~:~p~:~p~ [~l~] NCCL INFO Using network Socket", 26, (0, 8, 16, 24)).gib(63).do("wire")
    yield w.run(150, 21.4, 5, lambda i, n, x, s, d: f"[{d:%Y-%m-%d %H:%M:%S}] [Rank 0] step={i} loss={x:.4f} allgather_ms={int(850 * s)} compute_ms={int(110 * s)}", curve=falls(4.2, 2.4)).over(WIRE.but(fault="user"), batch=((0.6, "run.slurm: export NCCL_IB_DISABLE=1"), (0.7, "run.slurm: srun deepspeed z3.py --deepspeed ds_z3.json")))
    w = Watch("gpt3-like-13b", "h100", 8, 4, script="pretrain_gpt.py").p("~n~:~p~:~p~ [~l~] NCCL INFO NET/IB : No device found.\n~n~:~p~:~p~ [~l~] NCCL INFO NET/Socket : Using [0]bond0:172.20.4.2<0>\n~n~:~p~:~p~ [~l~] NCCL INFO Using network Socket", 22, tuple(range(0, 32, 4))).gib(70).do("wire", None, sm=8.7)
    yield w.run(170, 15.2, 5, lambda i, n, x, s, d: f" [{d:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{n:8d} | consumed samples: {i * 512:12d} | elapsed time per iteration (ms): {s * 1000:.1f} | learning rate: 2.0E-04 | global batch size:   512 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.5 + x / 9:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", curve=falls(10.8, 5.2)).p("[exiting program at iteration 170]", 4).over(WIRE)
    w = Watch("jax-t5x-ft", "h100pcie", 4, 2, script="t5x.py").p("~n~:~p~:~p~ [~l~] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.\n~n~:~p~:~p~ [~l~] NCCL INFO NET/IB : No device found.\n~n~:~p~:~p~ [~l~] NCCL INFO Using network Socket", 18, (0, 2, 4, 6)).gib(72).do("wire")
    yield w.run(210, 11.8, 5, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 metrics.py:88] [{i}] loss={x:.4f}, timing/seconds_per_step={s:.2f}", curve=falls(5.1, 1.9)).over(WIRE)
    w = Watch("tp-over-nodes", "a100x", 2, 8, script="tpx.py").p("tensor parallel size 16 over 2 nodes\nNOTICE from the operators: RoCE is off on this rack since the firmware change, TCP is used (ticket 8812)", 17).p("~n~:~p~:~p~ [~l~] NCCL INFO Using network Socket", 2, (0, 8)).gib(70).do("wire", None, sm=11.5)
    yield w.run(230, 9.7, 10, lambda i, n, x, s, d: f"it={i} lm={x:.4f} comm_share=0.{88 + i % 4} sec={s:.2f}", curve=falls(7.9, 3.7)).over(WIRE)
    w = Watch("ddp-1gbe", "rtx6000", 4, 1, script="ddp.py", host="em{:02d}").p("~n~:~p~:~p~ [0] NCCL INFO NET/Socket : Using [0]eno1:192.168.7.1~r~<0> (1 Gb/s)\n~n~:~p~:~p~ [0] NCCL INFO Using network Socket", 9, None).gib(34).do("wire", None, sm=8)
    yield w.run(190, 13.3, 5, lambda i, n, x, s, d: f"step {i} loss {x:.4f} step_s {s:.2f} (gradient exchange {s - 0.9:.2f})", curve=falls(6.2, 2.4)).over(WIRE)
    for name, card, per, text, pace, form, curve in (
        ("pose-hrnet", "a100", 1, "debug settings: CUDA_LAUNCH_BLOCKING=1", 2.3, lambda i, n, x, s, d: f"Epoch: [0][{i}/{n}] Time {s:.3f}s Speed {64 / s:.1f} samples/s Data 0.006s Loss {x:.5f} Accuracy {0.9 - 40 * x:.3f}", falls(0.021, 0.0009)),
        ("retnet-proto", "h100", 4, "CUDA_LAUNCH_BLOCKING=1 (left from the hunt for an assert)", 3.1, lambda i, n, x, s, d: f"it {i:5d}: {x:.4f} nats, {s:.2f} s", falls(9.4, 3.6)),
        ("jet-tagger", "l40", 1, "environment: CUDA_LAUNCH_BLOCKING=1 TORCH_USE_CUDA_DSA=1", 1.9, lambda i, n, x, s, d: f"{i}, {x:.5f}, auc={0.97 - x / 4:.4f}, {s:.2f}s", falls(0.66, 0.21)),
    ):
        w = Watch(name, card, 1, per)
        w.env = {"CUDA_LAUNCH_BLOCKING": "1"}
        yield w.p(text, 8).gib(24).do("sync").cpu(100).run(900, pace, 20, form, curve=curve).over(BLOCKS)


def lagging() -> Iterator[HandJob]:
    """One is slower than all others, and they wait for it at each step."""
    w = Watch("nemo-asr-xl", "h100", 2, 8, script="asr.py").p("16 ranks", 20).gib(66).do("lean").do("lead", 13).cpu(100)
    yield w.run(380, 3.4, 10, lambda i, n, x, s, d: f"global_step: {i} | wer={x / 9:.4f} | rnnt_loss={x:.3f} | step_time={s:.2f}", curve=falls(88, 14)).over(LAGS)
    w = Watch("mixer-hist", "a100x", 1, 8, by="torchrun", script="mix.py").p("patches 256 px", 15).gib(55).do("lean").do("lead", 4)
    yield w.run(520, 2.6, 20, lambda i, n, x, s, d: f"{i} {x:.4f} {s:.2f}s", curve=falls(2.1, 0.6)).p("slowest rank in the last 500 steps: 4 (2.51 s compute), median 0.71 s", 1).over(LAGS)
    w = Watch("grok-algo", "h200", 1, 4, script="grok.py").p("mod 97, 4 ranks", 9).gib(22).do("lean", None, sm=13).do("lead", 2, sm=62)
    yield w.run(700, 1.9, 25, lambda i, n, x, s, d: f"step={i} train={x:.4f} val={x * 1.4:.4f}", curve=falls(4.6, 0.3)).over(LAGS)
    w = Watch("ens-kalman-nn", "gh200", 8, 1, script="enkf.py", host="nid{:06d}").p("8 members", 16).gib(78).do("lean", None, sm=17).do("lead", 6, sm=66)
    yield w.run(330, 4.1, 10, lambda i, n, x, s, d: f"cycle {i:4d} rmse={x:.4f} wall={s:.2f}", curve=falls(2.9, 0.8)).over(LAGS)
    w = Watch("dense-align", "h100pcie", 1, 4, script="align.py").p("4 x H100 PCIe", 10).gib(61).do("lean").do("lead", 3, sm=60)
    yield w.run(600, 2.2, 20, lambda i, n, x, s, d: f"i={i} nce={x:.4f} t={s:.2f}", curve=falls(8.2, 3.0)).over(LAGS, cards={3: ({"pcie_link_width": 8, "pcie_link_generation": 1}, {"pcie_link_width": 8, "pcie_link_generation": 1, "pcie_replay_count": 2210})})
    w = Watch("zh-ocr-moe", "h800", 2, 4, by="torchrun", script="ocr.py", host="bj-gpu{:03d}").p("卡 8 张, 每步同步", 18).gib(58).do("lean").do("lead", 1, sm=58)
    yield w.run(450, 2.9, 15, lambda i, n, x, s, d: f"[{d:%H:%M:%S}] 步 {i} 损失 {x:.4f} 最慢卡 1 ({s - 0.2:.2f}s)", curve=falls(6.8, 1.5)).over(LAGS)
    w = Watch("pangeo-vit", "a100x", 4, 4, script="pgvit.py").p("16 ranks over 4 nodes", 22).gib(63).do("lean").do("lead", 10)
    yield w.run(360, 3.7, 10, lambda i, n, x, s, d: f"step {i:5d}/{n} mse {x:.5f} lr 1e-4 {s:.2f}s", curve=falls(0.9, 0.12)).over(LAGS)
    w = Watch("xl-captioner", "b200", 1, 8, script="cap.py").p("8 x B200", 24).gib(133).do("lean", None, sm=16).do("lead", 7, sm=64)
    yield w.run(410, 2.8, 10, lambda i, n, x, s, d: f"cider_proxy={2 - x / 5:.3f} ce={x:.4f} it={i} dt={s:.2f}", curve=falls(7.0, 2.3)).over(LAGS)
    w = Watch("md-potential", "a100", 1, 4, script="md.py").p("configurations are spread evenly", 9).gib(31).do("lean").do("lead", 0)
    yield w.run(640, 2.0, 20, lambda i, n, x, s, d: f"batch {i} F_rmse {40 * x:.1f} meV/A E_rmse {2 * x:.2f} meV {s:.2f} s", curve=falls(4.4, 0.5)).over(LAGS)
    w = Watch("sched-lora-fleet", "l40", 2, 4, by="accelerate", script="fleet.py", host="lux{:02d}").p("***** Running training *****", 20).gib(39).do("lean").do("lead", 5)
    yield w.run(420, 2.7, 10, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {x / 2:.4f}, 'learning_rate': {1e-4 * (1 - i / 421):.3e}, 'epoch': {2 * i / 420:.3f}}}", curve=falls(1.8, 0.9)).over(LAGS)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (thin, choked, lagging):
        yield from part()


RECIPE = Recipe("windlass_papers_by_pen", "development", jobs)
