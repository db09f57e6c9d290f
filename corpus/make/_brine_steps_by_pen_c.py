"""A lab's jobs and its partners' larger ones, third jar: good ones."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, H100, IDLE, L40S, V100, WORK, Fleet, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def lightning_boxes() -> Made:
    """Lightning's bars on one card, thirty epochs, then the test's table."""
    f = Fleet(("med-1",), "retina-grading", 571_004, when("2026-11-02 08:10"), per=1, card=A100, script="grade.py", submit_line="sbatch grade.sh")
    f.say(
        0,
        10,
        "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nLOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]\n\n  | Name | Type           | Params | Mode \n------------------------------------------------\n0 | net  | EfficientNetV2 | 20.2 M | train\n------------------------------------------------",
    )
    last = f.steps(
        0,
        range(30),
        14,
        74,
        lambda i, x, _t: (
            f"Epoch {i}: 100%|██████████| 440/440 [01:1{i % 9}<00:00,  6.0{i % 9}it/s, v_num=7, train_loss={x:.3f}, val_loss={x + 0.06:.3f}, val_qwk={0.92 - x / 3:.3f}]"
        ),
        fall(1.4, 0.2, 4),
    )
    f.say(0, last + 2, "`Trainer.fit` stopped: `max_epochs=30` reached.")
    f.say(
        0,
        last + 30,
        "┏━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━┓\n┃    Test metric    ┃   DataLoader 0    ┃\n┡━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━┩\n│     test_loss     │      0.4127       │\n│     test_qwk      │      0.8390       │\n└───────────────────┴───────────────────┘",
    )
    f.load([(0, IDLE), (12, WORK)])
    f.close("COMPLETED", last + 34)
    return good(f)


@job
def a_million_molecules() -> Made:
    """Preprocessing on four cards: descriptors and embeddings of a library, no training at all; each card counts its part."""
    f = Fleet(("chem-g1",), "embed-zinc", 571_190, when("2026-11-03 21:00"), per=4, card=L40S, script="embed_smiles.py", submit_line="sbatch zinc.sh")
    for r in f.ranks:
        at = 25.0 + r
        for k in range(1, 26):
            at += 166 + (k * 7 + r) % 5
            f.say(r, at, f"part {r}: {20_000 * k:>7}/500000 molecules -> zinc_{r}.h5 ({118 + (k + r) % 7}/s) {f.clock(at, '%H:%M')}")
        f.say(r, 25 + r + 500_000 * 0.0085, f"part {r}: complete, 500000 rows, 0 dropped")
    f.load([(0, IDLE), (22, Load(94, 0, 0.77, 0.31, 8))])
    f.close("COMPLETED", 25 + 500_000 * 0.0085 + 12)
    return good(f)


@job
def second_leg() -> Made:
    """A resumed run of 32 cards that finds its state, goes on at the step where the first leg was, and reaches its plan."""
    f = Fleet(
        ("bl1", "bl2", "bl3", "bl4"),
        "vit22-remote-leg2",
        571_388,
        when("2026-11-04 04:04"),
        per=8,
        card=B200,
        script="mae_rs.py",
        submit_line="sbatch --dependency=afterany:570911 -N4 mae.sh --resume auto",
    )
    f.say(0, 58, "resume: found ckpt/step_0040000, model+optimizer+scheduler+rng restored, continuing at step 40000")
    last = f.steps(
        0,
        range(40_100, 60_001, 100),
        80,
        0.36,
        lambda i, x, t: f"{f.clock(t)} mae step {i}/60000 rec={x:.5f} lr={1.5e-4 * (1 - i / 61_000):.3e} img/s={22_700 + i % 311}",
        fall(0.9, 0.31, 2500),
    )
    f.say(0, last + 14, f"{f.clock(last + 14)} mae 60000/60000 reached; linear probe 71.8; final weights in ckpt/step_0060000")
    f.load([(0, IDLE), (50, CONTEXT), (76, WORK)])
    f.points = 16
    f.close("COMPLETED", last + 25, dependency="afterany:570911")
    return good(f)


@job
def old_card() -> Made:
    """Keras on one old card, early stopping by its own rule restores the best epoch."""
    f = Fleet(("edu-gpu2",), "lstm-load", 571_560, when("2026-11-05 15:35"), per=1, card=V100, script="load_lstm.py", submit_line="sbatch lstm.sh")
    at, curve = 20.0, fall(0.08, 0.012, 3)
    for e in range(1, 33):
        at += 41
        f.say(
            0,
            at,
            f"Epoch {e}/60\n812/812 - 41s - 50ms/step - loss: {curve(e):.5f} - mae: {curve(e) ** 0.5 / 2:.4f} - val_loss: {curve(min(e, 27)) * 1.1 + (0.0006 if e > 27 else 0):.5f}",
        )
    f.say(
        0, at + 1, "Epoch 32: early stopping\nRestoring model weights from the end of the best epoch: 27.\nTest RMSE: 41.8 MW (persistence: 77.2 MW)"
    )
    f.load([(0, IDLE), (18, Load(72, 0, 0.55, 0.9, 12))])
    f.close("COMPLETED", at + 5)
    return good(f)


@job
def second_try_of_srun() -> Made:
    """Hard: the first srun dies at once of a busy port, the script tries the next port, and the training runs to its end."""
    f = Fleet(("gx-5", "gx-6"), "roberta-dapt", 571_733, when("2026-11-06 10:50"), per=4, card=A100, script="dapt.py", submit_line="sbatch dapt.sh")
    f.script_words += [
        (2, "+ port=29500\n+ python check_port.py gx-5 29500\nOSError: [Errno 98] Address already in use"),
        (2.2, "dapt.sh: 29500 is taken, trying 29501"),
        (2.4, "+ port=29501\n+ srun python -u dapt.py --master_port 29501"),
    ]
    last = f.steps(
        0,
        range(100, 6001, 100),
        50,
        0.71,
        lambda i, x, t: f"{f.clock(t, '%m/%d/%Y %H:%M:%S')} - INFO - dapt -   step {i} mlm_loss {x:.4f} lr {1e-4 * (1 - i / 6000):.2e}",
        fall(2.9, 1.4, 300),
    )
    f.say(0, last + 9, f"{f.clock(last + 9, '%m/%d/%Y %H:%M:%S')} - INFO - dapt -   max_steps 6000 reached, perplexity on dev 4.02")
    f.load([(0, IDLE), (46, WORK)])
    f.close("COMPLETED", last + 16)
    return good(f, hard=True)


@job
def half_awake() -> Made:
    """Hard: a small graph network keeps one big card at a quarter of its duty, steadily; the loss falls as planned to the last epoch."""
    f = Fleet(("h-9",), "gin-tox21", 571_920, when("2026-11-07 23:30"), per=1, card=H100, script="gin.py", submit_line="sbatch gin.sh")
    last = f.steps(
        0,
        range(1, 121),
        15,
        16,
        lambda i, x, _t: f"epoch {i:3d}  bce {x:.4f}  roc_auc(valid) {0.86 - x / 4:.4f}  lr {0.001 if i < 80 else 0.0002}",
        fall(0.69, 0.21, 9),
    )
    f.say(0, last + 2, "best valid roc_auc 0.7914 @ epoch 117, test 0.7842\nWarning: 14 molecules could not be sanitized and were left out")
    f.load([(0, IDLE), (13, Load(27, 7, 0.24, 0.05, 8))])
    f.close("COMPLETED", last + 5)
    return good(f, hard=True)


@job
def mostly_broken_files() -> Made:
    """Hard: some recordings cannot be decoded; each leaves a traceback, the loader takes the next; training goes on to its end."""
    f = Fleet(
        ("sp-g3",),
        "fastconformer-gsw",
        572_101,
        when("2026-11-08 13:13"),
        per=4,
        card=A100,
        agents=True,
        script="asr.py",
        submit_line="sbatch asr_gsw.sh",
    )
    last = f.steps(
        0,
        range(100, 5001, 100),
        42,
        0.88,
        lambda i, x, t: f"[rank0] {f.clock(t, '%H:%M:%S')} step {i}/5000 rnnt {x:.3f} val_wer {min(1.0, x / 90):.3f}",
        fall(140, 14, 200),
    )
    for k, (r, at) in enumerate(((2, 210.0), (0, 801.0), (3, 802.0), (2, 1999.0), (1, 3333.0))):
        f.say(
            r,
            at,
            frames(
                ("/home/beat/gsw/audio.py", 29, "load", "wav, sr = soundfile.read(path)"),
                (
                    "/opt/asr/lib/python3.11/site-packages/soundfile.py",
                    1216,
                    "_open",
                    'raise LibsndfileError(err, prefix="Error opening {0!r}: ".format(self.name))',
                ),
                error=f"soundfile.LibsndfileError: Error opening '/data/gsw/clips/{90_412 + 17 * k}.flac': Format not recognised.",
            )
            + f"\nERROR audio: clip {90_412 + 17 * k} unreadable, taking the next one",
            f"[rank{r}] ",
        )
    f.say(0, last + 6, f"[rank0] {f.clock(last + 6, '%H:%M:%S')} 5000/5000, test WER 17.9 %, 5 clips left out, model exported")
    f.load([(0, IDLE), (38, WORK)])
    f.close("COMPLETED", last + 14)
    return good(f, hard=True)


@job
def kicked_server() -> Made:
    """Hard: Weights & Biases cannot be reached, its client complains for hours and at the end; 16 cards train all the same, to the planned step."""
    f = Fleet(
        ("zz1", "zz2"),
        "deepseek-math-sft",
        572_300,
        when("2026-11-09 17:40"),
        per=8,
        card=H100,
        script="math_sft.py",
        submit_line="sbatch -N2 mathsft.sh",
    )
    last = f.steps(
        0,
        range(10, 1201, 10),
        130,
        4.7,
        lambda i, x, t: f"{f.clock(t)} [math-sft] {i:>4}/1200  ce={x:.4f}  gn={0.4 + x / 5:.3f}  {96_000 + i % 997} tok/s",
        fall(0.92, 0.38, 90),
    )
    for k in range(9):
        f.say(
            0,
            200 + 590.0 * k,
            "wandb: Network error (ConnectTimeout), entering retry loop."
            if k % 3
            else "wandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [502]>)",
        )
    f.say(0, last + 12, f"{f.clock(last + 12)} [math-sft] 1200 steps finished, GSM8K 0.804, weights in /ckpt/mathsft/final")
    f.say(
        0,
        last + 48,
        "wandb: WARNING Fatal error while uploading data. Some run data will not be synced, but it will still be written to disk. Use `wandb sync` at the end of the run to try uploading.",
    )
    f.load([(0, IDLE), (80, CONTEXT), (126, WORK)])
    f.close("COMPLETED", last + 58)
    return good(f, hard=True)
