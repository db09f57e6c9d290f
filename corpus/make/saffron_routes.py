"""What the queue, its people and its machines do to jobs of several ranks: nodes go, jobs come back, time runs out, owners call them off."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._otter_jobs import DONE, GOOD, HARD, OVER, job, on, shell, true
from corpus.running.job import Recipe, SlurmJob

YES = ("--requeue",)
NO = ("--no-requeue",)
KEEP = {
    "SEABED": {"load": "if os.path.exists('last.pt'):\n    kept = torch.load('last.pt')\n    net.load_state_dict(kept['net'])\n    start = kept['epoch'] + 1\n    log.info('resumed from last.pt, epoch %d follows', start)",
               "epoch": "if rank == 0:\n    torch.save({'net': net.state_dict(), 'epoch': epoch}, 'last.pt')\n    log.info('saved last.pt (epoch %d)', epoch)"},
    "QUILL": {"load": "if os.path.exists(f'{out_dir}/ckpt.pt'):\n    kept = torch.load(f'{out_dir}/ckpt.pt')\n    model.load_state_dict(kept['model'])\n    iter_num = kept['iter_num'] + 1\n    if master:\n        print(f'resuming from {out_dir}/ckpt.pt at iter {iter_num}', flush=True)",
              "after": "if iter_num % 40 == 0 and iter_num and master:\n    os.makedirs(out_dir, exist_ok=True)\n    torch.save({'model': model.module.state_dict(), 'iter_num': iter_num}, f'{out_dir}/ckpt.pt')\n    print(f'saving checkpoint to {out_dir}', flush=True)"},
    "GAUGES": {"load": "if os.path.exists('tide.pt'):\n    kept = torch.load('tide.pt')\n    for w, k in zip(weights, kept['weights']):\n        w.data.copy_(k)\n    first = kept['round'] + 1\n    note(f'goes on with round {first} of tide.pt')",
               "round": "if turn % 5 == 0 and me == 0:\n    torch.save({'weights': [w.detach() for w in weights], 'round': turn}, 'tide.pt')\n    note(f'kept round {turn} in tide.pt')"},
    "KLICKS": {"load": "if os.path.exists('gewicht.txt'):\n    zeilen = open('gewicht.txt').read().split()\n    ab, gewicht = int(zeilen[0]) + 1, [float(z) for z in zeilen[1:]]\n    melde(f'Stand geladen, weiter bei Schritt {ab}')",
               "after": "if schritt % 40 == 0 and ich == 0:\n    with open('gewicht.neu', 'w') as datei:\n        print(schritt, *gewicht, file=datei)\n    os.replace('gewicht.neu', 'gewicht.txt')\n    melde(f'Stand von Schritt {schritt} gesichert')"},
    "MINNOW": {"load": "if [ -s \"$work/epoch\" ]; then\n    from=$(($(cat \"$work/epoch\") + 1))\n    say \"picking up after epoch $((from - 1))\"\nfi", "after": "echo \"$epoch\" > \"$work/epoch\""},
}
NAP = "time.sleep(0.15)"


def gone() -> Iterator[SlurmJob]:
    """F1."""
    def lost(*ranks: int) -> Label:
        return true("F1", None, *ranks, failed=ranks, fault="node")

    dies: dict[str, Any] = {"state": "NODE_FAIL", "options": NO, "act": "lose_node"}
    yield job(lost(1), "SEABED", 2, 2, "--epochs 900 --width 8", where="-wn1,n6", code={"data": NAP}, after="epoch 2 ", **dies)
    yield job(lost(2), "KLICKS", 3, 3, head="export SCHRITTE=90000 PAUSE=0.15\n", where="-wn1,n2,n6", after="Schritt 60/", hand=1, **dies)
    yield job(lost(1), "PAIRS", 2, 2, head="export STEPS=90000\n", where="-wn2,n6", code={"data": NAP}, after="      32 ", hand=2, **dies)
    yield job(lost(2, 3), "SWARM", 4, 2, head="export GENERATIONS=90000\n", where="-wn2,n6", after="generation +12 ", **dies)
    down: dict[str, Any] = {"state": "NODE_FAIL", "options": NO, "act": "node_down"}
    yield job(true("F1", fault="node"), "LATIDO", 2, 2, head="export EPOCAS=900\n", where="-wn1,n5", code={"data": NAP}, after="época=2/", **down)
    yield job(true("F1", fault="node"), "PERLEN", head="export PASSES=9000 NAP=0.3\n", where="-wn5", after="pass 20/", **down)
    stops: dict[str, Any] = {"state": "NODE_FAIL", "options": NO, "act": "slurmd_dies"}
    yield job(true("F1", fault="node"), "BASKET", 3, 1, head="export CONF='{\"updates\": 90000}'\n", where="-wn4", code={"data": NAP}, after='"update": 40,', **stops)
    yield job(true("F1", fault="node"), "FACTORS", given="9000 0.02 300", where="-wn4", after="epoch  20/", hand=1, **stops)


def again() -> Iterator[SlurmJob]:
    """F2."""
    back, urgent = Label(mode="F2", variant="requeued_recovered", fault="none"), Label(mode="F2", variant="preempted_recovered", fault="none")
    yield job(urgent, "SEABED", 2, 1, "--epochs 12 --width 8", code={**KEEP["SEABED"], "data": NAP}, where="-wn3", act="preempt", after="saved last.pt .epoch 2", options=YES, **DONE)
    yield job(urgent, "MINNOW", head="export EPOCHS=120 PAUSE=0.3\n", code=KEEP["MINNOW"], where="-wn3", act="preempt", after="epoch=20 ", options=YES, **DONE)
    yield job(true("F2", fault="none", variant="preempted"), "BASKET", 2, 1, head="export CONF='{\"updates\": 90000}'\n", code={"data": NAP}, where="-wn3", act="preempt_for_good", after='"update": 40,', options=NO, state="PREEMPTED")
    yield job(true("F2", fault="none", variant="preempted"), "KLICKS", 3, 1, head="export SCHRITTE=90000 PAUSE=0.15\n", code=KEEP["KLICKS"], where="-wn3", act="preempt_for_good", after="Stand von Schritt 40", options=NO, state="PREEMPTED", hand=1)
    yield job(back, "GAUGES", 3, 2, head="export ROUNDS=60\n", code={**KEEP["GAUGES"], "data": "time.sleep(0.06)"}, act="requeue", after="kept round 20", options=YES, **DONE)
    yield job(back, "QUILL", 2, 1, head="export MAX_ITERS=240\n", code={**KEEP["QUILL"], "data": "time.sleep(0.1)"}, act="requeue_by_owner", after="iter 90:", options=YES, hand=1, **DONE)
    own = "run=$((${SLURM_RESTART_COUNT:-0} + 1))\necho \"part $run of 2\"\nif [ $run -eq 1 ]; then (sleep 18; echo 'end of part 1, back into the queue'; scontrol requeue $SLURM_JOB_ID) & fi\n"
    yield job(back, "KLICKS", 2, 1, head=own + "export SCHRITTE=260 PAUSE=0.15\n", code=KEEP["KLICKS"], act="requeues_itself", after="Stand von Schritt 40", options=YES, hand=2, **DONE)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    what = true("F3", variant="advancing")
    yield job(what, "SEABED", 3, 1, "--epochs 400 --width 8", code={"data": NAP}, **OVER)
    yield job(what, "PAIRS", 2, 2, head="export STEPS=20000\n", code={"data": NAP}, hand=1, **OVER)
    yield job(what, "LATIDO", 2, head="export EPOCAS=500\n", code={"data": NAP}, hand=2, **OVER)
    yield job(what, "FACTORS", given="5000 0.01 400", **OVER)
    yield job(what, "SWARM", 3, head="export GENERATIONS=20000 PAUSE=0.25\n", hand=1, **OVER)
    yield job(what, "QUILL", 2, head="export MAX_ITERS=600000\n", code={"data": NAP, "after": KEEP["QUILL"]["after"]}, **OVER)
    yield job(what, "MINNOW", head="export EPOCHS=5000 PAUSE=0.5\n", options=("--array=3", "--time=1"), **OVER)
    yield job(what, "GAUGES", 3, 1, head="export ROUNDS=4000\n", code={"data": "time.sleep(0.1)"}, hand=2, **OVER)


def called() -> Iterator[SlurmJob]:
    """F4."""
    own = Label(mode="F4", variant="by_owner", fault="none")
    ends: dict[str, Any] = {"state": "CANCELLED"}
    yield job(own, "BASKET", 3, 1, head="export CONF='{\"updates\": 90000}'\n", code={"data": NAP}, act="scancel", after='"update": 140,', **ends)
    yield job(own, "LATIDO", 2, 2, head="export EPOCAS=900\n", code={"data": NAP}, act="scancel", after="época=6/", hand=1, **ends)
    yield job(own, "PERLEN", head="export PASSES=9000 NAP=0.3\n", act="scancel", after="pass 60/", hand=2, **ends)
    yield job(own, "SEABED", 2, 1, "--epochs 900 --width 8", code={"data": NAP}, act="scancel_all_of_name", after="epoch 5 ", options=("--job-name=seabed-lr2e3",), **ends)
    yield job(own, "MINNOW", head="export EPOCHS=9000 PAUSE=0.4\n", act="scancel", after="epoch=50 ", options=("--array=11",), hand=1, **ends)
    yield job(own, "KLICKS", 4, 2, head="export SCHRITTE=90000 PAUSE=0.1\n", act="scancel", after="Schritt 220/", **ends)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield job(HARD, "PAIRS", 2, 1, head="export STEPS=240\n", code={"data": "time.sleep(0.1)"}, act="suspend", after="      80 ", hand=1, **DONE)
    stop = "import signal\nstop = []\nsignal.signal(signal.SIGUSR1, lambda *_: stop.append(1))"
    ends = on("step % 10 == 0", "asked = torch.tensor([float(len(stop))])\ndist.all_reduce(asked)\nif asked.item():\n    log.info('SIGUSR1 taken: time budget of 40 s used up, ending in order at epoch %d', epoch)\n    sys.exit(finish(net, epoch, hits / seen))")
    finish = "def finish(net, epoch, accuracy):\n    if rank == 0:\n        torch.save({'net': net.state_dict(), 'epoch': epoch}, 'final.pt')\n        log.info('final.pt written, training complete by budget: %d epochs, last accuracy %.3f', epoch, accuracy)\n    return 0"
    yield job(HARD, "SEABED", 2, 1, "--epochs 100 --width 8", code={"early": stop + "\n" + finish, "data": NAP, "after": ends}, line="srun OPTIONSRUN &\n(sleep 40; scancel --signal=USR1 $SLURM_JOB_ID.0 || true) &\nwait %1", hand=2, **DONE)
    tries = "for try in 1 2 3; do\n  srun -K RUN && break\n  echo \"try $try: rc=$?, next one in 3 s\"\n  export MASTER_PORT=$((MASTER_PORT + 11))\n  sleep 3\ndone"
    once = on("ich == 1 and schritt == 90 and not os.path.exists('schon')", "open('schon', 'w').close()\nraise OSError(110, 'Connection timed out', '/mnt/klicks/2024-05.parquet')")
    yield job(HARD, "KLICKS", 3, 1, line=tries, head="export SCHRITTE=200 PAUSE=0.06\n", code={**KEEP["KLICKS"], "data": once}, **DONE)
    yield job(GOOD, "GAUGES", 4, 2, head="export ROUNDS=50\n", **DONE)
    skip = shell("[ \"$cell\" = 6 ] && [ $((epoch % 15)) -eq 0 ]", "say \"ERROR: validation table not readable (cell_6/valid.txt: No such file or directory), validation left out\" >&2")
    yield job(HARD, "MINNOW", head="export EPOCHS=60 PAUSE=0.3\n", code={"after": skip}, options=("--array=6",), **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (gone, again, limits, called, well):
        yield from part()


RECIPE = Recipe("saffron_routes", "development", jobs)
