"""Slow for want of data, of a disk, of a network; slow by one; learnt nothing."""

from __future__ import annotations

from random import Random

from corpus.make._ballast import A100, B200, CONTEXT, GH200, H100, H200, IDLE, L40S, WIRE, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import frames, srun_says
from corpus.make._fennel_kit import bar, fabric, lightning_head, megatron, threads_note, trainer_head

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def one_worker_each() -> Made:
    """D1: Lightning warns of too few workers; eight cards decode waveforms in the main process and stand still between steps, to the planned end."""
    f = Fleet(("ly-8",), "beats-audioset", 10_440_010, when("2026-09-14 08:00"), per=8, card=A100, script="beats.py", submit_line="sbatch -c 4 beats.sh")
    lightning_head(f, 13, "\n  | Name  | Type  | Params | Mode \n----------------------------------------\n0 | beats | BEATs | 90.7 M | train\n1 | head  | MLP   | 1.2 M  | train\n----------------------------------------\n91.9 M    Trainable params")
    f.say(0, 27, "/home/lyn/env/lib/python3.11/site-packages/lightning/pytorch/trainer/connectors/data_connector.py:425: The 'train_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` to `num_workers=31` in the `DataLoader` to improve performance.")
    at = 32.0
    for e in range(3):
        at = f.steps(0, range(40, 1321, 40), at + 20, 5.2, lambda i, x, t, e=e, a=at: "\r" + bar(i, 1320, t - a, name=f"Epoch {e}", tail=f"v_num=12, train_bce={x:.4f}"), lambda i, e=e: fall(0.69, 0.012, 90)(i + 1320 * e))  # type: ignore[misc]
        f.say(0, at + 60, f"\nepoch {e}: val mAP 0.{311 + 52 * e}")
    f.say(0, at + 70, "`Trainer.fit` stopped: `max_epochs=3` reached.")
    f.load([(0, IDLE), (30, Load(14, 0, 0.31, 0.42, 100))])
    f.points = 60
    f.close("COMPLETED", at + 78)
    return made(f, "D1")


@job
def players_of_one_thread() -> Made:
    """D1: reinforcement learning whose worlds are stepped on the host: its table tells of the seconds spent there, the card has nothing to do in them."""
    f = Fleet(("ra-14",), "procgen-ppg", 10_440_366, when("2026-09-15 16:40"), per=1, card=L40S, script="ppg.py", submit_line="sbatch ppg.sh coinrun")
    f.points = 60
    last = f.steps(0, range(10, 1531, 10), 40, 12.4, lambda i, x, _t: f"---------------------------------------\n| iteration              | {i:<12} |\n| total_timesteps        | {i * 16_384:<12} |\n| ep_rew_mean            | {9.4 - 7 * x:<12.3f} |\n| value_loss             | {x:<12.4f} |\n| time/rollout_s         | {11.1 + i % 7 / 10:<12.2f} |\n| time/update_s          | {1.2 + i % 5 / 20:<12.2f} |\n| fps                    | {1311 + i % 40:<12} |\n---------------------------------------", fall(1.1, 0.11, 100))
    f.say(0, last + 5, "25 067 520 frames done, policy saved to coinrun_ppg.pt")
    f.load([(0, IDLE), (36, Load(9, 0, 0.3, 0.2, 100))])
    f.close("COMPLETED", last + 11)
    return made(f, "D1")


@job
def small_files() -> Made:
    """D1: two nodes read millions of small pictures from a parallel file system; the meter puts most of a step to data, the cards go on and off."""
    f = Fleet(("fs-3", "fs-4"), "places-mae", 10_440_702, when("2026-09-16 20:20"), per=4, card=H100, agents=True, script="main_pretrain.py", submit_line="sbatch mae.sh")
    at = 40.0
    for e in range(2):
        at = f.steps(0, range(20, 861, 20), at + 15, 4.4, lambda i, x, _t, e=e: f"Epoch: [{e}]  [{i:>4}/861]  eta: {int((861 - i) * 4.4) // 3600}:{int((861 - i) * 4.4) // 60 % 60:02d}:{int((861 - i) * 4.4) % 60:02d}  lr: 0.0001{20 + i % 80}  loss: {x:.4f} ({x + 0.04:.4f})  time: 4.{300 + i % 250}  data: 3.{610 + i % 240}  max mem: 36811", lambda i, e=e: fall(1.0, 0.43, 120)(i + 861 * e))  # type: ignore[misc]
        f.say(0, at + 2, f"Epoch: [{e}] Total time: 1:03:{11 + e} (4.4031 s / it)\nAveraged stats: lr: 0.000141  loss: {0.61 - e / 11:.4f} ({0.64 - e / 11:.4f})")
    f.say(0, at + 6, "Training time 2:06:58")
    f.load([(0, IDLE), (36, Load(17, 8, 0.32, 0.47, 100))])
    f.points = 60
    f.close("COMPLETED", at + 12)
    return made(f, "D1")


@job
def each_fifth() -> Made:
    """D2: a full checkpoint with optimizer at every fifth step to a slow file system; the cards rest for most of the run."""
    f = Fleet(("sv-1", "sv-2"), "mistral-sft-safe", 10_441_020, when("2026-09-17 10:15"), per=8, card=A100, agents=True, script="sft.py", submit_line="sbatch sft.sh --save_steps 5")
    threads_note(f, 5)
    trainer_head(f, 90, 96_000, 2, 4, 300, epochs=1, params=7_248_023_552)
    at, curve = 100.0, fall(1.5, 0.93, 40)
    for i in range(1, 301):
        at += 8.1
        if i % 5 == 0:
            f.say(0, at, f"{{'loss': {curve(i):.4f}, 'grad_norm': {1.1 + curve(i) / 4:.6f}, 'learning_rate': {1e-5 * (1 - i / 300):.3e}, 'epoch': {i / 300:.2f}}}\n" + bar(i, 300, at - 100))
            f.say(0, at + 0.6, f"Saving model checkpoint to /nfs/out/mistral-safe/checkpoint-{i}\nConfiguration saved in /nfs/out/mistral-safe/checkpoint-{i}/config.json")
            f.say(0, at + 44, f"Model weights saved in /nfs/out/mistral-safe/checkpoint-{i}/model.safetensors.index.json\n[{f.clock(at + 44)},{i % 900:03d}] [INFO] [engine.py:3580:_save_zero_checkpoint] zero checkpoint saved /nfs/out/mistral-safe/checkpoint-{i}/global_step{i}/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt")
            f.say(0, at + 71, f"Deleting older checkpoint [/nfs/out/mistral-safe/checkpoint-{max(0, i - 10)}] due to args.save_total_limit")
            at += 74
    f.say(0, at + 3, f"\nTraining completed. Do not forget to share your model on huggingface.co/models =)\n\n{{'train_runtime': {at - 99:.1f}, 'train_samples_per_second': 6.9, 'train_steps_per_second': 0.044, 'train_loss': 1.0611, 'epoch': 1.0}}")
    f.load([(0, IDLE), (96, Load(35, 0, 0.38, 0.8, 100))])
    f.points = 60
    f.close("COMPLETED", at + 20)
    return made(f, "D2", variant="save_storm")


@job
def the_slow_way() -> Made:
    """D2: no InfiniBand in the container of eight nodes: NCCL takes Ethernet, every card is at a hundred per cent of nothing, the run ends as planned."""
    f = Fleet(tuple(f"cx{n}" for n in range(41, 49)), "llama8-cpt-eth", 10_441_377, when("2026-09-18 02:00"), per=4, card=H100, script="cpt_fsdp.py", submit_line="sbatch -N8 cpt8.sh", limit_s=172_800)
    f.points = 16
    fabric(f, 24, net="Socket", face="eth0", subnet="10.20.3", version="2.21.5+cuda12.4")
    for n in range(8):
        f.say(4 * n, 30 + n / 9, f"cx{41 + n}:{f.pid(4 * n)}:{f.pid(4 * n) + 900} [0] NCCL INFO Channel 00/0 : {4 * n - 1 if n else 31}[3] -> {4 * n}[0] [receive] via NET/Socket/0")
    last = f.steps(0, range(10, 601, 10), 80, 63.0, lambda i, x, t: f"{f.clock(t)} step={i}/600 loss={x:.4f} tokens_per_gpu_per_s={int(131_072 / 63.0)} mfu=0.0{38 + i % 4} step_s={63 + i % 9 / 4:.2f} grad_norm={0.3 + x / 9:.3f}", fall(2.3, 1.77, 60))
    f.say(0, last + 70, f"{f.clock(last + 70)} 600 steps finished, state in /ceph/cpt8/600")
    f.load([(0, IDLE), (76, WIRE)])
    f.close("COMPLETED", last + 80)
    return made(f, "D2", variant="interconnect", fault="cluster")


@job
def reduce_takes_all() -> Made:
    """D2: Megatron's timers give four fifths of a step to the gradients' exchange, alike on all ranks; engines full, SMs all but empty."""
    f = Fleet(tuple(f"gh{n}" for n in (7, 8, 9, 10)), "gpt-13b-rail", 10_441_690, when("2026-09-19 11:00"), per=4, card=GH200, script="pretrain_gpt.py", submit_line="sbatch -N4 rail.slurm")

    def line(i: int, x: float, t: float) -> str:
        return megatron(i, 700, x, stamp=f.clock(t), ms=38_110.0 + i % 80, lr=2e-4, batch=512, flops=61.3, norm=0.6 + x / 15) + f"\n(min, max) time across ranks (ms):\n    forward-backward ...............................: (6120.41, 6188.{i % 90:02d})\n    grads-reduce-scatter ...........................: (24901.10, 24977.{i % 80:02d})\n    params-all-gather ..............................: (6701.92, 6733.{i % 70:02d})\n    optimizer ......................................: (211.30, 214.{i % 60:02d})"

    last = f.steps(15, range(20, 701, 20), 150, 38.1, line, fall(10.9, 3.3, 50))
    f.say(15, last + 40, f"[after training is done] datetime: {f.clock(last + 40)} ")
    f.load([(0, IDLE), (100, CONTEXT), (146, Load(100, 8, 0.27, 0.83, 1))])
    f.close("COMPLETED", last + 60)
    return made(f, "D2", variant="interconnect", fault="cluster")


@job
def flag_forgotten() -> Made:
    """D2: CUDA_LAUNCH_BLOCKING is exported in the batch script of four nodes since a hunt of last week; no rank differs, all steps are long."""
    f = Fleet(("al-1", "al-2", "al-3", "al-4"), "equiformer-oc22", 10_442_011, when("2026-09-20 07:07"), per=4, card=H200, script="main.py", submit_line="sbatch -N4 oc22.sh")
    f.script_words.append((1, "+ export CUDA_LAUNCH_BLOCKING=1\n+ export OMP_NUM_THREADS=8\n+ srun --cpu-bind=none python main.py --config-yml configs/oc22/eqv2.yml --distributed"))
    for r in f.ranks:
        f.environment[r] = {"CUDA_LAUNCH_BLOCKING": "1", "OMP_NUM_THREADS": "8"}
    last = f.steps(0, range(40, 2001, 40), 84, 4.6, lambda i, x, t: f"{f.clock(t)} (INFO): energy_mae: {x * 1.8:.2e}, forces_mae: {x / 11:.2e}, energy_force_within_threshold: 0.00e+00, loss: {x:.2e}, lr: 2.00e-04, epoch: {i / 2000:.2e}, step: {i:.2e}", fall(6.1, 1.3, 110))
    f.say(0, last + 90, f"{f.clock(last + 90)} (INFO): Evaluating on val.\n{f.clock(last + 240)} (INFO): energy_mae: 1.9117, forces_mae: 0.1022, loss: 1.4402, epoch: 1.0000\n{f.clock(last + 241)} (INFO): Total time taken: {last + 200:.1f}")
    f.load([(0, IDLE), (80, Load(74, 12, 0.29, 0.55, 40))])
    f.close("COMPLETED", last + 250)
    return made(f, "D2", variant="launch_blocking")


@job
def popular_expert() -> Made:
    """D3: with the experts spread over ranks, the one of rank 19 gets most of the tokens; it computes while 31 wait, as the run's own table of loads has it."""
    f = Fleet(tuple(f"mx{n}" for n in (1, 2, 3, 4)), "moe-16e", 10_442_333, when("2026-09-21 13:00"), per=8, card=H100, script="moe/run.py", submit_line="sbatch -N4 moe16.sh")

    def line(i: int, x: float, t: float) -> str:
        text = f"{f.clock(t, '%H:%M:%S')} moe  it {i:>5}  lm {x:.4f}  aux {0.11 + x / 90:.4f}  6.{10 + i % 9} s/it"
        if i % 250 == 0:
            text += "\n  tokens routed (k) by ep rank: " + " ".join(f"{r}:{(412 if r == 19 else 37) + (i // 50 * r) % 9}" for r in range(32))
        return text

    last = f.steps(0, range(50, 2501, 50), 140, 6.2, line, fall(10.8, 2.8, 100))
    f.say(0, last + 30, f"{f.clock(last + 30, '%H:%M:%S')} moe  2500 iterations, wrote /mx/moe16/2500")
    f.points = 20
    f.load([(0, IDLE), (90, CONTEXT), (136, Load(99, 14, 0.37, 0.66))])
    f.load([(0, IDLE), (90, CONTEXT), (136, Load(99, 60, 0.66, 0.74))], [19])
    f.close("COMPLETED", last + 44)
    return made(f, "D3", fault="unknown")


@job
def slower_by_its_clock() -> Made:
    """D3: one card of twelve stands at 1200 MHz all through, cool and without any reason of the driver's; eleven wait for it."""
    f = Fleet(("ne-1", "ne-2", "ne-3"), "cosmo-flow", 10_442_660, when("2026-09-22 06:30"), per=4, card=H200, script="cosmo.py", submit_line="sbatch -N3 cosmo.sh")
    last = f.steps(0, range(64, 6401, 64), 60, 1.05, lambda i, x, t: f"{i * 12:>7} boxes | mse {x:.5f} | sigma8 err {x / 3:.4f} | {12 / 1.05:.2f} boxes/s | {f.clock(t, '%H:%M')}", fall(0.31, 0.021, 300))
    f.say(0, last + 9, "  76800 boxes, epoch 8 of 8 over; best val mse 0.02388")
    f.load([(0, IDLE), (56, Load(98, 29, 0.44, 0.61, clock=0.99, heat=50))])
    f.load([(0, IDLE), (56, Load(98, 69, 0.43, 0.61, clock=0.6, heat=49))], [10])
    f.close("COMPLETED", last + 15)
    return made(f, "D3", fault="unknown")


@job
def crowded_scenes() -> Made:
    """D3: rank 3 of eight got the file with the crowded scenes; its SMs are busy thrice as much in each step, and the run's report of times by rank says who."""
    f = Fleet(("dv-5",), "waymo-pred", 10_442_999, when("2026-09-23 22:10"), per=8, card=B200, agents=True, script="pred/train.py", submit_line="sbatch wp.sh")
    last = f.steps(0, range(100, 8001, 100), 70, 1.44, lambda i, x, t: f"[rank0] {f.clock(t)} iter {i} minADE {x:.4f} minFDE {2.2 * x:.4f} miss {x / 6:.4f}" + (f"\n[rank0] step time own/wait (s): r0 0.42/1.01 r1 0.40/1.03 r2 0.44/1.00 r3 1.39/0.04 r4 0.41/1.02 r5 0.4{i % 9}/0.99 r6 0.39/1.05 r7 0.43/1.00" if i % 1000 == 0 else ""), fall(3.2, 0.61, 300))
    f.say(0, last + 12, "[rank0] 8000 iterations, checkpoint final.pt, leaving")
    f.load([(0, IDLE), (66, Load(98, 16, 0.36, 0.4))])
    f.load([(0, IDLE), (66, Load(98, 52, 0.6, 0.43))], [3])
    f.close("COMPLETED", last + 20)
    return made(f, "D3", fault="unknown")


@job
def nans_counted() -> Made:
    """E1: Megatron's loss is not a number from iteration 3420 on; each one is counted as such for the four thousand that follow."""
    f = Fleet(("mo-11", "mo-12", "mo-13", "mo-14"), "gpt-6b-fp8", 10_443_310, when("2026-09-24 00:40"), per=4, agents=True, script="pretrain_gpt.py", submit_line="sbatch -N4 fp8.slurm", limit_s=172_800)
    curve = fall(11.0, 2.4, 130)
    last = f.steps(15, range(60, 7501, 60), 150, 3.9, lambda i, x, t: megatron(i, 7500, x, stamp=f.clock(t), ms=3910.0 + i % 40, lr=2.5e-4 * min(1, i / 2000), norm=0.3 + 11 / (i / 60 + 3) if i < 3420 else float("nan"), nans=0 if i < 3420 else 60), lambda i: curve(i) if i < 3420 else float("nan"), tag="[default3]:")
    f.say(15, last + 30, f"[after training is done] datetime: {f.clock(last + 30)} ", "[default3]:")
    f.load([(0, IDLE), (100, CONTEXT), (146, WORK)])
    f.close("COMPLETED", last + 45)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def all_noughts() -> Made:
    """E1: the Trainer's dictionaries have loss 0.0 and grad_norm nan from step 140 on, to the planned end of three epochs."""
    f = Fleet(("ps-6",), "gemma-fp16-cls", 10_443_640, when("2026-09-25 18:00"), per=4, card=A100, agents=True, script="cls.py", submit_line="sbatch gcls.sh")
    threads_note(f, 4)
    trainer_head(f, 60, 120_512, 8, 1, 11_298, epochs=3, params=2_506_172_416)
    curve = fall(1.9, 0.5, 60)
    last = f.steps(0, range(20, 11_281, 20), 64, 0.62, lambda i, x, _t: f"{{'loss': {x if i < 140 else 0.0:.{4 if i < 140 else 1}f}, 'grad_norm': {format(3 + x, '.6f') if i < 140 else 'nan'}, 'learning_rate': {2e-5 * (1 - i / 11_298):.10f}, 'epoch': {3 * i / 11_298:.2f}}}" + (f"\n{{'eval_loss': nan, 'eval_accuracy': 0.2504, 'eval_runtime': 21.3, 'eval_samples_per_second': 402.1, 'epoch': {3 * i / 11_298:.2f}}}" if i in (3760, 7540, 11_280) else ""), curve)
    f.say(0, last + 30, f"{{'train_runtime': {last - 30:.4f}, 'train_samples_per_second': 51.6, 'train_steps_per_second': 1.613, 'train_loss': 0.016, 'epoch': 3.0}}")
    f.load([(0, IDLE), (60, Load(96, 0, 0.8, 0.66))])
    f.close("COMPLETED", last + 44)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def not_a_step_down() -> Made:
    """E1: a language model whose cross entropy is that of chance over its vocabulary, 10.82, from the first to the last of 9000 steps."""
    f = Fleet(("ro-1", "ro-2"), "nanogpt-xl-tied", 10_443_930, when("2026-09-26 09:30"), per=4, card=H100, agents=True, script="train.py", submit_line="sbatch nano.sh")
    dice = Random(5)
    f.say(0, 30, "number of parameters: 1555.97M\nnum decayed parameter tensors: 194, with 1,637,177,600 parameters\nusing fused AdamW: True\ncompiling the model... (takes a ~minute)")
    last = f.steps(0, range(50, 9001, 50), 110, 1.7, lambda i, x, _t: f"iter {i}: loss {x:.4f}, time {1700 + i % 41:.2f}ms, mfu 44.{i % 90:02d}%" + (f"\nstep {i}: train loss 10.8249, val loss 10.8250\nsaving checkpoint to out-xl" if i % 1500 == 0 else ""), lambda _i: 10.8249 + dice.uniform(-0.0015, 0.0015))
    f.load([(0, IDLE), (100, WORK)])
    f.close("COMPLETED", last + 21)
    return made(f, "E1", variant="flat")


@job
def never_came_down() -> Made:
    """E1: a spike at step 4800 from 2.1 to 8, and it stays near 7 for the 7000 steps that remain."""
    f = Fleet(("ei-1", "ei-2", "ei-3"), "qwen-like-4b", 10_444_245, when("2026-09-27 15:45"), per=8, card=H200, script="pretrain.py", submit_line="sbatch -N3 q4.sh", limit_s=172_800)
    curve, dice = fall(11.4, 1.9, 180), Random(11)
    last = f.steps(0, range(100, 12_001, 100), 130, 3.3, lambda i, x, t: f"[{f.clock(t, '%m-%d %H:%M:%S')}] step {i:>6}/12000 | loss {x:.4f} | gnorm {0.28 + dice.random() / 9 if i < 4800 else 61.3 if i < 5000 else 3.4 + dice.random():.3f} | lr {4e-4 * (1 - i / 15_000):.3e} | {24 * 16_384 / 3.3 / 1000:.0f}k tok/s", lambda i: curve(i) if i < 4800 else 8.02 if i < 5000 else 6.93 + dice.uniform(-0.12, 0.12))
    f.say(0, last + 33, f"[{f.clock(last + 33, '%m-%d %H:%M:%S')}] end of schedule at 12000, saved to /ei/q4/step12000")
    f.points = 16
    f.load([(0, IDLE), (80, CONTEXT), (126, WORK)])
    f.close("COMPLETED", last + 40)
    return made(f, "E1", variant="spike")


@job
def guard_of_lightning() -> Made:
    """E1: a callback looks whether the loss is finite and ends the run in its fourth hour."""
    f = Fleet(("sg-2",), "tacotron-multi", 10_444_580, when("2026-09-28 11:15"), per=4, card=L40S, script="tts.py", submit_line="sbatch tts4.sh")
    curve = fall(4.1, 0.6, 300)
    last = f.steps(0, range(100, 9401, 100), 44, 1.5, lambda i, x, t: "\r" + bar(i, 40_000, t - 44, name="Epoch 0", tail=f"v_num=4, mel_loss={x:.3f}, grad={1.2 if i < 8800 else 3.0 * 2 ** ((i - 8800) / 100):.1f}"), lambda i: curve(i) if i < 8900 else curve(i) + 0.4 * ((i - 8800) / 100) ** 2)
    f.each(last + 6, frames(("/s/tts/tts.py", 122, "<module>", "trainer.fit(model, dm)"), ("/s/tts/env/lib/python3.11/site-packages/lightning/pytorch/loops/utilities.py", 150, "_check_finite_loss", "raise ValueError(f\"The loss returned in `training_step` is {loss}.\")"), error="ValueError: The loss returned in `training_step` is nan."), tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, last + 8, code=1)
    f.load([(0, IDLE), (40, Load(93, 0, 0.75, 0.5, 10))])
    srun_says(f, last + 10, "error: sg-2: tasks 0-3: Exited with exit code 1")
    f.close("FAILED", last + 12, code=1)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def rate_used_up() -> Made:
    """E1: the schedule reaches a rate of nought at a twentieth of the run; the loss stands at 4.31 with gradients that do nothing for the rest of eleven hours."""
    f = Fleet(("ut-1", "ut-2"), "vits2-pretrain", 10_444_900, when("2026-09-29 19:00"), per=4, card=A100, agents=True, script="pre.py", submit_line="sbatch pre.sh")
    curve, dice = fall(7.9, 3.7, 250), Random(3)
    floor = curve(1500)
    last = f.steps(0, range(250, 30_001, 250), 61, 1.32, lambda i, x, t: f"{f.clock(t)} | pre | step {i:>6}/30000 | masked-lm {x:.4f} | gnorm {0.61 * max(0.003, 1 - i / 1500):.4f} | lr {max(0.0, 3e-4 * (1 - i / 1500)):.3e}", lambda i: curve(i) if i < 1500 else floor + dice.uniform(-0.0009, 0.0009))
    f.say(0, last + 8, f"{f.clock(last + 8)} | pre | all 30000 steps taken, last.ckpt")
    f.load([(0, IDLE), (58, Load(96, 0, 0.83, 0.62))])
    f.close("COMPLETED", last + 15)
    return made(f, "E1", variant="plateau")
