"""Labs and courses, first sheet: programs that stopped with a word, by a signal, or with their card."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, CONTEXT, IDLE, OUT_OF_MEMORY, WORK, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, srun_says
from corpus.make._cobble_kit import A30, A40, ADA, RTX3090, Lab

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def without_pysam() -> Made:
    """A1: the environment of the group has no pysam."""
    f = Lab(
        ("bio-g2",),
        "peakcaller",
        918_204,
        when("2026-10-19 08:41"),
        per=1,
        card=A30,
        alone=True,
        script="train_peaks.py",
        submit_line="sbatch peaks.slurm",
    )
    f.say(0, 1.2, "Loading module Miniforge3/24.7\nActivating env chromatin\nbio-g2.hpc.uni.example\nNVIDIA A30, 24576 MiB")
    f.say(
        0,
        6.8,
        frames(
            ("/home/alice/chromatin/train_peaks.py", 14, "<module>", "from chromatin.io import BamWindowDataset"),
            ("/home/alice/chromatin/chromatin/io.py", 5, "<module>", "import pysam"),
            error="ModuleNotFoundError: No module named 'pysam'",
        ),
    )
    f.end(0, 7, code=1)
    f.load([(0, IDLE)])
    f.close("FAILED", 8, code=1)
    return made(f, "A1", "missing_module", variant="env", first=(0,))


@job
def homework_three() -> Made:
    """A1: a mask was made on the CPU; the first forward pass fails."""
    f = Lab(
        ("edu03",),
        "hw3-transformer",
        918_377,
        when("2026-10-20 21:14"),
        per=1,
        card=RTX3090,
        alone=True,
        script="hw3.py",
        submit_line="sbatch --account=cs7150 hw3.sbatch",
    )
    f.say(0, 9, "Using device: cuda\nvocab: 10002 tokens\nmodel has 13.4M parameters\n== training for 8 epochs ==")
    f.say(
        0,
        14.5,
        frames(
            ("/home/alice/cs7150/hw3/hw3.py", 188, "<module>", "train(model, train_iter, val_iter, epochs=8)"),
            ("/home/alice/cs7150/hw3/hw3.py", 141, "train", "out = model(src)"),
            (
                "/home/alice/.conda/envs/dl/lib/python3.10/site-packages/torch/nn/modules/module.py",
                1511,
                "_wrapped_call_impl",
                "return self._call_impl(*args, **kwargs)",
            ),
            ("/home/alice/cs7150/hw3/model.py", 62, "forward", "scores = scores + self.causal_mask[:T, :T]"),
            error="RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
        ),
    )
    f.end(0, 16, code=1)
    f.load([(0, IDLE), (8, CONTEXT)])
    f.close("FAILED", 17, code=1)
    return made(f, "A1", "device_mismatch", first=(0,))


@job
def adapters_nowhere() -> Made:
    """A1: LoRA is told to sit on modules that a Pythia has not."""
    f = Lab(
        ("gpu14",),
        "pythia-lora-dialog",
        918_590,
        when("2026-10-21 16:02"),
        per=4,
        card=A40,
        agents=True,
        script="finetune_lora.py",
        submit_line="sbatch run_lora.sh --base EleutherAI/pythia-2.8b",
    )
    f.each(19, "[proc {r}] base model EleutherAI/pythia-2.8b loaded in bf16", gap=0.2)
    trace = frames(
        ("/data/nlp/alice/lora/finetune_lora.py", 96, "<module>", "main()"),
        ("/data/nlp/alice/lora/finetune_lora.py", 58, "main", "model = get_peft_model(model, lora_cfg)"),
        ("/data/nlp/envs/peft/lib/python3.11/site-packages/peft/mapping_func.py", 123, "get_peft_model", "return MODEL_TYPE_TO_PEFT_MODEL_MAPPING[peft_config.task_type]("),
        ("/data/nlp/envs/peft/lib/python3.11/site-packages/peft/tuners/tuners_utils.py", 648, "inject_adapter", "raise ValueError(error_msg)"),
        error="ValueError: Target modules {'v_proj', 'q_proj'} not found in the base model. Please check the target modules and try again.",
    )  # fmt: skip
    f.each(23, trace, tag="[rank{r}]: ", gap=0.1)
    f.end(f.ranks, 25, code=1, gap=0.1)
    elastic(f, 0, 28, [(r, 1, 25 + 0.1 * r) for r in range(4)], binary="/data/nlp/envs/peft/bin/python")
    f.load([(0, IDLE), (12, CONTEXT)])
    f.close("FAILED", 31, code=1)
    return made(f, "A1", "traceback", variant="config")


@job
def greedy_cache() -> Made:
    """A2: each rank keeps decoded volumes; the job's memory is used up and the kernel kills rank 1."""
    f = Lab(
        ("gpu22",),
        "ct-unet3d",
        919_011,
        when("2026-10-22 10:30"),
        per=2,
        card=A100_40,
        memory_gib=48,
        script="train_unet3d.py",
        submit_line="sbatch --mem=96G ct.sbatch",
    )
    last = f.steps(
        0,
        range(1, 35),
        64,
        48,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')}  vol-epoch {i}/200  dice_loss {x:.4f}  cached volumes {i * 41}  host RSS {8 + i * 1.13:.1f}G",
        fall(0.91, 0.22, 6),
    )
    f.oom(1, last + 31, 96, 96)
    f.end(1, last + 31.2, signal=9)
    f.end(0, last + 36, signal=15)
    f.say(0, last + 33, f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.")
    srun_says(f, last + 33.2, "error: gpu22: task 1: Out Of Memory", f"Terminating StepId={f.job_id}.0", "error: gpu22: task 0: Terminated")
    f.load([(0, IDLE), (60, WORK)])
    f.close("OUT_OF_MEMORY", last + 40, signal=OUT_OF_MEMORY, step=("OUT_OF_MEMORY", 0, OUT_OF_MEMORY), batch=(1, None))
    return made(f, "A2", "oom_killer", first=(1,))


@job
def reader_in_c() -> Made:
    """A2: a library that reads GRIB files crashes in a worker thread of a downscaling run."""
    f = Lab(
        ("clim-gpu1",),
        "downscale-era5",
        919_230,
        when("2026-10-23 18:55"),
        per=1,
        card=A100,
        alone=True,
        script="downscale.py",
        submit_line="sbatch downscale.job",
    )
    last = f.steps(
        0,
        range(50, 1851, 50),
        71,
        0.83,
        lambda i, x, t: f"{f.clock(t, '%b %d %H:%M:%S')} [it {i:5d}] mse={x:.5f}  bias={(x - 0.3) / 20:+.4f} K",
        fall(1.7, 0.28, 120),
    )
    f.say(
        0,
        last + 12,
        'Fatal Python error: Segmentation fault\n\nThread 0x00007f1c8a7fc700 (most recent call first):\n  File "/home/alice/envs/clim/lib/python3.11/site-packages/gribapi/gribapi.py", line 1208 in grib_get_double_array\n  File "/home/alice/envs/clim/lib/python3.11/site-packages/eccodes/highlevel/message.py", line 241 in data\n  File "/home/alice/downscale/fields.py", line 77 in load_field\n  File "/usr/lib64/python3.11/concurrent/futures/thread.py", line 58 in run\n\nExtension modules: numpy.core._multiarray_umath, torch._C, gribapi._bindings (total: 41)',
    )
    f.say(
        0,
        last + 14,
        f"/var/spool/slurmd/job{f.job_id}/slurm_script: line 23: {f.pid(0)} Segmentation fault      (core dumped) python -X faulthandler -u downscale.py",
    )
    f.end(0, last + 14.1, code=139)
    f.load([(0, IDLE), (66, WORK)])
    f.close("FAILED", last + 15, code=139)
    return made(f, "A2", "segfault", first=(0,))


@job
def rare_class() -> Made:
    """A3: nobody predicted the rare class, and the precision after the fourth epoch divides by zero."""
    f = Lab(
        ("edu01",),
        "birdcall",
        919_402,
        when("2026-10-24 13:20"),
        per=1,
        card=RTX3090,
        alone=True,
        script="birdcall.py",
        submit_line="sbatch birds.sh",
    )
    curve = fall(3.4, 1.2, 40)
    at = 22.0
    for e in range(1, 5):
        for b in range(25, 151, 25):
            at += 25 * 0.33
            f.say(0, at, f"epoch {e}/15  batch {b:>3}/150  loss {curve((e - 1) * 150 + b):.4f}")
        if e < 4:
            at += 11
            f.say(0, at, f"epoch {e} validation: macro precision {0.18 + 0.11 * e:.3f}, macro recall {0.15 + 0.1 * e:.3f}")
    f.say(
        0,
        at + 10,
        frames(
            ("/home/alice/birdcall/birdcall.py", 160, "<module>", "main()"),
            ("/home/alice/birdcall/birdcall.py", 131, "main", "prec = [tp[c] / (tp[c] + fp[c]) for c in classes]"),
            ("/home/alice/birdcall/birdcall.py", 131, "<listcomp>", "prec = [tp[c] / (tp[c] + fp[c]) for c in classes]"),
            error="ZeroDivisionError: division by zero",
        ),
    )
    f.end(0, at + 11, code=1)
    f.load([(0, IDLE), (20, Load(84, 0, 0.66, 0.31))])
    f.close("FAILED", at + 12, code=1)
    return made(f, "A3", "div_zero", first=(0,))


@job
def joint_limits() -> Made:
    """A3: the environment of rank 2 checks its own joints and stops the walk."""
    f = Lab(
        ("rob-a",), "quadruped-ppo", 919_655, when("2026-10-25 22:22"), per=4, card=ADA, script="scripts/ppo.py", submit_line="sbatch walk.sbatch"
    )
    last = f.steps(
        0,
        range(5, 321, 5),
        48,
        6.1,
        lambda i, x, _t: (
            f"---------------------------------\n| iter            | {i:<11} |\n| ep_rew_mean     | {38 - 30 * x:<11.3f} |\n| value_loss      | {x:<11.4f} |\n| fps             | {41200 + i * 3 % 700:<11} |\n---------------------------------"
        ),
        fall(1.1, 0.12, 40),
    )
    f.say(
        2,
        last + 3.4,
        frames(
            ("/home/alice/walk/scripts/ppo.py", 204, "<module>", "runner.learn(cfg.iterations)"),
            ("/home/alice/walk/walk/runner.py", 117, "learn", "obs, rew, done, info = self.env.step(act)"),
            (
                "/home/alice/walk/walk/env.py",
                288,
                "step",
                'assert torch.isfinite(self.dof_pos).all(), f"dof_pos of env {bad.tolist()} left its range"',
            ),
            error="AssertionError: dof_pos of env [2817] left its range",
        ),
    )
    f.end(2, last + 5, code=1)
    f.end([0, 1, 3], last + 8, signal=9)
    srun_says(f, last + 5.5, "error: rob-a: task 2: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: rob-a: tasks 0-1,3: Killed")
    f.load([(0, IDLE), (44, WORK)])
    f.close("FAILED", last + 10, code=1)
    return made(f, "A3", "assertion", first=(2,))
