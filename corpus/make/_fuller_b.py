"""Cards of a university, second leaf: runs that reached what they meant to, some over bad ground."""

from __future__ import annotations

from corpus.make._ballast import A100, H100, IDLE, L40S, WORK, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames
from corpus.make._cobble_kit import A30, A40, ADA, RTX3090, Lab

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def variants() -> Made:
    """A genome model on one card, its own table of epochs."""
    f = Lab(
        ("bio-g1",),
        "dna-variants",
        941_010,
        when("2026-11-02 08:00"),
        per=1,
        card=A30,
        alone=True,
        script="variants.py",
        submit_line="sbatch var.sbatch",
    )
    last = f.steps(0, range(1, 41), 30, 95, lambda i, x, _t: f"{i:>3} | {x:.4f} | {x * 1.06:.4f} | auprc {0.93 - x / 3:.4f}", fall(0.66, 0.14, 5))
    f.say(0, last + 6, "40 epochs, best epoch 39; predictions for chr8 and chr9 in out/holdout.tsv")
    f.load([(0, IDLE), (26, Load(94, 0, 0.85, 0.5))])
    f.close("COMPLETED", last + 9)
    return good(f)


@job
def lightning_precip() -> Made:
    """Lightning on two nodes, all epochs."""
    f = Lab(
        ("gpu50", "gpu51"),
        "nowcast-radar",
        941_190,
        when("2026-11-03 19:20"),
        per=4,
        card=H100,
        script="nowcast.py",
        submit_line="sbatch -N2 nowcast.sh",
    )
    last = f.steps(
        0,
        range(30),
        60,
        88,
        lambda i, x, _t: f"Epoch {i}: 100%|██████████| 410/410 [01:26<00:00,  4.75it/s, v_num=31, train_loss={x:.4f}, val_csi={0.62 - x / 3:.3f}]",
        fall(0.92, 0.31, 4),
    )
    f.say(0, last + 7, "`Trainer.fit` stopped: `max_epochs=30` reached.")
    f.load([(0, IDLE), (56, WORK)])
    f.close("COMPLETED", last + 15)
    return good(f)


@job
def embeddings_of_theses() -> Made:
    """Inference: all documents of a library are embedded."""
    f = Lab(
        ("gpu07",), "embed-theses", 941_333, when("2026-11-04 21:30"), per=1, card=A40, alone=True, script="embed.py", submit_line="sbatch embed.sh"
    )
    last = f.steps(
        0,
        range(20_000, 640_001, 20_000),
        40,
        0.004,
        lambda i, _x, t: f"{f.clock(t, '%H:%M:%S')} embedded {i} of 640000 passages ({250 + i % 7}/s)",
        fall(1, 0.5, 9),
    )
    f.say(0, last + 15, "faiss index with 640000 vectors written to theses.idx (1.9 GB). finished.")
    f.load([(0, IDLE), (35, Load(96, 0, 0.88, 0.3))])
    f.close("COMPLETED", last + 18)
    return good(f)


@job
def hf_course() -> Made:
    """The Trainer's dictionaries on a course's card."""
    f = Lab(
        ("edu03",),
        "sentiment-fi",
        941_500,
        when("2026-11-05 15:15"),
        per=1,
        card=RTX3090,
        alone=True,
        script="sentiment.py",
        submit_line="sbatch --account=ling5200 s.sh",
    )
    last = f.steps(
        0,
        range(50, 2251, 50),
        32,
        0.24,
        lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {1.5 + x:.4f}, 'learning_rate': {3e-5 * (1 - i / 2250):.4e}, 'epoch': {i / 750:.2f}}}",
        fall(0.69, 0.18, 200),
    )
    f.say(
        0,
        last + 20,
        f"{{'eval_loss': 0.2417, 'eval_accuracy': 0.9136, 'eval_runtime': 11.2, 'epoch': 3.0}}\n{{'train_runtime': {last - 12:.1f}, 'train_samples_per_second': 66.1, 'train_steps_per_second': 4.13, 'train_loss': 0.2611, 'epoch': 3.0}}",
    )
    f.load([(0, IDLE), (28, Load(95, 0, 0.9, 0.7))])
    f.close("COMPLETED", last + 24)
    return good(f)


@job
def arms() -> Made:
    """Four ranks of a robotics group, JSON lines."""
    f = Lab(("rob-a",), "arm-bc-multi", 941_690, when("2026-11-06 10:05"), per=4, card=ADA, agents=True, script="bc.py", submit_line="sbatch bc.sh")
    last = f.steps(0, range(200, 12_001, 200), 41, 0.35, lambda i, x, t: f'{{"k": {i}, "bc": {x:.5f}, "wall": {t:.1f}}}', fall(0.8, 0.05, 500))
    f.say(0, last + 4, '{"k": 12000, "final": true, "success_pick": 0.91, "success_place": 0.86}')
    f.load([(0, IDLE), (38, WORK)])
    f.close("COMPLETED", last + 9)
    return good(f)


@job
def vits_voice() -> Made:
    """A voice of a speech lab on two cards."""
    f = Lab(("gpu21",), "vits-northern", 941_811, when("2026-11-07 18:00"), per=2, card=L40S, script="tts.py", submit_line="sbatch tts.sh")
    last = f.steps(
        0,
        range(250, 20_001, 250),
        45,
        0.31,
        lambda i, x, t: f"{f.clock(t)}\tINFO\tTrain step {i} of 20000 mel {x:.3f} kl {x / 14:.3f} dur {x / 20:.3f}",
        fall(48, 17, 800),
    )
    f.say(0, last + 9, f"{f.clock(last + 9)}\tINFO\tFinished 20000 steps, exported G_20000.onnx")
    f.load([(0, IDLE), (42, Load(94, 0, 0.83, 0.6))])
    f.close("COMPLETED", last + 16)
    return good(f)


@job
def flows() -> Made:
    """A surrogate of a climate group, one H100, quiet: a line for every hundredth epoch."""
    f = Lab(
        ("clim-gpu3",),
        "cloud-surrogate",
        941_990,
        when("2026-11-08 07:45"),
        per=1,
        card=H100,
        alone=True,
        script="surrogate.py",
        submit_line="sbatch surr.job",
    )
    last = f.steps(
        0,
        range(100, 3001, 100),
        35,
        1.4,
        lambda i, x, _t: f"after {i:>4} of 3000 epochs: nrmse(train) {x:.5f} nrmse(valid) {x * 1.09:.5f}",
        fall(0.5, 0.03, 150),
    )
    f.say(0, last + 2, "surrogate.nc written, R2 = 0.987")
    f.load([(0, IDLE), (31, WORK)])
    f.close("COMPLETED", last + 4)
    return good(f)


@job
def halved() -> Made:
    """Hard: the batch finder meets the card's end twice, halves, and the training runs as planned."""
    f = Lab(("gpu10",), "mri-swin", 942_105, when("2026-11-09 12:00"), per=1, card=A40, alone=True, script="swinmri.py", submit_line="sbatch mri.sh")
    for k, b in enumerate((32, 16)):
        f.say(
            0,
            30 + 9 * k,
            f"probing batch size {b}: CUDA out of memory. Tried to allocate {9.2 / (k + 1):.2f} GiB. GPU 0 has a total capacity of 44.43 GiB of which 2.11 GiB is free.; trying {b // 2}",
        )
    f.say(0, 48, "batch size 8 fits (peak 31.0 GiB), training with it")
    last = f.steps(0, range(100, 6001, 100), 52, 0.5, lambda i, x, _t: f"it {i}/6000 ssim-loss {x:.4f}", fall(0.6, 0.09, 300))
    f.say(0, last + 10, "finished: test SSIM 0.924, PSNR 33.8")
    f.load([(0, IDLE), (50, Load(96, 0, 0.85, 0.7))])
    f.close("COMPLETED", last + 13)
    return good(f, hard=True)


@job
def retried_downloads() -> Made:
    """Hard: the data's server fails four times with tracebacks; the retries succeed, all epochs are done."""
    f = Lab(
        ("gpu23",), "satellite-ssl", 942_260, when("2026-11-10 09:40"), per=1, card=A40, alone=True, script="satssl.py", submit_line="sbatch sat.sh"
    )
    last = f.steps(0, range(1, 61), 50, 70, lambda i, x, _t: f"epoch {i}/60 simclr {x:.4f}", fall(6.9, 4.1, 8))
    for k, at in enumerate((300.0, 1210.0, 2022.0, 3105.0), 1):
        f.say(
            0,
            at,
            frames(
                ("/home/alice/sat/tiles.py", 52, "get", "r.raise_for_status()"),
                error=f"requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://tiles.example.org/s2/{4100 + k}.tif",
            )
            + "\n(attempt 1 of 5, next in 4 s)\nattempt 2: ok",
        )
    f.say(0, last + 4, "60 epochs done. linear probe: 81.3 % (EuroSAT)")
    f.load([(0, IDLE), (45, Load(93, 0, 0.82, 0.66))])
    f.close("COMPLETED", last + 7)
    return good(f, hard=True)


@job
def patience() -> Made:
    """Hard: early stopping, as asked, at epoch 37 of at most 200."""
    f = Lab(
        ("bio-g4",),
        "tcr-epitope",
        942_411,
        when("2026-11-11 16:10"),
        per=1,
        card=A30,
        alone=True,
        script="tcr.py",
        submit_line="sbatch tcr.sh --max-epochs 200 --patience 8",
    )
    curve = fall(0.69, 0.21, 6, ripple=0.004)
    last = f.steps(
        0,
        range(1, 38),
        28,
        42,
        lambda i, x, _t: f"epoch {i:03d}/200 train {x:.4f} valid {x + 0.02 + max(0, i - 29) * 0.004:.4f}{'  *' if i <= 29 else ''}",
        curve,
    )
    f.say(0, last + 2, "no improvement of valid for 8 epochs: stopping early, restoring epoch 29\ntest AUROC 0.871")
    f.load([(0, IDLE), (24, Load(92, 0, 0.8, 0.33))])
    f.close("COMPLETED", last + 5)
    return good(f, hard=True)


@job
def scaler_skips() -> Made:
    """Hard: the loss scale overflows a few times, as it does; warnings of NCCL at start; the end is as planned."""
    f = Lab(
        ("gpu44", "gpu45"), "ocr-manuscripts", 942_590, when("2026-11-12 20:20"), per=2, card=A100, script="ocr.py", submit_line="sbatch -N2 ocr.sh"
    )
    f.each(12, "{node}:400{r:02d}:400{r:02d} [{l}] NCCL WARN NET/Plugin: could not find libnccl-net.so, using internal implementation")
    for k, at in enumerate((47.0, 48.0, 49.0, 900.0)):
        f.say(0, at, f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {32768.0 / 2**k}")
    last = f.steps(
        0,
        range(100, 5001, 100),
        50,
        0.6,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} step {i} of 5000  ctc {x:.4f}  cer {min(1, x / 8):.3f}",
        fall(7.1, 0.4, 200),
    )
    f.say(0, last + 5, f"{f.clock(last + 5, '%H:%M:%S')} step 5000 reached; CER on held-out pages 0.041")
    f.load([(0, IDLE), (46, WORK)])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


@job
def bad_scans() -> Made:
    """Hard: a preprocessing job counts files it could not read, as its manual says; the rest is done."""
    f = Lab(
        ("bio-g2",),
        "slide-features",
        942_702,
        when("2026-11-13 06:30"),
        per=1,
        card=A30,
        alone=True,
        script="features.py",
        submit_line="sbatch feat.sh",
    )
    last = f.steps(
        0,
        range(10, 601, 10),
        33,
        5.2,
        lambda i, _x, t: (
            f"[{f.clock(t, '%H:%M')}] {i}/600 slides -> h5"
            + (
                f"\nERROR openslide: Unsupported or missing image file: TCGA-{i:03d}.svs (skipped, listed in failed.txt)"
                if i in (90, 310, 480)
                else ""
            )
        ),
        fall(1, 0.5, 9),
    )
    f.say(0, last + 2, "600 slides seen: 597 with features, 3 in failed.txt. Done.")
    f.load([(0, IDLE), (30, Load(90, 0, 0.78, 0.4))])
    f.close("COMPLETED", last + 4)
    return good(f, hard=True)


@job
def wiggly_rewards() -> Made:
    """Hard: the value loss of a game's agent goes up and down and the card has little to do, while the score rises to the planned end."""
    f = Lab(
        ("rob-h",),
        "atari-ppo-seed3",
        942_880,
        when("2026-11-14 22:00"),
        per=1,
        card=H100,
        alone=True,
        script="ppo_atari.py",
        submit_line="sbatch atari.sh 3",
    )
    last = f.steps(
        0,
        range(1, 101),
        25,
        33,
        lambda i, _x, _t: (
            f"update {i}/100  global_step={i * 100_000}  SPS={3000 + i % 40}  charts/episodic_return={8 + 3.9 * i:.1f}  losses/value_loss={0.4 + (i * 7 % 11) / 9:.4f}  losses/policy_loss={-0.01 + (i % 5) / 500:.5f}"
        ),
        fall(1, 0.5, 9),
    )
    f.say(0, last + 3, "10000000 steps done, mean return of the last 100 episodes 397.2")
    f.load([(0, IDLE), (20, Load(38, 12, 0.3, 0.06, 8))])
    f.close("COMPLETED", last + 5)
    return good(f, hard=True)
