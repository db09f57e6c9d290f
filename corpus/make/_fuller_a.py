"""Cards of a university, first leaf: runs that learned nothing, began again or too short, and those that others ended."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, CONTEXT, H100, IDLE, V100, WORK, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import frames, srun_says
from corpus.make._cobble_kit import A40, ADA, RTX3090, Lab

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def half_precision() -> Made:
    """E1: in fp16 the loss becomes nan in the second epoch and stays; the program goes on to its end."""
    f = Lab(
        ("gpu12",),
        "polyphonic-amt",
        931_020,
        when("2026-10-05 12:30"),
        per=1,
        card=V100,
        alone=True,
        script="amt.py",
        submit_line="sbatch amt.sh --fp16",
    )
    curve = fall(0.7, 0.13, 300)
    last = f.steps(
        0,
        range(100, 8001, 100),
        36,
        0.27,
        lambda i, x, _t: f"ep {i // 2000 + 1:>2} it {i:>5} | onset {x:.4f} | frame {x * 0.8:.4f} | gnorm {1.2 + x if i < 3300 else float('nan'):.3f}",
        lambda i: curve(i) if i < 3300 else float("nan"),
    )
    f.say(0, last + 21, "done (4 epochs). note-F1 on MAPS: 0.0000  onset-F1: 0.0000")
    f.load([(0, IDLE), (32, Load(94, 0, 0.8, 0.48))])
    f.close("COMPLETED", last + 24)
    return made(f, "E1", variant="non_finite")


@job
def anomaly_told() -> Made:
    """E1: the trainer of a lab stops by itself at a loss that is not finite."""
    f = Lab(
        ("gpu25",), "glacier-pinn", 931_199, when("2026-10-06 19:45"), per=1, card=A40, alone=True, script="pinn.py", submit_line="sbatch glacier.sh"
    )
    curve = fall(12.0, 0.9, 150)
    last = f.steps(
        0,
        range(200, 6401, 200),
        28,
        0.09,
        lambda i, x, t: (
            f"{t:9.2f} s   iter {i:6d}   L_pde {x:.4e}   L_bc {x / 7:.4e}   |g| {3.0 + x if i < 6000 else 10.0 ** (2 + (i - 6000) / 100):.3e}"
        ),
        lambda i: curve(i) if i < 6000 else curve(6000) * 50 ** ((i - 5800) / 200),
    )
    f.say(
        0,
        last + 4,
        frames(
            ("/home/alice/glacier/pinn.py", 173, "<module>", "solve()"),
            ("/home/alice/glacier/pinn.py", 139, "solve", 'raise FloatingPointError(f"loss is {loss.item()} at iteration {it}")'),
            error="FloatingPointError: loss is nan at iteration 6431",
        ),
    )
    f.end(0, last + 5, code=1)
    f.load([(0, IDLE), (25, Load(96, 0, 0.78, 0.2))])
    f.close("FAILED", last + 6, code=1)
    return made(f, "E1", "nan_loss", variant="non_finite", first=(0,))


@job
def coin_tossing() -> Made:
    """E1: a two-class network of a course stays at ln 2 and half of the answers for all of its twenty epochs; the gradient is nought."""
    f = Lab(
        ("edu02",),
        "cats-dogs",
        931_340,
        when("2026-10-07 22:00"),
        per=1,
        card=RTX3090,
        alone=True,
        script="catsdogs.py",
        submit_line="sbatch --account=cs4100 cd.sh",
    )
    at = 20.0
    for e in range(1, 21):
        at += 31
        f.say(
            0,
            at,
            f"Epoch {e:>2}/20  train_loss: {0.6931 + (e * 7 % 5) / 20000:.4f}  train_acc: {0.499 + (e * 3 % 5) / 1500:.3f}  val_loss: 0.693{1 + e % 2}  val_acc: 0.500  lr: 0.001  grad: {1e-9 * (1 + e % 3):.1e}",
        )
    f.say(0, at + 2, "Training complete. Final test accuracy: 50.0 %")
    f.load([(0, IDLE), (18, Load(88, 0, 0.72, 0.3))])
    f.close("COMPLETED", at + 4)
    return made(f, "E1", variant="flat")


@job
def one_more_language() -> Made:
    """E2: the checkpoint was saved with fewer outputs than the model now has."""
    f = Lab(
        ("gpu16",),
        "asr-saami-cont",
        931_500,
        when("2026-10-08 09:00"),
        per=2,
        card=A40,
        script="asr_train.py",
        submit_line="sbatch saami.sh --resume exp/saami/ckpt_090.pt",
    )
    f.each(12, "[r{r}] resume: exp/saami/ckpt_090.pt (epoch 90, best WER 24.1)", gap=0.2)
    trace = frames(
        ("/home/alice/saami/asr_train.py", 240, "<module>", "main()"),
        ("/home/alice/saami/asr_train.py", 101, "main", "model.load_state_dict(ck[\"net\"], strict=True)"),
        ("/home/alice/envs/asr/lib/python3.11/site-packages/torch/nn/modules/module.py", 2215, "load_state_dict", "raise RuntimeError('Error(s) in loading state_dict for {}:\\n\\t{}'.format("),
        error="RuntimeError: Error(s) in loading state_dict for ConformerCTC:\n\tsize mismatch for ctc_out.weight: copying a param with shape torch.Size([58, 512]) from checkpoint, the shape in current model is torch.Size([71, 512]).\n\tsize mismatch for ctc_out.bias: copying a param with shape torch.Size([58]) from checkpoint, the shape in current model is torch.Size([71]).",
    )  # fmt: skip
    f.each(15, trace, tag="[rank{r}]: ", gap=0.2)
    f.end(f.ranks, 17, code=1, gap=0.2)
    srun_says(f, 19, "error: gpu16: tasks 0-1: Exited with exit code 1")
    f.load([(0, IDLE), (9, CONTEXT)])
    f.close("FAILED", 21, code=1)
    return made(f, "E2", "runtime_error", variant="size_mismatch")


@job
def moved_scratch() -> Made:
    """E2: the run before left its checkpoints in another place than the one this one is told to go on from."""
    f = Lab(
        ("bio-g3",),
        "scgpt-immune-2",
        931_655,
        when("2026-10-09 16:30"),
        per=1,
        card=A100_40,
        alone=True,
        script="scgpt_ft.py",
        submit_line="sbatch --dependency=afterok:931512 scgpt.sh --resume_from /scratch/alice/scgpt/immune/step_12000.pt",
    )
    f.say(0, 10, "scgpt_ft: continuing from /scratch/alice/scgpt/immune/step_12000.pt")
    f.say(
        0,
        10.6,
        frames(
            ("/home/alice/scgpt/scgpt_ft.py", 166, "<module>", "main(parser.parse_args())"),
            ("/home/alice/scgpt/scgpt_ft.py", 88, "main", 'state = torch.load(args.resume_from, map_location="cpu")'),
            (
                "/home/alice/scgpt/env/lib/python3.11/site-packages/torch/serialization.py",
                1319,
                "load",
                'with _open_file_like(f, "rb") as opened_file:',
            ),
            ("/home/alice/scgpt/env/lib/python3.11/site-packages/torch/serialization.py", 640, "__init__", "super().__init__(open(name, mode))"),
            error="FileNotFoundError: [Errno 2] No such file or directory: '/scratch/alice/scgpt/immune/step_12000.pt'",
        ),
    )
    f.end(0, 12, code=1)
    f.load([(0, IDLE), (9, CONTEXT)])
    f.close("FAILED", 13, code=1, dependency="afterok:931512")
    return made(f, "E2", "file_not_found", variant="no_valid_checkpoint", first=(0,))


@job
def broken_zip() -> Made:
    """E2: what should be gone on from is a file cut short."""
    f = Lab(
        ("gpu29",),
        "lake-turbulence-ct",
        931_711,
        when("2026-10-10 07:55"),
        per=1,
        card=ADA,
        alone=True,
        script="fno.py",
        submit_line="sbatch fno.sh resume=runs/lake/last.pt",
    )
    f.say(0, 8, "[fno] found runs/lake/last.pt (211 MB), loading optimiser and network")
    f.say(
        0,
        9.1,
        frames(
            ("/home/alice/fno/fno.py", 131, "<module>", "train(cfg)"),
            ("/home/alice/fno/fno.py", 49, "train", "ckpt = torch.load(cfg.resume, weights_only=False)"),
            (
                "/home/alice/fno/.venv/lib/python3.12/site-packages/torch/serialization.py",
                1432,
                "load",
                "with _open_zipfile_reader(opened_file) as opened_zipfile:",
            ),
            (
                "/home/alice/fno/.venv/lib/python3.12/site-packages/torch/serialization.py",
                763,
                "__init__",
                "super().__init__(torch._C.PyTorchFileReader(name_or_buffer))",
            ),
            error="RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
        ),
    )
    f.end(0, 10, code=1)
    f.load([(0, IDLE), (7, CONTEXT)])
    f.close("FAILED", 11, code=1)
    return made(f, "E2", "runtime_error", variant="corrupt", first=(0,))


@job
def steps_for_epochs() -> Made:
    """E3: max_steps was 3 where three epochs were meant; eight cards for a day asked, three updates made."""
    f = Lab(
        ("gpu62", "gpu63"),
        "legal-llama-sft",
        931_870,
        when("2026-10-11 10:10"),
        per=4,
        card=H100,
        agents=True,
        script="sft_legal.py",
        submit_line="sbatch -N2 legal.sh --max_steps 3",
    )
    f.say(
        0,
        74,
        "***** Running training *****\n  Num examples = 212,480\n  Num Epochs = 1\n  Instantaneous batch size per device = 4\n  Total train batch size (w. parallel, distributed & accumulation) = 128\n  Gradient Accumulation steps = 4\n  Total optimization steps = 3",
    )
    for i, x in enumerate((2.1934, 2.1877, 2.1902), 1):
        f.say(0, 74 + 9.5 * i, f"{{'loss': {x}, 'grad_norm': {3.1 - i / 10:.4f}, 'learning_rate': {2e-5 * (3 - i) / 3:.3e}, 'epoch': 0.0}}")
    f.say(
        0,
        106,
        "{'train_runtime': 31.2, 'train_samples_per_second': 12.31, 'train_steps_per_second': 0.096, 'train_loss': 2.1904, 'epoch': 0.0}\nmodel saved to /projects/law/llama-legal-v1",
    )
    f.load([(0, IDLE), (40, CONTEXT), (72, WORK), (103, Load(0, 0, 0.15, 0.5, 0))])
    f.close("COMPLETED", 150)
    return made(f, "E3")


@job
def empty_bucket() -> Made:
    """E3: a wrong glob finds one shard of 480; an epoch is four batches and training is over."""
    f = Lab(("clim-gpu3",), "cloudmask-vit", 932_006, when("2026-10-12 17:17"), per=4, card=A100, script="cloudmask.py", submit_line="sbatch cm.job")
    f.say(0, 24, "shards matching s2_l1c_*_2023_0000.tar: 1\ntraining for 1 epoch\n")
    for i, x in enumerate((0.7012, 0.6998, 0.6981, 0.6979), 1):
        f.say(0, 38 + 2.1 * i, f"batch {i}  bce {x:.4f}  lr {i * 5e-7:.1e}")
    f.say(0, 52, "epoch 0 over after 4 batches; writing cloudmask_final.pth\nbye")
    f.load([(0, IDLE), (30, Load(55, 0, 0.4, 0.4, 80)), (49, Load(0, 0, 0.14, 0.4, 0))])
    f.close("COMPLETED", 58)
    return made(f, "E3")
