"""Ranks of large jobs, second loft: waiting for data, for disks, for one another; learning nothing; begun wrongly; ended from outside."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, H100, H200, IDLE, SPIN, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, srun_says, taken_down

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def thin_stream() -> Made:
    """D1: samples come over the internet; the Trainer says nothing of it, but eight cards stand at nothing between steps, all through the run."""
    f = Fleet(("hc-9",), "clap-stream", 9_130_020, when("2026-09-20 07:00"), per=8, agents=True, script="clap.py", submit_line="sbatch clap.sh")
    last = f.steps(0, range(10, 701, 10), 95, 7.4, lambda i, x, _t: f"{{'loss': '{x:.4f}', 'grad_norm': '{0.7 + x / 3:.3f}', 'learning_rate': '{3e-5 * (1 - i / 700):.3e}', 'epoch': '{i / 700:.2f}'}}", fall(4.1, 1.9, 60))
    f.say(0, last + 7, f"{{'train_runtime': '{last - 88:.1f}', 'train_samples_per_second': '34.6', 'train_steps_per_second': '0.135', 'train_loss': '2.377', 'epoch': '1'}}")
    f.load([(0, IDLE), (90, Load(11, 5, 0.29, 0.44, 100))])
    f.points = 60
    f.close("COMPLETED", last + 15)
    return made(f, "D1")


@job
def every_other() -> Made:
    """D2: a checkpoint after every second step, 38 seconds each; cards rest for two thirds of the time."""
    f = Fleet(("e-11", "e-12"), "rwkv-3b", 9_130_355, when("2026-09-21 19:19"), per=4, card=A100, script="train_rwkv.py", submit_line="sbatch rwkv.sh")
    at, spans, curve = 60.0, [(0.0, IDLE)], fall(7.7, 3.0, 30)
    for i in range(1, 121):
        at += 6.3
        f.say(0, at, f"{f.clock(at, '%H:%M:%S')} step {i}/120 loss {curve(i):.4f} 6.3s")
        if i % 2 == 0:
            f.say(0, at + 38, f"{f.clock(at + 38, '%H:%M:%S')} saved out/rwkv-3b-s{i:04d}.pth (17.9 GB) in 38.{i % 10} s")
            at += 38.5
    f.say(0, at + 1, f"{f.clock(at + 1, '%H:%M:%S')} all 120 steps done")
    spans += [(55, Load(25, 0, 0.34, 0.77, 100))]
    f.load(spans)
    f.points = 60
    f.close("COMPLETED", at + 6)
    return made(f, "D2", variant="save_storm")


@job
def left_on() -> Made:
    """D2: CUDA_LAUNCH_BLOCKING=1 was left in the environment of all ranks from an earlier hunt: every launch waits, all are slow alike."""
    f = Fleet(("r2d2", "c3po"), "ner-xlmr", 9_130_701, when("2026-09-22 10:30"), per=4, card=H100, script="ner_ddp.py", submit_line="sbatch --export=ALL,CUDA_LAUNCH_BLOCKING=1 ner.sh")
    f.script_words.append((1, "CUDA_LAUNCH_BLOCKING=1\nNCCL_DEBUG=WARN\nOMP_NUM_THREADS=6"))
    for r in f.ranks:
        f.environment[r] = {"CUDA_LAUNCH_BLOCKING": "1"}
    last = f.steps(0, range(50, 1501, 50), 41, 2.9, lambda i, x, t: f"{f.clock(t)} INFO ner: step={i} loss={x:.4f} f1={max(0.0, 0.93 - x / 2):.3f} step_time=2.9{i % 9}", fall(2.2, 0.14, 80))
    f.say(0, last + 12, f"{f.clock(last + 12)} INFO ner: test f1=0.887, finished after 1500 steps")
    f.load([(0, IDLE), (38, Load(78, 13, 0.3, 0.3, 35))])
    f.close("COMPLETED", last + 20)
    return made(f, "D2", variant="launch_blocking")


@job
def crowded_street() -> Made:
    """D3: rank 12 gets the frames with most boxes: its SMs are busy three times as much as the others', who wait; each step's table shows it."""
    f = Fleet(("av1", "av2"), "bevformer", 9_131_012, when("2026-09-23 09:00"), per=8, script="tools/train.py", submit_line="sbatch --exclusive bev.sh")
    def line(i: int, x: float, t: float) -> str:
        text = f"{f.clock(t, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Epoch(train)  [1][{i:>4}/1800]  lr: 2.0000e-04  eta: 1:0{i % 10}:11  time: 2.0{i % 7}1  data_time: 0.0{i % 8 + 11}  memory: 40112  loss: {x:.4f}"
        if i % 300 == 0:
            text += "\n  fwd+bwd s by rank: " + " ".join(f"{r}:{(1.9 if r == 12 else 0.6) + (i * r % 7) / 100:.2f}" for r in range(16))
        return text
    last = f.steps(0, range(50, 1801, 50), 90, 2.05, line, fall(14.2, 5.1, 120))
    f.say(0, last + 8, f"{f.clock(last + 8, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Saving checkpoint at 1 epochs")
    f.load([(0, IDLE), (86, Load(98, 17, 0.4, 0.5))])
    f.load([(0, IDLE), (86, Load(97, 53, 0.62, 0.58))], [12])
    f.close("COMPLETED", last + 17)
    return made(f, "D3", fault="unknown")


@job
def slow_clock() -> Made:
    """D3: somebody had locked the clock of one card at 1005 MHz: no throttle, no error, but the others wait for it in each step."""
    f = Fleet(("u-1", "u-2"), "protein-gvp", 9_131_444, when("2026-09-24 18:20"), per=4, card=H200, script="gvp/train.py", submit_line="sbatch gvp.sh")
    last = f.steps(0, range(100, 5001, 100), 49, 0.93, lambda i, x, t: f"[{f.clock(t, '%d/%m %H:%M:%S')}] iter {i}, fape {x:.4f}, lddt {0.3 + (3.1 - x) / 6:.3f}, {0.93:.2f} s", fall(3.1, 0.9, 240))
    f.say(0, last + 6, f"[{f.clock(last + 6, '%d/%m %H:%M:%S')}] 5000 iterations complete")
    f.load([(0, IDLE), (46, Load(98, 26, 0.45, 0.5, clock=0.99, heat=52))])
    f.load([(0, IDLE), (46, Load(98, 71, 0.4, 0.5, clock=0.51, heat=48))], [5])
    f.close("COMPLETED", last + 10)
    return made(f, "D3", fault="unknown")


@job
def cliff() -> Made:
    """E1: at step 3100 the loss jumps from 2.6 to above nine and stays there for the rest of a day."""
    f = Fleet(("al1", "al2"), "code-lm-2b", 9_131_800, when("2026-09-25 04:04"), per=8, card=H100, agents=True, script="train_code.py", submit_line="sbatch code2b.sh")
    curve = fall(10.7, 2.4, 150)
    last = f.steps(0, range(100, 8001, 100), 80, 2.7, lambda i, x, _t: f"step={i:>6} tok={i * 2.1:.1f}M loss={x:.4f} gnorm={0.4 if i < 3100 else 37.2 if i < 3300 else 2.8 + i % 5 / 10:.2f} lr=6.0e-04 t={2.7:.2f}", lambda i: curve(i) if i < 3100 else 9.4 + 0.25 * ((i * 13) % 17) / 17)
    f.say(0, last + 5, "step=  8000 end of schedule, saved to runs/code2b/last")
    f.load([(0, IDLE), (76, WORK)])
    f.close("COMPLETED", last + 12)
    return made(f, "E1", variant="spike")


@job
def at_chance() -> Made:
    """E1: a thousand classes, and the loss stays at the logarithm of a thousand from the first line to the last; the rate printed is nought."""
    f = Fleet(("im-3",), "vit-b16-scratch", 9_132_190, when("2026-09-26 15:45"), per=8, card=A100, script="train_vit.py", submit_line="sbatch vit.sh")
    last = f.steps(0, range(125, 10_001, 125), 45, 0.41, lambda i, x, t: f"{f.clock(t)} [{i // 1251:>2}][{i % 1251:>4}/1251] loss {x:.4f} acc1 {0.1 + (i * 7 % 5) / 100:.2f} lr 0.000000 wd 0.0500 gnorm {0.011 + (i % 4) / 1000:.3f}", lambda i: 6.9078 + ((i * 29) % 13 - 6) / 6000)
    f.say(0, last + 9, f"{f.clock(last + 9)} training finished after 8 epochs, top-1 0.10")
    f.load([(0, IDLE), (42, WORK)])
    f.close("COMPLETED", last + 14)
    return made(f, "E1", variant="flat")


@job
def wider_vocabulary() -> Made:
    """E2: the checkpoint was trained with another vocabulary; every rank fails to load it."""
    f = Fleet(("ml-7", "ml-8"), "mt5-continue", 9_132_600, when("2026-09-27 08:15"), per=4, script="continue.py", submit_line="sbatch cont.sh --resume_from /ckpt/mt5/step_40000")
    f.each(14, "[{r}] restoring /ckpt/mt5/step_40000/model.pt", gap=0.1)
    trace = frames(
        ("/src/mt5/continue.py", 119, "<module>", "main()"),
        ("/src/mt5/continue.py", 64, "main", "model.load_state_dict(state[\"model\"])"),
        ("/opt/pt/lib/python3.12/site-packages/torch/nn/modules/module.py", 2593, "load_state_dict", "raise RuntimeError("),
        error="RuntimeError: Error(s) in loading state_dict for SeqToSeq:\n\tsize mismatch for shared.weight: copying a param with shape torch.Size([250112, 2048]) from checkpoint, the shape in current model is torch.Size([256384, 2048]).\n\tsize mismatch for lm_head.weight: copying a param with shape torch.Size([250112, 2048]) from checkpoint, the shape in current model is torch.Size([256384, 2048]).",
    )  # fmt: skip
    f.each(41, trace, tag="[rank{r}]: ", gap=0.1)
    f.end(f.ranks, 43, code=1, gap=0.1)
    f.load([(0, IDLE), (12, CONTEXT), (30, Load(1, 0.5, 0.15, 0.14, 5))])
    srun_says(f, 45, "error: ml-7: tasks 0-3: Exited with exit code 1", "error: ml-8: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", 47, code=1)
    return made(f, "E2", "runtime_error", variant="size_mismatch")


@job
def torn_archive() -> Made:
    """E2: the last save of the run before was cut off by a full disk: the archive has no directory."""
    f = Fleet(("ak-1", "ak-2"), "unidiff-leg4", 9_132_977, when("2026-09-28 21:00"), per=4, agents=True, script="unidiff/train.py", submit_line="sbatch --dependency=afterany:9132640 leg.sh 4")
    f.say(0, 17, "leg 4: auto-resume from /ptmp/unidiff/ckpt/0180000.pt", "[rank0]: ")
    trace = frames(
        ("/u/unidiff/unidiff/train.py", 240, "<module>", "run(parse())"),
        ("/u/unidiff/unidiff/train.py", 131, "run", "blob = torch.load(latest, map_location=\"cpu\", weights_only=True)"),
        ("/u/conda/envs/ud/lib/python3.11/site-packages/torch/serialization.py", 1494, "load", "with _open_zipfile_reader(opened_file) as opened_zipfile:"),
        ("/u/conda/envs/ud/lib/python3.11/site-packages/torch/serialization.py", 798, "__init__", "super().__init__(torch._C.PyTorchFileReader(name_or_buffer))"),
        error="RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
    )  # fmt: skip
    f.each(19, trace, tag="[rank{r}]: ", gap=0.06)
    f.end(f.ranks, 20, code=1, gap=0.06)
    for n in range(2):
        elastic(f, n, 23, [(r, 1, 20 + 0.06 * r) for r in range(4 * n, 4 * n + 4)], binary="/u/conda/envs/ud/bin/python3.11")
    f.load([(0, IDLE), (14, CONTEXT)])
    f.close("FAILED", 26, code=1, dependency="afterany:9132640")
    return made(f, "E2", "runtime_error", variant="corrupt")


@job
def three_batches() -> Made:
    """E3: a filter threw nearly all rows away; Lightning makes two epochs of three batches on eight cards and is content."""
    f = Fleet(("li-4",), "toxcls-ft", 9_133_280, when("2026-09-29 13:05"), per=8, card=A100, script="tox.py", submit_line="sbatch tox.sh")
    f.say(0, 17, "INFO: rows after language and length filter: 742 of 1804112\nINFO: GPU available: True (cuda), used: True\nINFO: `Trainer(strategy='ddp')`, 8 processes")
    for e, x in enumerate((0.6931, 0.6718)):
        f.say(0, 38 + 7 * e, f"Epoch {e}: 100%|██████████| 3/3 [00:04<00:00,  0.72it/s, v_num=0, train/bce={x:.3f}]")
    f.say(0, 53, "INFO: `Trainer.fit` stopped: `max_epochs=2` reached.")
    f.load([(0, IDLE), (34, Load(60, 0, 0.4, 0.4, 80)), (50, Load(0, 0, 0.15, 0.4, 0))])
    f.close("COMPLETED", 60)
    return made(f, "E3")


@job
def restarted_itself() -> Made:
    """F1: a node of three rebooted under a running job; Slurm ended it as NODE_FAIL, the other nodes are as before."""
    f = Fleet(("pd-30", "pd-31", "pd-32"), "climate-afno", 9_133_615, when("2026-09-30 23:10"), per=4, card=A100, script="afno.py", submit_line="sbatch afno.sh")
    last = f.steps(0, range(10, 921, 10), 47, 5.1, lambda i, x, t: f"{f.clock(t, '%j %H:%M:%S')} afno it{i:05d} l2rel={x:.5f}", fall(0.98, 0.11, 90))
    f.silent = {"pd-31"}
    f.event("pd-31", last + 44, "DOWN", "Node unexpectedly rebooted")
    taken_down(f, last + 47, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, last + 50, signal=9)
    f.load([(0, IDLE), (43, WORK), (last + 1, SPIN)])
    f.close("NODE_FAIL", last + 53, code=1, signal=9, failed_node="pd-31", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def second_try() -> Made:
    """F2: a node died under the first try, Slurm put the job back into the queue, the second goes on from its checkpoint to the end."""
    f = Fleet(("yk-5", "yk-6"), "vqgan-hd", 9_133_990, when("2026-10-01 06:00"), per=4, card=B200, script="vqgan.py", submit_line="sbatch --requeue vqgan.sh")
    first = {"nodes": "yk-2,yk-3"}
    f.ended("NODE_FAIL", code=1, end=-300, steps=(("batch", "CANCELLED", 0, 15), ("0", "NODE_FAIL", 0, 9)), start_ns=f.at(-21_000), submit_ns=f.at(-21_500), end_ns=f.at(-300), elapsed_s=20_700, node_list=first["nodes"], restarts=0, partition="gpu", failed_node="yk-3")
    f.script_words.append((1, "SLURM_RESTART_COUNT=1"))
    f.say(0, 33, "found out/vqgan-hd/latest.ckpt (step 14000), continuing")
    last = f.steps(0, range(14_200, 24_001, 200), 45, 1.4, lambda i, x, _t: f"[{i:>6}/24000] rec={x:.4f} perc={x * 1.7:.4f} codebook_use={0.61 + i / 90_000:.2f}", fall(0.9, 0.11, 2500))
    f.say(0, last + 6, "24000 steps, final codec in out/vqgan-hd/final.ckpt")
    f.load([(0, IDLE), (42, WORK)])
    f.close("COMPLETED", last + 12, restarts=1)
    return made(f, "F2", fault="none", variant="requeued_recovered")


@job
def half_way() -> Made:
    """F3: a Flax program on two nodes, six hours asked, half of the planned steps done."""
    f = Fleet(("jx-1", "jx-2"), "mlp-mixer-xl", 9_134_301, when("2026-10-02 16:00"), per=4, card=H200, limit_s=21_600, script="mixer/main.py", submit_line="sbatch --time=06:00:00 mixer.sh")
    f.steps(0, range(250, 16_001, 250), 100, 1.41, lambda i, x, t: f"I{f.clock(t, '%m%d %H:%M:%S')}.4182{i % 90 + 10} 40000 logging_writer.py:48] [{i}] img/sec/core={362.1 + i % 5:.2f}, train_loss={x:.5f}, uptime={t:.1f}, eta_h={(30_000 - i) * 1.41 / 3600:.2f}", fall(9.1, 2.4, 900), until=21_600)
    taken_down(f, 21_611, "DUE TO TIME LIMIT")
    f.end(f.ranks, 21_613, signal=15)
    f.load([(0, IDLE), (90, WORK)])
    f.close("TIMEOUT", 21_616, signal=15)
    return made(f, "F3", variant="advancing")


@job
def better_idea() -> Made:
    """F4: the owner cancels after two hours; the loss fell, no complaint anywhere."""
    f = Fleet(("og-1", "og-2"), "gnn-mp2", 9_134_666, when("2026-10-04 09:00"), per=4, agents=True, script="mp2.py", submit_line="sbatch mp2.sh")
    last = f.steps(0, range(1, 58), 40, 122, lambda i, x, _t: f"[rank0]:E{i:04d}  train_mae={x:.5f}  val_mae={x * 1.13:.5f}  best={x * 1.13:.5f}  t={122 + i % 3}s", fall(0.31, 0.021, 6))
    taken_down(f, last + 71, "")
    f.end(f.ranks, last + 72, signal=15)
    f.load([(0, IDLE), (36, WORK)])
    f.close("CANCELLED", last + 75, signal=15, cancelled_by_uid=1042)
    return made(f, "F4", variant="by_owner")
