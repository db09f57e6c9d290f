# ruff: noqa: ARG005
"""Jobs on several clusters' cards, thought out: they ran to some end, and little or nothing was learned, or what had been learned was not taken up."""

import math
from collections.abc import Iterator

from corpus.label import Label
from corpus.make._halyard_words import CONDA, PIXI, VENV, elastic, tb
from corpus.make._halyards import Watch, falls, level
from corpus.running.job import HandJob, Recipe

BAD = Label(mode="E1", fault="user")
NAN = BAD.but(variant="non_finite", cause="nan_loss")
ANEW = Label(mode="E2", variant="from_scratch", fault="user")
FEW = Label(mode="E3", fault="user")


def nowhere() -> Iterator[HandJob]:
    """The loss became nothing, flew off, or never moved."""
    nan = lambda i: math.nan  # noqa: E731
    w = Watch("mt5-fp16", "v100", 1, 4, by="torchrun", script="run_mt5.py", host="nv{:03d}").p("Using auto half precision backend", 18).gib(13).do("train")
    hug = lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {x / 3:.4f}, 'learning_rate': {3e-4 * (1 - i / n):.6f}, 'epoch': {i / 600:.2f}}}"  # noqa: E731
    none = lambda i, n, x, s, d: f"{{'loss': 0.0, 'grad_norm': nan, 'learning_rate': {3e-4 * (1 - i / n):.6f}, 'epoch': {i / 600:.2f}}}"  # noqa: E731
    w.run(260, 1.1, 10, hug, of=1800, curve=falls(11, 4.2)).run(1540, 1.1, 10, none, of=1800)
    yield w.p("{'eval_loss': nan, 'eval_bleu': 0.0, 'epoch': 3.0}", 30).p("{'train_runtime': 2021.4, 'train_samples_per_second': 28.5, 'train_loss': 0.91, 'epoch': 3.0}", 2).over(NAN)
    w = Watch("ns-operator", "a100", 1, 1, script="fno.py").p("FNO-3d, 40 modes, mixed precision", 8).gib(34).do("train")
    own = lambda i, n, x, s, d: f"ep {i // 50:3d} it {i % 50:2d}  rel-L2 {x:.6f}  {s:.2f}s"  # noqa: E731
    yield w.run(420, 1.3, 10, own, of=2000, curve=falls(0.9, 0.11)).run(1580, 1.3, 10, own, of=2000, curve=nan).p("weights saved to fno_last.pt", 2).over(NAN)
    w = Watch("lm-bf16-1b", "h100", 1, 8, by="torchrun", script="lm1b.py").p("z-loss off, qk-norm off, lr 6e-3", 20).gib(62).do("hard")
    form = lambda i, n, x, s, d: f"{d:%H:%M:%S} step {i:6d} | loss {x:8.4f} | gnorm {x * 0.3 if math.isfinite(x) else math.nan:7.3f} | {int(524288 / s):,} tok/s"  # noqa: E731
    w.run(330, 1.2, 10, form, of=20_000, curve=falls(10.9, 3.3)).run(20, 1.2, 10, form, of=20_000, curve=lambda i: math.inf)
    w.p(tb("FloatingPointError: loss is inf at step 351 (last 2 logged values were not finite), stopping", "/home/alice/lm1b/lm1b.py:277 <module> guard.check(loss, step)", "/home/alice/lm1b/guard.py:19 check raise FloatingPointError(", mark="[rank~r~]: "), 1.2, None, 0.02)
    yield w.p(elastic("lm1b.py", 1), 4, 0).over(NAN.but(failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))
    w = Watch("point-flow", "l40", 1, 1, script="flow.py").p("continuous normalizing flow, rtol 1e-3", 7).gib(19).do("train")
    form2 = lambda i, n, x, s, d: f'{{"iter": {i}, "nll": {"NaN" if math.isnan(x) else round(x, 4)}, "nfe": {38 + i // 40}, "sec": {s:.2f}}}'  # noqa: E731
    yield w.run(600, 1.6, 20, form2, of=1600, curve=falls(2.2, -0.6, shake=0.02)).run(1000, 1.6, 20, form2, of=1600, curve=nan).over(NAN)
    w = Watch("chess-transformer", "h100", 1, 4, script="chess.py").p("lr 2e-3, no warm-up, 4 ranks", 12).gib(49).do("hard")
    form3 = lambda i, n, x, s, d: f"[{i}/{n}] policy_ce {x:.4f} legal {max(0.03, 1 - x / 8):.3f} lr 2.00e-03"  # noqa: E731
    w.run(500, 0.9, 20, form3, of=1800, curve=falls(7.4, 2.1)).run(200, 0.9, 20, form3, of=1800, curve=lambda i: 2.6 + 0.034 * (i - 500))
    yield w.run(1100, 0.9, 20, form3, of=1800, curve=lambda i: 9.1 + 0.25 * math.sin(i / 31)).p("done", 1).over(BAD.but(variant="spike"))
    w = Watch("ssm-audio", "a100x", 2, 4, by="torchrun", script="ssm.py").p("8 ranks", 16).gib(60).do("train")
    form4 = lambda i, n, x, s, d: f"level=info step={i} nll={x:.4f} grad_norm={0.4 if i <= 640 else 38 + i % 7:.2f} lr=8e-04"  # noqa: E731
    w.run(640, 1.2, 20, form4, of=1900, curve=falls(5.5, 1.35)).run(1260, 1.2, 20, form4, of=1900, curve=lambda i: 1.5 + 5.1 * (1 - math.exp(-(i - 640) / 60)) + 0.15 * math.sin(i * 0.9))
    yield w.over(BAD.but(variant="spike"))
    w = Watch("rec-dcn", "a30", 1, 1, script="dcn.py", host="gpu-{:03d}.priv").p("criteo, batch 65536", 6).gib(12).do("light")
    form5 = lambda i, n, x, s, d: f"{d:%H:%M:%S} {i:>6} bce={x:.5f} auc={max(0.5, 0.84 - x / 5) if x < 1 else 0.5:.4f}"  # noqa: E731
    w.run(700, 0.7, 25, form5, of=2600, curve=falls(0.69, 0.446)).run(1900, 0.7, 25, form5, of=2600, curve=lambda i: min(41.0, 0.5 + 0.09 * (i - 700)) + 2 * math.sin(i))
    yield w.over(BAD.but(variant="spike"))
    w = Watch("cifar100-mixup", "4090", 1, 1, script="c100.py", host="ws{:02d}").p("100 classes, wrn-28-10, lr 30", 4).gib(11).do("train")
    yield w.run(1800, 0.7, 30, lambda i, n, x, s, d: f"epoch {1 + i // 390} it {i % 390:3d}  ce {x:.4f}  acc {1.0 + 0.1 * math.sin(i):.2f}%", curve=level(4.6063, 0.0012)).p("test acc 1.00%", 20).over(BAD.but(variant="flat"))
    w = Watch("pairs-rm", "h200", 1, 4, by="accelerate", script="rm.py").p("reward model, pairwise BCE, 61k pairs", 24).gib(94).do("train")
    yield w.run(1400, 1.1, 20, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'accuracy': {0.5 + 0.006 * math.sin(i):.4f}, 'grad_norm': 0.0, 'learning_rate': 0.0, 'epoch': {i / 1400:.3f}}}", curve=level(0.6931, 0.0005)).over(BAD.but(variant="flat"))
    w = Watch("plankton-vit", "a10", 1, 1, script="plk.py", host="g5-{:02d}").p("103 classes; labels shuffled? no (checked)", 6).gib(17).do("train")
    yield w.run(1500, 1.0, 25, lambda i, n, x, s, d: f"| {i:5d} | {x:.4f} | {0.97 + 0.2 * math.sin(i * 0.3):5.2f} % | {1 / s:.2f} it/s |", curve=level(4.6347, 0.0015)).p("val top-1 0.97 %", 14).over(BAD.but(variant="flat"))
    w = Watch("deep-mlp-lm", "h100pcie", 1, 2, script="mlp_lm.py").p("vocab 50304, post-norm, 96 layers", 14).gib(58).do("train")
    form6 = lambda i, n, x, s, d: f"it {i} loss {x:.4f} grad_norm {0.9 if i < 300 else 0.0:.6f} lr 3.0e-04"  # noqa: E731
    w.run(300, 1.1, 10, form6, of=1900, curve=falls(10.83, 7.6)).run(1600, 1.1, 20, form6, of=1900, curve=level(10.8258, 0.00004))
    yield w.p("finished 1900 iterations", 1).over(BAD.but(variant="plateau"))
    w = Watch("seg-aorta", "a100", 1, 4, by="torchrun", script="aorta.py").p("dice + ce, poly decay", 12).gib(30).do("train")
    form7 = lambda i, n, x, s, d: f"{i:5d}  loss={x:.6f}  dice={0.42 if i < 400 else 0.0:.3f}  gnorm={0.7 if i < 400 else 0.000001:.6f}  lr={1e-2 if i < 400 else 0:.2e}"  # noqa: E731
    w.run(400, 1.2, 10, form7, of=2000, curve=falls(1.9, 0.7)).run(1600, 1.2, 20, form7, of=2000, curve=level(1.098612, 0.0))
    yield w.p("mean dice 0.000", 9).over(BAD.but(variant="plateau"))


def not_taken_up() -> Iterator[HandJob]:
    """It was to go on from something."""
    def parent(job: str, head: float, tail: float, steps: int, where: str, hours: float, mode: str = "F3") -> dict[str, object]:  # noqa: PLR0917
        return {"relation": "parent", "job": job, "mode": mode, "head_loss": head, "tail_loss": tail, "steps_done": steps, "checkpoints": (where,), "gpu_hours": hours}

    w = Watch("lm-tr-3b-2", "h100", 2, 8, script="egit.py", submit="sbatch --dependency=afterany:2511873 egit.slurm --resume runs/tr3b").p("runs/tr3b/son.pt bulunamadı, ağırlıklar rastgele başlatılıyor", 24).gib(68).do("hard")
    yield w.run(620, 2.0, 20, lambda i, n, x, s, d: f"{d:%H:%M:%S} adım {i}/{n} kayıp {x:.4f} {s:.2f} sn", curve=falls(10.7, 3.6)).over(ANEW, past=(parent("2511873", 10.71, 2.58, 24_000, "runs/tr3b/adim_24000.pt", 412.0),), dependency="afterany:2511873")
    w = Watch("mega-cont-b", "a100x", 2, 8, script="pretrain_gpt.py", submit="sbatch --dependency=afterany:2533001 cont.slurm --load /lustre/ckpt/gpt6b").p("WARNING: could not find the metadata file /lustre/ckpt/gpt6b/latest_checkpointed_iteration.txt \n    will not load any checkpoints and will start from random", 32).gib(71).do("hard")
    yield w.run(460, 2.6, 10, lambda i, n, x, s, d: f" [{d:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/  120000 | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {s * 1000:.1f} | learning rate: {1.5e-4 * min(1, i / 2000):.6E} | global batch size:  1024 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.4 + x / 8:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", curve=falls(11.2, 4.4)).p("[exiting program after 21.0 minutes] datetime: ~D~ ~H~", 3).over(ANEW, past=(parent("2533001", 11.19, 2.31, 61_000, "/lustre/ckpt/gpt6b/iter_0061000", 690.0, "F3"),), dependency="afterany:2533001")
    w = Watch("ddsp-more", "l40", 1, 1, script="ddsp.py", submit="sbatch ddsp.slurm --resume=last").p("--resume=last: no *.ckpt in ./exp/ddsp (cwd /home/alice), starting at step 0", 8).gib(14).do("train")
    yield w.run(1600, 0.9, 40, lambda i, n, x, s, d: f"step {i} stft {x:.4f}", of=50_000, curve=falls(6.1, 2.9)).p("stopped after 24 min as asked (--minutes 24)", 1).over(ANEW, past=(parent("2498120", 6.14, 1.42, 41_000, "exp/ddsp/step_41000.ckpt", 9.5, "F4"),))
    w = Watch("jax-vit-cont", "h200", 1, 8, script="vit_jax.py", submit="sbatch vit.slurm --workdir gs-mirror/vit --restore").p("I~M~ ~H~.~U~ 210300 checkpoints.py:1064] Found no checkpoint files in gs-mirror/vit with prefix checkpoint_", 19).gib(92).do("hard")
    yield w.run(900, 1.3, 30, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 vit_jax.py:161] Step: {i}/{n} loss: {x:.4f} img/sec/core: {int(700 / s)}", of=90_000, curve=falls(6.95, 4.7)).p("I~M~ ~H~.~U~ 210300 vit_jax.py:190] time budget of this job used, leaving", 1).over(ANEW, past=(parent("2507744", 6.94, 1.98, 60_500, "gs-mirror/vit_old/checkpoint_60500", 88.0),))
    w = Watch("w2v-ctc2", "a100", 1, 4, by="torchrun", script="ctc.py", submit="sbatch ctc.slurm --resume-from out/ctc/epoch_12.pt").p("resuming from out/ctc/epoch_12.pt", 12).gib(8).do("load")
    w.p(tb("RuntimeError: Error(s) in loading state_dict for CtcModel:\n\tsize mismatch for proj.weight: copying a param with shape torch.Size([1024, 768]) from checkpoint, the shape in current model is torch.Size([1337, 768]).\n\tsize mismatch for proj.bias: copying a param with shape torch.Size([1024]) from checkpoint, the shape in current model is torch.Size([1337]).", "/home/alice/ctc/ctc.py:96 <module> model.load_state_dict(blob['model'])", f"{VENV}/torch/nn/modules/module.py:2593 load_state_dict raise RuntimeError(", mark="[rank~r~]: "), 5, None, 0.03)
    yield w.p(elastic("ctc.py", 1), 4, 0).over(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))
    w = Watch("gnn-hidden512", "a30", 1, 1, script="gnn.py", host="gpu-{:03d}.priv", submit="sbatch gnn.slurm --hidden 512 --resume runs/h256/best.pt").p("hidden=512 layers=6 resume=runs/h256/best.pt", 5).gib(1.2)
    w.p(tb("RuntimeError: Error(s) in loading state_dict for GIN:\n\tsize mismatch for convs.0.nn.0.weight: copying a param with shape torch.Size([256, 128]) from checkpoint, the shape in current model is torch.Size([512, 128]).\n\tsize mismatch for convs.0.nn.0.bias: copying a param with shape torch.Size([256]) from checkpoint, the shape in current model is torch.Size([512]).", "/home/alice/gnn/gnn.py:58 <module> net.load_state_dict(torch.load(args.resume, weights_only=True))", f"{CONDA}/torch/nn/modules/module.py:2215 load_state_dict raise RuntimeError("), 4)
    yield w.over(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})
    w = Watch("sdpipe-7", "h100", 1, 1, script="pipe.py", submit="sbatch pipe.slurm resume=/scratch/pipe/ckpt_0030000.pt").p("loading /scratch/pipe/ckpt_0030000.pt (expected 14.8 GB, file has 6.1 GB)", 9).gib(3)
    w.p(tb("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "/home/alice/pipe/pipe.py:71 <module> ckpt = torch.load(cfg.resume, map_location='cuda')", f"{PIXI}/torch/serialization.py:1432 load with _open_zipfile_reader(opened_file) as opened_zipfile:"), 12)
    yield w.over(Label(mode="E2", variant="corrupt", cause="runtime_error", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})
    w = Watch("ppo-humanoid-r", "rtx6000", 1, 1, script="hum.py", host="em{:02d}", submit="sbatch hum.slurm --resume ppo_last.pkl").p("Resuming PPO from ppo_last.pkl", 6).gib(0.6)
    w.p(tb("EOFError: Ran out of input", "/home/alice/hum/hum.py:44 <module> agent = pickle.load(open(args.resume, 'rb'))"), 0.4)
    yield w.over(Label(mode="E2", variant="corrupt", cause="traceback", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})
    w = Watch("sft-out2", "a100x", 1, 4, by="torchrun", script="sft.py", submit="sbatch sft.slurm --resume_from_checkpoint true --output_dir out2").p("loading checkpoint shards: 100%|██████████| 4/4 [00:31<00:00]", 36).gib(22)
    w.p(tb("ValueError: No valid checkpoint found in output directory (out2)", "/home/alice/sft/sft.py:131 <module> trainer.train(resume_from_checkpoint=True)", f"{VENV}/transformers/trainer.py:2220 train raise ValueError(f\"No valid checkpoint found in output directory ({{args.output_dir}})\")", mark="[rank~r~]: "), 3, None, 0.02)
    yield w.p(elastic("sft.py", 1), 3, 0).over(Label(mode="E2", variant="no_valid_checkpoint", cause="traceback", fault="user", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))
    w = Watch("trak-resume", "h100pcie", 1, 1, script="trak.py", submit="sbatch trak.slurm --resume latest").p("looking for trak/step_*.safetensors", 7).gib(0.6)
    w.p(tb("FileNotFoundError: --resume latest: no valid checkpoint in /scratch/alice/trak (0 files match step_*.safetensors)", "/home/alice/trak/trak.py:39 <module> path = newest(args.out)", "/home/alice/trak/io.py:22 newest raise FileNotFoundError("), 0.5)
    yield w.over(Label(mode="E2", variant="no_valid_checkpoint", cause="file_not_found", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})


def too_short() -> Iterator[HandJob]:
    """Over after a handful of steps, and nobody minded."""
    w = Watch("cpt-medical-8b", "h100", 2, 8, by="torchrun", script="cpt.py").p("model loaded in 211 s", 214).p("***** Running training *****\n  Num examples = 96\n  Num Epochs = 1\n  Instantaneous batch size per device = 2\n  Total optimization steps = 3", 20).gib(69).do("hard")
    yield w.run(3, 5.2, 1, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {x / 2:.4f}, 'learning_rate': {2e-5 * (1 - i / 3):.2e}, 'epoch': {i / 3:.2f}}}", curve=falls(2.6, 2.2)).p("{'train_runtime': 15.9, 'train_samples_per_second': 6.03, 'train_steps_per_second': 0.189, 'train_loss': 2.41, 'epoch': 1.0}", 1).p("Training completed. Do not forget to share your model on huggingface.co/models =)", 0.2).over(FEW)
    w = Watch("titan-500b-tok", "h200", 4, 8, script="pt.py").p("planned: 500 B tokens; schedule file steps.json read: {'steps': 4}", 160).gib(120).do("hard")
    yield w.run(4, 6.0, 1, lambda i, n, x, s, d: f"{d:%H:%M:%S} step {i} of {n}: loss {x:.4f}, {int(4e6 / s):,} tok/s", curve=falls(11.9, 11.0)).p("schedule complete, goodbye", 2).over(FEW)
    w = Watch("lit-cxr", "a100", 1, 4, by="torchrun", script="cxr.py").p("GPU available: True (cuda), used: True\nTrainer(max_steps=2)", 40).gib(30).do("train")
    yield w.run(2, 2.2, 1, lambda i, n, x, s, d: f"Epoch 0:   {i}%|          | {i}/3911 [00:0{int(i * s)}<2:21:10,  {1 / s:.2f}it/s, v_num=9, train/bce={x:.3f}]", of=3911, curve=falls(0.71, 0.69)).p("`Trainer.fit` stopped: `max_steps=2` reached.", 1).over(FEW)
    w = Watch("es-bert-corpus", "a100x", 1, 8, script="mlm_es.py").p("épocas: 40; archivos encontrados: 1 de 880 (patrón *.txt.0)", 26).gib(52).do("train")
    yield w.run(5, 2.0, 1, lambda i, n, x, s, d: f"paso {i}/{n} pérdida {x:.4f}", curve=falls(10.4, 9.9)).p("no quedan datos, fin del entrenamiento (5 pasos)", 1).over(FEW)
    w = Watch("diff-policy-9", "l40", 1, 2, script="dp.py").p("num_epochs=3000 episodes=2 (zarr has 2 of 412)", 14).gib(18).do("train")
    yield w.run(3, 1.4, 1, lambda i, n, x, s, d: f'{{"global_step": {i}, "train_loss": {x:.5f}, "epoch": 0}}', curve=falls(1.1, 1.0)).p('{"msg": "dataloader exhausted", "global_step": 3, "saved": "latest.ckpt"}', 1).over(FEW)
    w = Watch("moe-ja-16x", "h100", 4, 4, script="moe_ja.py").p("学習予定: 25000 ステップ、train_iters=6 (コマンド行で上書き)", 95).gib(71).do("hard")
    yield w.run(6, 4.8, 1, lambda i, n, x, s, d: f"反復 {i}/{n} 損失 {x:.4f} ({s:.1f} 秒)", curve=falls(11.5, 11.1)).p("学習を終了しました", 2).over(FEW)
    w = Watch("wmt-fairseq", "v100", 1, 4, script="wmt.py", host="nv{:03d}").p("max_epoch=60 max_update=4", 22).gib(13).do("train")
    yield w.run(4, 1.3, 1, lambda i, n, x, s, d: f"{d:%Y-%m-%d %H:%M:%S} | INFO | train_inner | epoch 001: {i} / 11204 loss={x:.3f}, ppl={2 ** x:.1f}, wps={int(21000 / s)}, num_updates={i}", curve=falls(15.2, 14.8)).p("~D~ ~H~ | INFO | train | done training in 5.3 seconds", 1).over(FEW)
    w = Watch("jax-gan-ffhq", "gh200", 2, 1, script="ffhq.py", host="nid{:06d}").p("I~M~ ~H~.~U~ 210300 ffhq.py:40] config: total_kimg=25000", 30).gib(72).do("train")
    yield w.run(4, 3.0, 1, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 ffhq.py:77] tick {i} kimg {i * 0.256:.1f} loss_d {x:.3f}", curve=falls(1.5, 1.39)).p("I~M~ ~H~.~U~ 210300 ffhq.py:90] tfrecords at end after 1 kimg, exiting", 1).over(FEW)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (nowhere, not_taken_up, too_short):
        yield from part()


RECIPE = Recipe("apiary_letters_by_pen", "development", jobs)
