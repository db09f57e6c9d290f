"""A lab's jobs and its partners' larger ones, first jar: errors, kills, cards, waiting."""

from __future__ import annotations

from corpus.make._ballast import (
    A100,
    A100_40,
    CONTEXT,
    IDLE,
    L40S,
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
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def mask_left_behind() -> Made:
    """A1: the mask is made on the host; the first forward pass of a student's model fails."""
    f = Fleet(
        ("node07",),
        "timeseries-attn",
        551_203,
        when("2026-10-05 14:02"),
        per=1,
        card=V100,
        script="forecast.py",
        submit_line="sbatch run_forecast.sh",
    )
    f.say(0, 11, "Using device: cuda:0\nelectricity.csv: 26304 rows, 321 series\nModel has 4,218,113 trainable parameters")
    trace = frames(
        ("/home/bjensen/forecast/forecast.py", 132, "<module>", "train(model, loader, epochs=40)"),
        ("/home/bjensen/forecast/forecast.py", 98, "train", "pred = model(x.to(device), mask)"),
        ("/home/bjensen/forecast/env/lib/python3.9/site-packages/torch/nn/modules/module.py", 1511, "_wrapped_call_impl", "return self._call_impl(*args, **kwargs)"),
        ("/home/bjensen/forecast/model.py", 41, "forward", "scores = scores + mask"),
        error="RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    )  # fmt: skip
    f.say(0, 19, "Epoch 1/40\n" + trace)
    f.end(0, 20.5, code=1)
    f.load([(0, IDLE), (9, CONTEXT)])
    srun_says(f, 21, "error: node07: task 0: Exited with exit code 1")
    f.close("FAILED", 22, code=1)
    return made(f, "A1", "device_mismatch", first=(0,))


@job
def null_in_extension() -> Made:
    """A2: a home-made CUDA sampling extension dereferences nothing on rank 2 after an hour: SIGSEGV, the kernel says so."""
    f = Fleet(("rob-1",), "voxel-policy", 551_377, when("2026-10-06 22:11"), per=4, card=L40S, script="policy.py", submit_line="sbatch policy.sh")
    last = f.steps(
        0,
        range(200, 8201, 200),
        36,
        0.48,
        lambda i, x, t: f"[policy {f.clock(t, '%H:%M:%S')}] upd {i} bc_loss {x:.4f} grip_acc {min(0.97, 1 - x / 3):.3f}",
        fall(1.9, 0.31, 600),
    )
    f.kernel(
        "rob-1",
        last + 9,
        "segfault",
        f"python[{f.pid(2)}]: segfault at 0 ip 00007f31c20a4e11 sp 00007ffd2a9911c0 error 4 in voxel_sample_cuda.cpython-311-x86_64-linux-gnu.so[7f31c209e000+1c000]",
        pid=f.pid(2),
        process="python",
    )
    f.say(
        2,
        last + 9.2,
        'Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f32b1f3c740 (most recent call first):\n  File "/home/ortiz/policy/voxel.py", line 63 in sample\n  File "/home/ortiz/policy/policy.py", line 171 in step\n  File "/home/ortiz/policy/policy.py", line 240 in <module>',
    )
    f.end(2, last + 9.6, signal=11)
    f.end([0, 1, 3], last + 13, signal=9)
    srun_says(
        f,
        last + 10,
        "error: rob-1: task 2: Segmentation fault (core dumped)",
        f"Terminating StepId={f.job_id}.0",
        "error: rob-1: tasks 0-1,3: Killed",
    )
    f.load([(0, IDLE), (33, WORK)])
    f.close("FAILED", last + 16, code=139)
    return made(f, "A2", "segfault", first=(2,))


@job
def empty_validation() -> Made:
    """A3: with a filter the validation set is empty; the mean after the first epoch divides by nought."""
    f = Fleet(
        ("bio-gpu2",),
        "splice-site",
        551_502,
        when("2026-10-07 09:33"),
        per=1,
        card=A100_40,
        script="train_splice.py",
        submit_line="sbatch splice.sh --min-reads 5000",
    )
    f.say(0, 16, "train: 184210 windows | val: 0 windows | chromosomes held out: chr21, chr22")
    last = f.steps(0, range(100, 1401, 100), 20, 0.21, lambda i, x, _t: f"  epoch 1  {i:>5}/1439  focal={x:.5f}", fall(0.21, 0.05, 200))
    trace = frames(
        ("/home/sofia/splice/train_splice.py", 205, "<module>", "main()"),
        ("/home/sofia/splice/train_splice.py", 177, "main", "auprc = validate(net, val_loader)"),
        ("/home/sofia/splice/train_splice.py", 121, "validate", "return total / n_seen"),
        error="ZeroDivisionError: division by zero",
    )  # fmt: skip
    f.say(0, last + 9.5, trace)
    f.end(0, last + 10.6, code=1)
    f.load([(0, IDLE), (18, WORK)])
    srun_says(f, last + 11, "error: bio-gpu2: task 0: Exited with exit code 1")
    f.close("FAILED", last + 12, code=1)
    return made(f, "A3", "div_zero", first=(0,))


@job
def boxes_inside_out() -> Made:
    """A3: a wrong annotation in the second epoch trips an assertion of the loss; torchrun takes all eight ranks down."""
    f = Fleet(
        ("vis-3",),
        "dino-aerial",
        551_744,
        when("2026-10-09 18:50"),
        per=8,
        agents=True,
        script="main_det.py",
        submit_line="sbatch aerial.sh",
        card=A100,
    )
    last = f.steps(
        0,
        range(50, 3301, 50),
        50,
        0.74,
        lambda i, x, _t: (
            f"Epoch: [{i // 2200}]  [{i % 2200:>4}/2200]  lr: 0.000100  loss: {x:.4f}  loss_giou: {x / 7:.4f}  cardinality_err: {4 + x / 3:.3f}  time: 0.74{i % 9}  data: 0.01{i % 8}"
        ),
        fall(31, 11, 300),
    )
    trace = frames(
        ("/home/pavel/aerial/main_det.py", 301, "<module>", "main(args)"),
        ("/home/pavel/aerial/main_det.py", 255, "main", "train_one_epoch(model, criterion, loader, optimizer, device, epoch)"),
        ("/home/pavel/aerial/engine.py", 44, "train_one_epoch", "loss_dict = criterion(outputs, targets)"),
        ("/home/pavel/aerial/util/box_ops.py", 51, "generalized_box_iou", "assert (boxes2[:, 2:] >= boxes2[:, :2]).all()"),
        error="AssertionError",
    )  # fmt: skip
    f.say(4, last + 11, trace, "[rank4]: ")
    f.end(4, last + 13, code=1)
    f.end([r for r in f.ranks if r != 4], last + 16, signal=15)
    sigterms(f, 0, last + 14, [0, 1, 2, 3, 5, 6, 7])
    elastic(f, 0, last + 18, [(4, 1, last + 13)], binary="/home/pavel/envs/det/bin/python")
    f.load([(0, IDLE), (45, WORK)])
    f.close("FAILED", last + 21, code=1)
    return made(f, "A3", "assertion", first=(4,))


@job
def ring_buffer() -> Made:
    """A3: an agent's replay buffer grows to what the host will not give: NumPy is refused 210 GiB, after a million frames."""
    f = Fleet(
        ("rl-4",),
        "rainbow-qbert",
        551_980,
        when("2026-10-10 03:15"),
        per=1,
        card=L40S,
        script="rainbow.py",
        submit_line="sbatch --mem=64G rainbow.sh",
    )
    last = f.steps(
        0,
        range(10_000, 1_000_001, 10_000),
        30,
        0.0031,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} T = {i} | reward: {14_000 - 900 * x:8.1f} | td_loss {x / 12:.4f} | fps 322",
        fall(15.0, 2.0, 90_000),
    )
    trace = frames(
        ("/home/yuki/rainbow/rainbow.py", 214, "<module>", "main()"),
        ("/home/yuki/rainbow/rainbow.py", 186, "main", "mem.grow(2 * mem.capacity)"),
        ("/home/yuki/rainbow/memory.py", 77, "grow", "frames = np.zeros((capacity, 4, 84, 84), dtype=np.float32)"),
        error="numpy._core._exceptions._ArrayMemoryError: Unable to allocate 210. GiB for an array with shape (2000000, 4, 84, 84) and data type float32",
    )  # fmt: skip
    f.say(0, last + 1.1, f"{f.clock(last + 1, '%H:%M:%S')} buffer full, doubling it\n" + trace)
    f.end(0, last + 3, code=1)
    f.load([(0, IDLE), (26, Load(61, 0, 0.45, 0.1, 12))])
    srun_says(f, last + 4, "error: rl-4: task 0: Exited with exit code 1")
    f.close("FAILED", last + 5, code=1)
    return made(f, "A3", "ram_oom", first=(0,))


@job
def bad_row() -> Made:
    """A3: one record of a JSON-lines file lacks a field; the loader's KeyError comes after four thousand steps."""
    f = Fleet(
        ("nlp1",), "t5-summ-court", 552_061, when("2026-10-11 12:20"), per=2, card=A100, agents=True, script="summ.py", submit_line="sbatch court.sh"
    )
    last = f.steps(
        0,
        range(100, 4101, 100),
        33,
        0.55,
        lambda i, x, t: f"{f.clock(t, '%m/%d %I:%M:%S %p')} summ: step {i}, smoothed loss {x:.3f}, {29_000 + i % 700} tok/s",
        fall(3.9, 1.4, 300),
    )
    trace = frames(
        ("/home/nadia/court/summ.py", 171, "<module>", "fit(args)"),
        ("/home/nadia/court/summ.py", 119, "fit", "for batch in loader:"),
        ("/home/nadia/envs/nlp/lib/python3.10/site-packages/torch/utils/data/dataloader.py", 733, "__next__", "data = self._next_data()"),
        ("/home/nadia/envs/nlp/lib/python3.10/site-packages/torch/utils/data/dataloader.py", 1515, "_next_data", "return self._process_data(data, worker_id)"),
        ("/home/nadia/envs/nlp/lib/python3.10/site-packages/torch/_utils.py", 733, "reraise", "raise exception"),
        error="KeyError: Caught KeyError in DataLoader worker process 3.\nOriginal Traceback (most recent call last):\n  File \"/home/nadia/envs/nlp/lib/python3.10/site-packages/torch/utils/data/_utils/fetch.py\", line 52, in fetch\n    data = [self.dataset[idx] for idx in possibly_batched_index]\n  File \"/home/nadia/court/data.py\", line 38, in __getitem__\n    return self.encode(row['facts'], row['holding'])\nKeyError: 'holding'\n",
    )  # fmt: skip
    f.say(1, last + 4, trace, "[rank1]: ")
    f.end(1, last + 6, code=1)
    f.end(0, last + 9, signal=15)
    sigterms(f, 0, last + 7, [0])
    elastic(f, 0, last + 11, [(1, 1, last + 6)], binary="/home/nadia/envs/nlp/bin/python")
    f.load([(0, IDLE), (29, WORK)])
    f.close("FAILED", last + 13, code=1)
    return made(f, "A3", "traceback", first=(1,))
