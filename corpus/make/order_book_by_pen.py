"""By hand: one process on one card that is full, broken or held back by heat or by its supply, in other houses' words, with what was read of the card."""

from collections.abc import Callable, Iterator, Mapping
from random import Random

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

BEGAN_NS = 1_798_200_000_000_000_000
Lines = list[tuple[float, str]]
Curve = Callable[[float], float]
H100 = {"name": "NVIDIA H100 PCIe", "memory_total_bytes": 80 * GIB, "driver_version": "550.90.07", "sm_clock_max_mhz": 1755, "power_limit_mw": 350_000}
L40S = {"name": "NVIDIA L40S", "memory_total_bytes": 48 * GIB, "driver_version": "555.42.06", "sm_clock_max_mhz": 2520, "power_limit_mw": 350_000}
V100 = {"name": "Tesla V100-SXM2-32GB", "memory_total_bytes": 32 * GIB, "driver_version": "535.183.01", "sm_clock_max_mhz": 1530, "power_limit_mw": 300_000}
A10 = {"name": "NVIDIA A10", "memory_total_bytes": 24 * GIB, "driver_version": "535.161.08", "sm_clock_max_mhz": 1695, "power_limit_mw": 150_000}
ALONE = {"failed_ranks": (0,), "first_ranks": (0,)}
FULL = Label(mode="B1", cause="cuda_oom", fault="user", **ALONE)  # type: ignore[arg-type]
BROKEN = Label(mode="B2", cause="cuda_runtime", fault="node", **ALONE)  # type: ignore[arg-type]
HELD = Label(mode="B3", fault="node")
ASYNC = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"


def entry(number: int, name: str, label: Label, lines: Lines, card: Mapping[str, object], held: Curve, busy: Curve, *, code: int = 1, before: Mapping[str, object] | None = None, after: Mapping[str, object] | None = None, lost: bool = False, xid: tuple[float, int, str] | None = None, **curves: Curve) -> HandJob:  # fmt: skip  # noqa: PLR0917
    """A job of one task: what it printed, and by the second the GiB held, how busy the card was, and more curves."""
    dice = Random(8800 + number)
    hand = Hand((f"nv{40 + number}",), job_id=31_450 + 17 * number, gpus=1, name=name, start_ns=BEGAN_NS + number * 4 * 10**12, submit_line=f"sbatch --gres=gpu:1 {name}.slurm")
    node, end = hand.nodes[0], lines[-1][0] + 1.3
    hand.rank(0, node, lines, code=code, end=end, stream="both")
    if xid:
        at, what, words = xid
        hand.kernel(node, at, "xid", f"NVRM: Xid (PCI:0000:1b:00): {what}, {words}", gpu=0, pci="0000:1b:00", xid=what)
    state = "FAILED" if code else "COMPLETED"
    hand.ended(state, code=code, end=end + 1, steps=(("batch", state, code, 0), ("0", state, code, 0)))
    at_s = [(end + 1) * k / 79 for k in range(80)]
    seen = [t for t in at_s if not (lost and xid and t > xid[0])]
    load = [busy(t) for t in seen]
    series = {
        "utilization_percent": [b and b - dice.uniform(0, 5) for b in load], **({"sm_activity_percent": [b * 0.55 + (dice.uniform(-3, 3) if b else 0) for b in load]} if "H100" in str(card["name"]) else {}),
        "memory_used_bytes": [held(t) * GIB for t in seen], "power_mw": [(card["power_limit_mw"] * 0.7 if b else 58_000) + dice.uniform(-4000, 4000) for b in load],  # type: ignore[operator]
        **{name: [curve(t) + (0 if name == "throttle_reasons" else dice.uniform(-0.4, 0.4)) for t in seen] for name, curve in curves.items()},
    }  # fmt: skip
    hand.gpu(node, 0, {**card, **(before or {})}, None if lost else {**(after or {})}, **series)
    return HandJob(label, hand)


def steady(value: float, since: float = 0.0, till: float = 1e9) -> Curve:
    """A value from one second to another, and nothing before and after."""
    return lambda t: value if since <= t < till else 0.0


def turns(at_s: float, before: float, after: float) -> Curve:
    """One value until then, another from then on."""
    return lambda t: before if t < at_s else after


def full() -> Iterator[HandJob]:
    """B1."""
    dice = Random(41)
    rows: Lines = [(6.0, ">>> world: 1 | bf16 | grad ckpt off | seq 32768"), (31.0, ">>> loaded 3,212,749,824 parameters"), (44.0, ">>> first forward pass ...")]
    text = 'Traceback (most recent call last):\n  File "/u/mira/longctx/pretrain.py", line 502, in <module>\n    main(parse())\n  File "/u/mira/longctx/pretrain.py", line 377, in main\n    loss = fused_linear_ce(h, head.weight, y)\n  File "/u/mira/longctx/losses.py", line 63, in fused_linear_ce\n    logits = (h @ w.T).float()\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 62.62 GiB. GPU 0 has a total capacity of 79.19 GiB of which 51.84 GiB is free. Including non-PyTorch memory, this process has 27.33 GiB memory in use. Of the allocated memory 26.01 GiB is allocated by PyTorch, and 829.50 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-alloc-conf)'
    yield entry(0, "longctx", FULL, [*rows, (49.0, text)], H100, lambda t: 27.3 if t > 30 else 0.3, steady(0.0))
    rows = [(12.0, "2026-12-19 21:14:02.1 | INFO     | __main__:fit:88 - 1 x NVIDIA L40S, 46068 MiB"), *((20.0 + 1.1 * i, f"2026-12-19 21:{14 + int((20 + 1.1 * i) // 60):02d}:{int(20 + 1.1 * i) % 60:02d}.4 | INFO     | __main__:fit:{131} - it={i * 5} total={3.9 * (1 + i / 20) ** -0.4 + dice.uniform(0, 0.02):.4f} mem={18.2 + 0.098 * i:.1f}G") for i in range(1, 281, 4))]  # fmt: skip
    end = rows[-1][0]
    text = "2026-12-19 21:19:40.2 | ERROR    | __main__:<module>:190 - An error has been caught in function '<module>', process 'MainProcess' (71204), thread 'MainThread' (139841):\nTraceback (most recent call last):\n> File \"/home/okoro/gsplat/fit.py\", line 190, in <module>\n    fit(cfg)\n  File \"/home/okoro/gsplat/fit.py\", line 127, in fit\n    history.append(loss)  # kept for the plot\n  File \"/home/okoro/gsplat/raster.py\", line 44, in render\n    tiles = torch.zeros(n_tiles, 256, 4, device=xyz.device)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 340.00 MiB. GPU 0 has a total capacity of 44.40 GiB of which 117.31 MiB is free. Process 71204 has 44.27 GiB memory in use. Of the allocated memory 43.02 GiB is allocated by PyTorch, and 702.11 MiB is reserved by PyTorch but unallocated."
    yield entry(1, "gsplat-garden", FULL, [*rows, (end + 1, text)], L40S, lambda t: min(44.3, 18 + 0.085 * t) if t > 12 else 0.2, steady(96, 18, end))
    rows = [(4.0, "Using TensorFlow 2.16.1, 1 GPU"), *((30.0 + 22 * e, f"Epoch {e}/25\n212/212 - 21s - 99ms/step - dice: {0.4 + 0.5 * (1 - 2.7 ** (-e / 4)):.4f} - loss: {0.9 * 2.7 ** (-e / 5):.4f}") for e in range(1, 7))]
    end = rows[-1][0]
    text = '2026-12-20 03:44:51.220817: W external/local_tsl/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 6.75GiB (rounded to 7247757312)requested by op StatefulPartitionedCall\nTraceback (most recent call last):\n  File "/data/petrov/kidney/train3d.py", line 118, in <module>\n    print(model.evaluate(val_whole, verbose=2))\n  File "/opt/tf/lib/python3.11/site-packages/keras/src/utils/traceback_utils.py", line 122, in error_handler\n    raise e.with_traceback(filtered_tb) from None\ntensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nOOM when allocating tensor with shape[1,64,320,320,272] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:__inference_one_step_on_iterator_40177]'
    yield entry(2, "kidney3d", FULL, [*rows, (end + 8, text)], V100, lambda t: 29.8 if t > 5 else 0.0, steady(91, 28, end))
    rows = [(9.0, "[llm] engine: 8.03B weights, fp16, kv cache 0.90"), (52.0, "[llm] weights take 15.0 GiB"), *((60.0 + 6 * i, f"[sampler] round {i}: {64 * i} prompts, mean reward {0.2 + 0.02 * i:.3f}, kl {0.01 * i:.3f}") for i in range(1, 9))]
    end = rows[-1][0]
    text = 'Traceback (most recent call last):\n  File "/proj/rlhf/ppo_single.py", line 241, in <module>\n    stats = ppo.step(queries, answers, rewards)\n  File "/proj/rlhf/ppo_single.py", line 160, in step\n    self.accelerator.backward(loss)\n  File "/opt/conda/lib/python3.10/site-packages/torch/_tensor.py", line 522, in backward\n    torch.autograd.backward(\nRuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`'
    yield entry(3, "ppo-single", FULL, [*rows, (end + 4, text)], A10, lambda t: 0.2 if t < 9 else min(23.9, 15.3 + max(0.0, t - 55) * 0.2), steady(83, 58, end))
    rows = [(3.0, "graph: 2,449,029 nodes 61,859,140 edges, full batch"), (14.0, "epoch 0 compiling"), (37.0, "epoch 1 | loss 3.871 | val 0.121 | 22.1 s"), (41.0, "epoch 2 | loss 3.420 | val 0.207 | 4.0 s")]
    text = 'jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 24743656000 bytes.\n--------------------\nFor simplicity, JAX has removed its internal frames from the traceback of the following exception. Set JAX_TRACEBACK_FILTERING=off to include these.\n\nTraceback (most recent call last):\n  File "/u/lena/products/gcn.py", line 93, in <module>\n    acc = evaluate(params, graph, hops=3)\n  File "/u/lena/products/gcn.py", line 71, in evaluate\n    return predict(params, graph.square()).block_until_ready()\nRESOURCE_EXHAUSTED: Out of memory allocating 24743656000 bytes.'
    yield entry(4, "gcn-products", FULL, [*rows, (45.0, text)], {**H100, "name": "NVIDIA H100 NVL"}, lambda t: 61.0 if t > 13 else 0.4, steady(70, 16, 43))


def broken() -> Iterator[HandJob]:
    """B2."""
    dice = Random(42)
    rows: Lines = [(22.0 + 0.5 * i, f"{i:>6} | {2.9 * (1 + i / 90) ** -0.5 + dice.uniform(0, 0.04):.4f} | {1e-4:.1e} | {812 + dice.randrange(30)} ev/s") for i in range(10, 900, 15)]
    end = rows[-1][0]
    text = 'Traceback (most recent call last):\n  File "/eos/user/jets/tag.py", line 166, in <module>\n    running += float(loss)\ntorch.AcceleratorError: CUDA error: unspecified launch failure\n' + ASYNC
    yield entry(5, "jet-tagger", BROKEN, [*rows, (end + 5, text)], V100, lambda t: 14.0 if t > 15 else 0.0, steady(88, 20, end), lost=True, xid=(end + 0.8, 79, "pid=20455, name=python, GPU has fallen off the bus."))
    rows = [(40.0 + 9.5 * i, f"[{i:03d}/200] L1 {0.21 * (1 + i / 9) ** -0.6:.5f}  LPIPS {0.48 * (1 + i / 12) ** -0.5:.4f}  psnr {19 + 9 * (1 - 2.7 ** (-i / 30)):.2f}") for i in range(1, 44)]
    end = rows[-1][0]
    text = 'Traceback (most recent call last):\n  File "/home/sven/superres/main.py", line 97, in <module>\n    train(opt)\n  File "/home/sven/superres/main.py", line 61, in train\n    scaler.scale(loss).backward()\nRuntimeError: CUDA error: uncorrectable ECC error encountered\n' + ASYNC
    ecc: dict[str, object] = {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1}
    yield entry(6, "sr-x4", BROKEN, [*rows, (end + 6, text)], A10, lambda t: 20.1 if t > 30 else 0.2, steady(97, 36, end), after={**ecc, "remap_pending": True, "remapped_rows_uncorrectable": 1}, xid=(end + 5.2, 95, "pid=311200, name=python3, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No"))
    rows = [(25.0 + i, f"step={i * 4} loss={11.0 * (1 + i / 6) ** -0.4 + dice.uniform(0, 0.05):.3f} gnorm={dice.uniform(0.4, 1.1):.2f} tok/s={dice.randrange(23000, 23900)}") for i in range(1, 260, 2)]
    end = rows[-1][0]
    text = "jax.errors.JaxRuntimeError: INTERNAL: Failed to synchronize the stop event: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"
    yield entry(7, "lm-350m", BROKEN, [*rows, (end + 3, text)], H100, lambda t: 72.0 if t > 12 else 0.5, steady(98, 24, end), after={"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2}, xid=(end + 2.1, 48, "pid=77120, name=python3.12, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 3, subpartition 0."))
    rows = [(18.0 + 4 * i, f"  {i:4d}  policy {dice.uniform(-0.03, 0.03):+.4f}  value {0.9 * (1 + i / 9) ** -0.7:.4f}  return {20 + 1.9 * i:.1f}") for i in range(1, 70)]
    end = rows[-1][0]
    text = 'Traceback (most recent call last):\n  File "/scratch/walker/ppo.py", line 203, in <module>\n    obs = obs.to(device, non_blocking=True)\ntorch.AcceleratorError: CUDA error: unknown error\n' + ASYNC
    yield entry(8, "walker-ppo", BROKEN, [*rows, (end + 12, text)], L40S, lambda t: 7.5 if t > 14 else 0.2, steady(61, 16, end), lost=True, xid=(end + 1.0, 119, "pid=41877, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20801702 0x4)."))
    rows = [(35.0 + 1.5 * i, f"Iter {i * 20:6d}  d_loss {0.6 + dice.uniform(-0.1, 0.1):.4f}  g_loss {1.1 + dice.uniform(-0.2, 0.2):.4f}  r1 {dice.uniform(0.01, 0.05):.4f}  fid50k n/a") for i in range(1, 150, 2)]
    end = rows[-1][0]
    text = 'Traceback (most recent call last):\n  File "/home/yuki/gan/train.py", line 318, in <module>\n    training_loop(**args)\n  File "/home/yuki/gan/train.py", line 244, in training_loop\n    grads = torch.cat([p.grad.flatten() for p in params])\nRuntimeError: CUDA error: uncorrectable ECC error encountered\n' + ASYNC
    yield entry(9, "gan-faces", BROKEN, [*rows, (end + 2, text)], {**H100, "name": "NVIDIA A100 80GB PCIe", "sm_clock_max_mhz": 1410}, lambda t: 66.0 if t > 20 else 0.2, steady(95, 30, end), before={"ecc_aggregate_corrected": 9}, after={**ecc, "remapped_rows_uncorrectable": 1, "remap_pending": True}, xid=(end + 1.4, 63, "pid=5119, name=python, Row Remapper: New row (0x0000000002b4d1c0) marked for remapping, reset gpu to activate."))


def held_back() -> Iterator[HandJob]:
    """B3: from some second on the clock is held down, and every step takes longer."""
    zero: dict[str, object] = {f"violation_{k}_ns": 0 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}
    houses = (
        ("asr-large", H100, "upd {i:>5} | ctc {x:.4f} | {rate:.1f} utt/s | lr 2.0e-4", 240, 0.9, 3.1, 610, False, "done: 240 updates"),
        ("maskedimg", L40S, "{{\"step\": {i}, \"mim\": {x:.5f}, \"img_s\": {rate:.1f}}}", 200, 1.2, 3.4, 690, True, '{"event": "finished", "step": 200}'),
        ("dna-mamba", A10, "[{i}/180] bpb={x:.4f} ({rate:.2f} samples/s)", 180, 1.5, 4.8, 435, False, "[180/180] all done, weights in out/final.pt"),
        ("seg-cells", V100, "epoch {i} of 150 -- jaccard loss {x:.4f} -- {rate:.1f} tiles/s", 150, 1.4, 4.2, 405, True, "finished; test jaccard 0.871"),
    )
    for number, (name, card, form, steps, quick, slow, clock, brake, last) in enumerate(houses):
        dice, at, rows = Random(430 + number), 24.0, [(7.0, f"{card['name']}, {steps} to go")]
        hot = 0.0
        for i in range(1, steps + 1):
            late = i > steps * 2 // 5
            hot = hot or (at if late else 0.0)
            pace = (slow if late else quick) * dice.uniform(0.96, 1.04)
            at += pace
            if i % 5 == 0:
                rows.append((at, form.format(i=i, x=0.3 + 1.9 * (1 + i / 14) ** -0.7 + dice.uniform(0, 0.01), rate=64 / pace)))
        rows.append((at + 2, last))
        kinds = ("hw_power_brake", "power") if brake else ("hw_thermal", "thermal")
        gone = {f"violation_{k}_ns": int((at - hot) * 0.96e9) for k in kinds}
        top = float(card["sm_clock_max_mhz"])  # type: ignore[arg-type]
        yield entry(
            10 + number, name, HELD, rows, card, steady(11.0, 8), steady(98, 22, at), code=0, before=zero, after=gone,
            sm_clock_mhz=turns(hot, top - 30, clock), temperature_c=turns(hot, 64, 64 if brake else 93), throttle_reasons=turns(hot, 0, 0x88 if brake else 0x60),
        )  # fmt: skip


def starved() -> Iterator[HandJob]:
    """D1: for seconds at a time the card has nothing to do, step after step."""
    label = Label(mode="D1", fault="user")
    dice = Random(44)
    rows: Lines = [(5.0, "reading TIFFs from /archive (nfs), 1 loader"), *((20.0 + 7.0 * i, f"tile batch {i:>3}/120 | focal {0.08 + 0.6 * (1 + i / 9) ** -0.8 + dice.uniform(0, 0.004):.4f} | wait {5.6 + dice.uniform(-0.5, 0.5):.2f} s | step {1.3 + dice.uniform(-0.1, 0.1):.2f} s") for i in range(1, 121)), (864.0, "epoch finished, val focal 0.151")]  # fmt: skip
    yield entry(14, "landcover", label, rows, H100, lambda t: 31.0 if t > 15 else 0.3, lambda t: 88.0 if 20 < t < 862 and int(t / 10.95) % 5 == 0 else 0.0, code=0)
    rows = [(3.0, "{\"loader\": \"webdataset\", \"workers\": 2, \"prefetch\": 0}"), *((30.0 + 4.2 * i, f"{{\"n\": {i * 2}, \"clip\": {2.1 + 2.4 * (1 + i / 11) ** -0.6:.4f}, \"data_s\": {3.3 + dice.uniform(-0.3, 0.3):.2f}, \"gpu_s\": {0.8 + dice.uniform(-0.05, 0.05):.2f}}}") for i in range(1, 161)), (704.0, "{\"done\": 320}")]  # fmt: skip
    yield entry(15, "audio-clip", label, rows, {**H100, "name": "NVIDIA H100 NVL"}, lambda t: 48.0 if t > 22 else 0.3, lambda t: 79.0 if 30 < t < 702 and int(t / 8.9) % 4 == 0 else 0.0, code=0)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (full, broken, held_back, starved):
        yield from part()


RECIPE = Recipe("order_book_by_pen", "development", jobs)
