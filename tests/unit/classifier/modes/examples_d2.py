"""D2: saves, the interconnect, launch blocking."""

from __future__ import annotations

from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import busy, done, gpu, process, series, sm, trained


def _saving(every: int, *, cost: float = 0.0) -> Run:
    lines, times, clock = "", [], 0.0
    for i in range(1, 101):
        clock += 1.0
        lines += steps(i, i)
        times.append(clock)
        if i % every == 0:
            clock += cost
            lines += f"Saving model checkpoint to out/checkpoint-{i}\n"
            times.append(clock)
    return Run().rank(0, "n1", lines, code=0, end=clock + 5, times=times)


def _told(step: str, save: str, *, every: int = 1, cost: float = 0.5, apart: int = 5, steps_: int = 90) -> Run:
    """A run that tells of its steps and its saves in words of its own."""
    lines, times, clock = "", [], 0.0
    for i in range(1, steps_ + 1):
        clock += 0.4
        if i % apart == 0:
            lines += step.format(i=i, loss=2.3 * 0.99**i) + "\n"
            times.append(clock)
        if i % every == 0:
            clock += cost
            lines += save.format(i=i, s=cost) + "\n"
            times.append(clock)
    return Run().rank(0, "n1", lines, code=0, end=clock + 5, times=times)


def _begun_and_done(cost: float, *, step: float = 2.0, meanwhile: bool = False) -> Run:
    """A save at every fifth step, told when it begins and, by two files, when it is done; ``meanwhile`` the run goes on."""
    lines, times, clock = "", [], 0.0
    for i in range(5, 305, 5):
        clock += 5 * step
        lines += f"step {i}/300 loss {2.0 - i / 400:.4f}\nSaving model checkpoint to /nfs/out/checkpoint-{i}\n"
        times += [clock, clock + 0.1]
        if meanwhile:
            lines += f"step {i + 1}/300 loss {2.0 - (i + 1) / 400:.4f}\n"
            times.append(clock + cost / 2)
        else:
            clock += cost
        lines += f"Model weights saved in /nfs/out/checkpoint-{i}/model.safetensors\nTrainer state saved in /nfs/out/checkpoint-{i}/state.json\n"
        times += [clock + (cost if meanwhile else 0.0)] * 2
    return Run().rank(0, "n1", lines, code=0, end=clock + 20, times=times)


def _ends(run: Run):
    return lambda: done(run, end=400)


def _exchanging(told: str, network: str = "Socket", first: str = "") -> Run:
    """Two nodes without SM activity; what each step spent its time on, by the program's own word; ``first``: a line at its head."""
    head = f"{first}n1:7:7 [0] NCCL INFO Using network {network}\n"
    text = head + "".join(f"step={5 * i} loss={3.0 / (1 + i / 9):.4f} {told}\n" for i in range(1, 31))
    run = Run(("n1", "n2")).rank(0, "n1", text, code=0, end=330, times=[*([0.5] if first else []), 1.0, *(10.0 * i + 1 for i in range(1, 31))])
    return run.rank(1, "n2", head, code=0, end=330)


EXAMPLES_OF_WORDS = {
    "a tag and a file's name": ("[step {i:5d}/90] xent={loss:.4f}", "[saved] w.pkl at step {i}"),
    "an event of logfmt": ("t=1 lvl=info step={i}/90 logloss={loss:.5f}", "t=1 lvl=info event=checkpoint step={i} file=table-{i}.npz s={s}"),
    "checkpoints, in the plural": ("[TRAIN] Iter: {i} Loss: {loss}", "Saved checkpoints at logs/b/{i:06d}.tar"),
    "an arrow": ("step {i}/90 loss {loss:.4f}", "  -> w/{i:05d}.pt ({s} s)"),
    "German": ("Schritt {i} von 90: Verlust {loss:.4f}", "Zwischenstand nach Schritt {i} gesichert"),
}


def _even(active: float, engine: float = 99.0, ranks: int = 4, **more) -> Run:
    run = trained(200, ranks=ranks, nodes=("n1", "n2"))
    for rank in range(ranks):
        node = f"n{1 + rank // 2}"
        run.node(
            node, series=[busy(node, [engine] * 21, f"GPU-{rank}", every=10), sm(node, [active + rank % 2] * 21, f"GPU-{rank}", every=10)], **more
        )
    return run


def _drawing(watts: float, clock: float = 1380.0, ranks: int = 4) -> Run:
    """Engines at their full, power and clocks; no SM activity."""
    run = trained(200, ranks=ranks, nodes=("n1",))
    for rank in range(ranks):
        uuid = f"GPU-{rank}"
        told = [series("gpu_power_mw", "n1", [watts * 1000] * 21, uuid=uuid, every=10), series("gpu_sm_clock_mhz", "n1", [clock] * 21, uuid=uuid, every=10)]
        run.node("n1", series=[busy("n1", [99.0] * 21, uuid, every=10), *told])
    cards = tuple(gpu("n1", f"GPU-{rank}", power_limit_mw=400_000, sm_clock_max_mhz=1410) for rank in range(ranks))
    return run.node("n1", gpus_after=cards)


def _blocking(name: str, value: str = "1", **environment: str) -> Run:
    return trained(200).node("n1", processes=(process(rank=0, environment={name: value, **environment}),))


EXAMPLES = {
    "sockets, and most of each step in what is exchanged": lambda: done(_exchanging("allgather_ms=18000 compute_ms=2000")),
    "sockets, and its share told": lambda: done(_exchanging("comm_share=0.90 sec=9.66")),
    **{f"a save at every step, told by {name}": _ends(_told(*words)) for name, words in EXAMPLES_OF_WORDS.items()},
    "a save at every tenth step that took, as it says, most of the time": _ends(
        _told("step {i} loss {loss:.4f}", "w.pt written in {s} s", every=10, cost=8.0, apart=10, steps_=200)
    ),
    "transformers: a save at every step": lambda: done(_saving(1), end=120),
    "saves that are told to begin and to be done": lambda: done(_begun_and_done(8.0), end=1300),
    "a fifth of the time in saves": lambda: done(_saving(10, cost=10.0), end=230),
    "engines busy at a quarter of the power on all ranks": lambda: done(_drawing(112.0)),
    "engines busy with idle SMs on all ranks": lambda: done(_even(8.0)),
    "CUDA_LAUNCH_BLOCKING": lambda: done(_blocking("CUDA_LAUNCH_BLOCKING")),
    "AMD_SERIALIZE_KERNEL": lambda: done(_blocking("AMD_SERIALIZE_KERNEL", "3")),
}
NEAR_MISSES = {
    "saves that are done soon": lambda: done(_begun_and_done(0.5), end=700),
    "saves while the run goes on": lambda: done(_begun_and_done(8.0, meanwhile=True), end=700),
    "sockets, and little in what is exchanged": lambda: done(_exchanging("allgather_ms=1800 compute_ms=20000")),
    "most of it in what is exchanged, over InfiniBand": lambda: done(_exchanging("allgather_ms=18000 compute_ms=2000", "IB")),
    "nccl-tests, for which the exchange is the work": lambda: done(
        _exchanging("allgather_ms=18000 compute_ms=2000", first="# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor)\n")
    ),
    "engines busy at most of the power": lambda: done(_drawing(310.0)),
    "engines busy at little power and a low clock": lambda: done(_drawing(112.0, clock=700.0)),
    "one card alone at little power": lambda: done(_drawing(112.0, ranks=1)),
    "CUDA's advice line": lambda: done(
        trained(200).rank(1, "n1", "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.\n", code=0, end=210, local=1, times=[1.0])
    ),
    "the flag set to 0": lambda: done(_blocking("CUDA_LAUNCH_BLOCKING", "0")),
    "a quick save at every thirtieth step, told in other words": _ends(_told("[step {i}/90] xent={loss:.4f}", "[saved] w.pkl at step {i}", every=30)),
    "a save behind each pass, which is judged by other data": _ends(_told("{i:3d} train {loss:.3f} valid {loss:.3f}", "    saved best.pt", apart=1)),
    "a save behind each generation": _ends(_told("generation {i} best -{loss:.3f}", "policy stored (generation {i})", apart=1, cost=3.0)),
    "saves that take next to no time, as they say": _ends(_told("step {i} loss {loss:.4f}", "saved w{i}.pt in {s} s", cost=0.005)),
    "saves written behind the run's back": _ends(
        _told("step {i} loss {loss:.4f}", "w.pt written in the background in {s} s", every=10, cost=0.2, apart=10, steps_=200)
    ),
    "a save at every fiftieth step": lambda: done(_saving(50), end=120),
    "one rank alone is bound by its own kernels": lambda: done(
        trained(200).node("n1", series=[busy("n1", [99.0] * 21, every=10), sm("n1", [9.0] * 21, every=10)])
    ),
    "one rank far above the others": lambda: done(
        _even(8.0).node("n1", series=[sm("n1", [60.0] * 21, "GPU-9", every=10), busy("n1", [99.0] * 21, "GPU-9", every=10)])
    ),
}
