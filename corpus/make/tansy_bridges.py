"""What becomes of jobs in the queue, and of those that end well but did little: nodes, requeues, limits, owners, curves, states kept and not found."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._tansy_jobs import DONE, FAILED, GOOD, HARD, LATE, OVER, job, true, when
from corpus.running.job import Recipe, SlurmJob

YES, NO = ("--requeue",), ("--no-requeue",)
KEPT = {
    "DUNE": {"load": "if os.path.exists('curve.txt'):\n    begin, *curve = (float(n) for n in open('curve.txt').read().split())\n    begin = int(begin) + 1\n    note(f'curve.txt read, going on with step {begin}')",
             "after": "if ID == 0 and step % 40 == 0:\n    Path('curve.new').write_text(' '.join(str(n) for n in (step, *curve)))\n    os.replace('curve.new', 'curve.txt')\n    note(f'curve kept at step {step}')"},
    "SHELLS": {"load": "if [ -f round.txt ]; then\n    from=$(($(cat round.txt) + 1))\n    stamp \"centres of round $((from - 1)) taken up\"\nfi", "after": "echo \"$round\" > round.txt"},
    "MAREE": {"load": "if os.path.exists('etat.pt'):\n    etat = torch.load('etat.pt')\n    reseau.load_state_dict(etat['reseau'])\n    opt.load_state_dict(etat['opt'])\n    debut = etat['epoque'] + 1\n    print(f'État de l’époque {debut - 1} repris', flush=True)",
              "after": "torch.save({'reseau': reseau.state_dict(), 'opt': opt.state_dict(), 'epoque': epoque}, 'etat.neuf')\nos.replace('etat.neuf', 'etat.pt')"},
}
WEIGHTS = "if rank == 0:\n    os.makedirs(opts.out, exist_ok=True)\n    torch.save({'body': body.state_dict(), 'epoch': epoch + 1}, f'{opts.out}/last.pt')\n    log.info('saved %s/last.pt', opts.out)"
RESUMED = "if opts.resume:\n    log.info('resuming from %s', opts.resume)\n    kept = torch.load(opts.resume)\n    body.load_state_dict(kept['body'])\n    first = kept['epoch']\n    log.info('resumed, %d epochs are done', first)"
NEVER = 90_000


def gone() -> Iterator[SlurmJob]:
    """F1."""
    def lost(*ranks: int) -> Label:
        return true("F1", None, *ranks, failed=ranks, fault="node")

    dies: dict[str, Any] = {"state": "NODE_FAIL", "options": NO, "act": "lose_node"}
    yield job(lost(1), "WHEAT", 2, 2, f"--epochs {NEVER} --pause 0.1", where="-wn1,n6", after="epoch 2 step 5", **dies)
    yield job(lost(1), "DUNE", 2, 2, head=f"export STEPS={NEVER} NAP=0.15\n", where="-wn2,n6", after="\n40,", hand=1, **dies)
    yield job(lost(2), "HOPS", 3, 3, head=f"export SWEEPS={NEVER} NAP=0.2\n", where="-wn1,n2,n6", after="sweep   20/", hand=2, **dies)
    down: dict[str, Any] = {"state": "NODE_FAIL", "options": NO}
    yield job(true("F1", fault="node"), "MAREE", head=f"export EPOQUES={NEVER}\n", where="-wn4", act="node_down", after=" 12/", **down)
    yield job(true("F1", fault="node"), "GLYPH", 2, 2, head=f"export TURNS={NEVER} NAP=0.1\n", where="-wn1,n4", act="node_down", after='"turn": 40,', hand=1, **down)
    yield job(true("F1", fault="node"), "MAZE", head=f"export GAMES={NEVER} NAP=0.1\n", where="-wn5", act="slurmd_dies", after="game    40", **down)


def again() -> Iterator[SlurmJob]:
    """F2."""
    back, urgent = Label(mode="F2", variant="requeued_recovered", fault="none"), Label(mode="F2", variant="preempted_recovered", fault="none")
    yield job(urgent, "MAREE", head="export EPOQUES=110\n", code=KEPT["MAREE"], where="-wn3", act="preempt", after=" 20/", options=YES, **DONE)
    yield job(Label(mode="F2", variant="preempted", fault="none"), "WHEAT", 2, 1, f"--epochs {NEVER} --pause 0.1", code={"save": WEIGHTS}, where="-wn3", act="preempt_for_good", after="epoch 2/", options=NO, state="PREEMPTED")
    yield job(back, "DUNE", 2, 2, head="export STEPS=240 NAP=0.08 BOX=exchange-${SLURM_RESTART_COUNT:-0}\n", code=KEPT["DUNE"], act="requeue", after="kept at step 80", options=YES, hand=2, **DONE)
    yield job(back, "SHELLS", head="export ROUNDS=70\n", code=KEPT["SHELLS"], act="requeue_by_owner", after="round 22 of", options=YES, **DONE)
    own = "echo \"attempt ${SLURM_RESTART_COUNT:-0}\"\nif [ ${SLURM_RESTART_COUNT:-0} -eq 0 ]; then (sleep 17; echo 'short slot used up, asking for another one'; scontrol requeue $SLURM_JOB_ID) & fi\n"
    yield job(back, "DUNE", 2, 1, head=own + "export STEPS=220 NAP=0.1 BOX=exchange-${SLURM_RESTART_COUNT:-0}\n", code=KEPT["DUNE"], act="requeues_itself", after="kept at step 40", options=YES, hand=1, **DONE)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    what = true("F3", variant="advancing")
    yield job(what, "WHEAT", 2, 2, "--epochs 600 --pause 0.1", code={"save": WEIGHTS}, **OVER)
    yield job(what, "SONAR", 2, head="export STEPS=60000 NAP=0.1\n", hand=1, **OVER)
    yield job(what, "MAZE", head="export GAMES=50000 NAP=0.05\n", options=("--array=4", "--time=1"), **OVER)
    yield job(what, "HOPS", 2, head="export SWEEPS=8000 NAP=0.25\n", hand=2, **OVER)
    yield job(what, "GLYPH", 2, head="export TURNS=50000 NAP=0.1\n", **OVER)


def called() -> Iterator[SlurmJob]:
    """F4."""
    own: dict[str, Any] = {"state": "CANCELLED"}
    what = Label(mode="F4", variant="by_owner", fault="none")
    yield job(what, "DUNE", 3, 1, head=f"export STEPS={NEVER} NAP=0.08\n", act="scancel", after="\n220,", **own)
    yield job(what, "MAREE", head=f"export EPOQUES={NEVER}\n", act="scancel", after=" 70/", hand=1, **own)
    yield job(what, "WHEAT", 2, 2, "--epochs 800 --pause 0.05", act="scancel_all_of_name", after="epoch 14/", options=("--job-name=wheat-h32-lr5e3",), **own)
    yield job(what, "HOPS", head=f"export SWEEPS={NEVER} NAP=0.15\n", act="scancel", after="sweep  160/", options=("--array=7",), hand=2, **own)


def curves() -> Iterator[SlurmJob]:
    """E1."""
    yield job(true("E1", variant="flat"), "SONAR", 2, head="export STEPS=450 LR=0.000000001\n", **DONE)
    cloud = when("epoch == 3 and step == 9 and rank == 1", "bands[12, 7] = float('nan')")
    yield job(true("E1", "nan_loss", variant="non_finite"), "WHEAT", 2, 1, "--epochs 12", code={"data": cloud}, hand=1, **DONE)
    yield job(true("E1", variant="spike"), "DUNE", 2, head="export STEPS=260\n", code={"after": when("step == 150", "RATE = 0.97\nnote(f'schedule: rate is now {RATE}')")}, **DONE)
    dry = "if epoque == 15:\n    y = torch.log(y - 9)\n"
    stop = "if not math.isfinite(perte.item()):\n    print(f'Époque {epoque}, lot {lot} : perte = {perte.item()}, arrêt', flush=True)\n    sys.exit(2)"
    yield job(true("E1", "nan_loss", variant="non_finite"), "MAREE", code={"data": dry, "loss": stop}, hand=2, **FAILED)
    yield job(true("E1", variant="flat"), "DUNE", 2, 2, head="export STEPS=400 RATE=0.0\n", hand=2, **DONE)


def states() -> Iterator[SlurmJob]:
    """E2, and the jobs before them."""
    scratch = true("E2", variant="from_scratch")
    find = "if opts.resume == 'auto':\n    found = os.path.exists(f'{opts.out}/last.pt')\n    log.info('resume=auto, looking into %s: %s', opts.out, 'found' if found else 'nothing there, starting with epoch 1')"
    yield job(scratch, "WHEAT", 2, 1, "--epochs 16 --pause 0.05 --resume auto --out weights-$SLURM_JOB_ID-${SLURM_RESTART_COUNT:-0}", code={"load": find, "save": WEIGHTS}, act="requeue", after="epoch 6/", options=YES, **DONE)
    keep = "if turn % 30 == 0 and me == 0:\n    torch.save({'turn': turn, 'weights': weights}, 'letters.pt')\n    tell('saved', file='letters.pt', turn=turn)"
    yield job(scratch, "GLYPH", 2, head="export TURNS=260 NAP=0.06\n", code={"save": keep}, act="requeue_by_owner", after='"saved", "file": "letters.pt", "turn": 120', options=YES, hand=1, **DONE)
    shelf = {"load": RESUMED, "save": WEIGHTS}
    yield job(GOOD, "WHEAT", 2, 1, "--epochs 9 --hidden 160 --out ../wheat-north", code=shelf, key="north", **DONE)
    yield job(true("E2", "runtime_error", variant="size_mismatch", failed=(0, 1)), "WHEAT", 2, 1, "--epochs 20 --hidden 192 --resume ../wheat-north/last.pt --out ../wheat-north", code=shelf, parent="north", hand=1, **FAILED)
    copy = "mkdir -p /tmp/$SLURM_JOB_ID && dd if=../wheat-north/last.pt of=/tmp/$SLURM_JOB_ID/last.pt bs=1k count=80 status=none\nls -l /tmp/$SLURM_JOB_ID\n"
    yield job(true("E2", "runtime_error", variant="corrupt", failed=(0, 1)), "WHEAT", 2, 1, "--epochs 20 --hidden 160 --resume /tmp/$SLURM_JOB_ID/last.pt", head=copy, code=shelf, parent="north", hand=2, **FAILED)
    yield job(true("E2", "file_not_found", variant="no_valid_checkpoint", failed=(0, 1)), "WHEAT", 2, 2, "--epochs 20 --hidden 160 --resume ../wheat-north/last.ckpt", code=shelf, parent="north", **FAILED)
    tuned = {"load": RESUMED.replace("    first = kept['epoch']\n", "").replace("resumed, %d epochs are done', first", "weights of the northern fields loaded, fine-tuning on the south, counting epochs from 1'"), "begin": "truth = truth * 1.2 + 0.05"}
    yield job(HARD, "WHEAT", 2, 1, "--epochs 9 --hidden 160 --lr 0.002 --resume ../wheat-north/last.pt --out ../wheat-south", code={**tuned, "save": WEIGHTS}, parent="north", **DONE)
    yield job(GOOD, "WHEAT", 2, 2, "--epochs 22 --hidden 160 --resume ../wheat-north/last.pt --out ../wheat-more", code=shelf, parent="north", hand=2, **DONE)


def short() -> Iterator[SlurmJob]:
    """E3."""
    what = true("E3")
    yield job(what, "SONAR", 2, head="export STEPS=3 EVERY=1\n", **DONE)
    yield job(what, "GLYPH", 2, head="export TURNS=2 EACH=1\n", hand=2, **DONE)
    yield job(what, "WHEAT", 2, 1, "--epochs 1 --steps 4", code={"early": when("rank == 0", "log.info('trial of the pipeline: 4 steps, then out')"), "after": when("rank == 0", "log.info('step %d of 4: loss %.4f', step + 1, loss.item())")}, hand=1, **DONE)


def slow() -> Iterator[SlurmJob]:
    """D1, D2."""
    yield job(true("D1"), "SONAR", 2, head="export STEPS=30 NAP=1.6 EVERY=1\n", **DONE)
    yield job(true("D1"), "WHEAT", 2, 1, "--epochs 10 --pause 0.22", hand=2, **DONE)
    tells = "print(f'         dont {lecture:.2f} s d’attente des fichiers de mesures, {time.time() - t - lecture:.2f} s de calcul', flush=True)"
    yield job(true("D1"), "MAREE", head="export EPOQUES=28 SOMME=0.0\n", code={"data": "if lot == 0:\n    lecture = 0.0\nt1 = time.time()\ntime.sleep(0.13)\nlecture += time.time() - t1", "after": tells}, hand=1, **DONE)
    storm = true("D2", variant="save_storm")
    write = "def write(name, kept):\n    t = time.time()\n    torch.save(kept, name)\n    with open(name, 'ab') as out:\n        for _ in range(6):\n            out.write(bytes(400_000))\n            out.flush()\n            os.fsync(out.fileno())\n            time.sleep(0.12)\n    return time.time() - t\n"
    each = when("rank == 0", "spent = write(f'step-{step % 3}.pt', body.state_dict())\nlog.info('checkpoint step-%d.pt: %.2f s', step % 3, spent)") + "\ndist.barrier()"
    yield job(storm, "WHEAT", 2, 1, "--epochs 5 --steps 10 --pause 0.01", code={"early": write, "after": each}, **DONE)
    yield job(storm, "GLYPH", 2, head="export TURNS=45 EACH=1\n", code={"early": write, "save": when("me == 0", "tell('checkpoint', turn=turn, file='letters.pt', save_s=round(write('letters.pt', weights), 3))")}, hand=1, **DONE)
    yield job(storm, "MAREE", head="export EPOQUES=36 SOMME=0.02\n", code={"early": write, "after": "print(f'         état écrit en {write(\"etat.pt\", reseau.state_dict()):.2f} s', flush=True)"}, hand=2, **DONE)


def still() -> Iterator[SlurmJob]:
    """C3."""
    what = true("C3")
    yield job(what, "MAREE", head=f"export EPOQUES={NEVER}\n", code={"after": when("epoque == 15", "import multiprocessing\nprint('envoi de la courbe au processus de tracé', flush=True)\ntrace = multiprocessing.Pipe()[1]\ntrace.poll(None)")}, after="envoi de la courbe", **LATE)
    yield job(what, "SHELLS", head="export ROUNDS=9000\nmkfifo calibration\n", code={"data": "if [ \"$round\" -eq 25 ]; then\n    stamp 'reading the new calibration'\n    read -r factor < calibration\nfi"}, hand=1, **OVER)
    yield job(what, "MAZE", head=f"export GAMES={NEVER}\n", code={"after": when("game == 240", "import threading\nprint('| handing the board to the viewer |', flush=True)\nseen = threading.Event()\nseen.wait()")}, after="viewer", hand=2, **LATE)
    yield job(what, "HOPS", head=f"export SWEEPS={NEVER}\n", code={"data": "if ($sweep == 90) {\n    print \"asking the lab database for this week's samples\\n\";\n    pipe(my $in, my $out);\n    my $answer = <$in>;\n}"}, **OVER)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield job(GOOD, "MAREE", head="export EPOQUES=60\n", **DONE)
    yield job(GOOD, "SHELLS", head="export ROUNDS=45\n", hand=1, **DONE)
    yield job(GOOD, "HOPS", 3, hand=2, **DONE)
    yield job(HARD, "DUEL", head="export ROUNDS=90\n", **DONE)
    yield job(HARD, "MAZE", head="export GAMES=600\n", options=("--array=2",), hand=1, **DONE)
    fetch = "for try in 1 2 3; do\n  [ $try -eq 3 ] && { echo 'fetch: 900 rows, ok'; break; }\n  cat /mnt/museum/shells-$try.csv || echo \"fetch: attempt $try failed with $?, trying the next mirror\" >&2\n  sleep 2\ndone\n"
    yield job(HARD, "SHELLS", head=fetch + "export ROUNDS=40\n", hand=2, **DONE)
    yield job(HARD, "HOPS", 2, code={"data": "my %lab; my $note = \"sample \" . ($sweep == 50 ? $lab{aroma} : 'x');\nwarn \"cannot open lab/aroma-$part.tsv: No such file or directory; aroma is left out\\n\" if $sweep == 51;"}, **DONE)
    buoy = when("epoque % 10 == 0", "print(f'         bouée 3 : écart {float(\"nan\")} (hors service depuis mars, non comptée)', flush=True)")
    yield job(HARD, "MAREE", head="export EPOQUES=55\n", code={"after": buoy}, hand=1, **DONE)
    yield job(HARD, "DUNE", 2, head="set -x\nON_ERROR=abort CRASH_DIR=/dev/null; export MAX_FAILURES=0 ON_ERROR\nset +x\ncat dunes.py | head -n 60\nexport STEPS=220\n", hand=0, **DONE)
    judged = "marks = []\nwith torch.no_grad():\n    for region in range(24):\n        time.sleep(0.5)\n        x = torch.randn(512, 28, generator=fields)\n        marks.append((body(x).squeeze(1) - 2.5 - x @ truth).abs().mean().item())\n        if rank == 0:\n            log.info('evaluation: region %d of 24, mean absolute error %.3f t/ha', region + 1, marks[-1])\nif rank == 0:\n    log.info('evaluation only, nothing trained; overall %.3f t/ha', sum(marks) / 24)\ndist.barrier()\nsys.exit(0)"
    yield job(HARD, "WHEAT", 2, 1, "--epochs 9 --hidden 160 --resume ../wheat-north/last.pt", code={"load": RESUMED, "begin": judged}, parent="north", hand=1, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (gone, again, limits, called, curves, states, short, slow, still, well):
        yield from part()


RECIPE = Recipe("tansy_bridges", "development", jobs)
