"""Jobs on many cards and on few, fourth pot: ended early, by a plan or from outside."""

from __future__ import annotations

from corpus.make._ballast import A100, CONTEXT, H100, H200, IDLE, L40S, SPIN, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import srun_says, taken_down

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def eight_updates() -> Made:
    """E3: max_steps of a trial was left in the configuration: eight updates of a 34B model on 16 cards, after minutes of loading."""
    f = Fleet(
        ("h2-05", "h2-06"),
        "yi34b-dpo",
        20_453_400,
        when("2026-11-04 16:16"),
        per=8,
        card=H200,
        agents=True,
        script="dpo.py",
        submit_line="sbatch dpo34b.sh",
    )
    f.say(
        0,
        88,
        "Loading checkpoint shards: 100%|██████████| 15/15 [00:58<00:00,  3.91s/it]\n***** Running training *****\n  Num examples = 61,135\n  Num Epochs = 1\n  Instantaneous batch size per device = 2\n  Total train batch size (w. parallel, distributed & accumulation) = 128\n  Total optimization steps = 8",
    )
    last = f.steps(
        0,
        range(1, 9),
        130,
        24,
        lambda i, x, _t: (
            f"{{'loss': {x:.4f}, 'grad_norm': {18.2 - i / 9:.4f}, 'learning_rate': {5e-7 * i / 10:.1e}, 'rewards/accuracies': {0.48 + i / 300:.4f}, 'rewards/margins': {0.0004 * i:.5f}, 'epoch': {i / 478:.4f}}}"
        ),
        lambda i: 0.6931 - 0.0004 * i,
    )
    f.say(
        0,
        last + 3,
        f"{{'train_runtime': {last - 128:.2f}, 'train_samples_per_second': 5.28, 'train_steps_per_second': 0.041, 'train_loss': 0.6914, 'epoch': 0.02}}\nmodel saved to out/yi34b-dpo",
    )
    f.load([(0, IDLE), (30, CONTEXT), (60, Load(3, 0.4, 0.16, 0.5, 15)), (128, WORK)])
    f.close("COMPLETED", last + 61)
    return made(f, "E3")


@job
def cold_aisle() -> Made:
    """F1: one of eight nodes stops answering in mid-run and is set down; nobody left a traceback, its log ends first."""
    nodes = tuple(f"r4n{n}" for n in range(1, 9))
    f = Fleet(nodes, "graphcast-ens", 20_453_777, when("2026-11-05 22:05"), per=4, card=A100, script="gc_train.py", submit_line="sbatch -N8 gc.sh")
    last = f.steps(
        0,
        range(10, 901, 10),
        130,
        5.2,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} upd {i} rmse_z500={x:.2f} rmse_t850={x / 140:.3f} 5.2s",
        fall(410, 96, 100),
    )
    f.silent = {"r4n6"}
    f.event("r4n6", last + 185, "DOWN*", "Not responding")
    srun_says(f, last + 190, "error: Node failure on r4n6", f"Terminating StepId={f.job_id}.0")
    taken_down(f, last + 191, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, last + 194, signal=9)
    f.load([(0, IDLE), (124, WORK), (last + 4, SPIN)])
    f.close("NODE_FAIL", last + 200, code=1, signal=9, failed_node="r4n6", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def spot_hours() -> Made:
    """F2: preempted at night, put back in the queue, and in the second try it goes on from its checkpoint to the planned end."""
    f = Fleet(
        ("sp17", "sp18"),
        "sdxl-herbarium",
        20_454_050,
        when("2026-11-07 08:00"),
        per=4,
        card=A100,
        agents=True,
        script="train_text_to_image_sdxl.py",
        submit_line="sbatch --requeue -p scavenge sdxl.sh",
    )
    f.ended(
        "PREEMPTED",
        end=-5400,
        steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)),
        start_ns=f.at(-19_000),
        submit_ns=f.at(-21_000),
        end_ns=f.at(-5400),
        elapsed_s=13_600,
        node_list="sp03,sp04",
        restarts=0,
        partition="scavenge",
    )
    f.say(
        0,
        64,
        f"{f.clock(64, '%m/%d/%Y %H:%M:%S')} - INFO - accelerate.accelerator - Loading states from out/herbarium/checkpoint-4500\n{f.clock(71, '%m/%d/%Y %H:%M:%S')} - INFO - accelerate.checkpointing - All model weights loaded successfully\nResuming from checkpoint checkpoint-4500",
    )
    last = f.steps(
        0,
        range(4550, 8001, 50),
        80,
        2.9,
        lambda i, x, _t: (
            f"Steps: {100 * i // 8000}%|{'█' * (i // 800):<10}| {i}/8000 [{i * 2.9 / 3600:.2f}h, 2.9{i % 9}s/it, lr=1e-5, step_loss={x:.4f}]"
        ),
        fall(0.14, 0.085, 2000),
    )
    f.say(0, last + 20, f"{f.clock(last + 20, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ - 8000 steps reached. Pipeline saved to out/herbarium")
    f.load([(0, IDLE), (74, WORK)])
    f.close("COMPLETED", last + 33, restarts=1, partition="scavenge")
    return made(f, "F2", fault="none", variant="preempted_recovered")


@job
def not_half_way() -> Made:
    """F3: 32 cards advance evenly and the day is over before the planned steps are."""
    f = Fleet(
        ("q1", "q2", "q3", "q4"),
        "whisper-large-am",
        20_454_366,
        when("2026-11-08 11:11"),
        per=8,
        card=H100,
        limit_s=43_200,
        script="asr/train.py",
        submit_line="sbatch -N4 -t 12:00:00 whisper_am.sh",
    )
    f.steps(
        0,
        range(100, 20_001, 100),
        97,
        3.2,
        lambda i, x, t: (
            f"{f.clock(t)} step={i}/20000 ({i / 200:.1f}%) nll={x:.4f} wer_ema={0.9 * x / 3:.3f} it/s=0.31"
            + ("  [ckpt kept]" if i % 2000 == 0 else "")
        ),
        fall(3.0, 0.6, 900),
        until=43_205,
    )
    taken_down(f, 43_207, "DUE TO TIME LIMIT")
    f.end(f.ranks, 43_212, signal=15)
    f.load([(0, IDLE), (92, WORK)])
    f.close("TIMEOUT", 43_216, signal=15)
    return made(f, "F3", variant="advancing")


@job
def thought_better() -> Made:
    """F4: the owner cancels a run of vLLM's offline generation that works, half of its prompts done."""
    f = Fleet(("inf-3",), "synth-qa-gen", 20_454_690, when("2026-11-09 10:45"), per=4, card=L40S, script="gen_qa.py", submit_line="sbatch genqa.sh")
    f.say(0, 52, f"INFO {f.clock(52, '%m-%d %H:%M:%S')} [core.py:172] init engine (profile, create kv cache, warmup model) took 31.40 seconds")
    last = f.steps(
        0,
        range(512, 30_721, 512),
        60,
        0.19,
        lambda i, x, _t: (
            f"Processed prompts: {100 * i // 65536}%|{'█' * (i // 6554):<10}| {i}/65536 [{int(i * 0.19) // 60:02d}:{int(i * 0.19) % 60:02d}<{int((65536 - i) * 0.19) // 60}:{int((65536 - i) * 0.19) % 60:02d},  5.2{i % 9}it/s, est. speed input: 2108.4{i % 9} toks/s, output: {1490 + x:.2f} toks/s]"
        ),
        lambda i: i % 61,
    )
    taken_down(f, last + 33, "")
    f.end(f.ranks, last + 36, signal=15)
    f.load([(0, IDLE), (20, CONTEXT), (50, Load(95, 0, 0.75, 0.9))])
    f.close("CANCELLED", last + 38, signal=15, cancelled_by_uid=1042)
    return made(f, "F4", variant="by_owner")
