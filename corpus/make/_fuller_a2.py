"""Cards of a university, first leaf: runs that learned nothing, began again or too short, and those that others ended, more of them."""

from __future__ import annotations

from corpus.make._ballast import A100, CONTEXT, H100, IDLE, L40S, SPIN, WORK, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, srun_says
from corpus.make._cobble_kit import A30, A40, ADA, Lab

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def silent_node() -> Made:
    """F1: the second node does not answer Slurm any more in the middle of training."""
    f = Lab(
        ("gpu70", "gpu71"),
        "ocean-emulator",
        932_190,
        when("2026-10-13 02:20"),
        per=4,
        card=A100,
        script="samudra.py",
        submit_line="sbatch -N2 ocean.sbatch",
    )
    last = f.steps(
        0,
        range(10, 1571, 10),
        90,
        2.9,
        lambda i, x, t: f"{f.clock(t)} samudra-lite: it={i} thetao={x:.4f} so={x * 0.7:.4f} zos={x * 0.3:.4f}",
        fall(1.2, 0.21, 100),
    )
    f.silent = {"gpu71"}
    f.event("gpu71", last + 75, "DOWN*", "Not responding")
    srun_says(f, last + 78, "error: Node failure on gpu71")
    f.stopped(last + 79, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, last + 82, signal=9)
    f.load([(0, IDLE), (84, WORK), (last + 1, SPIN)])
    f.close("NODE_FAIL", last + 86, code=1, signal=9, failed_node="gpu71", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def unexpected_boot() -> Made:
    """F1: the job's last node of three boots anew by itself while it trains."""
    f = Lab(
        ("gpu64", "gpu65", "gpu66"),
        "tracking-foundation",
        932_340,
        when("2026-10-14 23:00"),
        per=4,
        card=H100,
        agents=True,
        script="track.py",
        submit_line="sbatch -N3 track.sh",
    )
    last = f.steps(
        0,
        range(25, 2651, 25),
        80,
        1.5,
        lambda i, x, t: f"[rank0] {f.clock(t, '%d %b %H:%M:%S')} iter {i:>5}/20000 giou {x:.4f} l1 {x / 5:.4f} mota~{0.72 - x / 5:.3f}",
        fall(1.9, 0.5, 200),
    )
    f.silent = {"gpu66"}
    f.event("gpu66", last + 240, "DOWN", "Node unexpectedly rebooted")
    f.stopped(last + 243, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, last + 246, signal=9)
    f.load([(0, IDLE), (75, WORK), (last + 1, SPIN)])
    f.close("NODE_FAIL", last + 250, code=1, signal=9, failed_node="gpu66", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def owners_came() -> Made:
    """F2: a guest on the robotics group's node; its owners need it, and the job is stopped for good."""
    f = Lab(
        ("rob-c",),
        "stylegan-textiles",
        932_500,
        when("2026-10-15 09:00"),
        per=1,
        card=ADA,
        alone=True,
        script="sg3.py",
        submit_line="sbatch -p guest --no-requeue sg3.sh",
    )
    last = f.steps(
        0,
        range(4, 1185, 4),
        45,
        24,
        lambda i, x, t: (
            f"tick {i // 4:<5d} kimg {i:<8.1f} time {int(t) // 3600}h {int(t) // 60 % 60:02d}m {int(t) % 60:02d}s  sec/kimg {24.0:.2f}  gpumem 18.41  fid50k_full {14 + 90 * x:.2f}"
        ),
        fall(1.9, 0.1, 60),
        until=22_000,
    )
    f.stopped(last + 33, "DUE TO PREEMPTION")
    f.end(0, last + 35, signal=15)
    f.load([(0, IDLE), (40, Load(98, 0, 0.9, 0.42))])
    f.close("PREEMPTED", last + 38, signal=15, partition="guest", qos="guest")
    return made(f, "F2", fault="cluster", variant="preempted")


@job
def third_time_lucky() -> Made:
    """F2: preempted, back in the queue, gone on from where it was and finished."""
    f = Lab(
        ("gpu27",),
        "whisper-clinic",
        932_690,
        when("2026-10-16 18:40"),
        per=2,
        card=L40S,
        script="whisper_ft.py",
        submit_line="sbatch -p scavenge --requeue wh.sh",
    )
    f.ended(
        "PREEMPTED",
        end=-2600,
        steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)),
        start_ns=f.at(-9800),
        submit_ns=f.at(-9900),
        end_ns=f.at(-2600),
        elapsed_s=7200,
        node_list="gpu24",
        restarts=0,
        partition="scavenge",
    )
    f.script_words.append((1, f"restart no. 1 of job {f.job_id}; newest checkpoint: out/whc/checkpoint-3000"))
    f.say(0, 29, "picked up out/whc/checkpoint-3000 (optimizer, scheduler, rng)")
    last = f.steps(
        0,
        range(3050, 8001, 50),
        40,
        1.1,
        lambda i, x, _t: (
            f"{{'loss': '{x:.4f}', 'grad_norm': '{1.1 + x:.3f}', 'learning_rate': '{1e-5 * (1 - i / 8000):.3e}', 'epoch': '{i / 1600:.2f}'}}"
        ),
        fall(1.6, 0.09, 300),
    )
    f.say(
        0,
        last + 40,
        f"{{'train_runtime': '{last - 30:.1f}', 'train_steps_per_second': '0.909', 'train_loss': '0.1311', 'epoch': '5'}}\n***** eval *****  wer = 11.82",
    )
    f.load([(0, IDLE), (36, Load(95, 0, 0.84, 0.66))])
    f.close("COMPLETED", last + 45, restarts=1, partition="scavenge")
    return made(f, "F2", fault="none", variant="preempted_recovered")


@job
def weekend_too_short() -> Made:
    """F3: twelve hours asked, two thirds of the epochs done."""
    f = Lab(
        ("gpu35",),
        "histo-mil",
        932_840,
        when("2026-10-17 20:00"),
        per=1,
        card=A40,
        alone=True,
        limit_s=43_200,
        script="mil.py",
        submit_line="sbatch -t 12:00:00 mil.sh",
    )
    f.steps(
        0,
        range(1, 101),
        60,
        655,
        lambda i, x, t: f"{f.clock(t, '%a %H:%M')} | epoch {i:>3} of 100 | bag loss {x:.4f} | val AUC {0.93 - x / 4:.4f} | {655 + i % 7} s",
        fall(0.69, 0.16, 10),
        until=43_200,
    )
    f.stopped(43_211, "DUE TO TIME LIMIT")
    f.end(0, 43_213, signal=15)
    f.load([(0, IDLE), (55, Load(93, 0, 0.83, 0.6))])
    f.close("TIMEOUT", 43_216, signal=15)
    return made(f, "F3", variant="advancing")


@job
def long_generation() -> Made:
    """F3: translations of a corpus on one card; at the limit 61 % of the lines are done."""
    f = Lab(
        ("gpu17",),
        "nllb-translate",
        932_999,
        when("2026-10-18 06:00"),
        per=1,
        card=A30,
        alone=True,
        limit_s=14_400,
        script="translate_corpus.py",
        submit_line="sbatch --time=4:00:00 nllb.sh parliament.fi",
    )

    def bar(i: int, _x: float, t: float) -> str:
        done, gone, left = 100 * i // 1_000_000, int(t - 40), int((1_000_000 - i) * (t - 40) / i)
        return f"translating: {done:>3}%|{'█' * (done // 10):<10}| {i}/1000000 [{gone // 3600}:{gone // 60 % 60:02d}:{gone % 60:02d}<{left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}, {i / (t - 40):.2f}lines/s]"

    f.steps(0, range(10_000, 1_000_001, 10_000), 40, 0.0235, bar, fall(1, 0.5, 100), until=14_400)
    f.stopped(14_415, "DUE TO TIME LIMIT")
    f.end(0, 14_417, signal=15)
    f.load([(0, IDLE), (36, Load(91, 0, 0.86, 0.7))])
    f.close("TIMEOUT", 14_420, signal=15)
    return made(f, "F3", variant="advancing")


@job
def wrong_seed_list() -> Made:
    """F4: the owner cancels a run that goes well."""
    f = Lab(
        ("gpu52",),
        "offline-rl-maze",
        933_120,
        when("2026-10-19 14:00"),
        per=1,
        card=H100,
        alone=True,
        script="iql.py",
        submit_line="sbatch iql.sh --seed 11",
    )
    last = f.steps(
        0,
        range(5000, 410_001, 5000),
        25,
        0.011,
        lambda i, x, _t: f"steps: {i:<8} q_loss: {x:.4f}  v_loss: {x * 0.4:.4f}  eval/normalized_score: {58 - 30 * x:.1f}",
        fall(1.6, 0.2, 30_000),
    )
    f.stopped(last + 40)
    f.end(0, last + 42, signal=15)
    f.load([(0, IDLE), (22, Load(90, 38, 0.55, 0.1))])
    f.close("CANCELLED", last + 44, signal=15, cancelled_by_uid=1042)
    return made(f, "F4", variant="by_owner")


@job
def no_link() -> Made:
    """A1: NCCL cannot set itself up on the two nodes: the interface that the script names does not exist."""
    f = Lab(
        ("gpu48", "gpu49"),
        "t5-summaries",
        933_280,
        when("2026-10-20 08:20"),
        per=2,
        card=A40,
        agents=True,
        script="t5_ddp.py",
        submit_line="sbatch -N2 t5.sh",
    )
    f.script_words.append((1, "NCCL_SOCKET_IFNAME=ib0\nNCCL_DEBUG=WARN"))
    for r in f.ranks:
        f.say(r, 17 + r / 9, f"{f.home(r)}:{f.pid(r)}:{f.pid(r)} [{r % 2}] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found")
        f.say(
            r,
            18 + r / 9,
            frames(
                ("/home/alice/t5/t5_ddp.py", 177, "<module>", "main()"),
                ("/home/alice/t5/t5_ddp.py", 60, "main", "model = DistributedDataParallel(model, device_ids=[local_rank])"),
                (
                    "/home/alice/envs/t5/lib/python3.11/site-packages/torch/distributed/utils.py",
                    288,
                    "_verify_param_shape_across_processes",
                    "return dist._verify_params_across_processes(process_group, tensors, logger)",
                ),
                error="torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, internal error - please report this issue to the NCCL developers, NCCL version 2.21.5\nncclInternalError: Internal check failed.\nLast error:\nBootstrap : no socket interface found",
            ),
            f"[rank{r}]: ",
        )
    f.end(f.ranks, 20, code=1, gap=0.1)
    for n in range(2):
        elastic(f, n, 23, [(r, 1, 20 + 0.1 * r) for r in (2 * n, 2 * n + 1)], version="2.5", binary="/home/alice/envs/t5/bin/python")
    f.load([(0, IDLE), (12, CONTEXT)])
    f.close("FAILED", 26, code=1)
    return made(f, "A1", "nccl")
