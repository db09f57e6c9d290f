"""Runs whose record has more than one thing in it."""

from __future__ import annotations

from corpus.make._ballast import (
    A100,
    B200,
    CONTEXT,
    GH200,
    H100,
    H200,
    IDLE,
    L40S,
    SPIN,
    V100,
    WORK,
    Fleet,
    Load,
    Made,
    Maker,
    fall,
    good,
    keep,
    made,
    when,
)
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says, taken_down
from corpus.make._fennel_kit import MEMORY, bar, lightning_head, megatron, threads_note
from gpualert_slurm.past_verdict import PastVerdict

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def behind_the_glass() -> Made:
    """C2: two ranks of a node wait in the kernel for the parallel file system, fourteen spin in an all-gather with a day's time-out, until the limit."""
    f = Fleet(("rv-1", "rv-2"), "speech-llm-7b", 10_480_020, when("2026-11-16 09:00"), per=8, card=H100, limit_s=43_200, script="speech_llm/train.py", submit_line="sbatch -t 12:00:00 sl.sh")
    f.say(0, 30, f"{f.clock(30)} process group up, world 16, timeout 1 day, 0:00:00")
    last = f.steps(0, range(25, 4001, 25), 110, 4.1, lambda i, x, t: f"{f.clock(t)} it {i} ce {x:.4f} wer~{min(1.0, x / 4):.3f} {16 * 90 / 4.1:.0f} s audio/s", fall(4.4, 1.1, 200))
    f.kernel("rv-2", last + 124, "kernel_hung_task", "INFO: task python:40013 blocked for more than 120 seconds.", process="python", pid=40_013, blocked_s=120)
    f.kernel("rv-2", last + 126, "kernel_hung_task", "INFO: task python:40014 blocked for more than 122 seconds.", process="python", pid=40_014, blocked_s=122)
    for r in (13, 14):
        f.looks[r] = {"state": "D", "wchan": "cl_sync_io_wait", "looks": 4000, "waits": {"D cl_sync_io_wait": 2600}, "file_systems": ("lustre /lustre/audio",)}
    taken_down(f, 43_208, "DUE TO TIME LIMIT")
    f.end(f.ranks, 43_230, signal=9)
    f.load([(0, IDLE), (104, WORK), (last + 3, SPIN)])
    f.load([(0, IDLE), (104, WORK), (last + 3, Load(0, 0, 0.13, 0.79, 0))], [13, 14])
    f.close("TIMEOUT", 43_236, signal=15)
    return made(f, "C2", fault="unknown")


@job
def twenty_and_a_save() -> Made:
    """D2: Megatron saves after each twenty iterations, each save as long as the twenty; the rows' own times tell only of the iterations."""
    f = Fleet(("qs-1", "qs-2", "qs-3", "qs-4"), "gpt-13b-safe", 10_480_361, when("2026-11-17 13:00"), per=8, card=A100, script="pretrain_gpt.py", submit_line="sbatch -N4 safe.slurm")
    f.points = 40
    at, curve = 150.0, fall(10.9, 3.6, 60)
    for i in range(10, 901, 10):
        at += 61.0
        f.say(31, at, megatron(i, 900, curve(i), stamp=f.clock(at), ms=6101.0 + i % 41, lr=1e-4, flops=171.0, norm=0.4 + curve(i) / 15))
        if i % 20 == 0:
            f.say(0, at + 0.5, f"saving checkpoint at iteration {i:7d} to /nfs4/gpt13b in torch format")
            f.say(0, at + 131, f"  successfully saved checkpoint from iteration {i:7d} to /nfs4/gpt13b [ t 1/2, p 1/2 ]\n(min, max) time across ranks (ms):\n    save-checkpoint ................................: (130411.20, 130{i % 90 + 500}.71)")
            at += 131.5
    f.say(31, at + 3, f"[after training is done] datetime: {f.clock(at + 3)} ")
    f.load([(0, IDLE), (100, CONTEXT), (146, Load(48, 0, 0.45, 0.82, 100))])
    f.close("COMPLETED", at + 20)
    return made(f, "D2", variant="save_storm")


@job
def from_the_first_letter() -> Made:
    """E2: the follower of a job that had come to loss 1.9 says nothing of a checkpoint, counts from 0 and begins at the other's first loss."""
    f = Fleet(("wb-1", "wb-2"), "genome-lm-b", 10_480_702, when("2026-11-18 07:45"), per=4, card=H200, agents=True, script="glm.py", submit_line="sbatch --dependency=afternotok:10479980 glm.sh --resume-from /wb/glm/last.pt")
    f.past = (PastVerdict(relation="parent", job="10479980", mode="F3", fault="user", ended_ns=f.at(-300), nodes="wb-[1-2]", head_loss=3.31, tail_loss=1.22, steps_done=52_000, checkpoints=("/wb/glm/last.pt",), gpu_hours=192.0),)
    f.say(0, 24, "[rank0] GLM-B 1.1B, vocab 4096 k-mers, bf16, fused adamw\n[rank0] optimizer: fresh, step=0")
    last = f.steps(0, range(200, 30_001, 200), 40, 1.1, lambda i, x, _t: f"[rank0] step {i:>6} nats/kmer {x:.4f} lr {min(4e-4, 4e-4 * i / 3000):.2e}", fall(3.32, 1.18, 1500))
    f.say(0, last + 12, "[rank0] 30000 steps of this leg over, last.pt written")
    f.load([(0, IDLE), (36, WORK)])
    f.close("COMPLETED", last + 20, dependency="afternotok:10479980")
    return made(f, "E2", variant="from_scratch")


@job
def newer_words() -> Made:
    """A2: a wheel built for AVX-512 is imported on the old nodes' processors: SIGILL on each task before any word of the program."""
    f = Fleet(("v100-3", "v100-4"), "ocr-trocr-old", 10_481_010, when("2026-11-19 15:10"), per=4, card=V100, script="trocr.py", submit_line="sbatch -p legacy trocr.sh")
    for r in f.ranks:
        f.kernel(f.home(r), 6.2 + r / 50, "kernel_segfault", f"traps: python[{40_000 + r}] trap invalid opcode ip:7f2ad1c0f3a1 sp:7ffc3b70{r}a80 error:0 in libfbgemm_ext.so[7f2ad1a00000+4f1000]", process="python", pid=40_000 + r, kind="invalid opcode", object="libfbgemm_ext.so")
    f.end(f.ranks, 6.3, signal=4, gap=0.02)
    f.load([(0, IDLE)])
    srun_says(f, 7.5, "error: v100-3: tasks 0-3: Illegal instruction (core dumped)", "error: v100-4: tasks 4-7: Illegal instruction (core dumped)")
    f.close("FAILED", 9, code=132, batch=(132, None), step=("FAILED", 0, 4), partition="legacy")
    return made(f, "A2", None)


@job
def second_time_not() -> Made:
    """B1: two batches that did not fit were skipped in the first hours, in the seventh the optimizer's buffers do not fit after a thaw of layers, and that ends it."""
    f = Fleet(("mk-9",), "xtts-voices", 10_481_333, when("2026-11-20 01:30"), per=4, card=L40S, agents=True, script="xtts_ft.py", submit_line="sbatch xtts.sh")
    last = f.steps(0, range(100, 21_001, 100), 50, 1.2, lambda i, x, t: f" > {f.clock(t, '%H:%M:%S')} STEP {i} -- loss: {x:.5f} loss_mel_ce: {x * 0.93:.5f} loss_text_ce: {x * 0.07:.5f} step_time: 1.2{i % 90:02d} loader_time: 0.01{i % 9}", fall(5.1, 2.2, 400))
    for at in (4_100.0, 9_950.0):
        f.say(1, at, f" ! rank 1: skipped a batch of 31.4 s clips (CUDA out of memory. Tried to allocate {2 + at / 9000:.2f} GiB.)")
    f.say(0, last + 1, " > STEP 21000 -- unfreezing gpt.layers 0-11")
    f.each(last + 3, frames(("/vx/xtts_ft.py", 201, "<module>", "trainer.fit()"), ("/vx/env/lib/python3.11/site-packages/trainer/trainer.py", 1160, "optimize", "optimizer.step()"), ("/vx/env/lib/python3.11/site-packages/torch/optim/adamw.py", 153, "_init_group", "state[\"exp_avg\"] = torch.zeros_like("), error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 98.00 MiB. GPU {l} has a total capacity of 44.39 GiB of which 41.31 MiB is free. Including non-PyTorch memory, this process has 44.34 GiB memory in use. Of the allocated memory 42.97 GiB is allocated by PyTorch, and 801.12 MiB is reserved by PyTorch but unallocated. " + MEMORY), tag="[rank{r}]: ", gap=0.1)
    f.end(f.ranks, last + 5, code=1, gap=0.1)
    elastic(f, 0, last + 9, [(r, 1, last + 5 + 0.1 * r) for r in range(4)], binary="/vx/env/bin/python")
    f.load([(0, IDLE), (46, Load(95, 0, 0.82, 0.9)), (last + 1, Load(95, 0, 0.8, 0.998))])
    f.close("FAILED", last + 12, code=1)
    return made(f, "B1", "cuda_oom")


@job
def first_among_many_words() -> Made:
    """A3: rank 9 meets a record without its key; seconds later fifteen others print NCCL's complaints of a lost peer, louder than it."""
    f = Fleet(("iv-1", "iv-2"), "catalog-clip", 10_481_690, when("2026-11-21 20:00"), per=8, card=A100, script="catalog/train.py", submit_line="sbatch cat.sh")
    last = f.steps(0, range(50, 4751, 50), 70, 1.9, lambda i, x, t: f"{f.clock(t)} | catalog | {i:>6}/50000 | clip {x:.4f} | r@5 {max(0.02, 0.71 - x / 7):.3f} | {16 * 256 / 1.9:.0f} img/s", fall(5.4, 1.2, 200))
    f.say(9, last + 20, frames(("/c/catalog/train.py", 180, "<module>", "main()"), ("/c/catalog/train.py", 131, "main", "for images, texts in stream:"), ("/c/catalog/records.py", 66, "parse", "title = row[\"title_en\"]"), error="KeyError: 'title_en'"))
    f.end(9, last + 22, code=1)
    for r in f.ranks:
        if r not in (9, 0):
            f.say(r, last + 24 + r / 20, f"{f.home(r)}:400{r:02d}:408{r:02d} [{r % 8}] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer iv-2.lan<{50_000 + r}>\n" + frames(("/c/catalog/train.py", 180, "<module>", "main()"), ("/c/catalog/train.py", 144, "main", "loss.backward()"), error="torch.distributed.DistBackendError: NCCL communicator was aborted on rank " + f"{r}. Original reason for failure was: NCCL error: remote process exited or there was a network error, NCCL version 2.21.5\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketProgress: Connection closed by remote peer iv-2.lan<{50_000 + r}>"))
            f.end(r, last + 26 + r / 20, code=1)
    f.end(0, last + 31, signal=9)
    f.load([(0, IDLE), (66, WORK)])
    srun_says(f, last + 23, "error: iv-2: task 9: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: iv-1: tasks 1-7: Exited with exit code 1", "error: iv-2: tasks 8,10-15: Exited with exit code 1", "error: iv-1: task 0: Killed")
    f.close("FAILED", last + 34, code=1)
    return made(f, "A3", "traceback", first=(9,))


@job
def drained_long_ago() -> Made:
    """A3: a node had been set to drain the day before for a fan; what ends the run is a scratch file that a cleaner took away."""
    f = Fleet(("fa-3", "fa-4"), "radar-nowcast", 10_482_021, when("2026-11-22 04:00"), per=4, card=H100, agents=True, script="nowcast.py", submit_line="sbatch -N2 radar.sh", limit_s=259_200)
    f.event("fa-4", -97_000, "DRAIN", "fan 6 replace when empty")
    last = f.steps(0, range(40, 9001, 40), 60, 3.0, lambda i, x, t: f"[rank0] {f.clock(t, '%d %H:%M:%S')} nowcast {i:>6} | csi loss {x:.4f} | 30-min csi {0.62 - x / 3:.4f}", fall(1.0, 0.35, 300))
    f.say(6, last + 70, frames(("/rn/nowcast.py", 155, "<module>", "run()"), ("/rn/nowcast.py", 120, "run", "for x, y in loader:"), ("/rn/env/lib/python3.12/site-packages/zarr/storage/_local.py", 188, "get", "return await asyncio.to_thread(_get, path, prototype, byte_range)"), error="FileNotFoundError: [Errno 2] No such file or directory: '/scratch/rn/opera_2025.zarr/dbz/c/811/0/0'"), "[rank6]: ")
    f.end(6, last + 72, code=1)
    f.end([r for r in f.ranks if r != 6], last + 75, signal=15)
    sigterms(f, 1, last + 73, [4, 5, 7])
    elastic(f, 1, last + 77, [(6, 1, last + 72)], binary="/rn/env/bin/python")
    sigterms(f, 0, last + 74, range(4))
    f.load([(0, IDLE), (56, WORK)])
    srun_says(f, last + 79, "error: fa-4: task 1: Exited with exit code 1")
    f.close("FAILED", last + 82, code=1)
    return made(f, "A3", "file_not_found", first=(6,))


@job
def old_rows_new_path() -> Made:
    """A1: a card has carried three remapped rows for months, but a manifest's path is what stops all ranks at the start."""
    f = Fleet(("hb-12",), "asr-conformer-et", 10_482_377, when("2026-11-23 10:30"), per=4, card=A100, agents=True, script="asr/run.py", submit_line="sbatch asr.sh")
    threads_note(f, 4)
    f.each(12, "[NeMo I 2026-11-23 10:30:12 collections:196] rank {r}: reading /data/et/train_manifest_v2.json", gap=0.02)
    f.each(13, frames(("/asr/run.py", 77, "<module>", "main()"), ("/asr/run.py", 49, "main", "model.setup_training_data(cfg.train_ds)"), ("/asr/env/lib/python3.11/site-packages/nemo/collections/common/parts/preprocessing/manifest.py", 90, "item_iter", "with open(expand_path, 'r') as f:"), error="FileNotFoundError: [Errno 2] No such file or directory: '/data/et/train_manifest_v2.json'"), tag="[rank{r}]: ", gap=0.04)
    f.end(f.ranks, 15, code=1, gap=0.04)
    elastic(f, 0, 18, [(r, 1, 15 + 0.04 * r) for r in range(4)], binary="/asr/env/bin/python")
    f.marks[1] = ({"remapped_rows_uncorrectable": 1, "remapped_rows_correctable": 2, "ecc_aggregate_uncorrected": 1, "ecc_aggregate_corrected": 77}, {})
    f.load([(0, IDLE), (9, CONTEXT)])
    f.close("FAILED", 21, code=1)
    return made(f, "A1", "file_not_found", variant="data")


@job
def given_up_on_nans() -> Made:
    """E1: a Flax program's loss is nan from step 900; its owner sees it four hours later and cancels."""
    f = Fleet(("tq-1", "tq-2"), "vit-g-scratch", 10_482_700, when("2026-11-24 06:00"), per=4, card=GH200, script="big_vision/train.py", submit_line="sbatch vg.sh")
    curve = fall(7.2, 3.9, 150)
    last = f.steps(0, range(50, 7201, 50), 120, 2.1, lambda i, x, t: f"I{f.clock(t, '%m%d %H:%M:%S')}.4{i % 90 + 10}118 40000 metric_logger.py:61] [{i}] training_loss: {x:.5f} l2_grads: {format(0.9 + x / 9 if i < 800 else 11.3, '.4f') if i < 900 else 'nan'} global_schedule: {min(1, i / 10_000):.4f} img/sec/core: 611.2", lambda i: curve(i) if i < 900 else float("nan"))
    taken_down(f, last + 40, "")
    f.end(f.ranks, last + 42, signal=15)
    f.load([(0, IDLE), (116, Load(98, 55, 0.8, 0.77))])
    f.close("CANCELLED", last + 46, signal=15, cancelled_by_uid=1042)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def still_judging() -> Made:
    """F3: the limit comes while a long evaluation goes on, batch after batch; training had been at two thirds."""
    f = Fleet(("ys-3",), "lm-harness-ft", 10_483_011, when("2026-11-25 12:00"), per=8, card=B200, limit_s=28_800, agents=True, script="ft_eval.py", submit_line="sbatch -t 8:00:00 fe.sh")
    last = f.steps(0, range(10, 2001, 10), 90, 12.0, lambda i, x, _t: f"{{'loss': '{x:.4f}', 'grad_norm': '{0.4 + x:.3f}', 'learning_rate': '{1e-5 * (1 - i / 3000):.3e}', 'epoch': '{i / 1000:.2f}'}}", fall(1.6, 0.88, 90))
    f.say(0, last + 5, "***** Running Evaluation *****\n  Num examples = 48800\n  Batch size = 8")
    f.steps(0, range(10, 763, 10), last + 10, 6.6, lambda i, _x, t: bar(i, 763, t - last - 10), lambda _i: 0.0, until=28_800)
    taken_down(f, 28_809, "DUE TO TIME LIMIT")
    f.end(f.ranks, 28_812, signal=15)
    f.load([(0, IDLE), (86, WORK), (last + 5, Load(90, 30, 0.55, 0.79, 12))])
    f.close("TIMEOUT", 28_815, signal=15)
    return made(f, "F3", variant="advancing")


@job
def no_road_to_the_host() -> Made:
    """C1: three of four agents' clients cannot reach the first node's port, they say how often they tried and leave after ten minutes."""
    f = Fleet(("nz-11", "nz-12", "nz-13", "nz-14"), "minicpm-ct", 10_483_344, when("2026-11-26 18:00"), per=8, card=H100, agents=True, script="ct.py", submit_line="sbatch -N4 mc.sh")
    f.points, f.unborn = 12, set(f.ranks)
    for n in (1, 2, 3):
        for k, at in enumerate((9, 11, 16, 30, 61, 122, 240, 410)):
            stamp = f.clock(at + n / 3, "%m%d %H:%M:%S")
            f.launcher[n].append((at + n / 3, f"[W{stamp}.{118_000_400 + 7011 * k + n} socket.cpp:755] [c10d] The client socket has failed to connect to [nz-11.hpc]:29500 (errno: 113 - No route to host)."))
        f.launcher[n].append((609 + n / 3, f"[E{f.clock(609 + n / 3, '%m%d %H:%M:%S')}.{118_440_000 + n} socket.cpp:1015] [c10d] The client socket has timed out after 600000ms while trying to connect to (nz-11, 29500).\n" + frames(("/mc/env/bin/torchrun", 8, "<module>", "sys.exit(main())"), ("/mc/env/lib/python3.11/site-packages/torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py", 160, "_create_tcp_store", "store = TCPStore("), error="torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (nz-11, 29500).")))
        f.end(range(8 * n, 8 * n + 8), 611 + n / 3, code=1, gap=0)
    f.end(range(8), 640, code=1, gap=0)
    f.load([(0, IDLE)])
    srun_says(f, 613, "error: nz-12: task 1: Exited with exit code 1", "error: nz-13: task 2: Exited with exit code 1", "error: nz-14: task 3: Exited with exit code 1", "Job step aborted: Waiting up to 32 seconds for job step to finish.")
    f.close("FAILED", 645, code=1)
    return made(f, "C1", "traceback", fault="unknown")


@job
def on_the_processor() -> Made:
    """D1: Lightning says that a GPU is there and not used; the network learns on the processor for six hours beside four idle cards."""
    f = Fleet(("gq-2",), "lstm-demand", 10_483_690, when("2026-11-27 00:10"), per=4, card=A100, agents=True, script="demand.py", submit_line="sbatch --gres=gpu:4 demand.sh")
    f.unborn = {1, 2, 3}
    f.say(0, 13, "GPU available: True (cuda), used: False\nTPU available: False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs\n/home/pk/env/lib/python3.11/site-packages/lightning/pytorch/trainer/setup.py:177: GPU available but not used. You can set it by doing `Trainer(accelerator='gpu')`.\n\n  | Name | Type | Params | Mode \n--------------------------------------\n0 | lstm | LSTM | 8.4 M  | train\n--------------------------------------\n8.4 M     Trainable params")
    last = f.steps(0, range(40), 20, 540, lambda i, x, _t: f"Epoch {i}: 100%|██████████| 912/912 [09:00<00:00,  1.69it/s, v_num=1, train_loss={x:.4f}, val_loss={x * 1.05:.4f}]", fall(0.9, 0.2, 5))
    f.say(0, last + 5, "`Trainer.fit` stopped: `max_epochs=40` reached.")
    f.load([(0, IDLE)])
    f.close("COMPLETED", last + 12)
    return made(f, "D1")


@job
def by_its_own_hand() -> Made:
    """F2: Lightning saw the signal before the limit, saved and asked Slurm to queue the job again; the second try goes on from there and ends as planned."""
    f = Fleet(("jb-1", "jb-2"), "swin-histology", 10_484_005, when("2026-11-28 08:00"), per=4, card=H100, limit_s=28_800, script="histo.py", submit_line="sbatch --signal=SIGUSR1@180 -t 8:00:00 histo.sh")
    f.ended("REQUEUED", end=-400, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), start_ns=f.at(-29_000), submit_ns=f.at(-29_100), end_ns=f.at(-400), elapsed_s=28_600, restarts=0, partition="gpu")
    f.script_words.append((1, "SLURM_RESTART_COUNT=1"))
    lightning_head(f, 14, "Restoring states from the checkpoint path at /jb/histo/hpc_ckpt_1.ckpt\n\n  | Name | Type | Params | Mode \n--------------------------------------\n0 | net  | SwinV2 | 195 M | train\n--------------------------------------\n195 M     Trainable params\nRestored all states from the checkpoint at /jb/histo/hpc_ckpt_1.ckpt")
    at = 60.0
    for e in range(31, 51):
        at += 890
        f.say(0, at, f"Epoch {e}: 100%|██████████| 1402/1402 [14:50<00:00,  1.57it/s, v_num=10484005, train_loss={0.19 - e / 900:.4f}, val_auc={0.94 + e / 2000:.4f}]")
    f.say(0, at + 3, "`Trainer.fit` stopped: `max_epochs=51` reached.")
    f.load([(0, IDLE), (52, WORK)])
    f.close("COMPLETED", at + 12, restarts=1)
    return made(f, "F2", fault="none", variant="requeued_recovered")


@job
def empty_corner() -> Made:
    """Hard: one of the evaluation's subsets is empty, its loss is nan in every table; the training and all other subsets get better to the end."""
    f = Fleet(("ea-1", "ea-2"), "mt-60-langs", 10_484_360, when("2026-11-29 11:00"), per=8, card=A100, agents=True, script="mt60.py", submit_line="sbatch mt60.sh")
    last = f.steps(0, range(100, 8001, 100), 77, 1.7, lambda i, x, t: f"[rank0] {f.clock(t)} u{i} nll {x:.4f} wps {181_000 + i % 900}" + (f"\n[rank0] valid | all {x + 0.04:.4f} | fi {x - 0.1:.4f} | et {x + 0.11:.4f} | se nan (0 lines) | kv {x + 0.61:.4f}" if i % 1000 == 0 else ""), fall(8.9, 2.3, 200))
    f.say(0, last + 30, "[rank0] 8000 updates, averaged last 5, chrF 51.2, finished")
    f.load([(0, IDLE), (72, WORK)])
    f.close("COMPLETED", last + 40)
    return good(f, hard=True)


@job
def drains_while_it_runs() -> Made:
    """Hard: an operator sets one of its nodes to drain in mid-run for tomorrow's maintenance; the run goes on and ends as it should."""
    f = Fleet(("oo-5", "oo-6", "oo-7"), "mesh-graph-net", 10_484_700, when("2026-11-30 05:00"), per=4, card=H200, script="mgn.py", submit_line="sbatch -N3 mgn.sh")
    f.event("oo-6", 9_000, "DRAIN", "maintenance 2026-12-01 cable swap")
    last = f.steps(0, range(250, 20_001, 250), 55, 1.2, lambda i, x, t: f"{i},{x:.6f},{1e-4 * 0.1 ** (i / 20_000):.3e},{f.clock(t)}", fall(0.8, 0.02, 900))
    f.say(0, last + 20, "rollout rmse (600 steps): 0.0114\nexit ok")
    f.load([(0, IDLE), (50, Load(94, 38, 0.66, 0.44, 10))])
    f.close("COMPLETED", last + 26)
    return good(f, hard=True)


@job
def watcher_put_down() -> Made:
    """Hard: the script's side step of nvidia-smi is ended by the script when training is over: srun speaks of a termination, the job completed."""
    f = Fleet(("uh-8",), "detr-parking", 10_485_020, when("2026-12-01 09:00"), per=4, card=L40S, agents=True, script="rtdetr.py", submit_line="sbatch park.sh")
    last = f.steps(0, range(1, 73), 40, 210, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} epoch [{i}/72] loss={x:.3f} loss_vfl={x / 9:.3f} loss_bbox={x / 12:.3f} AP={0.52 - x / 60:.4f}", fall(21, 8, 9))
    f.say(0, last + 9, f"{f.clock(last + 9, '%H:%M:%S')} best AP 0.3411 at 71, exported rtdetr.onnx")
    f.script_words += [(2, "smi.log is written by step 1"), (last + 12, f"srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nslurmstepd: error: *** STEP {f.job_id}.1 ON uh-8 CANCELLED AT {f.clock(last + 12, '%Y-%m-%dT%H:%M:%S')} ***\nsrun: error: uh-8: task 0: Terminated"), (last + 13, "training left with 0, smi watcher stopped")]
    f.load([(0, IDLE), (36, Load(95, 0, 0.84, 0.7))])
    f.close("COMPLETED", last + 15)
    return good(f, hard=True)


@job
def codes_for_music() -> Made:
    """An audio codec, adversarial losses that sway, two nodes, its planned end."""
    f = Fleet(("sy-1", "sy-2"), "dac-44k", 10_485_355, when("2026-12-02 20:00"), per=4, card=H100, agents=True, script="scripts/train.py", submit_line="sbatch dac.sh")
    trainer = fall(1.9, 0.71, 900)
    last = f.steps(0, range(250, 40_001, 250), 60, 0.52, lambda i, x, t: f"[rank0] {f.clock(t, '%H:%M:%S')} it {i:>6}/40000 mel/loss {x:.4f} stft/loss {x * 1.9:.4f} vq/commitment {0.9 + i % 7 / 90:.4f} adv/gen {4.1 + (i * 17 % 13) / 13:.3f} adv/disc {2.2 - (i * 11 % 7) / 9:.3f}", trainer)
    f.say(0, last + 11, "[rank0] saved runs/dac/latest and runs/dac/best, 40000 iterations done")
    f.load([(0, IDLE), (56, WORK)])
    f.close("COMPLETED", last + 18)
    return good(f)


@job
def simple_vision() -> Made:
    """Timm's script over four nodes to its last epoch."""
    f = Fleet(("ce-1", "ce-2", "ce-3", "ce-4"), "convnextv2-b", 10_485_690, when("2026-12-03 15:00"), per=4, card=A100, agents=True, script="train.py", submit_line="sbatch -N4 cnx.sh")
    threads_note(f, 5)
    at = 40.0
    for e in range(10):
        at = f.steps(0, range(50, 626, 50), at + 8, 0.95, lambda i, x, _t, e=e: f"Train: {e} [{i:>4d}/625 ({100 * i / 624:>3.0f}%)]  Loss: {x:.3g} ({x + 0.05:.3g})  Time: 0.95{i % 9}s, {2048 / 0.95:>7.2f}/s  (0.951s, 2153.52/s)  LR: 1.{e}00e-03  Data: 0.013 (0.017)", lambda i, e=e: fall(6.9, 2.9, 500)(i + 625 * e))  # type: ignore[misc]
        at += 50
        f.say(0, at, f"Test: [  24/24]  Time: 0.301 (0.412)  Loss:   {4.1 - e / 5:.3f} ({4.2 - e / 5:.3f})  Acc@1:  {24 + 4 * e:.3f} ( {23.6 + 4 * e:.3f})  Acc@5:  {48 + 3 * e:.3f} ( {47.9 + 3 * e:.3f})\nCurrent checkpoints:\n ('./output/train/cnx/checkpoint-{e}.pth.tar', {23.6 + 4 * e:.3f})")
    f.say(0, at + 3, "*** Best metric: 59.6 (epoch 9)")
    f.load([(0, IDLE), (36, WORK)])
    f.close("COMPLETED", at + 12)
    return good(f)
