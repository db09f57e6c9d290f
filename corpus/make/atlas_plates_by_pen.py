"""By hand: ranks and cards that never all meet, stand still together, are slowed by one or by the wire, break, fill up; and some that only alarm."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._atlas import A100, B200, GH200, H100, H200, L40S, MI250, V100, Plate
from corpus.make._atlas_lines import ASYNC, fell, full, watchdog
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

HARD = Label(mode="G1", fault="none", hard=True)
APART, HANG = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="unknown")


def one(mode: str, cause: str | None, rank: int, fault: str = "user", **more: str) -> Label:
    """A rank by itself."""
    return Label(mode=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,), **more)  # type: ignore[arg-type]


def unmet() -> Iterator[HandJob]:
    """C1."""
    p = Plate(1, "gpt-bay-3b", H100, 4, 4, limit_s=3600)
    p.say("[<c>] rank <r>: cuda:<l> is ready, joining 16 at tcp://cn114:29611", 14, p.but(13)).hold(0.5, p.but(13))
    yield p.busy(2).say("[<c>] rank <r>: 600 s and not everybody is here (15/16)", 600, 0).say("[<c>] rank <r>: 1200 s and not everybody is here (15/16)", 600, 0).close(APART, "TIMEOUT")
    p = Plate(2, "plankton-det", A100, 2, 4, form="lab", limit_s=7200, run="torchrun")
    p.say("<n>:<p>:<p> [<l>] NCCL INFO Bootstrap : Using ib0:10.140.3.7<0>\n<n>:<p>:<p> [<l>] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB ib0:10.140.3.7<0>", 22, (0, 1, 2, 3)).say("<n>:<p>:<p> [<l>] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>", 0.3, (4, 5, 6, 7))
    p.say("<n>:<p>:<p> [<l>] NCCL INFO ncclCommInitRank comm 0x7c0e6a0 rank <r> nranks 8 cudaDev <l> nvmlDev <l> commId 0x9f2c31d8 - Init START", 2, None).hold(0.6).busy(100)
    yield p.close(APART, "TIMEOUT")
    p = Plate(3, "tern-asr", L40S, 4, 2, run="torchrun")
    p.say("[W218 <c>.301 socket.cpp:752] [c10d] The client socket cannot be initialized to connect to [cn140]:29400 (errno: 97 - Address family not supported by protocol).", 9, (0, 2, 4)).busy(1)
    error = "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError: 1 of 4 nodes did not join within 900 s"
    p.say(fell(error, "/opt/env/lib/python3.11/site-packages/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py:1297 _next_rendezvous raise RendezvousTimeoutError()"), 905, (0, 2, 4))
    yield p.close(APART, "FAILED", rest=1)
    p = Plate(4, "old-maps-ocr", V100, 1, 8, form="fields")
    p.say("[<c>] INFO:torch.distributed.distributed_c10d:Added key: store_based_barrier_key:1 to store for rank: <r>", 11, p.but(5)).busy(3)
    for _ in range(4):
        p.say("INFO:torch.distributed.distributed_c10d:Waiting in store based barrier to initialize process group for rank: <r>, key: store_based_barrier_key:1 (world_size=8, worker_count=7, timeout=0:30:00)", 440, p.but(5))
    p.say(fell("RuntimeError: Timed out initializing process group in store based barrier on rank: <r>, for key: store_based_barrier_key:1 (world_size=8, worker_count=7, timeout=0:30:00)", "train.py:61 <module> dist.init_process_group('nccl')"), 42, p.but(5))
    yield p.stuck(5, "D", "rpc_wait_bit_killable", waits={"D rpc_wait_bit_killable": 451}, file_systems=("nfs4 /sw",), gpu_attached_ns=None).close(APART, "FAILED", rest=1, ends={5: -9}, code=1)
    p = Plate(5, "cloudmask", H200, 2, 2, limit_s=5400).say("r<r> | imports done", 8, (0, 1, 2))
    p.say(fell("ModuleNotFoundError: No module named 'rasterio'", "train.py:9 <module> from cloudmask.tiles import TileStore", "/home/alice/cloudmask/cloudmask/tiles.py:4 <module> import rasterio"), 1, 3).say("r<r> | waiting for the others (4)", 2, (0, 1, 2)).hold(0.5, (0, 1, 2)).busy(1, (0, 1, 2))
    p.stuck(3, "R", "0", gpu_attached_ns=None, gpu_uuids=())
    yield p.close(one("C1", "missing_module", 3, trigger="A1"), "TIMEOUT", ends={3: 1}, when={3: 18.2})


def still() -> Iterator[HandJob]:
    """C2: somebody is missing."""
    p = Plate(6, "lm-fjord", H100, 2, 8, form="tokens", run="torchrun").say("16 ranks, ZeRO-1, bf16", 40).hold(66).mood("work").steps(760, 1.4, 20, 60_000)
    p.stuck(9, "D", "cl_sync_io_wait", waits={"D cl_sync_io_wait": 160}, file_systems=("lustre /scratch",)).mood("spin", p.but(9)).mood("rest", 9).busy(0, 9).busy(100, p.but(9))
    p.say(watchdog("<r>", 30_412, "_ALLGATHER_BASE", 41_943_040, 600_000, 600_041), 602, p.but(9))
    yield p.close(HANG.but(cause="nccl"), "FAILED", rest=-6, ends={9: -9}, code=1)
    p = Plate(7, "wave-spectra", A100, 4, 2, form="row").say("it,loss,sec,t", 25).hold(31).mood("work").steps(500, 0.9, 10, 20_000)
    p.say("saving ckpt_0500 on rank 2 as well", 0.5, 2).mood("spin", p.but(2)).mood("rest", 2).busy(1, 2).stuck(2, "D", "ceph_mdsc_wait_request", waits={"D ceph_mdsc_wait_request": 420})
    p.say(watchdog("<r>", 9_120, "ALLREDUCE", 8_388_608, 1_800_000, 1_800_017), 1801, p.but(2))
    yield p.close(HANG.but(cause="nccl"), "FAILED", rest=-6, ends={2: -15}, code=134)
    p = Plate(8, "kelp-seg", H200, 1, 8, form="german", limit_s=10_800).say("8 Prozesse, je eine Karte", 20).hold(88).mood("work").steps(1500, 0.8, 50, 90_000)
    yield p.mood("spin", p.but(4)).mood("rest", 4).busy(0.1, 4).busy(100, p.but(4)).stuck(4, "S", "futex_wait_queue").close(HANG, "TIMEOUT")
    p = Plate(9, "sea-ice-vae", H100, 2, 4, form="absl", limit_s=9000).say("I0218 <c>.000117 22611 main.py:40] process 0/8 on <n>", 30).hold(47).mood("work").steps(900, 1.1, 25, 30_000)
    p.say(fell("AssertionError: concentration outside [0, 1]: 1.0000153", "main.py:91 <module> app.run(main)", "/home/alice/sea-ice-vae/loop.py:77 run batch = next(stream)", "/home/alice/sea-ice-vae/grid.py:30 __next__ assert grid.max() <= 1, f'concentration outside [0, 1]: {grid.max():.7f}'"), 0.6, 3)
    died = p.t + 1.2
    yield p.mood("empty", 3, at=1).hold(0, 3, over=1).mood("spin", p.but(3), at=1).busy(0, 3).close(one("C2", "assertion", 3, trigger="A3"), "TIMEOUT", ends={3: 1}, when={3: died})
    p = Plate(10, "reef-clip", A100, 1, 8, form="json", limit_s=14_400).say('{"t": 21.0, "world": 8}', 21).hold(33).mood("work").steps(640, 1.7, 20, 25_000).oom(6)
    mem = CgroupMemory(limit_bytes=256 * GIB, peak_bytes=256 * GIB, oom_events=2, oom_kill_events=1)
    died = p.t + 0.1
    yield p.mood("empty", 6).hold(0, 6, over=1).mood("spin", p.but(6)).busy(0, 6).close(one("C2", "oom_killer", 6, trigger="A2"), "TIMEOUT", ends={6: -9}, when={6: died}, memory={6: mem})
    p = Plate(11, "dune-flow", L40S, 2, 2, form="french", limit_s=7200).say("4 processus prêts", 18).hold(20).mood("work").steps(880, 0.6, 20, 40_000)
    died = p.t + 0.3
    p.say("Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f1c2bfff640 (most recent call first):\n  File \"/home/alice/dune-flow/lecture.py\", line 58 in decoder", 0.2, 1)
    yield p.mood("empty", 1).hold(0, 1, over=1).mood("spin", p.but(1)).busy(0, 1).close(one("C2", "segfault", 1, trigger="A2"), "CANCELLED", by=1042, ends={1: -11}, when={1: died}, lag=2900)
    p = Plate(12, "tide-moe", B200, 2, 4, form="keyed").say("ts=30.1 level=info msg=start ranks=8", 30).hold(140).mood("hard").steps(420, 2.2, 10, 12_000)
    p.say("ts=<c> level=info msg=eval split=dev", 1).mood("spin", p.but(0)).mood("rest", 0).busy(0.3, 0).stuck(0, "S", "pipe_read")
    yield p.close(HANG, "CANCELLED", by=1042, lag=3300)
    p = Plate(13, "marsh-dpo", H100, 1, 4, form="bar", run="torchrun").say("[rank<r>]: policy and reference are loaded", 50, None).hold(71).mood("work").steps(300, 2.5, 5, 4000)
    p.mood("spin").busy(100)
    p.say(watchdog("<r>", 6_211, "ALLREDUCE", 1, 900_000, 900_012), 901, (1, 2, 3)).say(watchdog("<r>", 6_211, "ALLGATHER", 4096, 900_000, 900_033), 0.2, 0)
    yield p.close(HANG.but(cause="nccl"), "FAILED", rest=-6, code=1)


def slowed() -> Iterator[HandJob]:
    """D3, D2, B3."""
    def lag(number: int, name: str, kind: dict[str, object], nodes: int, per: int, form: str, slow: int, high: float, low: float, mhz: float = 0.0) -> HandJob:  # noqa: PLR0917
        q = Plate(number, name, kind, nodes, per, form=form).say(f"{nodes * per} processes, batch is the same for each", 24).hold(0.6 * kind["memory_total_bytes"] / GIB).mood("wait", sm=low)  # type: ignore[operator]
        q.mood("pull", slow, sm=high, **({"mhz": mhz} if mhz else {})).steps(620, 2.1, 20).say("all steps are done, weights are kept", 3).mood("rest").hold(0.4)
        return q.close(Label(mode="D3", fault="unknown"))

    yield lag(14, "gulf-swin", H100, 2, 4, "epoch", 6, 58, 16)
    yield lag(15, "sargasso-lm", H200, 2, 8, "tokens", 11, 55, 14, 1185.0)
    yield lag(16, "bight-tts", B200, 1, 4, "spanish", 2, 62, 18)
    yield lag(17, "estuary-rl", GH200, 8, 1, "arrow", 3, 56, 15, 990.0)
    p = Plate(18, "ocean-22b", H100, 4, 4, form="tokens").say("<n>:<p>:<p> [<l>] NCCL INFO NET/IB : No device found.\n<n>:<p>:<p> [<l>] NCCL INFO NET/Socket : Using [0]eno1:10.30.0.14<0>\n<n>:<p>:<p> [<l>] NCCL INFO Using network Socket", 35, None)
    yield p.hold(72).mood("wire").steps(210, 11.8, 5).say("finished", 4).close(Label(mode="D2", variant="interconnect", fault="cluster"))
    p = Plate(19, "basin-t5", A100, 8, 1, form="lab").say("[<c> trainer.py:40] WARNING - NCCL_IB_DISABLE is not set, NCCL says: NET/Plugin: Failed to find ncclNetPlugin symbol; Using network Socket", 26)
    yield p.hold(36).mood("wire", watts=118).steps(260, 8.6, 10).say("[<c> trainer.py:260] INFO - over", 2).close(Label(mode="D2", variant="interconnect", fault="cluster"))
    p = Plate(20, "shoal-vlm", H200, 4, 2, form="json").say('{"nccl": "IB port mlx5_1 is DOWN, mlx5_2 is DOWN; falling back to bond0 (10 GbE)"}', 30, (0, 2, 4, 6)).hold(121).mood("wire", sm=7.2)
    yield p.steps(180, 13.4, 5).say('{"event": "end"}', 3).close(Label(mode="D2", variant="interconnect", fault="cluster"))
    p = Plate(21, "islet-gan", L40S, 1, 4, form="epoch").say("debug.sh: export CUDA_LAUNCH_BLOCKING=1", 8).hold(19).mood("step").steps(700, 1.9, 20).say("Epoch 20/20 over, fid 31.2", 3)
    for r in p.all:
        p.stuck(r, "R", "0", environment={"RANK": str(r), "LOCAL_RANK": str(r), "CUDA_LAUNCH_BLOCKING": "1"})
    yield p.close(Label(mode="D2", variant="launch_blocking", fault="user"))
    p = Plate(22, "delta-unet", A100, 1, 4, form="french").hold(22)
    for k in range(1, 64):
        p.mood("work").steps(1, 1.1, 1, 63).mood("save").say(f"point de reprise {k:03d} écrit sur /archive en {9.2 + p.dice.uniform(-0.8, 0.9):.1f} s", 9.2)
    yield p.say("terminé").close(Label(mode="D2", variant="save_storm", fault="user"))
    for number, name, kind, nodes, per, hot, mhz, brake in ((23, "lagoon-bert", H100, 1, 8, (5,), 690.0, False), (24, "fathom-3d", A100, 2, 4, (4, 5, 6, 7), 480.0, True), (25, "isthmus-mae", GH200, 4, 1, (2,), 765.0, False)):
        p = Plate(number, name, kind, nodes, per, form=("row", "keyed", "fields")[number % 3]).say("start", 20).hold(0.55 * kind["memory_total_bytes"] / GIB).mood("work").steps(400, 0.8, 20, 1000)
        since = p.t
        p.mood("wait", p.but(*hot), sm=24).mood("work", hot, mhz=mhz, celsius=52.0 if brake else 91.0, reasons=136.0 if brake else 96.0, watts=0.38 * kind["power_limit_mw"] / 1000).steps(600, 2.4, 20, 1000)
        gone = 41_000_000 + int((p.t - since) * 0.96e9)
        kinds = ("hw_power_brake", "power") if brake else ("hw_thermal", "thermal")
        yield p.say("1000 steps, done", 3).close(Label(mode="B3", fault="node"), after={r: {f"violation_{k}_ns": gone for k in kinds} for r in hot})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (unmet, still, slowed, broken, full_up, well):
        yield from part()


def broken() -> Iterator[HandJob]:
    """B2."""
    bad = {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True, "recovery_action": "reset"}

    def hurt(rank: int) -> Label:
        return one("B2", "cuda_runtime", rank, "node", variant="fault")

    p = Plate(26, "trench-13b", H100, 4, 4, form="tokens").say("go", 45).hold(70).mood("work").steps(680, 1.6, 20, 90_000)
    p.say(fell("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" + ASYNC, "train.py:402 <module> main()", "train.py:341 main scaler.step(opt)", mark="[rank<r>]: "), 1.5, 10).xid(10, 48, "pid=40010, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 2, subpartition 0.", 1.0)
    p.say("[rank<r>]: torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, remote process exited or there was a network error, NCCL version 2.27.3", 4, p.but(10))
    yield p.close(hurt(10), "FAILED", rest=1, ends={10: 1}, when={10: p.t - 3.2}, after={10: bad})
    p = Plate(27, "abyss-sr", H200, 1, 8, form="loguru", run="torchrun").say("8 x H200", 20).hold(64).mood("work").steps(520, 0.9, 20, 30_000)
    p.xid(3, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", 0.1)
    lost = p.t
    p.say(fell("torch.AcceleratorError: CUDA error: unknown error" + ASYNC, "/home/alice/abyss-sr/fit.py:120 step loss.backward()", mark="[rank3]: "), 6, 3).say("W0218 <c>.220 api.py:910] Sending process <p> closing signal SIGTERM", 1, 0)
    yield p.close(hurt(3), "FAILED", rest=-15, ends={3: 1}, after={3: None}, gone={3: lost})
    p = Plate(28, "strait-tp4", B200, 1, 4, form="keyed").say("tensor parallel over 4", 20).hold(150).mood("hard").steps(350, 1.9, 10, 8000)
    p.xid(1, 149, "NETIR_LINK_EVT  Fatal   XC0 i0 Link 05 (0x000002a6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", 1.4).xid(1, 145, "RLW_REMAP  Nonfatal XC0 i0 Link 05 (0x00000008)", 1.2)
    p.say("<n>:<p>:<p> [1] misc/ibvwrap.cc:0 NCCL WARN Cuda failure 'uncorrectable NVLink error detected during the execution'", 1.2, 1).say("RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution" + ASYNC, 0.4, 1)
    p.say("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3699, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.5", 3, p.but(1))
    yield p.close(hurt(1), "FAILED", rest=1, after={1: {"nvlink_recovery_failed": 1, "nvlink_effective_errors": 2210, "nvlink_symbol_errors": 9120}}, when={1: p.t - 2})
    p = Plate(29, "pelagic-ner", A100, 2, 2, form="spanish").say("4 procesos", 12).hold(24).mood("work").steps(430, 0.7, 10, 20_000)
    p.xid(2, 95, "pid=40002, name=python, Uncontained: FBHUB. RST: Yes, D-RST: No", 0.8).say(fell("RuntimeError: CUDA error: uncorrectable ECC error encountered" + ASYNC, "ner.py:88 <module> total += perdida.item()"), 1.0, 2)
    yield p.close(hurt(2), "FAILED", rest=-15, ends={2: 1}, when={2: p.t + 0.4}, after={2: {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 2, "remap_pending": True}})
    p = Plate(30, "swell-gnn", H100, 2, 2, form="absl").say("I0218 <c>.04 1 gnn.py:20] graph is cut into 4", 15).hold(39).mood("work").steps(610, 0.9, 25, 50_000)
    p.xid(0, 119, "pid=40000, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080012b 0x20).", 9).xid(0, 154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", 8.5)
    lost = p.t - 9
    p.say("RuntimeError: CUDA error: unspecified launch failure" + ASYNC, 11, 0)
    yield p.close(hurt(0), "FAILED", rest=-15, ends={0: 1}, after={0: None}, gone={0: lost})
    p = Plate(31, "rip-current", H100, 1, 4, form="row", run="torchrun").hold(52).say("start", 15).mood("work").steps(720, 0.6, 20, 15_000)
    p.xid(2, 94, "pid=40002, name=python, Contained: SM (0x1). RST: No, D-RST: No", 0.4).say(fell("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" + ASYNC, "/home/alice/rip-current/train.py:61 <module> step(batch)", mark="[rank2]: "), 0.8, 2)
    yield p.close(hurt(2), "FAILED", rest=-15, ends={2: 1}, after={2: {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remap_pending": True}})


def full_up() -> Iterator[HandJob]:
    """B1; what NCCL refuses, and a peer that hung up."""
    p = Plate(32, "harbour-9b", H100, 2, 4, form="tokens", run="torchrun").say("8 ranks, activation checkpointing off", 40).hold(58).mood("work").steps(40, 3.1, 1, 5000).hold(77.9, 5)
    p.say(fell(full("2.50 GiB", 1, "79.11 GiB", "1.14 GiB", "77.96 GiB", "74.02 GiB", "2.61 GiB"), "/home/alice/harbour/train.py:190 step loss.backward()", mark="[rank5]: "), 2, 5)
    yield p.close(one("B1", "cuda_oom", 5), "FAILED", rest=-15, ends={5: 1})
    p = Plate(33, "ketch-ft", A100, 1, 4, form="lab").say("[<c> trainer.py:12] INFO - full fine-tuning, 7.2 B parameters, 4 shards", 30).hold(36).mood("load")
    p.say(fell(full("1.13 GiB", 0, "39.39 GiB", "642.56 MiB", "38.75 GiB", "38.01 GiB", "201.08 MiB", old=True).replace("GPU 0", "GPU <l>"), "trainer.py:98 setup self.opt = AdamW(params, foreach=True)", "trainer.py:131 first_step self.opt.step()"), 22, None).hold(38.7)
    yield p.close(Label(mode="B1", cause="cuda_oom", fault="user", failed_ranks=(0, 1, 2, 3)), "FAILED", rest=1)
    p = Plate(34, "barge-vqa", MI250, 1, 8, form="bar").say("8 GCDs", 25).hold(49).mood("work").steps(260, 1.3, 5, 9000).hold(63.2, 7)
    p.say(fell("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 6.75 GiB. GPU 7 has a total capacity of 63.98 GiB of which 748.00 MiB is free. Of the allocated memory 60.33 GiB is allocated by PyTorch, and 1.50 GiB is reserved by PyTorch but unallocated.", "vqa.py:210 <module> logits = lm_head(hidden).float()"), 1, 7)
    yield p.close(one("B1", "cuda_oom", 7), "FAILED", rest=-15, ends={7: 1}, when={7: p.t + 0.5})
    p = Plate(35, "anchor-pp", L40S, 1, 2, form="json").say(fell("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3356, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.26.2\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank 0 and rank 1 both on CUDA device 1b000", "pp.py:30 <module> dist.barrier()"), 19, None).hold(0.6)
    yield p.close(Label(mode="A1", variant="config", cause="nccl", fault="user", failed_ranks=(0, 1)), "FAILED", rest=1)


def well() -> Iterator[HandJob]:
    """G1."""
    p = Plate(36, "cove-lm", H100, 2, 4, form="tokens", run="torchrun").say("[W218 <c>.511 socket.cpp:752] [c10d] The client socket has failed to connect to [cn189]:29500 (errno: 111 - Connection refused).", 7, (4, 5, 6, 7)).say("[W218 <c>.9 Utils.hpp:137] Warning: NCCL_ASYNC_ERROR_HANDLING is deprecated, use TORCH_NCCL_ASYNC_ERROR_HANDLING instead (function operator())", 9, None)
    yield p.hold(55).mood("work").steps(640, 1.2, 20).say("last step, ce 1.11 on the dev set", 20).say("[rank0]:[W218 <c>.31 ProcessGroupNCCL.cpp:1479] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. (function operator())", 1).mood("rest").close(HARD)
    p = Plate(37, "buoy-pretrain", B200, 1, 8, form="keyed").say("go", 30).hold(120).mood("hard").steps(320, 1.7, 10, 640).say("ts=<c> level=warn msg=checkpoint bytes=1.4e12 where=/archive state=writing", 2).mood("rest")
    p.say("[rank3]:[W218 <c>.77 ProcessGroupNCCL.cpp:1600] [PG ID 0 PG GUID 0 Rank 3] no collective has been enqueued for 300 s", 305, 3).say("ts=<c> level=info msg=checkpoint state=complete s=371", 66).mood("hard").steps(320, 1.7, 10, 640)
    yield p.say("ts=<c> level=info msg=over steps=640", 2).close(HARD)
    p = Plate(38, "gull-calls", A100, 2, 2, form="german").say("4 Prozesse", 12).hold(21).mood("work").steps(700, 0.8, 20)
    worn = {"ecc_aggregate_uncorrected": 5, "remapped_rows_uncorrectable": 2, "remapped_rows_correctable": 11, "ecc_volatile_corrected": 70}
    p.xid(3, 63, "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000002f01a30) marked for remapping, reset gpu to activate.", 300)
    yield p.say("Fertig. Fehlerrate auf dem Testsatz: 0,083 (vorher 0,091)", 5).close(HARD, before={3: worn}, after={3: {"ecc_volatile_corrected": 92, "remapped_rows_correctable": 12, "remap_pending": True}})
    p = Plate(39, "skerry-seg", H100, 1, 4, form="fields", run="torchrun").say("4 ranks", 15).hold(37).mood("work").steps(260, 1.0, 20, 600)
    p.say(fell("ConnectionResetError: [Errno 104] Connection reset by peer", "/home/alice/skerry/data.py:44 fetch return self.s3.get(key)", mark="[rank2]: "), 1, 2).say("W0218 <c>.120 api.py:910] worker group failed; restart 1 of 3", 2, 0).mood("rest").hold(0.4).say("picked up step 260 of run.ckpt", 24, 0).hold(37).mood("work")
    yield p.steps(340, 1.0, 20, 600).say("iter: 600 is the last; mIoU 71.9", 2).close(HARD)
    p = Plate(40, "headland-sft", H200, 1, 8, form="arrow")
    for size, said in ((64, full("21.40 GiB", 0, "139.80 GiB", "9.03 GiB", "130.76 GiB", "127.10 GiB")), (32, full("10.70 GiB", 0, "139.80 GiB", "8.31 GiB", "131.48 GiB", "129.02 GiB")), (24, "fits, 121.9 GiB")):
        p.say(f"largest micro batch: {size} -> {said}", 11)
    yield p.hold(122).mood("hard").steps(480, 1.9, 10).say("480 of 480 steps; win rate against the base 61 %", 4).close(HARD)
    p = Plate(41, "whirl-moe", GH200, 4, 2, form="lab").say("[<c> trainer.py:3] INFO - warm-up of kernels: variant 7 of 12 left out (CUDA error: an illegal memory access was encountered, in a helper process)", 60).hold(61).mood("work")
    p.xid(4, 31, "pid=77101, name=autotune, Ch 00000010, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC3 GPCCLIENT_T1_6 faulted @ 0x7f2e_30000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ", 4)
    yield p.steps(520, 1.3, 20, loss=lambda i: 6.1 * (1 + i / 30) ** -0.5 + (0.9 if i in (240, 260) else 0.0)).say("[<c> trainer.py:300] INFO - end of training; eval 1.52", 8).close(HARD)
    p = Plate(42, "eddy-lm", H100, 4, 2, form="tokens", run="torchrun").say("[rank<r>]:W0218 <c>.311 torch/_dynamo/convert_frame.py:964] [6/8] torch._dynamo hit config.recompile_limit (8)", 70, None).busy(100)
    p.say("[rank0]: 8 ranks: first all_reduce took 214.6 s (connections are set up lazily)", 216).hold(68).mood("work")
    yield p.steps(560, 1.4, 20).say("[rank0]: that was the last shard, ce 1.29", 3).close(HARD)
    p = Plate(43, "ebb-stages", A100, 1, 4, form="row").say("pipeline of 4 stages, layers 3/10/10/3 (embedding and head are on the ends, by design)\nit,loss,s,t", 20).hold(33)
    p.mood("work", 0, sm=21, watts=190).mood("work", (1, 2), sm=58).mood("work", 3, sm=24, watts=197)
    yield p.steps(520, 1.5, 20).say("520 of 520, bpc 1.04", 2).close(HARD)
    p = Plate(44, "neap-grpo", H200, 1, 8, form="keyed").say("ts=<c> level=info msg=ranks 0-3 train, 4-7 write rollouts", 30).hold(105)
    for _ in range(12):
        p.mood("work", (0, 1, 2, 3)).mood("rest", (4, 5, 6, 7)).steps(10, 6.0, 5, 120, loss=lambda i: 0.02 + 0.011 * (i * 5 % 7)).mood("rest", (0, 1, 2, 3)).mood("work", (4, 5, 6, 7)).say("ts=<c> level=info msg=rollouts n=512 reward=0.61", 55)
    yield p.say("ts=<c> level=info msg=over reward_before=0.31 reward=0.66", 2).close(HARD)
    p = Plate(45, "berg-bf16", H100, 2, 2, form="spanish").say("4 procesos", 15).hold(48).mood("work")
    p.steps(700, 0.9, 20, loss=lambda i: 0.8 + 4.0 * (1 + i / 60) ** -0.7 + (1.9 * 0.985 ** (i - 300) if i >= 300 else 0.0))
    yield p.say("la subida en el paso 300 fue un lote repetido; perplejidad final 3.4", 3).close(HARD)


RECIPE = Recipe("atlas_plates_by_pen", "development", jobs)
