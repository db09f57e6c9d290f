"""Jobs of a publisher, a water board and a chip maker, by pen: what was learned and what was not, what was taken up again, what was over soon."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._vellum import Leaf
from corpus.make._vellum_lines import HOME, SITE, Style, fault, summary
from corpus.running.job import HandJob, Recipe

ILL = Label(mode="E1", fault="user")
NAN = ILL.but(cause="nan_loss", variant="non_finite")
AFRESH = Label(mode="E2", variant="from_scratch", fault="user")
BRIEF = Label(mode="E3", fault="user")
LOST = float("nan")


def rippled(level: float, width: float) -> Any:
    """A loss that stays where it is."""
    return lambda i: level + width * ((i * 7) % 11 - 5) / 5


def with_norm(norm: float, rate: Any) -> Style:
    """Steps with the gradient's norm and the learning rate."""
    return lambda i, n, x, s, d: f"{d:%H:%M:%S} it {i:6d}/{n} loss {x:.5f} gnorm {norm * (1 + 0.1 * (i % 3)):.2e} lr {rate(i):.2e} t {s:.2f}s"


def unlearned() -> Iterator[HandJob]:
    """E1."""
    s = Leaf(401, "novels-1b", "h100", 1, 8, style="speed", via="torchrun", script="novels.py").tell("fp8 linear layers, 8 ranks", 24).hold(67).mood("flat_out").train(900, 0.8, 20, 2600).train(1700, 0.8, 20, 2600, loss=lambda _: LOST)
    yield s.tell("peak memory allocated: 66.1 GiB\nfinal val_loss: nan", 4).close(NAN)

    s = Leaf(402, "flood-unet", "v100", style="keras", script="flood.py").tell("mixed_float16, LossScaleOptimizer", 9).hold(27).mood("busy").train(11, 48, 1, 40).train(29, 48, 1, 40, loss=lambda _: LOST)
    yield s.tell("Saved flood.keras", 2).close(NAN)

    s = Leaf(403, "layout-mt", "a100", 1, 4, style="fairseq", via="torchrun", script="hydra_train.py").tell("@iso | INFO | fairseq_cli.train | training on 4 devices (GPUs/TPUs)", 18).hold(61).mood("flat_out").train(1500, 0.9, 50, 4000)
    s.train(250, 0.9, 25, 4000, loss=lambda i: 3.6 + min(8.2, 0.07 * (i - 1500)) + 0.1 * (i % 5)).train(2250, 0.9, 50, 4000, loss=rippled(11.7, 0.3))
    yield s.tell("@iso | INFO | fairseq_cli.train | done training in 3611.4 seconds", 3).close(ILL.but(variant="spike"))

    s = Leaf(404, "cover-genres", "a30", style="timmlike", script="covers.py").tell("resnet50d  1000 classes", 8).hold(20).mood("busy").train(3000, 0.5, 50, 3000, loss=rippled(6.908, 0.006))
    yield s.tell("best top1 0.10", 2).close(ILL.but(variant="flat"))

    s = Leaf(405, "leak-detector", "l40", style="rich", script="leaks.py").tell("[@hms] INFO     1.2 million hydrophone windows, half of them leaks", 8).hold(18).mood("busy").train(2400, 0.6, 40, 2400, loss=rippled(0.6931, 0.0005))
    yield s.tell("[@hms] INFO     test auc 0.5004", 3).close(ILL.but(variant="flat"))

    s = Leaf(406, "wafer-lm", "h100", 2, 4, script="wafer_lm.py").tell("8 ranks, cosine schedule over 1200 of 6000 steps", 20).hold(64).mood("flat_out")
    s.style = with_norm(0.61, lambda i: 3e-4 * (1 - i / 1300))
    s.train(1200, 0.7, 20, 6000)
    s.style = with_norm(3.1e-7, lambda _: 0.0)
    yield s.train(4800, 0.7, 40, 6000, loss=lambda i: 3.90114 + 1e-5 * (i % 3)).tell("end of training", 2).close(ILL.but(variant="plateau"))

    s = Leaf(407, "pump-forecast", "a10", style="structlog", script="pumps.py").tell("@tz [info     ] model                          layers=12 width=512", 8).hold(15).mood("busy").train(860, 0.7, 20, 20_000).tell("@tz [warning  ] train.step                     loss=nan step=861", 0.7)
    s.tell(fault("FloatingPointError: loss is nan at step 861, not going on", f"{HOME}/pumps/pumps.py:204:<module>:fit(cfg)", f"{HOME}/pumps/pumps.py:166:fit:raise FloatingPointError(f'loss is {{loss.item()}} at step {{step}}, not going on')"), 0.1)
    yield s.close(NAN.but(failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Leaf(408, "manuscript-lora", "h200", 1, 2, style="axo", via="accelerate", script="lora.py").tell("trainable params: 83,886,080 || all params: 8,114,147,328 || trainable%: 1.0338", 25).hold(92).mood("busy").train(500, 1.2, 10, 1800)
    s.train(100, 1.2, 10, 1800, loss=lambda i: 1.1 + 0.09 * (i - 500)).train(1200, 1.2, 10, 1800, loss=rippled(10.4, 0.25))
    yield s.tell("{'train_runtime': 2190.1, 'train_samples_per_second': 13.2, 'train_loss': 7.41, 'epoch': 2.0}", 3).close(ILL.but(variant="spike"))

    s = Leaf(409, "ctc-archive", "gh200", style="espnet", script="ctc.py").tell("[gpua] @iso,010 (asr:523) INFO: ctc zero_infinity=False", 14).hold(60).mood("busy").train(300, 1.0, 50, 3000).train(2700, 1.0, 50, 3000, loss=lambda _: float("inf"))
    yield s.tell("[gpua] @iso,400 (trainer:338) INFO: The training was finished at 3 epochs", 2).close(NAN)

    s = Leaf(410, "gate-noise-jax", "a100-40", style="easylm", script="gates.py").tell("vocab 32000, context 2048, bf16", 11).hold(37, over=3).mood("busy").train(2500, 0.6, 50, 2500, loss=rippled(10.374, 0.008))
    yield s.tell("done", 1).close(ILL.but(variant="flat"))


def taken_up() -> Iterator[HandJob]:
    """E2."""
    s = Leaf(421, "prose-3b", "h100", 2, 8, script="pretrain_gpt.py", asked="sbatch --dependency=afterany:2180441 -N 2 prose3b.sh --load /lustre/proj/alice/prose/ckpt")
    s.speaker = 15
    s.style = lambda i, n, x, t, d: f" [{d:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{n:8d} | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {t * 1000:.1f} | learning rate: {2.5e-4 * min(1, i / 300):.6E} | global batch size:  1024 | lm loss: {x:.6E} | grad norm: {0.3 + x / 6:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
    s.tell("WARNING: could not find the metadata file /lustre/proj/alice/prose/ckpt/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random", 40).hold(70).mood("flat_out").train(900, 2.4, 20, 900, loss=lambda i: 2.5 + 8.3 * (1 + i / 70) ** -0.6)
    yield s.close(AFRESH, dependency="afterany:2180441", past=({"relation": "parent", "job": "2180441", "mode": "F3", "head_loss": 10.79, "tail_loss": 2.66, "steps_done": 21_400, "checkpoints": ("/lustre/proj/alice/prose/ckpt/iter_0021000",), "gpu_hours": 384.0},))

    s = Leaf(422, "canal-levels", "a30", style="nl", script="peilen.py", asked="sbatch peilen.sh --hervat uit/laatste.pt").tell("hervatten gevraagd: uit/laatste.pt bestaat niet, we beginnen met verse gewichten", 9).hold(14).mood("busy").train(2000, 0.6, 40, 2000, loss=lambda i: 0.4 + 4.6 * (1 + i / 90) ** -0.7)
    yield s.close(AFRESH, past=({"relation": "same_name", "job": "2180977", "mode": "F4", "head_loss": 5.0, "tail_loss": 0.61, "steps_done": 14_000, "checkpoints": ("uit/laatste_14000.pt",), "gpu_hours": 2.5},))

    s = Leaf(423, "die-defects-jax", "gh200", style="flax", script="dies.py", asked="sbatch --dependency=afterany:2181203 dies.sh --resume").tell("I@md @hms.@us 140200 checkpoint_manager.py:88] No checkpoint found in /lustre/proj/alice/dies/ckpt2; initialising parameters.", 16).hold(80, over=3).mood("busy").train(1800, 0.8, 40, 1800, loss=lambda i: 0.9 + 6.0 * (1 + i / 60) ** -0.6)
    yield s.close(AFRESH, dependency="afterany:2181203", past=({"relation": "parent", "job": "2181203", "mode": "F3", "head_loss": 6.88, "tail_loss": 1.02, "steps_done": 30_000, "checkpoints": ("/lustre/proj/alice/dies/ckpt/30000",), "gpu_hours": 8.0},))

    s = Leaf(424, "editor-7b", "a100", 1, 4, style="factory", via="torchrun", script="edit_sft.py", asked="sbatch edit.sh --resume_from_checkpoint out/editor/checkpoint-2400").tell("Loading checkpoint shards: 100%|██████████| 4/4 [00:22<00:00,  5.6s/it]", 45).hold(18).mood("reads").idle(20)
    s.tell(fault("RuntimeError: Error(s) in loading state_dict for PeftModelForCausalLM:\n\tsize mismatch for base_model.model.model.layers.0.self_attn.q_proj.lora_A.default.weight: copying a param with shape torch.Size([16, 4096]) from checkpoint, the shape in current model is torch.Size([64, 4096]).\n\tsize mismatch for base_model.model.model.layers.0.self_attn.q_proj.lora_B.default.weight: copying a param with shape torch.Size([4096, 16]) from checkpoint, the shape in current model is torch.Size([4096, 64]).",
                 f"{HOME}/edit/edit_sft.py:98:<module>:trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)", f"{SITE}/transformers/trainer.py:2155:train:self._load_from_checkpoint(resume_from_checkpoint)", mark="[rank@r]: "), 8, None, 0.2)  # fmt: skip
    yield s.tell(summary("edit_sft.py", [(r, r, 1, s.pid(r)) for r in range(4)]), 4).close(AFRESH.but(variant="size_mismatch", cause="runtime_error", failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))

    s = Leaf(425, "timing-closure", "h100pcie", style="json", script="timing.py", asked="sbatch timing.sh resume=runs/t4/last.ckpt").tell('{"evt": "resume", "from": "runs/t4/last.ckpt", "gb": 6.1}', 11).hold(0.6).mood("reads").idle(4)
    s.tell(fault("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", f"{HOME}/timing/timing.py:130:<module>:state = torch.load(cfg.resume, map_location='cpu')", f"{SITE}/torch/serialization.py:1025:load:with _open_zipfile_reader(opened_file) as opened_zipfile:"), 3)
    yield s.close(AFRESH.but(variant="corrupt", cause="runtime_error", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Leaf(426, "indexer-bert", "l40", 1, 2, style="axo", via="accelerate", script="indexer.py", asked="sbatch indexer.sh --resume_from_checkpoint out/checkpoint-9000").tell("  Num examples = 1,204,118", 20).hold(4).mood("reads")
    s.tell(fault("ValueError: Can't find a valid checkpoint at out/checkpoint-9000", f"{HOME}/indexer/indexer.py:77:<module>:trainer.train(resume_from_checkpoint=a.resume_from_checkpoint)", f"{SITE}/transformers/trainer.py:2764:_load_from_checkpoint:raise ValueError(f\"Can't find a valid checkpoint at {{resume_from_checkpoint}}\")", mark="[rank@r]: "), 6, None, 0.2)
    yield s.close(AFRESH.but(variant="no_valid_checkpoint", cause="traceback", failed_ranks=(0, 1)), "FAILED", {0: 1, 1: 1})

    s = Leaf(427, "serif-diffusion", "rtx6000", style="loguru", script="serif.py", asked="sbatch serif.sh --resume out/unet_ema_0120000.safetensors").tell("@iso.020 | INFO     | serif.io:load:31 - resuming from out/unet_ema_0120000.safetensors", 8).hold(2).mood("reads")
    s.tell(fault("safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer", f"{HOME}/serif/serif.py:61:<module>:weights = load_file(args.resume, device='cuda')", f"{SITE}/safetensors/torch.py:313:load_file:with safe_open(filename, framework='pt', device=device) as f:"), 2)
    yield s.close(AFRESH.but(variant="corrupt", cause="traceback", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})


def brief() -> Iterator[HandJob]:
    """E3."""
    s = Leaf(441, "chapters-70b", "h100", 4, 8, style="plain", script="chapters.py").tell("loading 70B in 32 shards", 60).hold(72, over=160).mood("reads").idle(420).tell("training: max_steps=3", 2).mood("flat_out").train(3, 9.1, 1)
    yield s.tell("training finished, writing the model", 1).mood("writes").idle(140).close(BRIEF)

    s = Leaf(442, "sensor-vae", "a30", style="es", script="sensores.py").tell("épocas: 1, ejemplos en el fichero: 64, lote: 32", 9).hold(11).mood("busy").train(2, 1.2, 1)
    yield s.tell("entrenamiento terminado", 1).close(BRIEF)

    s = Leaf(443, "mask-opc", "a100", 1, 4, style="composer", via="torchrun", script="opc.py").tell("max_duration: 4ba", 24).hold(52).mood("busy").train(4, 3.1, 1)
    yield s.tell("Train finished: reached max_duration 4ba", 1).close(BRIEF)

    s = Leaf(444, "headline-rm", "h200", 1, 8, style="factory", via="torchrun", script="rm.py").tell("[INFO|trainer.py:2519] @iso >> ***** Running training *****\n[INFO|trainer.py:2520] @iso >>   Num examples = 500\n[INFO|trainer.py:2526] @iso >>   Total optimization steps = 2", 120).hold(119, over=60).mood("flat_out").idle(5).train(2, 6.5, 1)
    yield s.tell("{'train_runtime': 19.8, 'train_samples_per_second': 25.2, 'train_loss': 0.6711, 'epoch': 1.0}\n[INFO|@iso] trainer.save_model:3993 >> Saving model checkpoint to saves/rm", 2).close(BRIEF)

    s = Leaf(445, "river-gnn", "l4", style="dgl", script="river.py").tell("Running in `fast_dev_run` mode: will run the requested loop using 5 batch(es). Logging and checkpointing is suppressed.", 9).hold(5).mood("busy").train(5, 0.8, 1)
    yield s.tell("`Trainer.fit` stopped: `max_steps=5` reached.", 1).close(BRIEF)

    s = Leaf(446, "placer-rl", "gh200", style="verl", script="placer.py").tell("total_training_steps: 4", 160).hold(78, over=60).mood("busy").train(4, 31, 1)
    yield s.tell("Final validation metrics: {'val/score': 0.031}", 40).close(BRIEF)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (unlearned, taken_up, brief):
        yield from part()


RECIPE = Recipe("umber_tiles_by_pen", "development", jobs)
