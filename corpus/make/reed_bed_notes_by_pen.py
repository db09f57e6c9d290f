"""By hand: one process on one card, that is full, broken, hot, starved or not to be used, or killed by the kernel; or well."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._marsh_sheets import A100, ADA, H100, H200, L40S, MI250, Sheet, memory, shift
from corpus.running.job import HandJob, Recipe

HARD = Label(mode="G1", fault="none", hard=True)
ASYNC = "\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"


def fell(mode: str, cause: str | None, variant: str | None = None, fault: str = "user") -> Label:
    """The only process failed."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, failed_ranks=(0,), first_ranks=(0,))


def where(error: str, *frames: tuple[str, int, str, str]) -> str:
    """A traceback."""
    rows = [f'  File "{file}", line {line}, in {inside}\n    {source}' for file, line, inside, source in frames]
    return "\n".join(["Traceback (most recent call last):", *rows, error])


def full() -> Iterator[HandJob]:
    """B1."""
    label = fell("B1", "cuda_oom")
    s = Sheet(1, "peat-vae", L40S, form=1).say("EMA copy is switched on from update 300", 3).train(300, 0.7, 20, 4000).say("EMA: copying 1.9 B parameters", 0.5)
    s.say(where("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 26.00 MiB. GPU 0 has a total capacity of 44.40 GiB of which 11.25 MiB is free. Including non-PyTorch memory, this process has 44.38 GiB memory in use. Of the allocated memory 43.02 GiB is allocated by PyTorch, and 870.41 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.", ("/home/alice/peat/run.py", 140, "<module>", "fit(cfg)"), ("/home/alice/peat/ema.py", 22, "start", "self.shadow = copy.deepcopy(model)")), 1.4)
    yield s.close(label, code=1, held=shift(s.at - 2, 36.5, 44.4), busy=93)
    s = Sheet(2, "sedge-t5x", A100, form=2).say("Compiling train step for mesh (1, 1)", 4).say("2026-12-20 03:44:10.771203: W external/xla/xla/service/hlo_rematerialization.cc:3020] Can't reduce memory use below 29.31GiB (31471233024 bytes) by rematerialization; only reduced to 51.44GiB (55233270784 bytes), down from 51.71GiB (55523553280 bytes) originally", 71)
    s.say(where("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 55233271040 bytes.", ("/home/alice/sedge/train_t5.py", 301, "<module>", "app.run(main)"), ("/home/alice/sedge/train_t5.py", 244, "main", "state, aux = p_step(state, batch)")), 9)
    yield s.close(label, code=1, held=30.1, busy=1)
    s = Sheet(3, "rush-gnn", ADA, form=0).train(140, 1.1, 10, 1200)
    s.say(where("cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 9,663,676,416 bytes (allocated so far: 44,201,113,088 bytes).", ("sample.py", 61, "neighbours", "adj = cupyx.scipy.sparse.csr_matrix((val, idx, ptr))")), 2)
    yield s.close(label, code=1, held=lambda t: min(45.0, 19 + t / 7), busy=84)
    s = Sheet(4, "heath-llm", MI250, form=4).say("loading 70B in 4 bit: shard 9 of 15", 80)
    s.say(where("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 448.00 MiB. GPU 0 has a total capacity of 63.98 GiB of which 302.00 MiB is free. Of the allocated memory 62.71 GiB is allocated by PyTorch, and 180.16 MiB is reserved by PyTorch but unallocated.", ("tune70.py", 33, "<module>", "model = load_quantised(args.base)")), 11)
    yield s.close(label, code=1, held=lambda t: min(63.6, max(0.0, t - 12) * 0.68), busy=1)
    s = Sheet(5, "marsh-speech", H100, form=3).train(90, 1.9, 10, 2600)
    s.say(where("RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED", ("ctc.py", 210, "<module>", "trainer.run()"), ("ctc.py", 171, "run", "feats = self.stem(wave)")), 2)
    yield s.close(label, code=1, held=lambda t: min(79.0, 51 + t / 6), busy=95)


def broken() -> Iterator[HandJob]:
    """B2."""
    label = fell("B2", "cuda_runtime", fault="node")
    s = Sheet(6, "bog-cotton", H100, form=5).train(480, 0.8, 20, 9000)
    s.say(where("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered" + ASYNC, ("lauf.py", 97, "<module>", "epoche(k)"), ("lauf.py", 71, "epoche", "summe += verlust.item()")), 1.2).xid(0, 48, "pid=20117, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 3, subpartition 1.")
    yield s.close(label, code=1, held=44, busy=94, after={0: {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True}})
    s = Sheet(7, "willow-sde", A100, form=0).train(640, 0.5, 20, 5000)
    s.say(where("RuntimeError: CUDA error: unspecified launch failure" + ASYNC, ("sde/solve.py", 55, "step", "noise = torch.randn_like(x)")), 4).xid(0, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", 3.5)
    yield s.close(label, code=1, held=22, busy=91, after={0: None})
    s = Sheet(8, "alder-ocr", H200, form=2).train(350, 1.3, 10, 3000)
    s.say("E1220 14:02:11.300871 core.py:88] cudaStreamSynchronize: uncorrectable ECC error encountered (error 214)\nF1220 14:02:11.301940 core.py:91] giving up: device 0 is not usable any more", 1.5).xid(0, 95, "pid=118331, name=python3.11, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No")
    yield s.close(label, code=1, held=98, busy=95, after={0: {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "recovery_action": "reset"}})


def held_back() -> Iterator[HandJob]:
    """B3."""
    label = Label(mode="B3", fault="node")
    zero = {"violation_thermal_ns": 0, "violation_hw_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0}
    for number, name, card, slow, clock, hot in ((9, "fen-detect", L40S, 2.9, 780, 95), (10, "carr-moe", H100, 3.6, 510, 94)):
        s = Sheet(number, name, card, form=number % 6).train(300, 1.0, 15, 760)
        from_s = s.at
        s.train(460, slow, 15, 760).say("last step reached, writing the weights", 2)
        lost = int((s.at - from_s) * 0.97e9)
        yield s.close(label, held=27, busy=98, before={0: zero}, after={0: {"violation_thermal_ns": lost, "violation_hw_thermal_ns": lost}}, more={0: {"sm_clock_mhz": shift(from_s, card["sm_clock_max_mhz"] - 45, clock), "power_mw": shift(from_s, 0.83 * card["power_limit_mw"], 0.44 * card["power_limit_mw"]), "temperature_c": shift(from_s, 71, hot), "throttle_reasons": shift(from_s, 0, 0x60)}})  # type: ignore[operator]


def waiting() -> Iterator[HandJob]:
    """D1, C3."""
    s = Sheet(11, "sky-survey", A100, form=1).say("reader: gs-fuse mount, 2 threads, no prefetch", 2).train(170, lambda i: 5.0 + i % 3, 5).say("end of list", 1)
    yield s.close(Label(mode="D1", fault="user"), held=17, busy=6, more={0: {"duty_percent": 6.0, "duty_spread_percent": 95.0}})
    s = Sheet(12, "plover-clips", H200, form=4).train(288, lambda i: 15.5 if i % 6 == 0 else 0.6, 6).say("mAP 0.417", 3)
    yield s.close(Label(mode="D1", fault="user"), held=52, busy=8, sm=4, more={0: {"duty_percent": 8.0, "duty_spread_percent": 97.0}})
    s = Sheet(13, "curlew-lm", H100, form=2, limit_s=6000, each_s=25.0).train(900, 0.8, 20, 30_000).say('{"event": "eval_begin", "shards": 16}', 1)
    s.hand.process(s.ranks[0][1], 40_000, rank=0, local_rank=0, command=("python3", "curlew.py"), gpu_uuids=(s.hand.uuid(s.ranks[0][1], 0),), state="S", wchan="futex_wait_queue_me", started_ns=s.hand.at(1), gpu_attached_ns=s.hand.at(7), seen_last_ns=s.hand.at(6000))
    yield s.close(Label(mode="C3", fault="user"), over_s=6001.0, held=39, busy=shift(s.at, 93, 0))
    s = Sheet(22, "coot-unet", L40S, form=3, limit_s=10_800, each_s=30.0).train(1300, 0.5, 50, 26_000)
    s.hand.process(s.ranks[0][1], 40_000, rank=0, local_rank=0, command=("python", "-u", "coot.py"), gpu_uuids=(s.hand.uuid(s.ranks[0][1], 0),), state="S", wchan="pipe_read", started_ns=s.hand.at(1), gpu_attached_ns=s.hand.at(6), seen_last_ns=s.hand.at(10_800))
    yield s.close(Label(mode="C3", fault="user"), over_s=10_801.0, held=22, busy=shift(s.at, 91, 0))


def refused() -> Iterator[HandJob]:
    """A1, A3: CUDA and the kernel's own mistakes; A2: the kernel kills."""
    s = Sheet(14, "wheel-too-new", A100).say(where("RuntimeError: The NVIDIA driver on your system is too old (found version 12020). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx Alternatively, go to: https://pytorch.org to install a PyTorch version that has been compiled with your version of the CUDA driver.", ("tune.py", 18, "<module>", "model = Net().cuda()")), 6)
    yield s.close(fell("A1", "cuda_runtime", "env"), code=1)
    s = Sheet(15, "old-card", ADA).say("/opt/env/lib/python3.11/site-packages/torch/cuda/__init__.py:235: UserWarning: NVIDIA RTX 6000 Ada Generation with CUDA capability sm_89 is not compatible with the current PyTorch installation.", 5)
    s.say(where("RuntimeError: CUDA error: no kernel image is available for execution on the device" + ASYNC, ("heron/fit.py", 40, "<module>", "x = torch.zeros(8, device=\"cuda\").add_(1)")), 2)
    yield s.close(fell("A1", "cuda_runtime", "env"), code=1, held=0.4)
    s = Sheet(16, "embed-range", H100, form=3).train(210, 0.6, 10, 2000)
    s.say("/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1289: indexSelectLargeIndex: block: [113,0,0], thread: [64,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n" * 3 + where("RuntimeError: CUDA error: device-side assert triggered" + ASYNC, ("words.py", 133, "<module>", "loss = step(batch)"), ("words.py", 90, "step", "return F.cross_entropy(out, y)")), 0.6).xid(0, 43, "pid=44120, name=python, Ch 00000010", 0.2)
    yield s.close(fell("A3", "cuda_runtime"), code=1, held=14, busy=92)
    s = Sheet(17, "shuffle-big", L40S, form=1).train(260, 0.9, 20, 4000)
    node, task = s.ranks[0][1], f"/slurm/uid_1042/job_{s.hand.job_id}/step_0/task_0"
    s.hand.kernel(node, s.at + 3, "kernel_oom", f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/slurm/uid_1042/job_{s.hand.job_id},task_memcg={task},task=python,pid=40000,uid=1042", scope="cgroup", constraint="CONSTRAINT_MEMCG", task_memcg=task, process="python", pid=40_000)
    s.say("growing the shuffle buffer to 4194304 samples", 1)
    s.at += 3
    yield s.close(fell("A2", "oom_killer"), signals={0: 9}, state="OUT_OF_MEMORY", held=18, busy=90, memory={0: memory(64)})
    s = Sheet(18, "node-is-full", A100, form=5).train(330, 0.7, 10, 2500)
    s.hand.kernel(s.ranks[0][1], s.at + 2, "kernel_oom", "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/system.slice/slurmstepd.scope,task=python,pid=40000,uid=1042", scope="node", constraint="CONSTRAINT_NONE", process="python", pid=40_000)
    s.at += 2
    yield s.close(fell("A2", "oom_killer"), signals={0: 9}, held=11, busy=93)


def well() -> Iterator[HandJob]:
    """G1."""
    s = Sheet(19, "lapwing-sft", H200, form=2).say("trying batch 48: CUDA out of memory. Tried to allocate 22.10 GiB\ntrying batch 32: ok (113.9 GiB at most)", 21).train(560, 1.1, 20).say('{"event": "finished", "reason": "max_steps"}', 3)
    yield s.close(HARD, held=114, busy=97)
    s = Sheet(20, "teal-3d", A100, form=4).train(700, 0.6, 20).say("test PSNR 28.91 dB - written to teal.ply", 5)
    yield s.close(HARD, held=31, busy=95, before={0: {"ecc_aggregate_uncorrected": 7, "remapped_rows_uncorrectable": 2, "remapped_rows_correctable": 5, "ecc_volatile_corrected": 19}}, after={0: {"ecc_volatile_corrected": 26}})
    s = Sheet(21, "snipe-rl", L40S, form=0).train(240, 1.0, 10, 480).say("600 matches against the last version, played on the host", 2)
    rest = s.at
    s.say("won 338 of 600: version 2 is kept", 290).train(240, 1.0, 10, 480).say("no more versions are planned", 1)
    yield s.close(HARD, held=9, busy=shift(rest, 88, 0, rest + 288))


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, held_back, waiting, refused, well):
        yield from part()


RECIPE = Recipe("reed_bed_notes_by_pen", "development", jobs)
