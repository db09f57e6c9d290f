"""Long runs that went as they should."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, GH200, H100, H200, IDLE, L40S, V100, WORK, Fleet, Load, Made, Maker, fall, good, keep, when
from corpus.make._fennel_kit import bar, lightning_head, megatron, threads_note, trainer_head
from gpualert_slurm.past_verdict import PastVerdict

JOBS: list[Maker] = []
job = keep(JOBS)
UNKNOWN_DEVICE = "using GPU {l} as device used by this process is currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect. You can specify device_id in init_process_group() to force use of a particular device."


@job
def instructions() -> Made:
    """SFT on three nodes by the Trainer, seven hours, its own summary at the end."""
    f = Fleet(("fv1", "fv2", "fv3"), "yi-9b-sft", 10_460_011, when("2026-10-17 01:00"), per=8, card=H100, agents=True, script="sft.py", submit_line="sbatch -N3 sft9b.sh")
    threads_note(f, 5)
    f.each(22, "[rank{r}]:[W1017 01:00:22.31{l}004417 ProcessGroupNCCL.cpp:4715] [PG ID 0 PG GUID 0 Rank {r}]  " + UNKNOWN_DEVICE)
    trainer_head(f, 95, 611_204, 4, 2, 6_366, epochs=2, params=8_829_407_232)
    last = f.steps(0, range(10, 6361, 10), 102, 3.9, lambda i, x, t: f"{{'loss': {x:.4f}, 'grad_norm': {0.5 + x / 5:.6f}, 'learning_rate': {2e-5 * (1 - i / 6366):.4e}, 'epoch': {2 * i / 6366:.2f}}}" + (f"\n{bar(i, 6366, t - 102)}Saving model checkpoint to out/yi9b/checkpoint-{i}" if i % 1000 == 0 else ""), fall(1.42, 0.83, 120))
    f.say(0, last + 60, f"\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n\n{{'train_runtime': {last - 40:.4f}, 'train_samples_per_second': 48.9, 'train_steps_per_second': 0.255, 'train_loss': 0.9117, 'epoch': 2.0}}\n***** train metrics *****\n  epoch                    =        2.0\n  total_flos               = 91287GF\n  train_loss               =     0.9117\n  train_runtime            = 6:54:20.11")
    f.points = 20
    f.load([(0, IDLE), (60, CONTEXT), (98, WORK)])
    f.close("COMPLETED", last + 80)
    return good(f)


@job
def on_the_clock_of_megatron() -> Made:
    """Megatron on five nodes to its last iteration, validation in between."""
    f = Fleet(tuple(f"jw{n}" for n in range(50, 55)), "gpt-1b3-100b", 10_460_342, when("2026-10-18 08:00"), per=8, card=H200, script="pretrain_gpt.py", submit_line="sbatch -N5 gpt1b3.slurm", limit_s=172_800)
    f.points = 14

    def line(i: int, x: float, t: float) -> str:
        text = megatron(i, 24_000, x, stamp=f.clock(t), ms=2210.0 + i % 31, lr=3e-4 * (1 - i / 26_000), batch=1280, flops=511.0, norm=0.2 + x / 22)
        return text + (f"\n{'-' * 99}\n validation loss at iteration {i} | lm loss value: {x + 0.03:.6E} | lm loss PPL: {2.71828 ** (x + 0.03):.6E} | \n{'-' * 99}" if i % 2000 == 0 else "")

    last = f.steps(39, range(100, 24_001, 100), 140, 2.21, line, fall(10.9, 2.21, 280))
    f.say(39, last + 30, f"[after training is done] datetime: {f.clock(last + 30)} ")
    f.say(0, last + 52, "saving checkpoint at iteration   24000 to /jw/gpt1b3 in torch_dist format\n  successfully saved checkpoint from iteration   24000 to /jw/gpt1b3 [ t 1/1, p 1/1 ]")
    f.load([(0, IDLE), (96, CONTEXT), (136, WORK)])
    f.close("COMPLETED", last + 70)
    return good(f)


@job
def depth() -> Made:
    """Monocular depth with Lightning, four hours, max_epochs reached."""
    f = Fleet(("or-1", "or-2"), "depth-dpt", 10_460_700, when("2026-10-19 10:10"), per=4, card=A100, script="depth.py", submit_line="sbatch dpt.sh")
    lightning_head(f, 12, "\n  | Name | Type | Params | Mode \n---------------------------------------\n0 | net  | DPT  | 343 M  | train\n1 | si   | SILog | 0     | train\n---------------------------------------\n343 M     Trainable params\n0         Non-trainable params\n343 M     Total params\n1,374.205 Total estimated model params size (MB)")
    at = 40.0
    for e in range(6):
        at = f.steps(0, range(100, 1801, 100), at + 3, 1.31, lambda i, x, t, e=e, a=at: "\r" + bar(i, 1800, t - a, name=f"Epoch {e}", tail=f"v_num=0, silog={x:.3f}"), lambda i, e=e: fall(0.9, 0.11, 300)(i + 1800 * e))  # type: ignore[misc]
        f.say(0, at + 30, f"\nEpoch {e}, global step {1800 * (e + 1)}: 'val/abs_rel' reached {0.141 - 0.009 * e:.5f} (best {0.141 - 0.009 * e:.5f}), saving model to '/or/depth/ckpt/epoch={e}.ckpt' as top 1")
        at += 31
    f.say(0, at + 1, "`Trainer.fit` stopped: `max_epochs=6` reached.")
    f.load([(0, IDLE), (36, WORK)])
    f.close("COMPLETED", at + 14)
    return good(f)


@job
def twenty_thousand_answers() -> Made:
    """VLLM writes answers for a data set on eight cards for three hours."""
    f = Fleet(("inf-20",), "rephrase-web", 10_461_022, when("2026-10-20 03:40"), per=8, card=H200, agents=True, script="rephrase.py", submit_line="sbatch rephrase.sh")
    f.say(0, 50, f"INFO {f.clock(50, '%m-%d %H:%M:%S')} [parallel_state.py:1079] rank 0 in world size 8 is assigned as DP rank 0, PP rank 0, TP rank 0, EP rank 0\nINFO {f.clock(110, '%m-%d %H:%M:%S')} [gpu_model_runner.py:1911] Model loading took 16.4210 GiB and 51.002 seconds\nINFO {f.clock(160, '%m-%d %H:%M:%S')} [core.py:193] init engine (profile, create kv cache, warmup model) took 48.91 seconds")
    last = f.steps(0, range(500, 60_001, 500), 170, 0.17, lambda i, _x, t: bar(i, 60_000, t - 170, name="Processed prompts", tail=f"est. speed input: {9011 + i % 97}.10 toks/s, output: {14_203 + i % 313}.55 toks/s"), lambda _i: 0.0)
    f.say(0, last + 9, "wrote 60000 rows to out/rephrased-0007.parquet (212 hit the length limit)")
    f.load([(0, IDLE), (60, Load(15, 5, 0.2, 0.13, 20)), (166, Load(98, 44, 0.7, 0.9))])
    f.close("COMPLETED", last + 20)
    return good(f)


@job
def flax_on_eight_hosts() -> Made:
    """MaxText on eight Grace Hoppers, the last step's line and the end."""
    f = Fleet(tuple(f"gb{n}" for n in range(1, 9)), "maxtext-2b", 10_461_344, when("2026-10-21 12:20"), per=1, card=GH200, script="MaxText/train.py", submit_line="sbatch -N8 mx2b.sh")
    for r in f.ranks:
        f.say(r, 18 + r / 9, f"I1021 12:20:1{8 + r // 9}.2{r}4410 {40_000 + r} distributed.py:140] Connecting to JAX distributed service on gb1:1234\nSystem Information: Jax Version: 0.6.2\nSystem Information: Jaxlib Version: 0.6.2\nSystem Information: Jax Backend: PJRT C API\ncuda 12080")
    last = f.steps(0, range(10, 4001, 10), 120, 3.0, lambda i, x, _t: f"completed step: {i}, seconds: {3 + i % 9 / 100:.3f}, TFLOP/s/device: 388.{i % 90:02d}, Tokens/s/device: {10_900 + i % 70}.112, total_weights: 262144, loss: {x:.3f}", fall(10.8, 2.9, 100))
    f.say(0, last + 30, "Saved checkpoint at step 4000 to gs-mirror/mx2b.\nOutput size: 19811220480, temp size: 21840110020, argument size: 19811001344, host temp size: 0, in bytes.")
    f.load([(0, IDLE), (60, Load(2, 1, 0.2, 0.75, 5)), (116, Load(98, 58, 0.8, 0.77))])
    f.close("COMPLETED", last + 40)
    return good(f)


@job
def keras_tables() -> Made:
    """Keras on one node with a mirrored strategy, forty epochs of its two-line tables."""
    f = Fleet(("kb-2",), "retina-dr", 10_461_680, when("2026-10-22 17:00"), per=4, card=V100, agents=True, script="dr.py", submit_line="sbatch dr.sh")
    f.say(0, 14, "INFO:tensorflow:Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0', '/job:localhost/replica:0/task:0/device:GPU:1', '/job:localhost/replica:0/task:0/device:GPU:2', '/job:localhost/replica:0/task:0/device:GPU:3')")
    last = f.steps(0, range(1, 41), 60, 251, lambda i, x, _t: f"Epoch {i}/40\n\n549/549 - 251s - 457ms/step - accuracy: {0.97 - x / 4:.4f} - loss: {x:.4f} - val_accuracy: {0.95 - x / 4:.4f} - val_loss: {x * 1.08:.4f} - learning_rate: {1e-3 if i < 20 else 2e-4:.1e}", fall(1.1, 0.12, 4))
    f.say(0, last + 20, "test kappa 0.871, model.keras saved")
    f.load([(0, IDLE), (55, Load(93, 0, 0.8, 0.95, 12))])
    f.close("COMPLETED", last + 28)
    return good(f)


@job
def boxes_of_detectron() -> Made:
    """A detector: Detectron2's lines with eta, its evaluation at the end."""
    f = Fleet(("sf-3",), "cascade-aerial", 10_462_011, when("2026-10-23 20:50"), per=8, card=A100, agents=True, script="tools/lazyconfig_train_net.py", submit_line="sbatch aerial.sh")
    last = f.steps(0, range(100, 30_001, 100), 70, 0.52, lambda i, x, t: f"[{f.clock(t, '%m/%d %H:%M:%S')} d2.utils.events]:  eta: {int((30_000 - i) * 0.52) // 3600}:{int((30_000 - i) * 0.52) // 60 % 60:02d}:{int((30_000 - i) * 0.52) % 60:02d}  iter: {i - 1}  total_loss: {x:.3f}  loss_cls_stage0: {x / 6:.4f}  loss_box_reg_stage0: {x / 7:.4f}  loss_rpn_cls: {x / 30:.5f}  time: 0.52{i % 9}1  data_time: 0.0{11 + i % 60}  lr: 0.0200  max_mem: 31022M", fall(4.6, 0.9, 700))
    f.say(0, last + 300, f"[{f.clock(last + 300, '%m/%d %H:%M:%S')} d2.evaluation.testing]: copypaste: Task: bbox\n[{f.clock(last + 300, '%m/%d %H:%M:%S')} d2.evaluation.testing]: copypaste: AP,AP50,AP75,APs,APm,APl\n[{f.clock(last + 300, '%m/%d %H:%M:%S')} d2.evaluation.testing]: copypaste: 46.2110,70.0121,50.9127,30.1104,49.0021,58.3310")
    f.load([(0, IDLE), (66, WORK), (last + 5, Load(70, 0, 0.5, 0.79, 30))])
    f.close("COMPLETED", last + 310)
    return good(f)


@job
def second_leg() -> Made:
    """The second job of a chain goes on at step 42000 with the loss of the first one's end, and reaches the last step."""
    f = Fleet(("nk-1", "nk-2", "nk-3", "nk-4"), "mamba2-1b-leg2", 10_462_377, when("2026-10-24 07:00"), per=4, card=H100, script="mamba/train.py", submit_line="sbatch --dependency=afterany:10461990 leg.sh --resume /nk/mamba/ckpt")
    f.past = (PastVerdict(relation="parent", job="10461990", mode="F3", fault="user", ended_ns=f.at(-800), nodes="nk-[1-4]", head_loss=11.0, tail_loss=2.52, steps_done=42_180, checkpoints=("/nk/mamba/ckpt/40000", "/nk/mamba/ckpt/42000"), gpu_hours=370.0),)
    f.say(0, 30, f"[{f.clock(30)}] resume: /nk/mamba/ckpt/42000 (model, opt, sched, dataloader position 42000)")
    f.say(0, 58, f"[{f.clock(58)}] resume: loaded in 27.6 s, first step will be 42001")
    last = f.steps(0, range(42_100, 60_001, 100), 70, 1.9, lambda i, x, t: f"[{f.clock(t)}] {i}/60000 ce {x:.4f} lr {3e-4 * (1 - i / 60_500):.2e} {276 + i % 9}k tok/s", fall(2.54, 2.4, 9000, ripple=0.004))
    f.say(0, last + 20, f"[{f.clock(last + 20)}] 60000/60000, final eval ce 2.4311, bye")
    f.load([(0, IDLE), (66, WORK)])
    f.close("COMPLETED", last + 30, dependency="afterany:10461990")
    return good(f)


@job
def pictures_from_words() -> Made:
    """LoRA of SDXL with diffusers: its bar and its pictures for validation."""
    f = Fleet(("ph-7",), "sdxl-lora-cards", 10_462_650, when("2026-10-25 14:00"), per=4, card=L40S, agents=True, script="train_text_to_image_lora_sdxl.py", submit_line="sbatch lora.sh")
    f.say(0, 40, f"{f.clock(40, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ - ***** Running training *****\n{f.clock(40, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Num examples = 21840\n{f.clock(40, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Num Epochs = 6\n{f.clock(40, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Total optimization steps = 8000")
    last = f.steps(0, range(25, 8001, 25), 44, 1.62, lambda i, x, t: "\r" + bar(i, 8000, t - 44, name="Steps", tail=f"lr=0.0001, step_loss={x:.4f}") + (f"\n{f.clock(t, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ - Running validation... \n Generating 4 images with prompt: a tarot card of a lighthouse." if i % 2000 == 0 else ""), fall(0.21, 0.08, 300, ripple=0.2))
    f.say(0, last + 12, "Model weights saved in /ph/cards/pytorch_lora_weights.safetensors")
    f.load([(0, IDLE), (40, Load(98, 0, 0.92, 0.77))])
    f.close("COMPLETED", last + 40)
    return good(f)


@job
def table_of_speech() -> Made:
    """Whisper fine-tuned on two nodes, evaluation with the word error rate each thousand steps."""
    f = Fleet(("dk-a", "dk-b"), "whisper-dk", 10_462_980, when("2026-10-26 09:00"), per=4, card=B200, agents=True, script="run_speech_recognition_seq2seq.py", submit_line="sbatch dk.sh")
    trainer_head(f, 70, 402_113, 16, 1, 5_000, epochs=2, params=1_543_490_560)
    last = f.steps(0, range(25, 5001, 25), 76, 2.2, lambda i, x, _t: f"{{'loss': '{x:.4f}', 'grad_norm': '{2 + x:.3f}', 'learning_rate': '{1e-5 * (1 - i / 5000):.3e}', 'epoch': '{i / 3141:.3f}'}}" + (f"\n{{'eval_loss': '{x * 1.1 + 0.03:.4f}', 'eval_wer': '{8 + 14 * x:.2f}', 'eval_runtime': '311.4', 'eval_samples_per_second': '21.02', 'eval_steps_per_second': '0.164', 'epoch': '{i / 3141:.3f}'}}" if i % 1000 == 0 else ""), fall(1.4, 0.16, 120))
    f.say(0, last + 330, f"{{'train_runtime': '{last - 60:.1f}', 'train_samples_per_second': '57.1', 'train_steps_per_second': '0.446', 'train_loss': '0.2611', 'epoch': '1.592'}}\n***** eval metrics *****\n  epoch                   =      1.592\n  eval_loss               =     0.2209\n  eval_wer                =     10.611")
    f.load([(0, IDLE), (72, WORK), (last + 10, Load(80, 30, 0.5, 0.8, 20))])
    f.close("COMPLETED", last + 345)
    return good(f)


@job
def catalysts() -> Made:
    """An equivariant network under plain srun; an own logger with rich time stamps; sixteen cards."""
    f = Fleet(("wt1", "wt2", "wt3", "wt4"), "mace-omat", 10_463_301, when("2026-10-27 05:30"), per=4, card=A100, script="mace_run_train", submit_line="sbatch -N4 mace.sh")
    last = f.steps(0, range(36), 150, 720, lambda i, x, t: f"{f.clock(t)}.{(i * 271) % 1000:03d} INFO: Epoch {i}: head: default, loss={x:11.8f}, MAE_E_per_atom={x * 91:8.2f} meV, MAE_F={x * 230:8.2f} meV / A", fall(0.31, 0.03, 3))
    f.say(0, last + 400, f"{f.clock(last + 400)}.112 INFO: Training complete\n{f.clock(last + 401)}.440 INFO: Computing metrics for training, validation, and test sets\n{f.clock(last + 640)}.551 INFO: Saving model to models/mace_omat.model\n{f.clock(last + 641)}.002 INFO: Done")
    f.load([(0, IDLE), (140, WORK)])
    f.close("COMPLETED", last + 650)
    return good(f)


@job
def sixteen_steps_a_minute() -> Made:
    """DeepSpeed-Chat's third stage, actor and critic, sixteen hours."""
    f = Fleet(("hg-1", "hg-2"), "rlhf-s3", 10_463_644, when("2026-10-28 00:10"), per=8, card=H100, agents=True, script="main.py", submit_line="sbatch s3.sh")
    last = f.steps(0, range(4, 1201, 4), 240, 41, lambda i, x, _t: f"Epoch: 0 | Step: {i} | PPO Epoch: 1 | Actor Loss: {-0.01 + x / 90:.6f} | Critic Loss: {x / 30:.6f} | Unsupervised Loss: 0.0\nEnd-to-End => Latency: 41.0{i % 9}s, TFLOPs: 61.{i % 90:02d}, Samples/sec: 6.24, Time/seq 0.16s, Batch Size: 256, Total Seq. Length: 1024\nAverage reward score: {4.1 - 3 * x:.6f} | EMA reward score: {4.0 - 3 * x:.6f}\n" + "-" * 85, fall(1.1, 0.2, 90))
    f.say(0, last + 60, "saving model ...\n[2026-10-28 13:55:02,112] [INFO] [launch.py:351:main] Process 1210400 exits successfully.")
    f.points = 30
    f.load([(0, IDLE), (120, CONTEXT), (230, Load(82, 36, 0.6, 0.86, 24))])
    f.close("COMPLETED", last + 90)
    return good(f)


@job
def steady_small() -> Made:
    """A small graph network keeps two cards at a quarter, evenly and without gaps; its loss falls to the planned end."""
    f = Fleet(("sm-9",), "gat-traffic", 10_463_960, when("2026-10-29 13:00"), per=2, card=H100, script="gat.py", submit_line="sbatch gat.sh")
    last = f.steps(0, range(1, 201), 25, 47, lambda i, x, t: f"[{f.clock(t, '%H:%M:%S')}] epoch {i:3d}/200 mae {x:.4f} rmse {x * 1.7:.4f} mape {x * 2.4:.2f}% 47.{i % 10}s", fall(7.1, 2.6, 14))
    f.say(0, last + 4, f"[{f.clock(last + 4, '%H:%M:%S')}] horizon 12: mae 3.04, done")
    f.load([(0, IDLE), (22, Load(24, 7, 0.24, 0.08, 4))])
    f.close("COMPLETED", last + 9)
    return good(f)


@job
def plain_two_days() -> Made:
    """Four nodes for forty hours on an own loop that prints little, twice an hour."""
    f = Fleet(("bo-1", "bo-2", "bo-3", "bo-4"), "sat-mae-l", 10_464_290, when("2026-10-30 22:00"), per=8, card=H100, script="satmae/run.py", submit_line="sbatch -N4 sat.sh", limit_s=172_800)
    f.points = 14
    last = f.steps(0, range(1, 81), 120, 1790, lambda i, x, t: f"{f.clock(t, '%d.%m.%Y %H:%M')}  epoch {i} of 80  recon {x:.5f}  lr {1.5e-4 * (1 - i / 82):.2e}  {1790 + i % 9} s  saved", fall(0.98, 0.31, 6))
    f.say(0, last + 3, f"{f.clock(last + 3, '%d.%m.%Y %H:%M')}  all epochs done")
    f.load([(0, IDLE), (110, WORK)])
    f.close("COMPLETED", last + 9)
    return good(f)
