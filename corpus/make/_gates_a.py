"""What became of runs on many cards, first field: ended by their own words, by the kernel, by hardware."""

from __future__ import annotations

from corpus.make._ballast import A100, B200, CONTEXT, H200, IDLE, L40S, SPIN, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says, taken_down

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def misspelt() -> Made:
    """A1: a key on the command line that the configuration does not know."""
    f = Fleet(("pt-40", "pt-41"), "starcoder-sft", 7_310_020, when("2026-08-03 09:12"), per=4, agents=True, script="sft/run.py", submit_line="sbatch sft.sh trainer.micro_batch_sze=2")
    text = frames(
        ("/p/sft/sft/run.py", 88, "<module>", "main()"),
        ("/p/venv/lib/python3.11/site-packages/hydra/main.py", 94, "decorated_main", "_run_hydra("),
        ("/p/venv/lib/python3.11/site-packages/hydra/_internal/config_loader_impl.py", 391, "_apply_overrides_to_config", "raise ConfigCompositionException("),
        error="hydra.errors.ConfigCompositionException: Could not override 'trainer.micro_batch_sze'.\nTo append to your config use +trainer.micro_batch_sze=2",
    )  # fmt: skip
    f.each(8, text, tag="[rank{r}]: ", gap=0.04)
    f.end(f.ranks, 9, code=1)
    f.load([(0, IDLE), (5, IDLE)])
    for n in range(2):
        elastic(f, n, 11, [(r, 1, 9 + 0.03 * r) for r in range(4 * n, 4 * n + 4)])
    f.close("FAILED", 14, code=1)
    return made(f, "A1", "traceback", variant="config")


@job
def unshaped() -> Made:
    """A1: a head made for another width fails in the very first forward pass of all ranks."""
    f = Fleet(("qn-1", "qn-2"), "reward-head", 7_310_377, when("2026-08-04 17:40"), per=4, script="rm_train.py", submit_line="sbatch rmh.sh")
    f.each(21, "[{r}] backbone ready: 7.62B params, hidden 3584", gap=0.1)
    trace = frames(
        ("/lab/rm/rm_train.py", 208, "<module>", "main()"),
        ("/lab/rm/rm_train.py", 155, "main", "scores = head(hidden[:, -1])"),
        ("/lab/env/lib/python3.12/site-packages/torch/nn/modules/linear.py", 125, "forward", "return F.linear(input, self.weight, self.bias)"),
        error="RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x3584 and 4096x1)",
    )  # fmt: skip
    f.each(44, trace, tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, 46, code=1, gap=0.05)
    f.load([(0, IDLE), (18, CONTEXT), (22, Load(2, 1, 0.15, 0.2, 10))])
    srun_says(f, 48, "error: qn-1: tasks 0-3: Exited with exit code 1", "error: qn-2: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", 50, code=1)
    return made(f, "A1", "runtime_error")


@job
def cut_map() -> Made:
    """A2: rank 3 reads a memory-mapped token file that another job shortened: SIGBUS, no word of its own."""
    f = Fleet(("hm-1",), "bloomz-ct", 7_310_640, when("2026-08-05 13:30"), per=8, card=A100, agents=True, script="ct.py", submit_line="sbatch ct.sh")
    last = f.steps(0, range(20, 741, 20), 52, 1.9, lambda i, x, t: f"[{f.clock(t, '%m-%d %H:%M:%S')}] ct step {i} / 12000 loss: {x:.4f} tokens/s: {61_211 + i % 800}", fall(3.1, 2.4, 90))
    f.end(3, last + 1.1, signal=7)
    f.end([r for r in f.ranks if r != 3], last + 2.6, signal=15)
    sigterms(f, 0, last + 2, [0, 1, 2, 4, 5, 6, 7], "2.5")
    elastic(f, 0, last + 6, [(3, -7, last + 1.1)], version="2.5", binary="/sw/py311/bin/python")
    f.load([(0, IDLE), (48, WORK)])
    f.close("FAILED", last + 9, code=1)
    return made(f, "A2", None, first=(3,), fault="unknown")


@job
def out_of_table() -> Made:
    """A3: a token id beyond the embedding: a device-side assertion on rank 10, the driver only notes that the channel was torn down."""
    f = Fleet(("sl-1", "sl-2"), "protgpt", 7_311_019, when("2026-08-06 06:50"), per=8, script="protgpt.py", submit_line="sbatch pg.sh")
    last = f.steps(0, range(30, 961, 30), 70, 0.88, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} {i:>6} nll/res={x:.4f} lr=4e-4 {8192 * 16 / 0.88 / 1000:.0f}k res/s", fall(2.99, 2.4, 120))
    for k in range(6):
        f.say(10, last + 0.6, f"/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1308: indexSelectSmallIndex: block: [{3 + k // 3},0,0], thread: [{k * 5},0,0] Assertion `srcIndex < srcSelectDimSize` failed.")
    f.xid(10, last + 1, 43, "Ch 00000010")
    f.say(10, last + 1.2, frames(("/lab/pg/protgpt.py", 144, "<module>", "fit()"), ("/lab/pg/protgpt.py", 97, "fit", "logits = net(x)"), ("/lab/pg/net.py", 41, "forward", "pos = self.pos[:, : x.size(1)].expand(x.size(0), -1, -1).contiguous()"), error="RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"))
    f.end(10, last + 3, code=1)
    f.end([r for r in f.ranks if r != 10], last + 6, signal=9)
    f.load([(0, IDLE), (66, WORK)])
    srun_says(f, last + 4, "error: sl-2: task 10: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: sl-1: tasks 0-7: Killed", "error: sl-2: tasks 8-9,11-15: Killed")
    f.close("FAILED", last + 9, code=1)
    return made(f, "A3", "cuda_runtime", first=(10,))


@job
def big_matrix() -> Made:
    """A3: rank 0 wants all embeddings of the evaluation in one array, and the host refuses it."""
    f = Fleet(("nv-1", "nv-2"), "dual-encoder", 7_311_340, when("2026-08-07 20:20"), per=4, card=H200, script="retrieval.py", submit_line="sbatch de.sh")
    last = f.steps(0, range(100, 3001, 100), 58, 0.7, lambda i, x, t: f"{f.clock(t)} - retrieval - step {i} in-batch-loss {x:.4f} r@1 {min(0.8, 0.1 + i / 5000):.3f}", fall(5.5, 1.1, 200))
    f.say(0, last + 40, f"{f.clock(last + 40)} - retrieval - encoding 8841823 passages for the next round", "")
    f.say(0, last + 311, frames(("/home/lena/de/retrieval.py", 290, "<module>", "main()"), ("/home/lena/de/retrieval.py", 233, "mine", "scores = np.empty((len(queries), len(passages)), dtype=np.float32)"), error="numpy._core._exceptions._ArrayMemoryError: Unable to allocate 16.6 TiB for an array with shape (515231, 8841823) and data type float32"))
    f.end(0, last + 313, code=1)
    f.end(range(1, 8), last + 316, signal=9)
    f.load([(0, IDLE), (54, WORK)])
    srun_says(f, last + 314, "error: nv-1: task 0: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 319, code=1)
    return made(f, "A3", "ram_oom", first=(0,))


@job
def lost_packets() -> Made:
    """A3: InfiniBand completions fail between two nodes in the middle of a step; the ranks get NCCL's error and leave, nobody hangs."""
    f = Fleet(("mel-05", "mel-06", "mel-09", "mel-10"), "yi-34b-cpt", 7_311_702, when("2026-08-09 02:00"), per=4, script="cpt.py", submit_line="sbatch -N4 yi.sh")
    last = f.steps(0, range(5, 381, 5), 180, 14.2, lambda i, x, t: f"[{f.clock(t)}] cpt: it={i} loss={x:.4f} gn={0.2 + x / 10:.3f} tflops={388 + i % 9}", fall(2.1, 1.76, 60))
    for r, peer in ((6, 11), (11, 6)):
        f.say(r, last + 4, f"[{f.clock(last + 4)}] {f.home(r)}:400{r:02d}:404{r:02d} [{r % 4}] transport/net_ib.cc:2236 NCCL WARN NET/IB: Got completion from peer 10.9.0.{10 + peer}<{45112 + r}> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid fe80::{r} remoteGidsfe80::{peer} hca mlx5_2")
        error = f"torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, remote process exited or there was a network error, NCCL version 2.26.2\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nNET/IB: Got completion from peer 10.9.0.{10 + peer}<{45112 + r}> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_2"
        f.say(r, last + 5, frames(("/yi/cpt.py", 301, "<module>", "loop()"), ("/yi/cpt.py", 244, "loop", "torch.nn.utils.clip_grad_norm_(params, 1.0)"), error=error), f"[rank{r}]: ")
        f.end(r, last + 7, code=1)
    f.end([r for r in f.ranks if r not in (6, 11)], last + 10, signal=9)
    f.load([(0, IDLE), (120, CONTEXT), (176, WORK)])
    srun_says(f, last + 8, "error: mel-06: task 6: Exited with exit code 1", "error: mel-09: task 11: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 14, code=1)
    return made(f, "A3", "nccl", fault="unknown")


@job
def no_room() -> Made:
    """A3: the project's quota is used up in the middle of the third checkpoint."""
    f = Fleet(("od-2", "od-3"), "bart-sum", 7_312_015, when("2026-08-10 15:15"), per=4, agents=True, script="bart_sum.py", submit_line="sbatch bart.sh", card=A100)
    last = f.steps(0, range(50, 1501, 50), 55, 1.2, lambda i, x, _t: f"[rank0] {i} xent={x:.3f} rouge~{0.2 + (4 - x) / 12:.3f}" + (f"\n[rank0] saved out/bart/{i}.pt" if i in (500, 1000) else ""), fall(4.0, 1.7, 150))
    f.say(0, last + 9, frames(("/u/jon/bart_sum.py", 181, "<module>", "fit()"), ("/u/jon/bart_sum.py", 150, "fit", "torch.save(snapshot(), target)"), ("/u/jon/v/lib/python3.11/site-packages/torch/serialization.py", 966, "save", "_save("), error="OSError: [Errno 122] Disk quota exceeded: 'out/bart/1500.pt'"), "[rank0]: ")
    f.end(0, last + 11, code=1)
    f.end(range(1, 8), last + 14, signal=15)
    sigterms(f, 0, last + 12, range(1, 4))
    elastic(f, 0, last + 16, [(0, 1, last + 11)], binary="/u/jon/v/bin/python")
    sigterms(f, 1, last + 13, range(4, 8))
    f.load([(0, IDLE), (50, WORK)])
    f.close("FAILED", last + 20, code=1)
    return made(f, "A3", "traceback", first=(0,))


@job
def beam() -> Made:
    """B1: the first validation generates with eight beams and no longer fits on any card; the words of PyTorch 2.1."""
    f = Fleet(("lk-4",), "marian-big", 7_312_330, when("2026-08-11 10:00"), per=4, card=L40S, script="mt.py", submit_line="sbatch mt.sh")
    last = f.steps(0, range(200, 4001, 200), 38, 0.31, lambda i, x, _t: f"Ep. 1 : Up. {i} : Sen. {i * 512:,} : Cost {x:.4f} : Time {0.31 * 200:.2f}s : {48_100 + i % 90:.2f} words/s : gNorm {0.6 + x / 9:.4f}", fall(9.1, 3.0, 300))
    f.say(0, last + 2, "Validating: translate, beam 8, 3003 sentences")
    f.each(last + 31, frames(("/opt/mt/mt.py", 266, "<module>", "run()"), ("/opt/mt/mt.py", 201, "validate", "hyp = beam_search(net, src, width=8)"), ("/opt/mt/search.py", 77, "beam_search", "cache = [c.index_select(0, back) for c in cache]"), error="torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.91 GiB. GPU {l} has a total capacty of 44.52 GiB of which 1.02 GiB is free. Including non-PyTorch memory, this process has 43.49 GiB memory in use. Of the allocated memory 40.77 GiB is allocated by PyTorch, and 2.03 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"), gap=0.4)
    f.end(f.ranks, last + 34, code=1, gap=0.4)
    f.load([(0, IDLE), (35, Load(96, 0, 0.85, 0.61)), (last + 4, Load(93, 0, 0.7, 0.97))])
    f.close("FAILED", last + 39, code=1)
    return made(f, "B1", "cuda_oom")


@job
def poisoned() -> Made:
    """B2: an uncontained error of one card's memory; the driver asks for a reset of it, its counters went up."""
    f = Fleet(("hb-7", "hb-8"), "aurora-weather", 7_312_701, when("2026-08-12 23:45"), per=4, card=H200, script="aurora.py", submit_line="sbatch aurora.sh")
    last = f.steps(0, range(10, 811, 10), 77, 3.4, lambda i, x, t: f"{f.clock(t, '%d.%m. %H:%M:%S')} aurora {i:>5} mae_t2m={x:.4f} mae_u10={x * 1.4:.4f}", fall(2.1, 0.62, 100))
    f.xid(1, last + 2.2, 95, "Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No")
    f.xid(1, last + 2.3, 154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", named=False)
    f.marks[1] = ({"ecc_volatile_uncorrected": 0}, {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "recovery_action": "reset"})
    f.say(1, last + 4, frames(("/a/aurora.py", 311, "<module>", "train()"), ("/a/aurora.py", 260, "train", "total += loss.detach()"), error="torch.AcceleratorError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"))
    f.end(1, last + 6, code=1)
    f.end([r for r in f.ranks if r != 1], last + 9, signal=9)
    f.load([(0, IDLE), (72, WORK)])
    srun_says(f, last + 7, "error: hb-7: task 1: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 12, code=1)
    return made(f, "B2", "cuda_runtime", first=(1,), variant="fault", fault="node")


@job
def warm_water() -> Made:
    """B3: a card of a liquid-cooled node grows hot after an hour and is slowed by the hardware; the job's own rate shows the hour."""
    f = Fleet(("lc-1", "lc-2"), "phi-distil", 7_313_044, when("2026-08-14 12:12"), per=4, card=B200, agents=True, script="distil.py", submit_line="sbatch phi.sh")
    turn = 3600.0
    last = f.steps(0, range(100, 6001, 100), 60, lambda i: 1.5 if i <= 2400 else 3.6, lambda i, x, t: f"{{\"step\":{i},\"kd\":{x:.4f},\"tok_s\":{int(1_310_720 / (1.5 if i <= 2400 else 3.6))},\"h\":{t / 3600:.2f}}}", fall(3.3, 0.8, 250))
    f.say(0, last + 5, "{\"step\":6000,\"event\":\"end\",\"saved\":\"phi-distil/student\"}")
    for r in f.ranks:
        gone = int((last - turn) * 0.92e9) if r == 4 else 0
        f.marks[r] = ({"violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0}, {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone})
    f.load([(0, IDLE), (56, Load(98, 56, 0.8, 0.5, clock=0.98, heat=58)), (turn, Load(99, 22, 0.36, 0.5, clock=0.98, heat=47))])
    f.load([(0, IDLE), (56, Load(98, 56, 0.8, 0.5, clock=0.98, heat=69)), (turn, Load(99, 57, 0.33, 0.5, clock=0.35, heat=91, throttle=0x48))], [4])
    f.close("COMPLETED", last + 12)
    return made(f, "B3", fault="node")


@job
def whole_rack() -> Made:
    """B3: all cards of one of two racks are braked from the first minute; the clocks stand at a third, thermal and power brake counters run."""
    f = Fleet(("ra-1", "rb-1"), "swin-video", 7_313_390, when("2026-08-15 16:00"), per=4, card=A100, script="video/main.py", submit_line="sbatch swinv.sh")
    last = f.steps(0, range(20, 1401, 20), 50, 2.8, lambda i, x, t: f"{f.clock(t)} | train {i}/1400 | top1-loss {x:.3f} | {64 / 2.8:.1f} clips/s", fall(5.9, 2.0, 110))
    f.say(0, last + 6, f"{f.clock(last + 6)} | done, 1400 iterations")
    for r in f.ranks:
        gone = int(last * 0.95e9) if r >= 4 else 0
        f.marks[r] = ({"violation_hw_power_brake_ns": 0, "violation_power_ns": 0, "violation_hw_thermal_ns": 0, "violation_thermal_ns": 0}, {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone})
    f.load([(0, IDLE), (46, Load(99, 0, 0.5, 0.6, clock=0.98, heat=50))], range(4))
    f.load([(0, IDLE), (46, Load(99, 0, 0.34, 0.6, clock=0.35, heat=45, throttle=0x88))], range(4, 8))
    f.close("COMPLETED", last + 11)
    return made(f, "B3", fault="node")


@job
def wrong_bridge() -> Made:
    """C1: NCCL takes the container bridge of each node for its bootstrap; no rank of the other node can be reached, nothing more is said, the limit comes."""
    f = Fleet(("dk-1", "dk-2", "dk-3"), "vits-multi", 7_313_711, when("2026-08-16 08:08"), per=4, limit_s=7200, card=A100, script="vits/train_ms.py", submit_line="sbatch --time=2:00:00 vits.sh")
    f.each(10, "{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\n{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO cudaDriverVersion 12020\nNCCL version 2.18.6+cuda12.1")
    taken_down(f, 7212, "DUE TO TIME LIMIT")
    f.end(f.ranks, 7214, signal=15)
    f.load([(0, IDLE), (10, CONTEXT)])
    f.close("TIMEOUT", 7218, signal=15)
    return made(f, "C1", fault="user")


@job
def one_left_early() -> Made:
    """C2: rank 9 stops with an exception and srun lets the others be: they wait for it in the next step until their owner cancels."""
    f = Fleet(("ot-3", "ot-4"), "layoutlm-v4", 7_314_020, when("2026-08-17 19:30"), per=8, script="layout.py", submit_line="sbatch --wait-all-nodes=1 lay.sh")
    last = f.steps(0, range(40, 1641, 40), 63, 1.0, lambda i, x, t: f"it {i:>5} | mlm+itm {x:.4f} | {f.clock(t, '%H:%M:%S')}", fall(8.8, 2.2, 170))
    f.say(9, last + 0.4, frames(("/w/layout.py", 280, "<module>", "train()"), ("/w/layout.py", 211, "train", "batch = collate(next(stream))"), ("/w/collate.py", 38, "collate", "boxes = np.stack([p[\"bbox\"] for p in pages])"), error="ValueError: all input arrays must have the same shape"))
    f.end(9, last + 2, code=1)
    end = last + 5 * 3600 + 620
    f.end([r for r in f.ranks if r != 9], end + 1, signal=15)
    srun_says(f, last + 3, "error: ot-4: task 9: Exited with exit code 1")
    taken_down(f, end, "")
    f.load([(0, IDLE), (60, WORK), (last + 2, SPIN)])
    f.load([(0, IDLE), (60, WORK), (last + 2, IDLE)], [9])
    f.close("CANCELLED", end + 4, signal=15, cancelled_by_uid=1042)
    return made(f, "C2", "traceback", first=(9,), trigger="A3")


@job
def locked_file() -> Made:
    """C3: one card; at its evaluation the process waits for a lock on a file of a shared home; five hours of nothing, then the limit."""
    f = Fleet(("cu-9",), "roberta-squad", 7_314_355, when("2026-08-18 14:00"), per=1, card=L40S, limit_s=21_600, script="squad.py", submit_line="sbatch --time=6:00:00 squad.sh")
    last = f.steps(0, range(50, 901, 50), 25, 0.55, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {2 + x:.3f}, 'learning_rate': {3e-5 * (1 - i / 8000):.3e}, 'epoch': {i / 4000:.2f}}}", fall(5.9, 1.3, 90))
    f.say(0, last + 30, "***** Running Evaluation *****\n  Num examples = 10784\n  Batch size = 64")
    taken_down(f, 21_606, "DUE TO TIME LIMIT")
    f.end(0, 21_609, signal=15)
    f.load([(0, IDLE), (22, Load(95, 0, 0.8, 0.4)), (last + 75, Load(0, 0, 0.17, 0.4, 0))])
    f.looks[0] = {"state": "S", "wchan": "fcntl_setlk", "cpu_s": 640.0, "looks": 2100, "waits": {}, "file_systems": ()}
    f.close("TIMEOUT", 21_612, signal=15)
    return made(f, "C3", fault="unknown")
