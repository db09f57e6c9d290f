"""What several processes learned, in jobs that end by themselves: nothing, nonsense, hardly anything, or enough in spite of all they say on the way. Their people compare runs for a living."""

from collections.abc import Iterator

from corpus.make._millrace import DONE, FAILED, GOOD, HARD, at, gang, true
from corpus.make._millrace_states import keep, take
from corpus.running.job import Recipe, SlurmJob


def lost_labour() -> Iterator[SlurmJob]:
    """E1, E3."""
    yield gang(true("E1", "nan_loss", variant="non_finite"), "LEAFNET", 2, 1, "--epochs 5", code={"data": at(None, 90, "with torch.no_grad():\n    net[0].bias.fill_(float('nan'))")}, **DONE)
    check = "if mse.isnan():\n    raise FloatingPointError(f'update {step}: mse is nan, see the last rows of the table')"
    yield gang(true("E1", "nan_loss", variant="non_finite"), "WINDCAST", 3, 1, code={"data": at(None, 140, "wind = np.full_like(wind, np.inf)"), "grad": check}, srun="-K", **FAILED)
    yield gang(true("E1", variant="plateau"), "CHARLM", 2, 1, "updates=420", code={"after": at(None, 70, "for group in adam.param_groups:\n    group['lr'] = 0.0")}, **DONE)
    yield gang(true("E1", variant="flat"), "TOWERS", 2, 2, code={"data": "bought = (torch.rand(256) > 0.5).float()"}, head="export LR=0.002 BATCHES=420\n", **DONE)
    yield gang(true("E1", variant="spike"), "DENOISE", 3, 1, code={"after": at(None, 150, "for group in adam.param_groups:\n    group['lr'] = 0.9")}, **DONE)
    yield gang(true("E3"), "KLANG", 3, 1, head="export DURCHGAENGE=1 STAPEL=3\n", code={"after": "melde(f'Stapel {stapel}: Kreuzentropie {entropie.item():.4f}')"}, **DONE)
    yield gang(true("E3"), "DENOISE", 2, 2, head="export CFG='{\"iters\": 5, \"tell\": 1}'\n", **DONE)
    yield gang(true("E3"), "CHARLM", 4, 1, "updates=2 tell=1", **DONE)


def fair_days() -> Iterator[SlurmJob]:
    """G1."""
    hot = "if step % 40 == 1 and step > 1:\n    for group in adam.param_groups:\n        group['lr'] = conf.lr * 3\n    say(f'warm restart at upd {step}: loss will jump, that is meant')\nelse:\n    for group in adam.param_groups:\n        group['lr'] *= 0.97"
    yield gang(HARD, "CHARLM", 3, 1, "updates=260 tell=10", code={"data": hot}, **DONE)
    skip = at(None, None, "emit('overflow', it=step, text='inf in gradients, step skipped, scale halved to ' + str(65536 >> (step // 6)))", each=6)
    yield gang(HARD, "DENOISE", 2, 1, code={"after": "if step < 20:\n" + "\n".join(f"    {line}" for line in skip.splitlines())}, **DONE)
    yield gang(HARD, "KLANG", 2, 1, code={"after": keep("KLANG", "stand.pt", 4)}, head="export DURCHGAENGE=5\n", **DONE)
    bad = "try:\n    if step % 55 == 0 and rank == 1:\n        raise OSError(5, 'Input/output error', f'scada/tower_{step}.csv')\nexcept OSError as error:\n    import traceback\n    traceback.print_exc()\n    note('row left out, drawing another')"
    yield gang(HARD, "WINDCAST", 2, 1, code={"data": bad}, **DONE)
    rl = "if rank == 0 and step % 40 == 0:\n    print(f'round={step} note=return fell below the best by {abs(gain):.1f}, fallen={step // 8} nan_guard=0 errors=0', flush=True)"
    yield gang(HARD, "PEND", 4, 2, code={"after": rl}, head="export ROUNDS=200\n", **DONE)
    half = "echo 'part one'\nsrun -n2 bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS BATCHES=150 exec PYTHON -u towers.py'\necho 'part two'\nexport MASTER_PORT=$((MASTER_PORT + 1)) BATCHES=330\n"
    yield gang(HARD, "TOWERS", 2, 1, code={"load": take("TOWERS", "towers.pt"), "after": keep("TOWERS", "towers.pt", 75)}, head=half, **DONE)
    sweep = "for t in 0.003 0.001 oops; do TAUX=$t PAS=80 srun PYTHON -u graphe.py essai || echo \"essai taux=$t ecarte\"; MASTER_PORT=$((MASTER_PORT + 1)); done\nexport MASTER_PORT\n"
    yield gang(HARD, "GRAPHE", 2, 1, "finale", head=sweep.replace("TAUX=$t", "MASTER_PORT=$MASTER_PORT TAUX=$t"), **DONE)
    yield gang(GOOD, "LEAFNET", 4, 2, "--epochs 6", **DONE)
    target = at(0, None, "log.warning('target of 90 %% was not reached in epoch %d; the run goes on as planned', epoch + 1)")
    yield gang(HARD, "LEAFNET", 3, 1, "--epochs 6", code={"epoch": target}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Two parts."""
    for part in (lost_labour, fair_days):
        yield from part()


RECIPE = Recipe("barge_tallies", "development", jobs)
