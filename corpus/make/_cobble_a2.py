"""Labs and courses, first sheet: programs that stopped with a word, by a signal, or with their card, more of them."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, CONTEXT, H100, IDLE, SPIN, V100, WORK, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says
from corpus.make._cobble_kit import A40, Lab

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def group_share() -> Made:
    """A3: the folder of the group for results belongs to somebody else; the save after epoch one fails."""
    f = Lab(
        ("bio-g1",),
        "rna-fold-lm",
        919_871,
        when("2026-10-26 09:09"),
        per=1,
        card=A100_40,
        alone=True,
        script="rnalm.py",
        submit_line="sbatch rnalm.sbatch",
    )
    last = f.steps(
        0,
        range(100, 4001, 100),
        40,
        0.21,
        lambda i, x, t: f"{t - 40:8.1f}s  step {i:>6}  masked-nt loss {x:.4f}  acc {0.25 + (1.39 - x) * 0.6:.3f}",
        fall(1.386, 0.74, 400),
    )
    f.say(0, last + 1, "epoch 1 finished, writing /groups/rnalab/models/rnalm/epoch1.pt")
    f.say(
        0,
        last + 1.6,
        frames(
            ("/home/alice/rnalm/rnalm.py", 143, "<module>", "fit(args)"),
            ("/home/alice/rnalm/rnalm.py", 120, "fit", "path.parent.mkdir(parents=True, exist_ok=True)"),
            ("/sw/python/3.12/lib/python3.12/pathlib.py", 1311, "mkdir", "os.mkdir(self, mode)"),
            error="PermissionError: [Errno 13] Permission denied: '/groups/rnalab/models/rnalm'",
        ),
    )
    f.end(0, last + 2.5, code=1)
    f.load([(0, IDLE), (38, WORK)])
    f.close("FAILED", last + 4, code=1)
    return made(f, "A3", "permission", first=(0,))


@job
def all_fields_at_once() -> Made:
    """A3: the monthly verification wants all forecasts in memory, and the host says no."""
    f = Lab(
        ("clim-gpu2",),
        "monsoon-ens",
        920_040,
        when("2026-10-27 15:48"),
        per=1,
        card=A100,
        alone=True,
        script="monsoon.py",
        submit_line="sbatch monsoon.job",
    )
    last = f.steps(
        0,
        range(1, 26),
        55,
        61,
        lambda i, x, t: (
            f"[{f.clock(t, '%d.%m. %H:%M')}] epoch {i:02d} of 40: train rmse {x:.3f} mm/d, valid rmse {x * 1.07:.3f} mm/d, {58 + i % 5} s"
        ),
        fall(9.3, 4.4, 5),
    )
    f.say(0, last + 3, f"[{f.clock(last + 3, '%d.%m. %H:%M')}] verification against IMD, 30 members")
    f.say(
        0,
        last + 38,
        frames(
            ("/home/alice/monsoon/monsoon.py", 211, "<module>", "main()"),
            ("/home/alice/monsoon/monsoon.py", 187, "main", "verify(net, years)"),
            ("/home/alice/monsoon/verify.py", 44, "verify", "fc = np.zeros((len(years), 30, 122, 1440, 2880), dtype=np.float64)"),
            error="numpy.core._exceptions._ArrayMemoryError: Unable to allocate 2.21 TiB for an array with shape (20, 30, 122, 1440, 2880) and data type float64",
        ),
    )
    f.end(0, last + 39, code=1)
    f.load([(0, IDLE), (52, WORK), (last + 4, Load(0, 0, 0.2, 0.79, 0))])
    f.close("FAILED", last + 40, code=1)
    return made(f, "A3", "ram_oom", first=(0,))


@job
def seven_billion_on_one() -> Made:
    """B1: full fine-tuning of a large model on a card of 48 GB: the optimiser's first step does not fit."""
    f = Lab(
        ("gpu09",), "mistral-sft", 920_215, when("2026-10-28 11:37"), per=1, card=A40, alone=True, script="sft.py", submit_line="sbatch sft.slurm"
    )
    f.say(
        0,
        41,
        "Loading checkpoint shards: 100%|██████████| 3/3 [00:22<00:00,  7.41s/it]\ntrainable params: 7,241,732,096 || all params: 7,241,732,096\n  0%|          | 0/1250 [00:00<?, ?it/s]",
    )
    f.say(
        0,
        52,
        frames(
            ("/home/alice/sft/sft.py", 74, "<module>", "trainer.train()"),
            ("/home/alice/sft/venv/lib/python3.11/site-packages/transformers/trainer.py", 2245, "train", "return inner_training_loop("),
            ("/home/alice/sft/venv/lib/python3.11/site-packages/transformers/trainer.py", 2615, "_inner_training_loop", "self.optimizer.step()"),
            ("/home/alice/sft/venv/lib/python3.11/site-packages/torch/optim/adamw.py", 176, "_init_group", 'state["exp_avg"] = torch.zeros_like('),
            error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 112.00 MiB. GPU 0 has a total capacity of 44.43 GiB of which 87.31 MiB is free. Including non-PyTorch memory, this process has 44.33 GiB memory in use. Of the allocated memory 43.60 GiB is allocated by PyTorch, and 434.18 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        ),
    )
    f.end(0, 54, code=1)
    f.load([(0, IDLE), (16, CONTEXT), (34, Load(4, 0, 0.25, 0.33, 20)), (46, Load(80, 0, 0.6, 0.99, 30))])
    f.close("FAILED", 56, code=1)
    return made(f, "B1", "cuda_oom", first=(0,))


@job
def longest_protein() -> Made:
    """B1: in JAX a protein of 2200 residues comes up and the attention no longer fits."""
    f = Lab(
        ("bio-g4",),
        "evoformer-lite",
        920_433,
        when("2026-10-29 19:05"),
        per=1,
        card=V100,
        alone=True,
        script="train_evo.py",
        submit_line="sbatch evo.sh",
    )
    last = f.steps(
        0,
        range(20, 981, 20),
        140,
        1.9,
        lambda i, x, t: (
            f"I{f.clock(t, '%m%d %H:%M:%S')}.{(i * 7919) % 1_000_000:06d} 40000 train_evo.py:131] step={i} fape={x:.4f} crop=auto len={180 + (i * 37) % 900}"
        ),
        fall(4.2, 1.5, 80),
    )
    f.say(
        0,
        last + 22,
        f"W{f.clock(last + 22, '%m%d %H:%M:%S')}.310882   40112 bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 17.31GiB (rounded to 18588303360)requested by op \nW{f.clock(last + 22, '%m%d %H:%M:%S')}.311020   40112 bfc_allocator.cc:508] ***************************************************_________________________________________________",
    )
    f.say(
        0,
        last + 23,
        frames(
            ("/home/alice/evo/train_evo.py", 166, "<module>", "app.run(main)"),
            ("/home/alice/evo/train_evo.py", 127, "main", "state, aux = update(state, feats)"),
            (
                "/home/alice/evo/env/lib/python3.10/site-packages/jax/_src/pjit.py",
                340,
                "cache_miss",
                "outs, out_flat, out_tree, args_flat, jaxpr = _python_pjit_helper(",
            ),
            error="jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 18588303248 bytes.\n--------------------\nFor simplicity, JAX has removed its internal frames from the traceback of the following exception. Set JAX_TRACEBACK_FILTERING=off to include these.",
        ),
    )
    f.end(0, last + 25, code=1)
    f.load([(0, IDLE), (90, Load(92, 0, 0.8, 0.76))])
    f.close("FAILED", last + 26, code=1)
    return made(f, "B1", "cuda_oom", first=(0,))


@job
def gone_from_the_bus() -> Made:
    """B2: one card of four is not on the bus any more; its rank gets an error, the others are taken down."""
    f = Lab(
        ("gpu31",),
        "segformer-city",
        920_620,
        when("2026-10-30 04:12"),
        per=4,
        card=A100,
        agents=True,
        script="train_seg.py",
        submit_line="sbatch seg.sh",
    )
    last = f.steps(
        0,
        range(50, 5201, 50),
        60,
        0.72,
        lambda i, x, t: f"[rank0] {f.clock(t)} | iter {i}/40000 | ce {x:.4f} | mIoU(batch) {0.75 - x / 4:.3f}",
        fall(2.6, 0.5, 300),
    )
    f.xid(3, last + 4, 79, "GPU has fallen off the bus.", named=False)
    f.marks[3] = ({}, None)
    f.blind[3] = last + 3
    f.say(
        3,
        last + 6,
        frames(
            ("/home/alice/seg/train_seg.py", 230, "<module>", "main()"),
            ("/home/alice/seg/train_seg.py", 184, "main", "running += loss.item()"),
            error="RuntimeError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
        "[rank3]: ",
    )
    f.end(3, last + 9, code=1)
    f.end(range(3), last + 12, signal=15)
    sigterms(f, 0, last + 10, range(3))
    elastic(f, 0, last + 14, [(3, 1, last + 9)], binary="/home/alice/seg/venv/bin/python")
    f.load([(0, IDLE), (56, WORK)])
    f.close("FAILED", last + 17, code=1)
    return made(f, "B2", "cuda_runtime", first=(3,), variant="fault", fault="node")


@job
def double_bit() -> Made:
    """B2: an uncorrectable error of one card's memory ends rank 6 and with it the step."""
    f = Lab(
        ("gpu40", "gpu41"),
        "speech-ssl",
        920_811,
        when("2026-10-31 14:00"),
        per=4,
        card=H100,
        script="ssl/pretrain.py",
        submit_line="sbatch -N2 ssl.sbatch",
    )
    last = f.steps(
        0,
        range(40, 3401, 40),
        82,
        1.35,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} upd={i:06d} contrastive={x:.4f} diversity={0.4 + x / 40:.4f} code_ppl={210 + i // 40:.0f}",
        fall(6.2, 2.1, 200),
    )
    f.xid(6, last + 20, 48, "DBE (double bit error) detected by the GPU, FBPA 3 subp 1")
    f.xid(6, last + 20.4, 63, "Row Remapper: New row marked for remapping, reset gpu to activate.", named=False)
    f.marks[6] = (
        {"ecc_volatile_uncorrected": 0},
        {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remap_pending": True, "remapped_rows_uncorrectable": 1},
    )
    f.say(
        6,
        last + 22,
        frames(
            ("/proj/speech/ssl/pretrain.py", 322, "<module>", "cli()"),
            ("/proj/speech/ssl/pretrain.py", 265, "train_loop", "scaler.scale(loss).backward()"),
            error="torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
        ),
        "[rank6]: ",
    )
    f.end(6, last + 25, code=1)
    f.end([r for r in f.ranks if r != 6], last + 29, signal=9)
    srun_says(
        f,
        last + 26,
        "error: gpu41: task 6: Exited with exit code 1",
        f"Terminating StepId={f.job_id}.0",
        "error: gpu40: tasks 0-3: Killed",
        "error: gpu41: tasks 4-5,7: Killed",
    )
    f.load([(0, IDLE), (78, WORK), (last + 21, SPIN)])
    f.close("FAILED", last + 32, code=1)
    return made(f, "B2", "cuda_runtime", first=(6,), variant="fault", fault="node")
