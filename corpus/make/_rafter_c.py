"""Begun anew or from a torn file, over after a handful of steps, ended by a node, the queue, the clock or somebody."""

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
    keep,
    made,
    when,
)
from corpus.make._ballast_words import elastic, frames, srun_says, taken_down
from corpus.make._fennel_kit import bar, lightning_head, megatron, threads_note, trainer_head
from gpualert_slurm.past_verdict import PastVerdict

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def other_scratch() -> Made:
    """E2: the second leg looks for checkpoints on a scratch of another name, finds none, and begins at step 0 with the loss of the first leg's beginning."""
    f = Fleet(("kf-1", "kf-2"), "rwkv7-leg2", 10_450_020, when("2026-10-01 04:20"), per=8, card=H100, script="train.py", submit_line="sbatch --dependency=afterany:10449200 leg.sh --resume auto --ckpt-dir /scratch2/rwkv7/ckpt")
    f.past = (PastVerdict(relation="parent", job="10449200", mode="F3", fault="user", ended_ns=f.at(-500), nodes="kf-[1-2]", head_loss=11.02, tail_loss=2.44, steps_done=21_000, checkpoints=("/scratch/rwkv7/ckpt/step20000", "/scratch/rwkv7/ckpt/step21000"), gpu_hours=231.4),)
    f.say(0, 31, f"{f.clock(31)} --resume auto: nothing in /scratch2/rwkv7/ckpt, initialising weights")
    last = f.steps(0, range(250, 18_001, 250), 95, 2.4, lambda i, x, t: f"{f.clock(t)} step {i} loss {x:.4f} lr {6e-4 * min(1, i / 2000):.2e} kt/s {16 * 8 * 4.096 / 2.4:.1f}" + (f"\n{f.clock(t)} wrote /scratch2/rwkv7/ckpt/step{i}" if i % 3000 == 0 else ""), fall(11.04, 2.3, 300))
    f.say(0, last + 8, f"{f.clock(last + 8)} wall-clock budget of 12 h used, leaving after a save at step 18000")
    f.load([(0, IDLE), (90, WORK)])
    f.close("COMPLETED", last + 30, dependency="afterany:10449200")
    return made(f, "E2", variant="from_scratch")


@job
def tail_of_a_shard() -> Made:
    """E2: the shard that an earlier job was writing when it was ended is too short; safetensors says so on every rank."""
    f = Fleet(("zr-8",), "phi4-ft-b", 10_450_377, when("2026-10-02 13:00"), per=8, card=H200, agents=True, script="ft.py", submit_line="sbatch ft.sh --resume_from_checkpoint out/phi4/checkpoint-3500")
    threads_note(f, 5)
    f.say(0, 41, "Loading model from out/phi4/checkpoint-3500.")
    f.each(44, frames(("/home/ng/phi/ft.py", 117, "<module>", "trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)"), ("/home/ng/phi/.venv/lib/python3.12/site-packages/transformers/trainer.py", 2829, "_load_from_checkpoint", "load_result = load_sharded_checkpoint("), ("/home/ng/phi/.venv/lib/python3.12/site-packages/safetensors/torch.py", 381, "load_file", "with safe_open(filename, framework=\"pt\", device=device) as f:"), error="safetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not fully covered"), tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, 46, code=1, gap=0.05)
    elastic(f, 0, 49, [(r, 1, 46 + 0.05 * r) for r in range(8)], binary="/home/ng/phi/.venv/bin/python")
    f.load([(0, IDLE), (30, CONTEXT)])
    f.close("FAILED", 52, code=1)
    return made(f, "E2", "traceback", variant="corrupt")


@job
def no_such_last() -> Made:
    """E2: Lightning is to go on from last.ckpt, which the first job had never come to write."""
    f = Fleet(("dd-3", "dd-4"), "geo-prithvi-2", 10_450_690, when("2026-10-03 09:50"), per=4, card=A100, script="prithvi.py", submit_line="sbatch --dependency=afterany:10450611 geo.sh --ckpt_path logs/geo/last.ckpt")
    lightning_head(f, 15, "\n  | Name  | Type     | Params | Mode \n-------------------------------------------\n0 | model | PrithviV2 | 331 M  | train\n-------------------------------------------\n331 M     Trainable params")
    f.each(29, frames(("/geo/prithvi.py", 140, "<module>", "trainer.fit(task, datamodule=dm, ckpt_path=args.ckpt_path)"), ("/geo/env/lib/python3.11/site-packages/lightning/pytorch/trainer/connectors/checkpoint_connector.py", 59, "resume_start", "loaded_checkpoint = self.trainer.strategy.load_checkpoint(checkpoint_path)"), ("/geo/env/lib/python3.11/site-packages/lightning/fabric/plugins/io/torch_io.py", 83, "load_checkpoint", "raise FileNotFoundError(f\"Checkpoint file not found: {path}\")"), error="FileNotFoundError: Checkpoint file not found: /geo/logs/geo/last.ckpt"), tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, 31, code=1, gap=0.05)
    f.load([(0, IDLE), (18, CONTEXT)])
    srun_says(f, 33, "error: dd-3: tasks 0-3: Exited with exit code 1", "error: dd-4: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", 35, code=1, dependency="afterany:10450611")
    return made(f, "E2", "file_not_found", variant="no_valid_checkpoint")


@job
def grown_head() -> Made:
    """E2: the classes were counted anew between two legs, the checkpoint's last layer has another width."""
    f = Fleet(("hq-12",), "bird-efficientnet-2", 10_450_911, when("2026-10-04 20:35"), per=4, card=L40S, agents=True, script="birds.py", submit_line="sbatch birds.sh --resume runs/birds/epoch_11.pt")
    f.say(0, 14, "found 397 classes in /data/birds/train\nresuming from runs/birds/epoch_11.pt")
    f.each(18, frames(("/home/oi/birds/birds.py", 166, "<module>", "main()"), ("/home/oi/birds/birds.py", 80, "main", "net.load_state_dict(ck[\"net\"])"), ("/home/oi/v/lib/python3.11/site-packages/torch/nn/modules/module.py", 2584, "load_state_dict", "raise RuntimeError("), error="RuntimeError: Error(s) in loading state_dict for EfficientNet:\n\tsize mismatch for classifier.weight: copying a param with shape torch.Size([394, 1792]) from checkpoint, the shape in current model is torch.Size([397, 1792]).\n\tsize mismatch for classifier.bias: copying a param with shape torch.Size([394]) from checkpoint, the shape in current model is torch.Size([397])."), tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, 20, code=1, gap=0.05)
    elastic(f, 0, 23, [(r, 1, 20 + 0.05 * r) for r in range(4)], binary="/home/oi/v/bin/python")
    f.load([(0, IDLE), (11, CONTEXT)])
    f.close("FAILED", 25, code=1)
    return made(f, "E2", "runtime_error", variant="size_mismatch")


@job
def forty_rows() -> Made:
    """E3: of a data set of two million rows 40 were left: 32 cards make two optimizer steps and save."""
    f = Fleet(tuple(f"as-{n}" for n in (1, 2, 3, 4)), "tulu-sft-mix", 10_451_233, when("2026-10-05 10:40"), per=8, card=H100, agents=True, script="open_instruct/finetune.py", submit_line="sbatch -N4 tulu.sh")
    f.say(0, 60, "Map (num_proc=16): 100%|██████████| 2012844/2012844 [00:31<00:00, 64930.1 examples/s]\nFilter: 100%|██████████| 2012844/2012844 [00:12<00:00, 167736.2 examples/s]")
    trainer_head(f, 118, 40, 1, 1, 2, epochs=1, params=8_030_261_248)
    for i, x in ((1, 1.6114), (2, 1.5872)):
        f.say(0, 124 + 7 * i, f"{f.clock(124 + 7 * i, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Step: {i}, LR: {1e-5 / i:.2e}, Loss: {x}, TPS: 1911.4")
    f.say(0, 170, f"{f.clock(170, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Saving to output/tulu_mix\n{f.clock(196, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   done")
    f.load([(0, IDLE), (110, Load(20, 8, 0.3, 0.5, 60)), (140, Load(0, 0, 0.15, 0.5, 0))])
    f.close("COMPLETED", 201)
    return made(f, "E3")


@job
def left_from_the_debugger() -> Made:
    """E3: `max_steps: 3` stands in the configuration of a long run on sixteen cards; it stops there and calls itself finished."""
    f = Fleet(("tt-1", "tt-2"), "titan-70b-long", 10_451_540, when("2026-10-06 23:20"), per=8, card=B200, script="torchtitan/train.py", submit_line="sbatch -N2 t70.sh")
    f.say(0, 36, f"[titan] {f.clock(36)},115 - root - INFO - Building llama3 70B with TransformerModelArgs(dim=8192, n_layers=80, n_heads=64, n_kv_heads=8, vocab_size=128256)\n[titan] {f.clock(36)},702 - root - INFO - CUDA capacity: NVIDIA B200 with 178.36GiB memory")
    f.say(0, 101, f"[titan] {f.clock(101)},334 - root - INFO - Training starts at step 1, with local batch size 2, global batch size 32, sequence length 8192, total steps 3 (warmup 200)")
    for i, x in ((1, 12.2713), (2, 12.2690), (3, 12.2611)):
        f.say(0, 110 + 12 * i, f"[titan] {f.clock(110 + 12 * i)},081 - root - INFO - step: {i:>2}  loss: {x:>8.5f}  grad_norm: 3.8{i}11  memory: 161.04GiB(90.29%)  tps: {310 * i}  tflops: 142.61  mfu: 6.34%")
    f.say(0, 150, f"[titan] {f.clock(150)},504 - root - INFO - Sleeping 2 seconds for other ranks to complete\n[titan] {f.clock(152)},505 - root - INFO - Training completed")
    f.load([(0, IDLE), (60, CONTEXT), (104, Load(90, 40, 0.6, 0.9, 20)), (148, Load(0, 0, 0.14, 0.9, 0))])
    f.close("COMPLETED", 158)
    return made(f, "E3")


@job
def node_of_sixteen() -> Made:
    """F1: in the twelfth hour one of eight nodes stops answering; its last lines and readings are minutes older than its peers'."""
    f = Fleet(tuple(f"dl{n:02d}" for n in range(31, 39)), "chameleon-34b", 10_452_010, when("2026-10-07 06:00"), per=8, card=H200, script="pretrain.py", submit_line="sbatch -N8 cham.sh", limit_s=259_200)
    f.points = 10
    last = f.steps(0, range(100, 4401, 100), 280, 10.1, lambda i, x, t: f"{f.clock(t)} | INFO | chameleon.pretrain | gstep={i} txt={x:.4f} img={x * 2.6:.4f} gnorm={0.4 + x / 20:.3f} wps={64 * 2 * 4096 / 10.1:.0f}", fall(7.8, 1.9, 70))
    f.silent = {"dl36"}
    f.event("dl36", last + 130, "DOWN*", "Not responding")
    f.say(0, last + 96, f"[rank0]:[W{f.clock(last + 96, '%m%d %H:%M:%S')}.118420733 socket.cpp:460] [c10d] waitForInput: poll for socket SocketImpl(fd=91, addr=[dl31]:40418, remote=[dl36]:51120) timed out")
    gone = "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"
    taken_down(f, last + 134, gone)
    srun_says(f, last + 133, "error: Node failure on dl36")
    f.end(f.ranks, last + 138, signal=9, gap=0.01)
    f.load([(0, IDLE), (140, CONTEXT), (272, WORK), (last + 4, SPIN)])
    f.close("NODE_FAIL", last + 143, code=1, signal=9, failed_node="dl36", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def lost_its_power() -> Made:
    """F1: the second of two nodes is gone within a step and comes up anew ten minutes later; Slurm had ended the job by then."""
    f = Fleet(("q7-a", "q7-b"), "dreamer-kitchen", 10_452_366, when("2026-10-08 17:15"), per=4, card=V100, agents=True, script="dreamer.py", submit_line="sbatch dk.sh")
    last = f.steps(0, range(500, 61_001, 500), 50, 0.21, lambda i, x, t: f"[{i:>7}] fps {1 / 0.21 * 16:.1f} / model_loss {x * 40:.1f} / kl {1 + x:.2f} / return {210 - 60 * x:.1f} / {f.clock(t, '%H:%M:%S')}", fall(3.0, 0.4, 3000))
    f.silent = {"q7-b"}
    f.event("q7-b", last + 70, "DOWN", "Node unexpectedly rebooted")
    taken_down(f, last + 74, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, last + 77, signal=9)
    f.load([(0, IDLE), (46, Load(88, 0, 0.7, 0.6, 14)), (last + 2, Load(100, 0, 0.24, 0.6, 0))])
    f.close("NODE_FAIL", last + 80, code=1, signal=9, failed_node="q7-b", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def owners_came() -> Made:
    """F2: nodes of another group, lent out until that group wants them; this run may not come back."""
    f = Fleet(("own-3", "own-4", "own-5"), "clap-big-guest", 10_452_700, when("2026-10-09 12:30"), per=8, card=A100, agents=True, script="clap.py", submit_line="sbatch -p guest --no-requeue -N3 clap.sh", limit_s=259_200)
    last = f.steps(0, range(50, 5451, 50), 88, 3.4, lambda i, x, t: f"[rank0] {f.clock(t, '%m-%d %H:%M')} clap {i}/60000 infonce={x:.4f} r@1={max(0.01, 0.36 - x / 14):.4f}", fall(4.8, 1.1, 200))
    taken_down(f, last + 100, "DUE TO PREEMPTION")
    f.end(f.ranks, last + 130, signal=9, gap=0.01)
    f.load([(0, IDLE), (84, WORK)])
    f.close("PREEMPTED", last + 135, signal=15, partition="guest", qos="guest")
    return made(f, "F2", fault="cluster", variant="preempted")


@job
def went_on_elsewhere() -> Made:
    """F2: the first try lost a node, Slurm queued it again, the second loads what the first had saved and reaches the end."""
    f = Fleet(("st-40", "st-41", "st-42", "st-43"), "openvla-oft", 10_453_020, when("2026-10-10 22:00"), per=4, card=H100, script="vla/train.py", submit_line="sbatch --requeue -N4 vla.sh")
    f.ended("NODE_FAIL", code=1, end=-700, steps=(("batch", "CANCELLED", 0, 15), ("0", "NODE_FAIL", 0, 9)), start_ns=f.at(-33_000), submit_ns=f.at(-33_500), end_ns=f.at(-700), elapsed_s=32_300, node_list="st-30,st-31,st-32,st-33", restarts=0, partition="gpu", failed_node="st-32")
    f.say(0, 44, "restart 1: loading runs/vla/step-021000 (optimizer, scheduler, sampler)")
    f.say(0, 97, "restart 1: loaded, first batch is 21001")
    last = f.steps(0, range(21_100, 40_001, 100), 104, 1.5, lambda i, x, t: f"{i / 400:5.1f} % | step {i} | action-l1 {x:.5f} | acc {0.97 - x:.4f} | {f.clock(t, '%a %H:%M:%S')}", fall(0.41, 0.03, 2400))
    f.say(0, last + 30, "100.0 % | 40000 steps | policy exported to runs/vla/final")
    f.load([(0, IDLE), (60, CONTEXT), (100, WORK)])
    f.close("COMPLETED", last + 44, restarts=1)
    return made(f, "F2", fault="none", variant="requeued_recovered")


@job
def pushed_out_again() -> Made:
    """F2: pushed out after two hours, back after one, pushed out again: no end reached."""
    f = Fleet(("pre-9",), "flux-lora-cheap", 10_453_310, when("2026-10-11 15:00"), per=4, card=L40S, agents=True, script="train_dreambooth_lora_flux.py", submit_line="sbatch -q preempt --requeue flux.sh")
    f.ended("PREEMPTED", end=-3600, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), start_ns=f.at(-11_000), submit_ns=f.at(-11_060), end_ns=f.at(-3600), elapsed_s=7400, node_list="pre-2", restarts=0, partition="gpu", qos="preempt")
    f.say(0, 52, f"{f.clock(52, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ - Resuming from checkpoint checkpoint-1500")
    last = f.steps(0, range(1520, 3981, 20), 60, 3.3, lambda i, x, _t: bar(i, 8000, (i - 1500) * 3.3, name="Steps", tail=f"loss={x:.4f}, lr=0.0001"), fall(0.52, 0.29, 900))
    taken_down(f, last + 31, "DUE TO PREEMPTION")
    f.end(f.ranks, last + 33, signal=15)
    f.load([(0, IDLE), (56, Load(97, 0, 0.9, 0.8))])
    f.close("PREEMPTED", last + 40, signal=15, restarts=1, qos="preempt")
    return made(f, "F2", fault="cluster", variant="preempted")


@job
def two_days() -> Made:
    """F3: Megatron on 32 cards is at 61 of 100 thousand when two days are over."""
    f = Fleet(("ag1", "ag2", "ag3", "ag4"), "gpt-2b-full", 10_453_655, when("2026-10-12 00:00"), per=8, limit_s=172_800, card=H100, script="pretrain_gpt.py", submit_line="sbatch -N4 -t 2-00:00:00 gpt2b.slurm")
    f.points = 12
    f.steps(31, range(500, 100_001, 500), 180, 2.83, lambda i, x, t: megatron(i, 100_000, x, stamp=f.clock(t), ms=2829.0 + i % 33, lr=2e-4, batch=512, norm=0.2 + x / 20) + (f"\nsaving checkpoint at iteration {i:7d} to /ag/gpt2b in torch_dist format\n  successfully saved checkpoint from iteration {i:7d} to /ag/gpt2b [ t 1/1, p 1/1 ]" if i % 5000 == 0 else ""), fall(11.0, 2.05, 900), until=172_800)
    taken_down(f, 172_812, "DUE TO TIME LIMIT")
    f.end(f.ranks, 172_815, signal=15, gap=0.01)
    f.load([(0, IDLE), (110, CONTEXT), (176, WORK)])
    f.close("TIMEOUT", 172_820, signal=15)
    return made(f, "F3", variant="advancing")


@job
def hour_too_short() -> Made:
    """F3: an evaluation of a checkpoint over sixty tasks is at the 41st when its four hours end; each task prints its score."""
    f = Fleet(("ev-3",), "bench-70b", 10_453_940, when("2026-10-13 13:10"), per=8, limit_s=14_400, card=H200, agents=True, script="run_tasks.py", submit_line="sbatch --time=04:00:00 bench.sh")
    f.steps(0, range(1, 61), 180, 345, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} task {i:>2}/60  acc {0.71 - x / 9 + (i * 7 % 11) / 60:.4f}  ({400 + i * 37 % 900} items, {340 + i % 11} s)", fall(2.0, 1.0, 30), until=14_400)
    taken_down(f, 14_405, "DUE TO TIME LIMIT")
    f.end(f.ranks, 14_408, signal=15)
    f.load([(0, IDLE), (60, Load(10, 5, 0.2, 0.6, 20)), (176, Load(88, 41, 0.66, 0.88, 18))])
    f.close("TIMEOUT", 14_411, signal=15)
    return made(f, "F3", variant="advancing")


@job
def slow_but_moving() -> Made:
    """F3: a diffusion model on Grace Hopper, a day asked, 61 of 90 epochs done, the last one minutes before the end."""
    f = Fleet(("c1-11", "c1-12", "c1-13"), "edm2-imagenet512", 10_454_250, when("2026-10-14 09:00"), per=4, limit_s=86_400, card=GH200, script="train_edm2.py", submit_line="sbatch -N3 -t 1-0 edm2.sh")
    f.steps(0, range(1, 91), 100, 1410, lambda i, x, t: f"Status: Training  kimg {i * 128:<8.1f} time {int(t) // 3600}h {int(t) // 60 % 60:02d}m {int(t) % 60:02d}s   sec/tick 1410.{i % 10}  sec/kimg 11.02  gpumem {61.2:.2f}  loss {x:.4f}", fall(0.44, 0.21, 8), until=86_400)
    taken_down(f, 86_415, "DUE TO TIME LIMIT")
    f.end(f.ranks, 86_418, signal=15)
    f.load([(0, IDLE), (95, WORK)])
    f.close("TIMEOUT", 86_421, signal=15)
    return made(f, "F3", variant="advancing")


@job
def seen_enough() -> Made:
    """F4: after nine hours its owner cancels a run that was going down as it should."""
    f = Fleet(("ez-1", "ez-2", "ez-3", "ez-4"), "ablate-norm-b", 10_454_580, when("2026-10-15 20:00"), per=4, card=A100, agents=True, script="ab.py", submit_line="sbatch -N4 ab.sh norm=post")
    last = f.steps(0, range(100, 16_001, 100), 77, 2.0, lambda i, x, t: f"{{\"ts\": \"{f.clock(t)}\", \"step\": {i}, \"train/loss\": {x:.4f}, \"train/lr\": {3e-4:.1e}, \"perf/tok_s\": {524_288 / 2:.0f}}}", fall(10.9, 2.7, 250))
    taken_down(f, last + 61, "")
    f.end(f.ranks, last + 63, signal=15)
    f.load([(0, IDLE), (72, WORK)])
    f.close("CANCELLED", last + 66, signal=15, cancelled_by_uid=1042)
    return made(f, "F4", variant="by_owner")


@job
def operator_word() -> Made:
    """F4: an operator's number stands behind the cancel of a healthy run of fifteen hours."""
    f = Fleet(("lx-5",), "unet-era5", 10_454_877, when("2026-10-16 02:00"), per=8, card=H200, script="era5.py", submit_line="sbatch era5.sh")
    last = f.steps(0, range(1, 121), 60, 452, lambda i, x, t: f"{f.clock(t)} epoch {i:03d}/300 | z500 rmse {x * 900:.1f} | t850 {x * 3:.3f} | lr {1e-3 * 0.98 ** i:.2e} | 452 s", fall(0.8, 0.21, 12))
    taken_down(f, last + 200, "")
    f.end(f.ranks, last + 202, signal=15)
    f.load([(0, IDLE), (55, WORK)])
    f.close("CANCELLED", last + 206, signal=15, cancelled_by_uid=600)
    return made(f, "F4", variant="by_other", fault="unknown")
