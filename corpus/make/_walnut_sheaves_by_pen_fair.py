"""Jobs as their owners found them: done, and as they should be, whatever some of them say."""

from __future__ import annotations

from corpus.make._heron_ledgers_by_pen_base import (
    ADA,
    AMPERE,
    AMPERE_40,
    EMPTY,
    HOPPER,
    HOPPER_200,
    OPENED,
    Dial,
    Writer,
    Written,
    curve,
    frames,
    well,
    when,
)
from corpus.make._heron_ledgers_by_pen_kit import Yard


def pathology_slides() -> Written:
    """Keras on four cards of one node under MirroredStrategy: its epochs, the best kept, the end."""
    y = Yard(
        ("kn-1",),
        "slides-effnet",
        9_330_012,
        when("2026-10-12 18:00:00"),
        per=4,
        board=AMPERE_40,
        program=("python3", "slides.py"),
        submit_line="sbatch slides.sh",
    )
    y.all_tell(
        12,
        lambda r: (
            f"2026-10-12 18:00:12.{511 + r}203: I tensorflow/core/common_runtime/gpu/gpu_device.cc:2020] Created device /job:localhost/replica:0/task:0/device:GPU:{r} with 38364 MB memory:  -> device: {r}, name: NVIDIA A100-SXM4-40GB, pci bus id: {y.bus(r)}.0, compute capability: 8.0"
        ),
        [0],
    )
    f = curve(0.61, 0.19, 3)
    last = y.march(
        0,
        range(1, 31),
        40,
        126,
        lambda i, _: (
            f"Epoch {i}/30\n1440/1440 - 126s - loss: {f(i):.4f} - auc: {0.97 - f(i) / 4:.4f} - val_loss: {f(i) * 1.08:.4f} - val_auc: {0.96 - f(i) / 4:.4f} - lr: 5.0000e-04 - 126s/epoch - 88ms/step\nEpoch {i}: val_auc improved, saving model to slides/best.keras"
        ),
    )
    y.tell(0, last + 20, "test set: auc 0.8934, sens@spec95 0.703; fit and test are over")
    y.dial([(0, EMPTY), (36, Dial(93, 0, 331, 36))])
    return well(y.finish("COMPLETED", last + 27))


def crystal_bands() -> Written:
    """A plane-wave code on eight cards: iterations to convergence, forces, the end of the job."""
    y = Yard(
        ("dft-6", "dft-7"),
        "perovskite-relax",
        9_330_300,
        when("2026-10-14 07:00:00"),
        per=4,
        board=AMPERE,
        program=("/sw/pw/bin/pwgpu", "-in", "relax.in"),
        submit_line="sbatch relax.sh",
    )
    y.tell(
        0,
        5,
        "     Program PWGPU v.8.1 starts\n     Parallel version (MPI & GPU), running on 8 processors, 8 devices\n     number of k points= 36   kinetic-energy cutoff = 90.0000 Ry   FFT dimensions: (180,180,240)",
    )
    t, energy = 30.0, -3304.1
    for ion in range(1, 15):
        for k in range(1, 12):
            t += 17.5
            y.tell(
                0,
                t,
                f"     iteration # {k:2d}     ecut=    90.00 Ry     beta= 0.40\n     total energy              =  {energy - 0.3 / (ion + k * k):16.8f} Ry     estimated scf accuracy    <  {10.0 ** (1 - k):12.8f} Ry",
            )
        energy -= 0.21 / ion**2
        t += 22
        y.tell(
            0,
            t,
            f"     convergence has been achieved in  11 iterations\n!    total energy              =  {energy:16.8f} Ry\n     Total force = {0.31 / ion**1.6:12.6f}     number of bfgs steps = {ion - 1:3d}",
        )
    y.tell(
        0,
        t + 9,
        f"     bfgs converged in  14 scf cycles and  13 bfgs steps\n     (criteria: energy <  1.0E-05 Ry, force <  5.0E-03 Ry/Bohr)\n     PWGPU        : {int(t) // 60}m {int(t) % 60}.12s WALL\n   JOB DONE.",
    )
    y.dial([(0, EMPTY), (22, Dial(87, 0, 309, 31, 20))])
    return well(y.finish("COMPLETED", t + 13))


def two_answers() -> Written:
    """Preference tuning with TRL's columns on two nodes, one epoch, its summary."""
    y = Yard(
        ("vx-5", "vx-6"),
        "simpo-8b",
        9_330_614,
        when("2026-10-16 15:30:00"),
        pipe=True,
        program=("/opt/trl/bin/python3", "simpo.py"),
        submit_line="sbatch simpo.sh",
    )
    f = curve(1.62, 1.18, 60)
    last = y.march(
        0,
        range(5, 471, 5),
        130,
        9.4,
        lambda i, _: (
            f"{{'loss': {f(i):.4f}, 'grad_norm': {9 + f(i):.3f}, 'learning_rate': {8e-7 * (1 - i / 470):.3e}, 'logps/chosen': {-0.61 - i / 9000:.4f}, 'logps/rejected': {-0.71 - i / 1900:.4f}, 'rewards/margins': {0.2 + i / 480:.4f}, 'rewards/accuracies': {0.53 + i / 1900:.3f}, 'epoch': {i / 470:.2f}}}"
        ),
    )
    y.tell(
        0,
        last + 9,
        f"{{'train_runtime': {last - 121:.2f}, 'train_samples_per_second': 13.61, 'train_steps_per_second': 0.106, 'train_loss': 1.2883, 'epoch': 1.0}}\n100%|██████████| 470/470 [{int(last - 121) // 3600}:{int(last - 121) // 60 % 60:02d}:{int(last - 121) % 60:02d}<00:00,  9.40s/it]",
    )
    y.dial([(0, EMPTY), (70, OPENED), (126, Dial(97, 55, 631, 73))])
    return well(y.finish("COMPLETED", last + 38))


def four_bits() -> Written:
    """A conversion to four bits, layer by layer on one card, with its errors of rounding, and the file it is for."""
    y = Yard(
        ("lq-2",),
        "quant-72b",
        9_330_877,
        when("2026-10-18 11:11:00"),
        per=1,
        board=HOPPER_200,
        program=("python3", "quantise.py", "--bits", "4"),
        readings=40,
        submit_line="sbatch quant.sh 72b",
    )
    t = 95.0
    for n in range(80):
        t += 41 + n % 5
        y.tell(
            0,
            t,
            f"{y.clock(t, '%H:%M:%S')} layer {n + 1:>2}/80  q,k,v {1.1e-4 + n * 3e-6:.2e}  o {2.3e-4 + n * 4e-6:.2e}  up,gate {3.9e-4 + n * 5e-6:.2e}  down {8.8e-4 + n * 9e-6:.2e}  {41 + n % 5}.{n % 10} s",
        )
    y.tell(
        0,
        t + 70,
        f"{y.clock(t + 70, '%H:%M:%S')} perplexity wikitext2 4.91 -> 5.02\n{y.clock(t + 132, '%H:%M:%S')} 80 layers packed, 39.1 GB in quant-72b-w4g128/",
    )
    y.dial([(0, EMPTY), (60, Dial(2, 1, 128, 9, 10)), (92, Dial(81, 48, 470, 61, 45))])
    return well(y.finish("COMPLETED", t + 140))


def growing_batch() -> Written:
    """Hard: the tuner doubles the batch until a card is full, takes half of that, and trains to its last epoch."""
    y = Yard(
        ("em-1",),
        "bird-sounds",
        9_331_140,
        when("2026-10-20 20:00:00"),
        per=4,
        board=ADA,
        program=("python3", "birds.py"),
        submit_line="sbatch birds.sh",
    )
    for k, b in enumerate((32, 64, 128, 256)):
        y.tell(0, 40 + 9 * k, f"birds.tune: batch {b} runs ({9.1 + 8.4 * 2**k / 2:.1f} GiB at most)")
    y.tell(
        0,
        81,
        frames(
            ("/home/alice/birds/tune.py", 33, "largest", "step(model, batch.repeat(size))"),
            ("/home/alice/birds/tune.py", 19, "step", "loss.backward()"),
            error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.50 GiB. GPU 0 has a total capacity of 44.39 GiB of which 3.87 GiB is free. Including non-PyTorch memory, this process has 40.51 GiB memory in use.",
        ),
    )
    y.tell(0, 82, "birds.tune: batch 512 is too large, going with 256")
    f = curve(2.2, 0.31, 6)
    last = y.march(
        0, range(1, 51), 95, 71, lambda i, t: f"birds.fit: epoch {i:>2}/50 bce {f(i):.4f} cmap {0.81 - f(i) / 4:.4f} {y.clock(t, '%H:%M:%S')}"
    )
    y.tell(0, last + 5, "birds.fit: 50 epochs, best cmap 0.6526, onnx written")
    y.dial([(0, EMPTY), (36, Dial(70, 0, 240, 39, 50)), (90, Dial(94, 0, 305, 34))])
    return well(y.finish("COMPLETED", last + 11), hard=True)


def thirty_trials() -> Written:
    """Hard: a search of thirty trials on eight cards; four blow up and are marked as errors, nine are stopped early, the best is told at the end."""
    y = Yard(
        ("ht-4",),
        "search-spikes",
        9_331_422,
        when("2026-10-22 17:00:00"),
        board=HOPPER,
        program=("python3", "search.py"),
        submit_line="sbatch search.sh 30",
    )
    for n in range(30):
        t = 60 + 170 * (n // 8) + 13 * (n % 8)
        fate = "ERROR" if n in (4, 9, 17, 26) else "stopped" if n % 3 == 1 else "complete"
        for e in range(1, 2 if fate == "ERROR" else 4 if fate == "stopped" else 9):
            y.tell(
                n % 8,
                t + 17 * e,
                f"trial_{n:02d} it={e} val_mse={(0.9 + n % 7 / 10) * e**-0.5:.4f}" if fate != "ERROR" else f"trial_{n:02d} it={e} val_mse=nan",
            )
        if fate == "ERROR":
            y.tell(
                n % 8,
                t + 19,
                frames(
                    ("/home/alice/spikes/search.py", 71, "objective", "check(val)"),
                    ("/home/alice/spikes/search.py", 44, "check", 'raise FloatingPointError(f"val_mse is {val}")'),
                    error="FloatingPointError: val_mse is nan",
                ),
            )
        y.tell(
            0,
            t + (20 if fate == "ERROR" else 70 if fate == "stopped" else 155),
            f"== trial_{n:02d} {fate:<8} lr={0.0003 * (1 + n % 7):.4f} width={64 * (1 + n % 5)} tau={2 + n % 4}",
        )
    y.tell(0, 796, "== 30 trials: 17 complete, 9 stopped, 4 ERROR. best trial_00 val_mse=0.3182 -> best.json")
    y.dial([(0, EMPTY), (58, Dial(82, 37, 402, 24, 40))])
    return well(y.finish("COMPLETED", 804), hard=True)


def last_mile() -> Written:
    """Hard: only the last 400 of 60000 updates are left when the leg before ended; this one makes them and is over in a quarter of an hour."""
    y = Yard(
        ("fi-7", "fi-8"),
        "nordic-t5-leg9",
        9_331_750,
        when("2026-10-24 05:00:00"),
        board=AMPERE,
        program=("python3", "t5.py", "--resume"),
        submit_line="sbatch --dependency=afterany:9329914 leg.sh 9 --resume",
    )
    y.tell(0, 44, "resume: t5/state_59600 read (weights, optimizer, scheduler, 16 data cursors); 59600 of 60000 updates are made")
    f = curve(9.9, 1.71, 300)
    last = y.march(
        0,
        range(59_620, 60_001, 20),
        70,
        2.0,
        lambda i, t: f"{y.clock(t, '%H:%M:%S')} t5 {i}/60000 span-ce {f(i):.4f} lr {max(0, 60_000 - i) * 2.5e-9:.1e}",
    )
    y.tell(0, last + 44, f"{y.clock(last + 44, '%H:%M:%S')} t5 60000/60000, held-out 1.7530, converted to hf/ and done")
    y.dial([(0, EMPTY), (40, OPENED), (66, Dial(97, 0, 352, 64))])
    return well(y.finish("COMPLETED", last + 60, dependency="afterany:9329914"), hard=True)


def full_node_disk() -> Written:
    """Hard: the copy of the data to the nodes' own disks ends with no space left; the script says so, reads from the project folder instead, and trains to the end."""
    y = Yard(
        ("wb-1", "wb-2"),
        "whisper-dialects",
        9_332_044,
        when("2026-10-26 21:00:00"),
        per=4,
        board=HOPPER,
        program=("python3", "dialects.py"),
        submit_line="sbatch dialects.sh",
    )
    y.script(3, "staging to /local/alice on wb-1 wb-2 ...")
    y.script(
        41,
        "tar: shards/0211.tar: Cannot write: No space left on device\ntar: Exiting with failure status due to previous errors\nsrun: error: wb-2: task 1: Exited with exit code 2\ndialects.sh: staging failed (2), will read /project/dialects directly",
    )
    f = curve(2.6, 0.41, 200)
    last = y.march(
        0,
        range(50, 4001, 50),
        90,
        1.21,
        lambda i, t: f"{y.clock(t)} [dialects] update {i:>5}/4000  ce={f(i):.4f}  cer={min(60, 14 * f(i)):.2f}%  data_wait=0.0{i % 8 + 1}s",
    )
    y.tell(0, last + 33, f"{y.clock(last + 33)} [dialects] finished, cer dev 5.97% test 6.20%")
    y.dial([(0, EMPTY), (62, OPENED), (86, Dial(94, 49, 566, 52))])
    return well(y.finish("COMPLETED", last + 41), hard=True)


JOBS: tuple[Writer, ...] = (pathology_slides, crystal_bands, two_answers, four_bits, growing_batch, thirty_trials, last_mile, full_node_disk)
