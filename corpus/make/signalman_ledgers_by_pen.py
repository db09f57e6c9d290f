"""By hand: ranks on several cards and nodes that never all meet, wait for one, are slowed by one, by a card or by the wire, are left or called off; and such as do well."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._tram_ledger import A100, B200, GH200, H100, V100, Ledger, turn
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

HARD = Label(mode="G1", fault="none", hard=True)


def first(mode: str, cause: str | None, rank: int, fault: str = "user", **more: str) -> Label:
    """One of them."""
    return Label(mode=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,), **more)  # type: ignore[arg-type]


def by_rank(frames: str, error: str) -> str:
    """A traceback with the rank before each line."""
    return "\n".join(f"[rank%r]: {row}" for row in ["Traceback (most recent call last):", *frames.splitlines(), *error.splitlines()])


def unmet() -> Iterator[HandJob]:
    """C1."""
    what = Label(mode="C1", fault="unknown")
    b = Ledger(41, "quad-13b", H100, 4, 4, limit_s=3600).tell("rank %r/16: NCCL version 2.21.5+cuda12.4", 4, range(16)).tell("NCCL INFO Bootstrap : Using eth2:10.12.0.%r<0>", 1, range(12)).tell("NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>", 0.1, range(12, 16))
    yield b.end(what, state="TIMEOUT", held=0.5)
    b = Ledger(42, "t5-multi", A100, 4, 2).tell("I0127 %c distributed.py:106] Connecting to JAX distributed service on tc34:8476 as process %r of 8", 5, (0, 1, 2, 3, 4, 5, 7))
    b.t += 3000
    yield b.end(what, state="CANCELLED", by=1042)
    b = Ledger(43, "sft-zero3", A100, 2, 4, limit_s=5400).tell("[2027-01-27 %c,%r07] [INFO] [comm.py:658:init_distributed] cdb=None", 6, range(8)).tell("[2027-01-27 %c,911] [INFO] [comm.py:689:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl", 0.6, range(4))
    for r in range(4, 8):
        b.seen(r, ("python", "-u", "sft.py", f"--local_rank={r - 4}"), "D", "rpc_wait_bit_killable", last_s=5400)
    yield b.end(what, state="TIMEOUT", held=0.4)


def waiting() -> Iterator[HandJob]:
    """C2."""
    what = Label(mode="C2", fault="unknown")
    b = Ledger(44, "decoder-8x2", H100, 2, 8, line="meg").go(610, 1.9, 10, 90_000)
    since, others = b.t + 1, tuple(r for r in range(16) if r != 11)
    work = "WorkNCCL(SeqNum=48811, OpType=_REDUCE_SCATTER_BASE, NumelIn=201326592, NumelOut=12582912, Timeout(ms)=600000) ran for 600063 milliseconds before timing out."
    b.tell(f"[rank%r]:[E127 %c.110 ProcessGroupNCCL.cpp:629] [Rank %r] Watchdog caught collective operation timeout: {work}", 601, others)
    b.tell("[rank%r]:[E127 %c.708 ProcessGroupNCCL.cpp:681] [Rank %r] To avoid data inconsistency, we are taking the entire process down.\nterminate called after throwing an instance of 'c10::DistBackendError'\n  what():  [PG ID 0 PG GUID 0(default_pg) Rank %r] Process group watchdog thread terminated with exception: [Rank %r] Watchdog caught collective operation timeout: " + work, 1.4, others)
    yield b.end(what.but(cause="nccl"), signals={**dict.fromkeys(others, 6), 11: 9}, at={11: b.t + 30}, held=69, busy={11: turn(since, 97, 0), -1: turn(since, 97, 100)}, sm={11: turn(since, 55, 0), -1: turn(since, 55, 0.7)})
    b = Ledger(45, "vision-zero2", A100, 1, 8, line="ds", limit_s=9000).go(700, 1.7, 20, 50_000)
    dead = b.t + 3
    node, task = b.places[5][1], f"/system.slice/slurmstepd.scope/job_{b.job.job_id}/step_0/user/task_5"
    b.job.kernel(node, dead, "kernel_oom", f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=job_{b.job.job_id},mems_allowed=0-3,oom_memcg=/system.slice/slurmstepd.scope/job_{b.job.job_id}/step_0,task_memcg={task},task=python,pid=40005,uid=1042", scope="cgroup", constraint="CONSTRAINT_MEMCG", task_memcg=task, process="python", pid=40_005)
    full = CgroupMemory(limit_bytes=480 * GIB, peak_bytes=480 * GIB, oom_events=3, oom_kill_events=1)
    yield b.end(first("C2", "oom_killer", 5, trigger="A2"), state="TIMEOUT", codes={}, signals={5: 9}, at={5: dead + 0.2}, held={5: turn(dead, 66, 0), -1: 66}, busy={5: turn(dead, 95, 0), -1: turn(dead, 95, 100)}, sm={5: turn(dead, 48, 0), -1: turn(dead, 48, 1)}, memory={5: full})
    b = Ledger(46, "geo-swin", GH200, 4, 1, line="tsv", limit_s=7200).go(900, 1.2, 25, 30_000)
    since = b.t + 1
    for r in range(4):
        b.seen(r, ("python", "geo.py"), "D" if r == 2 else "R", "cl_sync_io_wait" if r == 2 else "0", last_s=7190)
    yield b.end(what, state="TIMEOUT", held=58, busy={2: turn(since, 96, 0), -1: turn(since, 96, 100)}, sm={2: turn(since, 60, 0), -1: turn(since, 60, 0.5)})
    b = Ledger(47, "hvd-resnet", V100, 2, 4, line="keras").go(420, 0.9, 20, 4000)
    since = b.t + 1
    for k in range(9):
        b.tell(f"[2027-01-27 %c.408812: W /tmp/pip-install/horovod/horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit different tensors or that only subset of ranks is submitting tensors, which will cause deadlock. \nMissing ranks:\n2: [DistributedOptimizer_Allreduce/cond_{40 + k}/HorovodAllreduce_grads_{k}_0, DistributedOptimizer_Allreduce/cond_61/HorovodAllreduce_grads_61_0 ...]", 60)
    yield b.end(what, state="CANCELLED", by=1042, held=26, busy={2: turn(since, 93, 0), -1: turn(since, 93, 3)})
    b = Ledger(48, "books-lm", B200, 1, 8, line="nemo", limit_s=6000).go(540, 1.5, 20, 40_000)
    dead = b.t + 1
    b.tell(by_rank('  File "/home/alice/books/stream.py", line 77, in __iter__\n    yield json.loads(raw.decode("utf-8"))', "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xb4 in position 3021: invalid start byte"), 1, (6,))
    yield b.end(first("C2", "traceback", 6, trigger="A3"), state="TIMEOUT", codes={6: 1}, at={6: dead + 3}, held={6: turn(dead + 3, 140, 0), -1: 140}, busy={6: turn(dead, 97, 0), -1: turn(dead, 97, 100)}, sm={6: turn(dead, 59, 0), -1: turn(dead, 59, 0.6)})


def slow() -> Iterator[HandJob]:
    """D3, D2, B3."""
    lag = Label(mode="D3", fault="unknown")
    b = Ledger(49, "speech-wide", H100, 2, 4, line="espnet").go(700, 1.9, 50).tell("[node] 2027-01-27 %c (trainer:460) INFO: The training was finished at 1 epochs", 2)
    yield b.end(lag, held=55, busy=98, sm={6: 60, -1: 17})
    b = Ledger(50, "crops-vit", GH200, 4, 1, line="dict").go(600, 2.1, 20).tell("{'train_runtime': '1262.1', 'train_loss': '1.918', 'epoch': '2.00'}", 2)
    yield b.end(lag, held=49, busy=99, sm={1: 57, -1: 16}, read={"sm_clock_mhz": {1: 1095.0, -1: 1905.0}})
    b = Ledger(51, "ads-ranker", B200, 1, 8, line="mllog").go(800, 1.4, 25).tell(':::MLLOG {"namespace": "", "time_ms": %m, "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata": {"status": "success"}}', 2)
    yield b.end(lag, held=96, busy=99, sm={3: 55, -1: 14})
    b = Ledger(52, "wide-pp-30b", H100, 8, 1, line="meg").tell("NCCL INFO NET/IB : No device found.", 5, range(8)).tell("NCCL INFO Using network Socket", 0.5, range(8)).go(200, 11.8, 5).tell("exiting program at iteration 200", 2)
    yield b.end(Label(mode="D2", variant="interconnect", fault="cluster"), held=71, busy=100, sm=9)
    b = Ledger(53, "proteins-ss", H100, 2, 2, line="tsv").go(300, 0.9, 10, 700)
    since = b.t
    b.go(400, 2.6, 10, 700).tell("# 700 of 700", 1)
    lost = int((b.t - since) * 0.94e9)
    yield b.end(Label(mode="B3", fault="node"), held=40, busy=98, sm={1: turn(since, 54, 61), -1: turn(since, 54, 20)}, before={1: {"violation_thermal_ns": 0, "violation_hw_thermal_ns": 0}}, after={1: {"violation_thermal_ns": lost, "violation_hw_thermal_ns": lost}}, read={"sm_clock_mhz": {1: turn(since, 1950, 615), -1: 1950.0}, "power_mw": {1: turn(since, 540_000, 262_000), -1: turn(since, 540_000, 330_000)}, "temperature_c": {1: turn(since, 72, 91), -1: 64.0}, "throttle_reasons": {1: turn(since, 0, 0x60), -1: 0.0}})  # fmt: skip


def broken() -> Iterator[HandJob]:
    """B2, B1, and a wrong set-up."""
    b = Ledger(54, "mixture-9b", H100, 1, 8, line="ds").go(520, 1.6, 20, 40_000)
    b.tell(by_rank('  File "/home/alice/mix/train.py", line 190, in <module>\n    engine.step()', "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"), 1.2, (2,)).xid(2, 74, "pid=40002, name=python, NVLink: fatal error detected on link 6(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)", 0.8)
    yield b.end(first("B2", "cuda_runtime", 2, "node"), codes={2: 1}, signals={r: 15 for r in range(8) if r != 2}, at={2: b.t + 0.3}, held=68, busy=96, before={2: {"nvlink_recovery_errors": 0, "nvlink_replay_errors": 0}}, after={2: {"nvlink_recovery_errors": 5, "nvlink_replay_errors": 61}})
    b = Ledger(55, "maps-gen", A100, 4, 4, line="prose").go(480, 1.4, 20, 20_000)
    b.tell(by_rank('  File "/home/alice/maps/loop.py", line 66, in <module>\n    meter.add(loss.item())', "RuntimeError: CUDA error: unspecified launch failure"), 2, (9,)).xid(9, 79, "pid=40009, name=python, GPU has fallen off the bus.", 1.4)
    b.tell(by_rank('  File "/home/alice/maps/loop.py", line 66, in <module>\n    meter.add(loss.item())', "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:268, remote process exited or there was a network error, NCCL version 2.20.5\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."), 3, tuple(r for r in range(16) if r != 9))
    yield b.end(Label(mode="B2", cause="cuda_runtime", fault="node", first_ranks=(9,)), code=1, at={9: b.t - 2.8}, held=52, busy=95, after={9: None})
    b = Ledger(56, "tokens-2t", B200, 2, 4, line="nemo").go(430, 2.3, 10, 60_000)
    b.tell(by_rank('  File "/home/alice/tokens/main.py", line 41, in <module>\n    trainer.fit(model, data)', "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered"), 1, (7,)).xid(7, 95, "pid=40007, name=python, Uncontained: LTC TAG (0x5,0x0). RST: Yes, D-RST: No", 0.6)
    yield b.end(first("B2", "cuda_runtime", 7, "node"), codes={7: 1}, signals=dict.fromkeys(range(7), 15), at={7: b.t + 0.4}, held=150, busy=97, sm=61, after={7: {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "recovery_action": "reset"}})
    b = Ledger(57, "pairs-dpo", H100, 1, 8, line="dict").go(260, 2.0, 10, 3000)
    b.tell(by_rank('  File "/home/alice/pairs/dpo.py", line 130, in <module>\n    trainer.train()', "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.87 GiB. GPU 3 has a total capacity of 79.10 GiB of which 3.30 GiB is free. Including non-PyTorch memory, this process has 75.79 GiB memory in use. Of the allocated memory 70.02 GiB is allocated by PyTorch, and 4.11 GiB is reserved by PyTorch but unallocated."), 1, (3,))
    yield b.end(first("B1", "cuda_oom", 3), codes={3: 1}, signals={r: 15 for r in range(8) if r != 3}, at={3: b.t + 0.4}, held={3: turn(b.t - 5, 64, 75.8), -1: 63}, busy=96)
    b = Ledger(58, "zero-off-70b", A100, 1, 4, line="ds").tell("[2027-01-27 %c,%r11] [INFO] [stage3.py:170:__init__] Reduce bucket size 500000000", 140, range(4))
    b.tell(by_rank('  File "/home/alice/zero/run.py", line 58, in <module>\n    engine.step()\n  File "/opt/env/lib/python3.10/site-packages/deepspeed/runtime/zero/stage3.py", line 2081, in step\n    self._optimizer_step(sub_group_id)', "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.73 GiB. GPU %r has a total capacity of 79.15 GiB of which 2.87 GiB is free. Including non-PyTorch memory, this process has 76.27 GiB memory in use. Of the allocated memory 74.61 GiB is allocated by PyTorch, and 521.70 MiB is reserved by PyTorch but unallocated."), 31, range(4))
    b.began = 150.0
    yield b.end(Label(mode="B1", cause="cuda_oom", fault="user", failed_ranks=(0, 1, 2, 3)), code=1, held=turn(150, 35, 76.2), busy=88)
    b = Ledger(59, "nn-start", H100, 2, 2).tell("NCCL WARN Mismatched NCCL version detected : rank 0 wants 22203 rank 2 wants 21805", 8, (0, 2))
    for r in range(4):
        b.tell(by_rank('  File "/home/alice/nn/start.py", line 22, in <module>\n    dist.barrier()', "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:77, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.22.3\nncclInvalidUsage: This usually reflects invalid usage of NCCL library."), 0.2, (r,))
    yield b.end(Label(mode="A1", variant="env", cause="nccl", fault="user", failed_ranks=(0, 1, 2, 3)), code=1, held=0.6)


def left() -> Iterator[HandJob]:
    """F1, F3, F4."""
    b = Ledger(60, "sonar-ssl", H100, 4, 2, line="mllog").go(520, 1.7, 20, 30_000)
    lost, dead = b.places[6][1], b.t
    b.job.event(lost, dead + 61, "DOWN*", "Not responding [slurm@2027-01-27T08:16:11]")
    b.t += 66
    yield b.end(Label(mode="F1", fault="node", first_ranks=(6, 7)), lost=(lost,), held=60, busy=turn(dead, 96, 100), sm=turn(dead, 54, 0.5))
    b = Ledger(61, "kelp-seg", A100, 2, 4, line="d2").go(640, 0.8, 20, 18_000)
    lost, dead = b.places[4][1], b.t
    b.job.event(lost, dead + 40, "DOWN", "Node unexpectedly rebooted")
    b.t += 48
    yield b.end(Label(mode="F1", fault="node", first_ranks=(4, 5, 6, 7)), lost=(lost,), held=36, busy=turn(dead, 94, 99), sm=turn(dead, 47, 1))
    b = Ledger(72, "stars-mae", GH200, 6, 1, line="bar").go(900, 0.9, 25, 40_000)
    lost, dead = b.places[2][1], b.t
    b.job.event(lost, dead + 52, "DOWN*", "Not responding")
    b.t += 57
    yield b.end(Label(mode="F1", fault="node", first_ranks=(2,)), lost=(lost,), held=44, busy=turn(dead, 95, 100), sm=turn(dead, 57, 0.5))
    b = Ledger(62, "pretrain-zh", GH200, 4, 1, line="fairseq", limit_s=3600).go(1700, 2.1, 50, 60_000)
    yield b.end(Label(mode="F3", variant="advancing", fault="user"), state="TIMEOUT", held=77, busy=97, sm=58)
    b = Ledger(63, "abl-nodrop", H100, 1, 4, line="yaml").go(480, 1.1, 20, 9000)
    yield b.end(Label(mode="F4", variant="by_owner", fault="none"), state="CANCELLED", by=1042, held=29, busy=96, sm=50)
    b = Ledger(64, "heat-waves", A100, 2, 2, line="prose").go(700, 1.3, 25, 12_000)
    yield b.end(Label(mode="F4", variant="by_other", fault="unknown"), state="CANCELLED", by=0, held=44, busy=93)


def well() -> Iterator[HandJob]:
    """G1."""
    b = Ledger(65, "leaf-ddp", A100, 2, 4, line="bar").go(640, 1.0, 20).tell("`Trainer.fit` stopped: `max_steps=640` reached.", 2)
    yield b.end(HARD.but(hard=False), held=31, busy=95)
    b = Ledger(66, "hvd-long", V100, 1, 4, line="keras").go(300, 0.8, 20, 620).tell("[2027-01-27 %c.408812: W /tmp/pip-install/horovod/horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit different tensors or that only subset of ranks is submitting tensors, which will cause deadlock. \nMissing ranks:\n0: [metric_average]", 62)
    rest = b.t - 61
    b.tell("validation on rank 0: 0.7741 (78 s)", 17).go(320, 0.8, 20, 620).tell("model written to hvd-long.h5", 2)
    yield b.end(HARD, held=22, busy=turn(rest, 92, 4, rest + 78))
    stages = dict(enumerate((34.0, 58.0, 57.0, 41.0)))
    b = Ledger(67, "gpt-small-4", H100, 1, 4, line="meg").tell("pipeline stages: 0 embeddings + 6 layers, 1 and 2 each 14 layers, 3 6 layers + head", 6).go(600, 1.5, 20).tell("[after training is done] saved checkpoint at iteration 600", 4)
    yield b.end(HARD, held={0: 41, 1: 66, 2: 66, 3: 49}, busy=97, sm=stages)
    b = Ledger(68, "radio-ssl", H100, 2, 4, line="ds").tell("NCCL WARN NET/IB : Got async event : port error on mlx5_2:1", 9, (4,)).go(320, 1.2, 20, 640).tell("NCCL WARN NET/IB : mlx5_2:1 Got completion from peer with status=12 opcode=0 vendor err 129; retrying on mlx5_3:1", 1, (4, 5)).go(320, 1.25, 20, 640).tell("finished 640 steps", 2)
    yield b.end(HARD, held=47, busy=97, sm=54)
    b = Ledger(69, "moe-mini", GH200, 2, 2, line="tsv").go(200, 1.4, 10, 600).tell("W0127 %c.118000 611 torch/distributed/elastic/agent/server/api.py:906] [default] worker group has a member with exit code -7; restart 1 of 4\nResuming from snapshot at /scratch/moe/200.pt", 20, (0,)).go(400, 1.4, 10, 600).tell("done: 600 updates, one restart", 2)
    yield b.end(HARD, held=63, busy=95)
    b = Ledger(70, "tokens-xl", B200, 2, 4, line="nemo").go(260, 2.0, 10, 520).tell("Scheduled async save for tokens--step=260.ckpt; distributed checkpoint 2.1 TB", 2)
    rest = b.t
    b.tell("[rank5]:[W127 %c.004 ProcessGroupNCCL.cpp:1496] Rank 5 has not enqueued a new collective for 240 s", 250, (5,)).tell("Async finalization of checkpoint took 287.402 s", 38).go(260, 2.0, 10, 520).tell("Trainer.fit stopped: max_steps reached", 2)
    yield b.end(HARD, held=149, busy=turn(rest, 97, 100, rest + 288), sm=turn(rest, 60, 0.6, rest + 288))
    b = Ledger(71, "dense-500", H100, 2, 2, line="prose").tell("rank 3: page cache is cold, reading 60 GB first", 3, (3,)).go(500, lambda i: 4.1 if i < 25 else 0.9, 20).tell("%c  all done, the checkpoint is dense_500", 2)
    yield b.end(HARD, held=38, busy=97, sm=53)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (unmet, waiting, slow, broken, left, well):
        yield from part()


RECIPE = Recipe("signalman_ledgers_by_pen", "development", jobs)
