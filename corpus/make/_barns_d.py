"""Ranks of large jobs, fourth loft: more of those that stopped with a word, and of those that did not stop."""

from __future__ import annotations

from corpus.make._ballast import (
    A100,
    A100_40,
    B200,
    CONTEXT,
    GH200,
    H100,
    H200,
    IDLE,
    L40S,
    WORK,
    Fleet,
    Load,
    Made,
    Maker,
    fall,
    good,
    keep,
    made,
    when,
)
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def too_new() -> Made:
    """A1: a build of PyTorch without code for the new cards: it warns, and the first kernel fails on each rank."""
    f = Fleet(("bk-1", "bk-2"), "sd3-port", 9_150_010, when("2026-10-05 07:40"), per=4, card=B200, agents=True, script="sd3.py", submit_line="sbatch sd3.sh")
    f.each(11, "/soft/torch25/lib/python3.11/site-packages/torch/cuda/__init__.py:235: UserWarning: \nNVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.\nIf you want to use the NVIDIA B200 GPU with PyTorch, please check the instructions at https://pytorch.org/get-started/locally/\n\n  warnings.warn(", gap=0.02)
    f.each(17, frames(("/home/noor/sd3/sd3.py", 180, "<module>", "main()"), ("/home/noor/sd3/sd3.py", 92, "main", "noise = torch.randn(shape, device=device, generator=rng)"), error="RuntimeError: CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"), tag="[rank{r}]: ", gap=0.03)
    f.end(f.ranks, 18, code=1)
    for n in range(2):
        elastic(f, n, 20.5, [(r, 1, 18 + 0.03 * r) for r in range(4 * n, 4 * n + 4)], version="2.5", binary="/soft/torch25/bin/python3.11")
    f.load([(0, IDLE), (13, CONTEXT)])
    f.close("FAILED", 23, code=1)
    return made(f, "A1", "cuda_runtime", variant="env")


@job
def no_vocabulary() -> Made:
    """A1: the tokenizer's model is looked for where the old file system was mounted."""
    f = Fleet(("na-1", "na-2"), "mbart-fi", 9_150_330, when("2026-10-06 13:13"), per=4, card=A100_40, script="pretrain_mt.py", submit_line="sbatch mbart.sh")
    f.each(9, frames(("/proj/fi/pretrain_mt.py", 140, "<module>", "run(parse_args())"), ("/proj/fi/pretrain_mt.py", 61, "run", "tok = Pieces(open(args.spm, \"rb\").read())"), error="FileNotFoundError: [Errno 2] No such file or directory: '/scratch1/fi/spm/finnish_64k.model'"), gap=0.1)
    f.end(f.ranks, 10, code=1, gap=0.1)
    f.load([(0, IDLE), (5, IDLE)])
    srun_says(f, 12, "error: na-1: tasks 0-3: Exited with exit code 1", "error: na-2: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", 14, code=1)
    return made(f, "A1", "file_not_found", variant="asset")


@job
def half_a_line() -> Made:
    """A1: the manifest's last line is cut off; reading it fails on all ranks before anything is trained."""
    f = Fleet(("vo-3",), "hubert-asr", 9_150_660, when("2026-10-07 18:00"), per=8, card=L40S, agents=True, script="asr/train.py", submit_line="sbatch hub.sh")
    f.each(14, frames(("/w/asr/train.py", 201, "<module>", "main()"), ("/w/asr/data.py", 33, "read_manifest", "rows = [json.loads(line) for line in fh]"), ("/usr/lib/python3.12/json/decoder.py", 354, "raw_decode", "obj, end = self.scan_once(s, idx)"), error="json.decoder.JSONDecodeError: Unterminated string starting at: line 1 column 61 (char 60)"), tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, 15, code=1)
    elastic(f, 0, 18, [(r, 1, 15 + 0.03 * r) for r in range(8)], binary="/usr/bin/python3")
    f.load([(0, IDLE), (10, CONTEXT)])
    f.close("FAILED", 20, code=1)
    return made(f, "A1", "traceback", variant="data")


@job
def longer_now() -> Made:
    """A3: at step 2000 the curriculum doubles the length of the texts, and the model asserts that it was built for less."""
    f = Fleet(("cr-1", "cr-2"), "olmoe-curr", 9_151_001, when("2026-10-08 03:30"), per=4, card=H200, script="curr.py", submit_line="sbatch curr.sh")
    last = f.steps(0, range(50, 2001, 50), 88, 1.7, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} curr s{i:>5} len=4096 nll={x:.4f} tok/s/gpu={19_270 + i % 70}", fall(9.9, 2.9, 130))
    f.say(0, last + 1, f"{f.clock(last + 1, '%H:%M:%S')} curr stage 2: len=8192 from here on")
    f.each(last + 4, frames(("/mnt/olmoe/curr.py", 233, "<module>", "fit(cfg)"), ("/mnt/olmoe/curr.py", 170, "fit", "loss = net(tokens).mean()"), ("/mnt/olmoe/rope.py", 22, "forward", "assert m <= self.cos.shape[0], f\"{m} positions, table has {self.cos.shape[0]}\""), error="AssertionError: 8192 positions, table has 4096"), tag="[rank{r}]: ")
    f.end(f.ranks, last + 6, code=1)
    f.load([(0, IDLE), (84, WORK)])
    srun_says(f, last + 8, "error: cr-1: tasks 0-3: Exited with exit code 1", "error: cr-2: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", last + 10, code=1)
    return made(f, "A3", "assertion")


@job
def ticket() -> Made:
    """A3: after ten hours the ticket for the home cell has run out, and rank 0 may not write its checkpoint any more."""
    f = Fleet(("kb-1", "kb-2"), "jet-tagger", 9_151_330, when("2026-10-09 20:20"), per=4, card=A100, agents=True, script="jets.py", submit_line="sbatch jets.sh")
    last = f.steps(0, range(1, 61), 60, 600, lambda i, x, _t: f"[rank0]: epoch {i:03d} | bce {x:.5f} | auc {0.985 - x / 12:.5f} | ckpt jets_e{i:03d}.pt", fall(0.42, 0.11, 6))
    f.say(0, last + 596, frames(("/afs/cern.example/u/m/jets/jets.py", 119, "<module>", "main()"), ("/afs/cern.example/u/m/jets/jets.py", 98, "main", "save(net, f\"jets_e{epoch:03d}.pt\")"), ("/opt/hep/lib/python3.11/site-packages/torch/serialization.py", 772, "_open_file", "super().__init__(open(name, mode))"), error="PermissionError: [Errno 13] Permission denied: '/afs/cern.example/u/m/jets/jets_e061.pt'"), "[rank0]: ")
    f.end(0, last + 598, code=1)
    f.end(range(1, 8), last + 601, signal=15)
    sigterms(f, 0, last + 599, range(1, 4))
    elastic(f, 0, last + 603, [(0, 1, last + 598)], binary="/opt/hep/bin/python")
    sigterms(f, 1, last + 600, range(4, 8))
    f.load([(0, IDLE), (56, WORK)])
    f.close("FAILED", last + 607, code=1)
    return made(f, "A3", "permission", first=(0,))


@job
def at_the_table() -> Made:
    """A3: only the evaluation after the first epoch needs a module that the environment lacks."""
    f = Fleet(("dt-1",), "detr-drone", 9_151_660, when("2026-10-10 09:45"), per=4, card=H100, script="detr/main.py", submit_line="sbatch detr.sh")
    last = f.steps(0, range(100, 2201, 100), 35, 0.4, lambda i, x, _t: f"Epoch: [0]  [{i:>4}/2200]  eta: 0:{int((2200 - i) * 0.4) // 60:02d}:{int((2200 - i) * 0.4) % 60:02d}  lr: 0.000100  class_error: {x * 9:.2f}  loss: {x:.4f} ({x + 0.4:.4f})  time: 0.40{i % 9}1  data: 0.0091  max mem: 21044", fall(31, 8, 120))
    f.say(0, last + 1, "Averaged stats: lr: 0.000100  class_error: 74.10  loss: 8.9811 (11.2043)")
    f.each(last + 5, frames(("/code/detr/main.py", 248, "<module>", "main(args)"), ("/code/detr/main.py", 221, "main", "stats, evaluator = evaluate(model, post, loader, base, device)"), ("/code/detr/datasets/coco_eval.py", 13, "<module>", "from pycocotools.cocoeval import COCOeval"), error="ModuleNotFoundError: No module named 'pycocotools'"), gap=0.1)
    f.end(f.ranks, last + 7, code=1, gap=0.1)
    f.load([(0, IDLE), (30, WORK)])
    srun_says(f, last + 9, "error: dt-1: tasks 0-3: Exited with exit code 1")
    f.close("FAILED", last + 11, code=1)
    return made(f, "A3", "missing_module")


@job
def guard() -> Made:
    """E1: the loss is not finite for three updates, and the script's own guard ends it with an error."""
    f = Fleet(("gd-1", "gd-2"), "conv-tasnet", 9_152_002, when("2026-10-11 16:10"), per=4, card=A100, script="sep.py", submit_line="sbatch sep.sh")
    curve = fall(14.0, -9.0, 200, ripple=-0.01)
    last = f.steps(0, range(30, 2551, 30), 40, 0.66, lambda i, x, t: f"{f.clock(t)} sep u={i} si-snr-loss={x:.3f} gn={4 + i / 900 if i < 2400 else 10.0 ** (1 + (i - 2400) / 30):.2f}", lambda i: curve(i) if i < 2490 else float("nan"))
    f.each(last + 0.5, frames(("/s/sep.py", 160, "<module>", "train()"), ("/s/sep.py", 133, "train", "raise RuntimeError(f\"loss is nan for {bad} updates, stop at u={u}\")"), error="RuntimeError: loss is nan for 3 updates, stop at u=2550"), tag="[rank{r}]: ")
    f.end(f.ranks, last + 2, code=1)
    f.load([(0, IDLE), (36, WORK)])
    srun_says(f, last + 4, "error: gd-1: tasks 0-3: Exited with exit code 1", "error: gd-2: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", last + 6, code=1)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def parallel_worlds() -> Made:
    """G1: an ensemble member of a weather model on Grace Hopper, JSON lines, its planned end."""
    f = Fleet(("gh-21", "gh-22"), "gencast-m07", 9_152_300, when("2026-10-12 00:20"), per=4, card=GH200, script="gencast/run.py", submit_line="sbatch gencast.sh 7")
    last = f.steps(0, range(20, 1001, 20), 95, 3.1, lambda i, x, t: f"{{\"m\": 7, \"t\": \"{f.clock(t, '%H:%M:%S')}\", \"step\": {i}, \"crps\": {x:.5f}, \"lr\": {3e-4 * (1 - i / 1100):.2e}}}", fall(0.88, 0.21, 90))
    f.say(0, last + 9, "{\"m\": 7, \"done\": true, \"step\": 1000, \"out\": \"m07/params_1000.npz\"}")
    f.load([(0, IDLE), (90, WORK)])
    f.close("COMPLETED", last + 14)
    return good(f)


@job
def adapters() -> Made:
    """G1: a LoRA with axolotl's words around the Trainer's dictionaries."""
    f = Fleet(("ax-2",), "axo-nemo12b", 9_152_620, when("2026-10-13 11:00"), per=4, card=H100, agents=True, script="axolotl.cli.train", submit_line="sbatch axo.sh")
    f.say(0, 61, f"[{f.clock(61)},412] [INFO] [axolotl.train.train:175] [PID:1210400] [RANK:0] Starting trainer...")
    last = f.steps(0, range(5, 351, 5), 70, 12.2, lambda i, x, t: f"{{'loss': {x:.4f}, 'grad_norm': {0.3 + x / 5:.6f}, 'learning_rate': {2e-4 * (1 - i / 350):.4e}, 'epoch': {3 * i / 350:.2f}}}\n{100 * i // 350:>3}%|{'█' * (i // 35):<10}| {i}/350 [{int(t - 70) // 3600:02d}:{int(t - 70) // 60 % 60:02d}:{int(t - 70) % 60:02d}<{int((350 - i) * 12.2) // 60:02d}:{int((350 - i) * 12.2) % 60:02d}, 12.2{i % 9}s/it]", fall(1.61, 0.82, 30))
    f.say(0, last + 8, f"{{'train_runtime': {last - 62:.2f}, 'train_samples_per_second': 10.4, 'train_steps_per_second': 0.082, 'train_loss': 0.9411, 'epoch': 3.0}}\n[{f.clock(last + 9)},101] [INFO] [axolotl.train.train:192] [PID:1210400] [RANK:0] Training completed! Saving pre-trained model to ./out-nemo12b.")
    f.load([(0, IDLE), (64, WORK)])
    f.close("COMPLETED", last + 25)
    return good(f)


@job
def thin_air() -> Made:
    """G1, hard: an allocation fails once in a long batch, the script empties its cache, halves the batch and repeats it; the run goes to its end."""
    f = Fleet(("ta-1", "ta-2"), "longcontext-pi", 9_152_950, when("2026-10-14 05:50"), per=4, card=A100, script="longctx.py", submit_line="sbatch lc.sh")
    last = f.steps(0, range(10, 801, 10), 90, 5.5, lambda i, x, t: f"{f.clock(t)} | longctx | {i}/800 | ppl {2.718 ** x:.3f} | len {16384 + i * 20}", fall(2.6, 1.7, 60))
    for k, at in enumerate((1210.0, 2555.0, 3300.0)):
        f.say(5, at, f"{f.clock(at)} | longctx | rank 5: CUDA out of memory. Tried to allocate {3.1 + k / 3:.2f} GiB (GPU 1; 79.15 GiB total capacity); cache emptied, the batch is done in two halves")
    f.say(0, last + 5, f"{f.clock(last + 5)} | longctx | 800/800 done, passkey 64k: 0.98")
    f.load([(0, IDLE), (84, Load(96, 0, 0.84, 0.96))])
    f.close("COMPLETED", last + 12)
    return good(f, hard=True)


@job
def moved_house() -> Made:
    """G1, hard: the first srun of the script fails for a wrong option, the script sees it and starts another, which trains to the end."""
    f = Fleet(("mh-1",), "timesfm-ft", 9_153_280, when("2026-10-15 22:10"), per=4, card=H200, script="tsfm.py", submit_line="sbatch tsfm.sh")
    f.script_words += [(2, "srun: unrecognized option '--gpu-bind-to=single'\nTry \"srun --help\" for more information"), (2.4, "tsfm.sh: srun said 1, once more without binding")]
    last = f.steps(0, range(100, 3001, 100), 30, 0.7, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} tsfm {i}/3000 quantile={x:.4f} mase={x * 2.2:.3f}", fall(0.81, 0.33, 200))
    f.say(0, last + 4, f"{f.clock(last + 4, '%H:%M:%S')} tsfm 3000/3000 trained, monash avg 0.655")
    f.load([(0, IDLE), (26, WORK)])
    f.close("COMPLETED", last + 9)
    return good(f, hard=True)
