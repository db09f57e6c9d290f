# ruff: noqa: ARG005
"""Jobs on several clusters' cards, thought out: ordinary ones that did what they were sent for."""

import math
from collections.abc import Iterator

from corpus.label import Label
from corpus.make._halyards import Watch, falls
from corpus.running.job import HandJob, Recipe

GOOD = Label(mode="G1", fault="none")


def language() -> Iterator[HandJob]:
    """Text."""
    w = Watch("lm-basque-1b", "h100", 2, 8, by="torchrun", script="train_eu.py").p("16 GPU, 11.2 B token", 22).gib(66).do("hard")
    yield w.run(1400, 1.6, 20, lambda i, n, x, s, d: f"{d:%H:%M:%S} urratsa {i:5d}/{n} galera {x:.4f} lr {3e-4 * (1 - i / (n + 1)):.2e} {int(2097152 / s):,} tok/s", curve=falls(10.8, 2.3, 80)).p("azken eredua gordeta: eu1b/final", 14).over(GOOD)
    w = Watch("sft-support-bot", "a100x", 1, 4, by="accelerate", script="sft_support.py").p("***** Running training *****\n  Num examples = 38,412\n  Num Epochs = 2\n  Total optimization steps = 1,200", 33).gib(71).do("train")
    w.run(1200, 1.5, 10, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {0.4 + x / 4:.4f}, 'learning_rate': {2e-5 * (1 - i / n):.3e}, 'epoch': {i / 600:.2f}}}", curve=falls(1.9, 0.72, 40))
    yield w.p("{'eval_loss': 0.8114, 'eval_runtime': 41.2, 'epoch': 2.0}", 42).p("{'train_runtime': 1846.1, 'train_samples_per_second': 41.6, 'train_steps_per_second': 0.65, 'train_loss': 0.874, 'epoch': 2.0}", 1).over(GOOD)
    w = Watch("mt-sw-en", "l40", 1, 2, by="torchrun", script="mt.py").p("data: 4.1M pairs, shared vocab 32k", 11).gib(38).do("train")
    w.run(2400, 0.7, 50, lambda i, n, x, s, d: f"{d:%Y-%m-%d %H:%M:%S} | step {i:6d} | label_smoothed_nll {x:.3f} | ppl {2 ** x:.2f} | wps {int(30000 / s)}", curve=falls(9.1, 3.2, 90))
    yield w.p("~D~ ~H~ | flores devtest chrF++ 51.7", 60).over(GOOD)
    w = Watch("gemma-jax-lora", "gh200", 1, 1, script="lora_jax.py", host="nid{:06d}").p("I~M~ ~H~.~U~ 210300 lora_jax.py:31] trainable 41.9M of 9.2B", 40).gib(83).do("train")
    yield w.run(1500, 0.9, 25, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 lora_jax.py:88] step={i} loss={x:.4f} tok/s={int(16384 / s)}", curve=falls(2.4, 1.1, 50)).p("I~M~ ~H~.~U~ 210300 lora_jax.py:101] eval rougeL=0.412; adapter saved", 20).over(GOOD)
    w = Watch("ds-llm-6b", "a100x", 4, 8, by="deepspeed", script="pre6.py").p("[~D~ ~H~,~m~] [INFO] [config.py:1003:print]   zero_enabled ................. True", 30, 0).gib(68).do("hard")
    yield w.run(700, 2.4, 10, lambda i, n, x, s, d: f"[{d:%Y-%m-%d %H:%M:%S}] [INFO] [logging.py:128:log_dist] [Rank 0] step={i}, skipped=0, lr=[1.2e-04], mom=[[0.9, 0.95]]\nsteps: {i} loss: {x:.4f} iter time (s): {s:.3f} samples/sec: {1024 / s:.3f}", curve=falls(10.7, 3.2, 60)).p("[~D~ ~H~,~m~] [INFO] [launch.py:351:main] Process 210700 exits successfully.", 12, (0, 8, 16, 24)).over(GOOD)


def other() -> Iterator[HandJob]:
    """Pictures, sound, graphs, weather."""
    w = Watch("r101-products", "a100", 1, 4, by="torchrun", script="resnet.py").p("1,310 classes, 2.9M images", 14).gib(31).do("train")
    for e in range(1, 7):
        w.run(300, 0.9, 30, lambda i, n, x, s, d: f"Epoch: [{(i - 1) // 300}][{(i - 1) % 300 + 1:3d}/300]  Time {s:.3f}  Loss {x:.4f}  Acc@1 {max(0.1, 92 - 13 * x):.2f}", of=1800, curve=falls(7.1, 1.2, 120)).p(f" * Acc@1 {48 + 5 * e - e * e / 4:.3f} Acc@5 {70 + 4 * e - e * e / 4:.3f}", 25)
    yield w.over(GOOD)
    w = Watch("yolo-hives", "rtx6000", 1, 1, script="yolo.py", host="em{:02d}").p("Starting training for 30 epochs...", 9).gib(29).do("train")
    for e in range(1, 31):
        w.run(60, 0.8, 60, lambda i, n, x, s, d: f"     {i // 60:>2}/30      {28.4:.3g}G     {x:.4g}     {x * 0.7:.4g}      {x * 0.5:.4g}        118        640", of=1800, curve=falls(3.6, 0.9, 150)).p(f"                   all        410       2231      {0.5 + 0.012 * e:.3f}      {0.46 + 0.013 * e:.3f}      {0.4 + 0.016 * e:.3f}      {0.2 + 0.012 * e:.3f}", 6)
    yield w.p("30 epochs completed in 0.461 hours.", 2).over(GOOD)
    w = Watch("wav2vec-cy", "a100", 1, 2, by="accelerate", script="cy.py").p("oriau: 310", 12).gib(34).do("train")
    yield w.run(1600, 0.9, 40, lambda i, n, x, s, d: f"cam={i} ctc={x:.4f} cer={min(1, x / 8):.4f}", curve=falls(6.9, 0.6, 80)).p("wer prawf 17.9 %", 40).over(GOOD)
    w = Watch("ogbn-mag-sage", "a30", 1, 1, script="mag.py", host="gpu-{:03d}.priv").p("nodes 1.9M", 8).gib(17).do("light")
    for e in range(1, 41):
        w.run(40, 0.8, 40, lambda i, n, x, s, d: f"Epoch {i // 40:02d}, loss {x:.4f}", of=1600, curve=falls(5.1, 1.7, 160)).p(f"          train {0.30 + 0.2 * (1 - 0.93 ** e):.4f} valid {0.28 + 0.17 * (1 - 0.93 ** e):.4f}", 3)
    yield w.p("test 0.4402", 3).over(GOOD)
    w = Watch("fourcast-ft", "h200", 1, 8, script="fcn.py").p("SFNO, 73 channels", 25).gib(104).do("hard")
    yield w.run(1100, 1.4, 20, lambda i, n, x, s, d: f"{d:%H:%M:%S},{i},{x:.6f},{s:.3f}", curve=falls(0.61, 0.082, 70)).p("validation: acc z500 day5 0.912", 60).over(GOOD)
    w = Watch("nvfp4-pre", "b200", 2, 4, by="torchrun", script="nv4.py").p("nvfp4 weights, bf16 accumulators", 26).gib(149).do("hard")
    yield w.run(1300, 1.1, 20, lambda i, n, x, s, d: f"i={i} ce={x:.5f} tflops/gpu={1900 / s:.0f}", curve=falls(11.3, 2.9, 70)).p("checkpoint 1300 written; schedule complete", 8).over(GOOD)
    w = Watch("paddle-tableocr", "a10", 1, 2, script="table.py", host="g5-{:02d}").p("[~D~ ~H~] ppocr INFO: 使用 2 张卡", 10).gib(18).do("train")
    yield w.run(1500, 0.9, 30, lambda i, n, x, s, d: f"[{d:%Y/%m/%d %H:%M:%S}] ppocr INFO: epoch: [{1 + i // 300}/5], global_step: {i}, lr: 0.000800, loss: {x:.6f}, avg_batch_cost: {s:.5f} s", curve=falls(3.2, 0.41, 90)).p("[~D~ ~H~] ppocr INFO: best metric, acc: 0.7912, is_float16: False", 15).over(GOOD)
    w = Watch("rocm-bert-l", "mi250", 1, 8, script="bert_rocm.py", host="nid{:06d}").p("phase 1, seq 128", 15).gib(51).do("train")
    yield w.run(1300, 1.1, 20, lambda i, n, x, s, d: f"iter {i} mlm {x * 0.94:.4f} nsp {x * 0.06:.4f} ({s * 1000:.0f} ms)", curve=falls(10.9, 2.1, 90)).p("phase 1 done", 3).over(GOOD)
    w = Watch("chem-vae", "v100", 1, 1, script="chemvae.py", host="nv{:03d}").p("SMILES 1.2M", 7).gib(9).do("train")
    yield w.run(2200, 0.6, 50, lambda i, n, x, s, d: f"[{i:5d}] elbo={-x:.3f} rec={x * 0.8:.3f} kl={x * 0.2:.3f}", curve=falls(71, 19, 120)).p("valid 0.96 unique 0.99 novel 0.91", 20).over(GOOD)


def small() -> Iterator[HandJob]:
    """Of one card, for an hour or less."""
    for name, card, host, head, gib, what, steps, pace, each, form, curve, tail in (
        ("lichen-cls", "l4", "edge{:02d}", "412 species", 15, "train", 1700, 0.9, 40, lambda i, n, x, s, d: f"batch {i}/{n}  ce {x:.4f}  {64 / s:.0f} img/s", falls(6.1, 0.9, 90), "top-1 on held-out sites: 0.783"),
        ("bird-sed", "a10", "g5-{:02d}", "10 s clips, 152 calls", 17, "train", 1600, 0.9, 40, lambda i, n, x, s, d: f"{d:%H:%M:%S} it={i} focal={x:.5f} lr={1e-3 * (1 - i / (n + 1)):.1e}", falls(0.31, 0.022, 70), "macro AP 0.641"),
        ("glacier-unet", "a30", "gpu-{:03d}.priv", "tuiles Sentinel-2: 48 212", 18, "train", 1500, 1.0, 30, lambda i, n, x, s, d: f"pas {i:>5}/{n} | entropie {x:.4f} | {s:.2f} s", falls(0.69, 0.11, 80), "IoU test 0.871"),
        ("pk-neural-ode", "4090", "ws{:02d}", "patients: 1,204", 4, "light", 1900, 0.8, 50, lambda i, n, x, s, d: f"iter={i} rmse={x:.4f} nfe={80 + i % 9}", falls(3.4, 0.41, 120), "cv rmse 0.447"),
        ("galaxy-cnf", "a100", "cn{:04d}", "redshifts of 2.1M galaxies", 21, "train", 1400, 1.1, 25, lambda i, n, x, s, d: f'{{"it": {i}, "nll": {x:.4f}, "it_s": {1 / s:.2f}}}', falls(2.9, -0.7, 70), '{"event": "finished", "test_nll": -0.62}'),
        ("sr-microscopy", "rtx6000", "em{:02d}", "x4, EDSR 43M", 27, "train", 1500, 1.0, 30, lambda i, n, x, s, d: f"{i}\t{x:.5f}\t{26 - 12 * math.log10(x + 0.02):.2f} dB", falls(0.12, 0.018, 60), "saved edsr_x4.pth"),
        ("kg-complex", "v100", "nv{:03d}", "triples 1.09M, dim 1000", 13, "train", 1800, 0.7, 50, lambda i, n, x, s, d: f"Schritt {i}: Verlust {x:.4f} ({s:.2f} s)", falls(2.1, 0.19, 90), "MRR 0.352  Hits@10 0.541"),
        ("gbm-refine", "l40", "lux{:02d}", "glioma cohort, 3 modalities", 40, "train", 1500, 1.1, 30, lambda i, n, x, s, d: f"| {i:>5} | {x:.4f} | {1 - x:.4f} |", falls(0.93, 0.14, 80), "mean Dice 0.852 over 5 volumes"),
    ):
        w = Watch(name, card, 1, 1, script=f"{name.split('-')[0]}.py", host=host).p(head, 8).gib(gib).do(what)
        yield w.run(steps, pace, each, form, curve=curve).p(tail, 12).over(GOOD)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (language, other, small):
        yield from part()


RECIPE = Recipe("belfry_rolls_by_pen", "development", jobs)
