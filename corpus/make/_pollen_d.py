"""Many frameworks, fourth basket: a few more of each."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, CONTEXT, H100, H200, IDLE, L40S, Fleet, Load, Made, Maker, fall, good, keep, made, when
from corpus.make._nettle_kit import busy, closing, nodes, slurm_ends, srun, torchrun, trace
from corpus.running.hand import GIB
from gpualert_slurm.rank import CgroupMemory

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def nobody_owned_up() -> Made:
    """A2: rank 12 gets SIGKILL in the second hour; memory was at a fifth of its limit, neither kernel nor Slurm knows of it."""
    f = Fleet(
        nodes("om", 7, 2),
        "flux-kontext-ft",
        8_560_110,
        when("2026-11-09 15:15"),
        per=8,
        agents=True,
        card=H200,
        script="flux_ft.py",
        submit_line="sbatch flux.sh",
    )
    last = f.steps(
        0,
        range(25, 3601, 25),
        75,
        1.71,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')}|flux|{i:>6}/20000|fm-loss {x:.4f}|lr 1.0e-05|{9.3 + i % 5 / 10:.1f} img/s",
        fall(0.62, 0.33, 200),
    )
    f.end(12, last + 20, signal=9)
    f.end([r for r in range(8, 16) if r != 12], last + 23, signal=15)
    f.end(range(8), last + 30, signal=15)
    closing(f, 1, last + 21, [r for r in range(8, 16) if r != 12])
    torchrun(f, 1, last + 26, [(12, -9, last + 20)], env="/opt/flux")
    closing(f, 0, last + 28, range(8))
    for n in range(2):
        f.memory[n] = CgroupMemory(limit_bytes=1400 * GIB, peak_bytes=(268 + 5 * n) * GIB, oom_events=0, oom_kill_events=0)
    f.load(busy(70, Load(97, 56, 0.84, 0.71, 7), held=0.71, end=last))
    srun(f, last + 27, "error: om008: task 1: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 36, code=1)
    return made(f, "A2", None, first=(12,), fault="unknown")


@job
def bigger_pictures() -> Made:
    """B1: a Keras schedule raises the picture size after its fourth epoch; the first step at 640 does not fit."""
    f = Fleet(
        ("tf-8",),
        "effdet-traffic",
        8_561_004,
        when("2026-11-10 10:10"),
        per=4,
        agents=True,
        card=L40S,
        script="train_det.py",
        submit_line="sbatch det.sh",
    )
    f.unborn = set(range(1, 4))
    curve = fall(2.9, 0.7, 1)
    for e in range(1, 5):
        f.say(
            0,
            70 + 410 * e,
            f"Epoch {e}/12\n640/640 - 405s - 633ms/step - box_loss: {curve(e) / 3:.4f} - cls_loss: {curve(e) / 2:.4f} - loss: {curve(e):.4f} - val_loss: {curve(e) * 1.1:.4f}",
        )
    at = 70 + 410 * 4 + 30
    f.say(0, at - 18, "schedule: input size 512 -> 640 from epoch 5 on, dataset rebuilt\nEpoch 5/12")
    f.say(
        0,
        at,
        f"{f.clock(at)}.440117: W tensorflow/core/framework/local_rendezvous.cc:404] Local rendezvous is aborting with status: RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[32,192,160,160] and type float on /job:localhost/replica:0/task:0/device:GPU:2 by allocator GPU_2_bfc",
    )
    f.say(
        0,
        at + 2,
        trace(
            "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node replica_2/effdet/block2b_expand_activation/mul defined at (most recent call last):\n<stack traces unavailable>\nOOM when allocating tensor with shape[32,192,160,160] and type float on /job:localhost/replica:0/task:0/device:GPU:2 by allocator GPU_2_bfc\n\t [[{{node replica_2/effdet/block2b_expand_activation/mul}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info. This isn't available when running in Eager mode.\n [Op:__inference_multi_step_on_iterator_88213]",
            ("/home/tr/det/train_det.py", 171, "<module>", "main()"),
            ("/home/tr/det/train_det.py", 150, "main", "model.fit(train, epochs=12, callbacks=cbs)"),
        ),
    )
    f.end(f.ranks, at + 6, code=1)
    f.load([(0, IDLE), (60, Load(93, 0, 0.77, 0.95, 14)), (at - 16, Load(20, 0, 0.3, 0.95, 60))])
    srun(f, at + 8, "error: tf-8: task 0: Exited with exit code 1")
    f.close("FAILED", at + 10, code=1)
    return made(f, "B1", "cuda_oom")


@job
def fourth_node() -> Made:
    """C1: the eight ranks of the last node never get through their imports from a file server that does not answer it: 24 of 32 wait until the limit."""
    f = Fleet(
        nodes("an", 31, 4),
        "command-r-sft",
        8_562_230,
        when("2026-11-11 09:00"),
        per=8,
        limit_s=10_800,
        script="sft.py",
        submit_line="sbatch -N4 -t 3:00:00 cr.sbatch",
    )
    f.each(21, "{node} rank {r:>2}/32: joining process group at an031:23456, gpu {l}", range(24), gap=0.05)
    for r in range(24, 32):
        f.looks[r] = {
            "state": "D",
            "wchan": "rpc_wait_bit_killable",
            "cpu_s": 2.0,
            "looks": 1050,
            "waits": {"D rpc_wait_bit_killable": 1041},
            "file_systems": ("nfs4 /home",),
        }
    for s in (122, 245, 368, 491):
        f.kernel(
            "an034",
            8 + s,
            "kernel_hung_task",
            f"INFO: task python:{f.pid(27)} blocked for more than {s} seconds.",
            process="python",
            pid=f.pid(27),
            blocked_s=s,
        )
    slurm_ends(f, 10_808, "DUE TO TIME LIMIT")
    f.end(range(24), 10_810, signal=15)
    f.end(range(24, 32), 10_841, signal=9)
    f.load([(0, IDLE), (18, CONTEXT)], range(24))
    f.load([(0, IDLE), (18, IDLE)], range(24, 32))
    f.close("TIMEOUT", 10_845, signal=15)
    return made(f, "C1", fault="unknown")


@job
def hunting_flag() -> Made:
    """D2: CUDA_LAUNCH_BLOCKING=1 in the environment of all ranks since a hunt for an error last week: every kernel is waited for."""
    f = Fleet(
        ("v5", "v6"),
        "timesfm-grid",
        8_563_019,
        when("2026-11-11 20:00"),
        per=8,
        card=H100,
        script="grid.py",
        submit_line="sbatch --export=ALL,CUDA_LAUNCH_BLOCKING=1 grid.sh",
    )
    f.script_words.append((0.6, "+ env\nCUDA_DEVICE_ORDER=PCI_BUS_ID\nCUDA_LAUNCH_BLOCKING=1\nOMP_NUM_THREADS=8"))
    for r in f.ranks:
        f.environment[r] = {"CUDA_LAUNCH_BLOCKING": "1"}
    last = f.steps(
        0,
        range(25, 2001, 25),
        55,
        4.1,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} grid step {i:>4}/2000 pinball {x:.5f} ({4.1 + i % 7 / 50:.2f} s/step; last week's profile: 1.2)",
        fall(0.4, 0.12, 120),
    )
    f.say(0, last + 9, f"{f.clock(last + 9, '%H:%M:%S')} grid finished 2000 steps")
    f.load([(0, IDLE), (50, Load(74, 12, 0.29, 0.41, 38))])
    f.close("COMPLETED", last + 16)
    return made(f, "D2", variant="launch_blocking")


@job
def other_tokens() -> Made:
    """E2: the resumed checkpoint has 32000 tokens, the new configuration 32128: it cannot be loaded on any rank."""
    f = Fleet(
        nodes("cs", 3, 2),
        "zephyr-multiturn",
        8_564_120,
        when("2026-11-12 13:40"),
        per=8,
        agents=True,
        script="multiturn.py",
        submit_line="sbatch mt.sh --resume_from_checkpoint out/mt/checkpoint-4200",
    )
    f.say(0, 51, "Loading model from out/mt/checkpoint-4200.", "[rank0]: ")
    error = "RuntimeError: Error(s) in loading state_dict for MistralForCausalLM:\n\tsize mismatch for model.embed_tokens.weight: copying a param with shape torch.Size([32000, 4096]) from checkpoint, the shape in current model is torch.Size([32128, 4096]).\n\tsize mismatch for lm_head.weight: copying a param with shape torch.Size([32000, 4096]) from checkpoint, the shape in current model is torch.Size([32128, 4096])."
    f.each(
        64,
        trace(
            error,
            ("/a/mt/multiturn.py", 166, "<module>", "trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)"),
            (
                "/opt/conda/envs/llm/lib/python3.11/site-packages/transformers/trainer.py",
                2229,
                "train",
                "self._load_from_checkpoint(resume_from_checkpoint)",
            ),
            ("/opt/conda/envs/llm/lib/python3.11/site-packages/torch/nn/modules/module.py", 2581, "load_state_dict", "raise RuntimeError("),
        ),
        gap=0.04,
        tag="[rank{r}]: ",
    )
    f.end(f.ranks, 66, code=1, gap=0.04)
    for n in range(2):
        torchrun(f, n, 69 + n, [(r, 1, 66 + 0.04 * r) for r in range(8 * n, 8 * n + 8)])
    f.load([(0, IDLE), (30, CONTEXT), (48, Load(1, 0.4, 0.15, 0.18, 5))])
    srun(f, 71, "error: cs003: task 0: Exited with exit code 1", "error: cs004: task 1: Exited with exit code 1")
    f.close("FAILED", 74, code=1)
    return made(f, "E2", "runtime_error", variant="size_mismatch")


@job
def membrane() -> Made:
    """No training at all: a molecular dynamics run of eight ranks, its own log, its performance table."""
    f = Fleet(
        ("md-3",),
        "gpcr-popc-500ns",
        8_565_001,
        when("2026-11-06 18:00"),
        per=8,
        card=A100,
        python="gmx_mpi",
        script="mdrun",
        submit_line="sbatch gmx.sh",
    )
    f.say(
        0,
        14,
        "                   :-) GROMACS - gmx mdrun, 2024.3 (-:\n\nOn host md-3 8 GPUs selected for this run.\nUsing 8 MPI processes\nstarting mdrun 'GPCR in POPC'\n250000000 steps, 500000.0 ps (continuing from step 225000000, 450000.0 ps).",
    )
    last = f.steps(
        0,
        range(225_100_000, 250_000_001, 100_000),
        20,
        0.000_91,
        lambda i, _x, _t: (
            f"           Step           Time\n      {i:>9}   {i * 0.002:>12.5f}\n   Energies (kJ/mol)\n   Potential    Kinetic En.   Total Energy    Temperature\n   -{1.84211 + i % 900_000 / 1e9:.5f}e+06    3.71{i // 100_000 % 90:02d}e+05   -1.47{i // 100_000 % 90:02d}e+06    3.10{i // 100_000 % 90:02d}e+02"
        ),
        lambda _i: 0.0,
    )
    f.say(
        0,
        last + 10,
        'Writing final coordinates.\n\n               Core t (s)   Wall t (s)        (%)\n       Time:  1451520.000    22680.000     6400.0\n                 (ns/day)    (hour/ns)\nPerformance:      190.478        0.126\n\nGROMACS reminds you: "It Doesn\'t Have to Be Tip Top" (Pulp Fiction)',
    )
    f.load([(0, IDLE), (16, Load(88, 0, 0.66, 0.05, 15))])
    f.close("COMPLETED", last + 18)
    return good(f)


@job
def quiet_table() -> Made:
    """A retrieval encoder with accelerate on 16 cards, its own table, its planned end."""
    f = Fleet(
        ("nd1", "nd2"),
        "e5-multi-contrast",
        8_566_218,
        when("2026-11-08 04:00"),
        per=8,
        agents=True,
        card=A100_40,
        script="contrast.py",
        submit_line="sbatch e5.sbatch",
    )
    f.say(0, 30, "step   | temp   | loss    | mrr@10 | pairs/s\n-------+--------+---------+--------+--------")
    last = f.steps(
        0,
        range(200, 16_001, 200),
        50,
        0.84,
        lambda i, x, _t: f"{i:>6} | {0.05 - i / 1e6:.4f} | {x:.5f} | {0.41 - x / 18:.4f} | {39_000 + i % 300:,}",
        fall(4.9, 0.7, 600),
    )
    f.say(0, last + 8, "done: 16000 steps, beir avg 0.471, encoder in e5/final")
    f.load(busy(45, Load(95, 0, 0.81, 0.9, 9), held=0.9, end=last, every=3_360, rest=120))
    f.close("COMPLETED", last + 20)
    return good(f)


@job
def hardly_falling() -> Made:
    """Hard: an RL run with a loss about nought and of both signs, rewards that sag for an hour and come back, timeouts of a sandbox that are caught."""
    f = Fleet(
        nodes("hp", 11, 2),
        "deepcoder-grpo",
        8_567_700,
        when("2026-11-10 02:00"),
        per=8,
        agents=True,
        card=H200,
        script="verl/main_ppo.py",
        submit_line="sbatch grpo_code.sh",
    )
    for k in range(26):
        at = 900 + 1_131.0 * k
        f.say(k % 16, at, f"(WorkerDict pid={f.pid(k % 16)}) sandbox: TimeoutError: execution exceeded 10 s, answer {k * 17} gets reward 0")

    def line(i: int, _x: float, _t: float) -> str:
        dip = 0.06 if 70 < i < 105 else 0.0
        return f"step:{i} - actor/pg_loss:{((i * 37) % 11 - 5) / 900:.4f} - actor/entropy:{0.42 - i / 1800:.3f} - actor/grad_norm:{0.11 + i % 5 / 100:.3f} - critic/score/mean:{0.31 + 0.24 * (1 - 2.718 ** (-i / 90)) - dip:.3f} - response_length/mean:{2100 + 9 * i:.1f} - timing_s/gen:{98 + i / 10:.1f} - timing_s/update_actor:44.{i % 9}"

    last = f.steps(0, range(1, 201), 180, lambda i: 150 + i / 10, line, lambda _i: 0.0)
    f.say(0, last + 40, "Final validation metrics: {'val/test_score/livecodebench': 0.5712}\nTraining finished at step 200")
    f.load([(0, IDLE), (90, CONTEXT), (170, Load(88, 39, 0.66, 0.88, 35))])
    f.close("COMPLETED", last + 60)
    return good(f, hard=True)


@job
def long_saves() -> Made:
    """Hard: each half hour the cards rest for three minutes while a slow file system takes the checkpoint; a tenth of the time, the rest is training, to its end."""
    f = Fleet(
        nodes("br", 51, 4),
        "bart-genome-12b",
        8_568_031,
        when("2026-11-11 00:00"),
        per=8,
        card=A100,
        script="genome/run.py",
        submit_line="sbatch -N4 genome.sbatch",
    )
    at, curve, spans = 120.0, fall(1.38, 1.02, 60), [(0.0, IDLE), (50.0, CONTEXT), (112.0, Load(97, 0, 0.86, 0.83, 8))]
    for i in range(10, 1501, 10):
        at += 112.0
        f.say(0, at, f"{f.clock(at)} genome {i}/1500 nll {curve(i):.4f} 11.2 s/step")
        if i % 150 == 0:
            f.say(0, at + 178, f"{f.clock(at + 178)} genome WARNING saving took 177.{i // 100} s (limit for a warning: 60 s)")
            spans += [(at + 1, Load(3, 0, 0.2, 0.83, 20)), (at + 178, Load(97, 0, 0.86, 0.83, 8))]
            at += 178
    f.say(0, at + 2, f"{f.clock(at + 2)} genome 1500/1500, end")
    f.load(spans[:-1])
    f.close("COMPLETED", at + 10)
    return good(f, hard=True)
