"""A lab's jobs and its partners' larger ones, second jar: slow, uneven, learning nothing, begun wrongly, cut short."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, GAPS, H100, H200, IDLE, L40S, V100, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import frames, srun_says, taken_down
from gpualert_slurm.rank import CgroupMemory

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def decode_on_one_core() -> Made:
    """D1: one core decodes MP4 for one card; the profiler's table of the script says where the time goes."""
    f = Fleet(
        ("gpu-small-3",),
        "lipread-lrs3",
        561_030,
        when("2026-10-20 08:20"),
        per=1,
        card=A100,
        script="lipread.py",
        submit_line="sbatch -c 1 lipread.sh",
    )
    f.say(
        0,
        12,
        "UserWarning: This DataLoader will create 8 worker processes in total. Our suggested max number of worker in current system is 1, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
    )
    last = f.steps(
        0,
        range(20, 1001, 20),
        25,
        9.3,
        lambda i, x, _t: f"it {i:>4} ctc {x:.3f} cer {min(99.0, 26 * x):.1f}%   [ms/it: fetch 8{i % 9}11  h2d 12  fwd+bwd 43{i % 9}  opt 21]",
        fall(4.4, 1.6, 120),
    )
    f.say(0, last + 4, "1000 iterations, checkpoint lip_1000.pt")
    f.load([(0, IDLE), (22, Load(9, 0, 0.26, 0.36, 100))])
    f.points = 70
    f.close("COMPLETED", last + 9)
    return made(f, "D1")


@job
def remote_shards() -> Made:
    """D1: 16 cards fed from tar shards over one slow gateway; wait-for-data is most of every interval, in the log and in the gaps of the cards."""
    f = Fleet(
        ("br-1", "br-2"),
        "siglip-medical",
        561_222,
        when("2026-10-21 13:30"),
        per=8,
        card=H100,
        script="clip_train.py",
        submit_line="sbatch -N2 clipmed.sh",
    )
    last = f.steps(
        0,
        range(25, 1001, 25),
        80,
        12.1,
        lambda i, x, t: (
            f"{f.clock(t)} step={i} loss={x:.4f} scale={10 + i / 300:.2f} wait_data={9.0 + i % 7 / 10:.1f}s compute={2.9:.1f}s samples/s={16384 / 12.1:.0f}"
        ),
        fall(7.6, 3.2, 100),
    )
    f.say(0, last + 9, f"{f.clock(last + 9)} run complete at step 1000, recall@5 0.412")
    f.load([(0, IDLE), (74, GAPS)])
    f.points = 70
    f.close("COMPLETED", last + 15)
    return made(f, "D1")


@job
def every_step_kept() -> Made:
    """D2: somebody set save_steps to one: a checkpoint of 26 GB after each step, the cards rest while it is written."""
    f = Fleet(
        ("hpc-g4",), "phi3-ehr", 561_409, when("2026-10-22 17:47"), per=4, card=A100, agents=True, script="sft_ehr.py", submit_line="sbatch ehr.sh"
    )
    at, curve = 60.0, fall(1.9, 0.9, 20)
    for i in range(1, 161):
        at += 5.1
        f.say(
            0,
            at,
            f"{{'loss': {curve(i):.4f}, 'grad_norm': {0.7 + curve(i) / 4:.4f}, 'learning_rate': {2e-5 * (1 - i / 160):.3e}, 'epoch': {i / 160:.2f}}}\nSaving model checkpoint to out/ehr/checkpoint-{i}",
        )
        at += 24 + i % 5
        f.say(
            0,
            at,
            f"tokenizer config file saved in out/ehr/checkpoint-{i}/tokenizer_config.json\nSpecial tokens file saved in out/ehr/checkpoint-{i}/special_tokens_map.json\nDeleting older checkpoint [out/ehr/checkpoint-{i - 2}] due to args.save_total_limit"
            if i > 2
            else f"tokenizer config file saved in out/ehr/checkpoint-{i}/tokenizer_config.json",
        )
    f.say(
        0,
        at + 3,
        f"{{'train_runtime': {at - 58:.1f}, 'train_samples_per_second': 1.04, 'train_steps_per_second': 0.032, 'train_loss': 1.1307, 'epoch': 1.0}}",
    )
    f.load([(0, IDLE), (55, Load(18, 0, 0.3, 0.8, 100))])
    f.points = 60
    f.close("COMPLETED", at + 12)
    return made(f, "D2", variant="save_storm")


@job
def locked_low() -> Made:
    """D3: one card of eight runs at 900 MHz by an application clock left over; its SMs are busy all the time, seven others wait at each all-reduce."""
    f = Fleet(
        ("xs-7",), "unimol-dock", 561_610, when("2026-10-23 09:05"), per=8, card=H200, agents=True, script="dock.py", submit_line="sbatch dock.sh"
    )
    last = f.steps(
        0,
        range(50, 4001, 50),
        44,
        1.3,
        lambda i, x, t: (
            f"[0] {f.clock(t, '%d.%m %H:%M')}  {i:>5}/4000  dist {x:.4f}  coord {x * 0.7:.4f}  1.30 s/it"
            + (f"   own compute s/it, ranks 0..7: 0.52 0.53 0.52 0.52 1.2{i % 9} 0.53 0.52 0.53" if i % 500 == 0 else "")
        ),
        fall(2.6, 0.7, 300),
    )
    f.say(0, last + 3, f"[0] {f.clock(last + 3, '%d.%m %H:%M')}  4000 done, rmsd<2A 0.58")
    f.load([(0, IDLE), (40, Load(98, 23, 0.42, 0.5, 3, clock=0.98, heat=49))])
    f.load([(0, IDLE), (40, Load(99, 68, 0.38, 0.5, 3, clock=0.455, heat=45))], [4])
    f.close("COMPLETED", last + 9)
    return made(f, "D3", fault="unknown")


@job
def ten_percent_of_ten() -> Made:
    """E1: ten classes and a loss of ln 10 from the first to the last epoch, accuracy at a tenth; the optimiser was made with a rate of nought."""
    f = Fleet(("edu-gpu1",), "hw4-cifar-transfer", 561_777, when("2026-10-24 20:15"), per=1, card=V100, script="hw4.py", submit_line="sbatch hw4.sh")
    f.say(0, 9, "Files already downloaded and verified\ntrainable parameters: 5,130 of 11,181,642\noptimizer: SGD lr=0.0")
    at = 10.0
    for e in range(1, 41):
        at += 22
        f.say(0, at, f"Epoch [{e}/40]  train loss: 2.30{26 + e % 3}  train acc: {9.9 + e % 3 / 10:.1f}%  |  test loss: 2.3027  test acc: 10.0%")
    f.say(0, at + 1, "Finished Training. Saved model to hw4_resnet.pth")
    f.load([(0, IDLE), (8, Load(88, 0, 0.66, 0.12, 10))])
    f.close("COMPLETED", at + 3)
    return made(f, "E1", variant="flat")


@job
def jump_at_noon() -> Made:
    """E1: a diffusion transformer's loss leaps to fifty times its level at step 5200 and never comes down again; its author's loop goes on to the end."""
    f = Fleet(
        ("lum1", "lum2", "lum3", "lum4"),
        "dit-xl-audio",
        561_950,
        when("2026-10-25 06:06"),
        per=8,
        card=B200,
        script="train_dit.py",
        submit_line="sbatch -N4 ditaudio.sh",
    )
    curve = fall(1.01, 0.16, 400)
    last = f.steps(
        0,
        range(100, 12_001, 100),
        90,
        0.9,
        lambda i, x, t: (
            f"[\x1b[34m{f.clock(t)}\x1b[0m] (step={i:07d}) Train Loss: {x:.4f}, Train Steps/Sec: 1.11, Grad Norm: {0.21 + i % 7 / 90 if i < 5200 else 61.0 + i % 37 if i < 5600 else 3.1 + i % 7 / 10:.3f}"
        ),
        lambda i: curve(i) if i < 5200 else 9.1 + ((i * 31) % 19) / 11,
    )
    f.say(
        0,
        last + 20,
        f"[\x1b[34m{f.clock(last + 20)}\x1b[0m] Saved checkpoint to results/004-DiT-XL/checkpoints/0012000.pt\n[\x1b[34m{f.clock(last + 20)}\x1b[0m] Done!",
    )
    f.load([(0, IDLE), (85, WORK)])
    f.points = 16
    f.close("COMPLETED", last + 27)
    return made(f, "E1", variant="spike")


@job
def more_labels_now() -> Made:
    """E2: the run is resumed after two classes were added; the head of the checkpoint has another shape."""
    f = Fleet(
        ("wk-2",),
        "bird-calls-v3",
        562_101,
        when("2026-10-26 11:11"),
        per=2,
        card=L40S,
        script="birds.py",
        submit_line="sbatch birds.sh --resume runs/v2/epoch_38.ckpt",
    )
    f.each(13, "[{r}] resuming from runs/v2/epoch_38.ckpt", gap=0.2)
    trace = frames(
        ("/home/hana/birds/birds.py", 188, "<module>", "main()"),
        ("/home/hana/birds/birds.py", 140, "main", "net.load_state_dict(ckpt['state_dict'])"),
        ("/home/hana/birds/.venv/lib/python3.12/site-packages/torch/nn/modules/module.py", 2593, "load_state_dict", "raise RuntimeError("),
        error="RuntimeError: Error(s) in loading state_dict for PerchHead:\n\tsize mismatch for classifier.weight: copying a param with shape torch.Size([264, 1536]) from checkpoint, the shape in current model is torch.Size([266, 1536]).\n\tsize mismatch for classifier.bias: copying a param with shape torch.Size([264]) from checkpoint, the shape in current model is torch.Size([266]).",
    )  # fmt: skip
    f.each(17, trace, gap=0.3)
    f.end(f.ranks, 18.5, code=1, gap=0.3)
    srun_says(f, 20, "error: wk-2: tasks 0-1: Exited with exit code 1")
    f.load([(0, IDLE), (11, CONTEXT), (14, Load(1, 0, 0.15, 0.08, 4))])
    f.close("FAILED", 22, code=1)
    return made(f, "E2", "runtime_error", variant="size_mismatch")


@job
def one_two_three() -> Made:
    """E3: --steps 3 was given where 3e5 was meant: three steps on sixteen cards, then all is saved as if it were done."""
    f = Fleet(
        ("tn-3", "tn-4"),
        "nequip-water-full",
        562_288,
        when("2026-10-27 15:50"),
        per=8,
        card=A100,
        script="nequip_ddp.py",
        submit_line="sbatch -N2 water.sh --steps 3",
    )
    f.say(0, 61, "dataset: 1,204,110 frames; model 3.1M weights; batch 16 x 64; steps 3")
    last = f.steps(0, range(1, 4), 66, 4.0, lambda i, x, _t: f"step {i}  loss_e {x:.5f}  loss_f {x * 9:.5f}  lr {5e-3:.1e}", lambda i: 31.2 - 0.3 * i)
    f.say(0, last + 8, "training finished (3 steps). model.pth and config.yaml written to results/water-full")
    f.load([(0, IDLE), (20, CONTEXT), (64, Load(90, 0, 0.7, 0.3, 20)), (last + 1, Load(0, 0, 0.15, 0.3, 0))])
    f.close("COMPLETED", last + 15)
    return made(f, "E3")


@job
def died_at_its_desk() -> Made:
    """F1: one of two nodes of a lab job reboots; nothing is said by the job, Slurm finds the node gone."""
    f = Fleet(
        ("fx-11", "fx-12"),
        "nerf-city",
        562_470,
        when("2026-10-28 02:40"),
        per=4,
        card=L40S,
        agents=True,
        script="nerf.py",
        submit_line="sbatch nerf.sh",
    )
    last = f.steps(
        0,
        range(500, 30_501, 500),
        33,
        0.14,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} iter {i} psnr {30 - 8 * x:.2f} mse {x / 50:.5f} rays/s 1.8M",
        fall(1.9, 0.5, 2500),
    )
    f.silent = {"fx-12"}
    f.event("fx-12", last + 40, "DOWN", "Node unexpectedly rebooted")
    taken_down(f, last + 44, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    srun_says(f, last + 43, "error: Node failure on fx-12")
    f.end(f.ranks, last + 47, signal=9)
    f.load([(0, IDLE), (30, WORK), (last + 1, Load(100, 0, 0.24, 0.79, 0))])
    f.close("NODE_FAIL", last + 52, code=1, signal=9, failed_node="fx-12", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def for_the_paying() -> Made:
    """F2: a job of the free queue is preempted by one that pays, and is not put back."""
    f = Fleet(
        ("p-2", "p-3"),
        "maskrcnn-cells",
        562_655,
        when("2026-10-29 16:00"),
        per=2,
        card=A100,
        script="cells.py",
        submit_line="sbatch --qos=free --no-requeue cells.sh",
    )
    last = f.steps(
        0,
        range(20, 4301, 20),
        40,
        0.66,
        lambda i, x, t: f"{f.clock(t)},{i % 1000:03d} cells it={i} total={x:.4f} mask={x * 0.4:.4f} box={x * 0.25:.4f} rpn={x * 0.2:.4f}",
        fall(2.8, 0.7, 300),
    )
    taken_down(f, last + 5, "DUE TO PREEMPTION")
    f.end(f.ranks, last + 8, signal=15)
    f.load([(0, IDLE), (36, WORK)])
    f.close("PREEMPTED", last + 10, signal=15, qos="free", restarts=0)
    return made(f, "F2", fault="cluster", variant="preempted")


@job
def two_hours_only() -> Made:
    """F3: the debug queue's two hours end with eleven of forty epochs done."""
    f = Fleet(
        ("db-1",),
        "stgcn-skeleton",
        562_840,
        when("2026-10-30 12:45"),
        per=1,
        card=V100,
        limit_s=7200,
        script="stgcn.py",
        submit_line="sbatch -p debug -t 2:00:00 stgcn.sh",
    )
    f.steps(
        0,
        range(1, 41),
        20,
        632,
        lambda i, x, t: (
            f"[{f.clock(t, '%a %b %d %H:%M:%S %Y')}] Training epoch: {i}/40\n\tMean training loss: {x:.4f}.  Top1: {max(2.0, 94 - 22 * x):.2f}%\n\tTime consumption: [Data]01%, [Network]98%"
        ),
        fall(4.1, 0.6, 2),
        until=7201,
    )
    taken_down(f, 7206, "DUE TO TIME LIMIT")
    f.end(f.ranks, 7210, signal=15)
    f.load([(0, IDLE), (17, WORK)])
    f.close("TIMEOUT", 7214, signal=15, partition="debug")
    return made(f, "F3", variant="advancing")


@job
def by_the_admins() -> Made:
    """F4: root cancels a healthy run before a power test; the script's mail says nothing of an error."""
    f = Fleet(
        ("s1", "s2", "s3", "s4"),
        "speech-llm-align",
        563_030,
        when("2026-10-31 19:19"),
        per=8,
        card=H100,
        script="align.py",
        submit_line="sbatch -N4 align.sh",
    )
    last = f.steps(
        0,
        range(10, 1331, 10),
        160,
        8.8,
        lambda i, x, t: f"{f.clock(t)} align {i}/6000 xent={x:.4f} wer_probe={8 + 9 * x:.1f} tok/s/gpu=4{i % 900:03d}",
        fall(3.3, 1.2, 90),
    )
    taken_down(f, last + 21, "")
    f.end(f.ranks, last + 24, signal=15)
    f.load([(0, IDLE), (100, CONTEXT), (155, WORK)])
    f.close("CANCELLED", last + 27, signal=15, cancelled_by_uid=0)
    return made(f, "F4", variant="by_other", fault="unknown")


@job
def silent_kill() -> Made:
    """A2: rank 1 is gone with SIGKILL in the middle of an epoch, memory was far from its limit and no record names who sent it."""
    f = Fleet(
        ("hx-8",), "tabpfn-retrain", 563_201, when("2026-11-01 05:25"), per=4, card=A100, script="tabpfn_train.py", submit_line="sbatch tabpfn.sh"
    )
    last = f.steps(
        0, range(50, 2651, 50), 38, 0.94, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} | batch {i} | bar-dist nll {x:.4f} | 0.94 s", fall(2.2, 0.9, 200)
    )
    f.end(1, last + 21, signal=9)
    for r in f.ranks:
        f.memory[r] = CgroupMemory(limit_bytes=240 << 30, peak_bytes=61 << 30, oom_events=0, oom_kill_events=0)
    f.end([0, 2, 3], last + 25, signal=9)
    srun_says(f, last + 22, "error: hx-8: task 1: Killed", f"Terminating StepId={f.job_id}.0", "error: hx-8: tasks 0,2-3: Killed")
    f.load([(0, IDLE), (35, WORK)])
    f.close("FAILED", last + 28, code=137)
    return made(f, "A2", None, first=(1,), fault="unknown")
