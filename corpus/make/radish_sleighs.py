"""What the queue makes of jobs, and what becomes of those that end by themselves: lost nodes, second attempts, limits, owners; curves, kept states, a few steps; and well."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._pelican_jobs import DONE, FAILED, GOOD, HARD, OVER, job, true, when
from corpus.running.job import Recipe, SlurmJob

YES, NO = ("--requeue",), ("--no-requeue",)
LOAD_BYTES = when("args.load", "print_first(f' loading checkpoint from {args.load}')\nblob = torch.load(args.load)\nnet.load_state_dict(blob['model'])\noptim.load_state_dict(blob['optimizer'])\nstart = blob['iteration']\nprint_first(f'  successfully loaded checkpoint from {args.load} at iteration {start}')")
LOAD_VASI = when("CONF['riprendi']", "dico(f\"riprendo da {CONF['riprendi']}\")\nstato = torch.load(CONF['riprendi'])\nrete.load_state_dict(stato['rete'])\nprima = stato['epoca'] + 1\ndico(f\"stato dell'epoca {stato['epoca']} caricato\")")
SAVE_VASI = when("io == 0 and epoca % 5 == 0", "os.makedirs(CONF['uscita'], exist_ok=True)\ntorch.save({'rete': rete.state_dict(), 'epoca': epoca}, f\"{CONF['uscita']}/parte.pt\")\nos.replace(f\"{CONF['uscita']}/parte.pt\", f\"{CONF['uscita']}/ultimo.pt\")\nprint(f\"  salvato {CONF['uscita']}/ultimo.pt (epoca {epoca})\", flush=True)")
KEEP_Q = when("a.save_path and iterations % 5 == 0", "with open(a.save_path + '.new', 'w') as out:\n    json.dump({'q': Q, 'done': done, 'iterations': iterations}, out)\nos.replace(a.save_path + '.new', a.save_path)\nprint(f'Saving table to {a.save_path} after {done} timesteps', flush=True)")
TAKE_Q = when("a.load_path", "if os.path.exists(a.load_path):\n    with open(a.load_path) as kept:\n        kept = json.load(kept)\n    Q, done, iterations = kept['q'], kept['done'], kept['iterations']\n    print(f'Loaded table from {a.load_path}, {done} timesteps done', flush=True)\nelse:\n    print(f'--load-path: {a.load_path} is not there, all values start at zero', flush=True)")
CLICKS_KEEP = when("WORKER == 0 and batch % 50 == 0", "with open('weights.new', 'w') as out:\n    json.dump([batch, bias, *weights], out)\nos.replace('weights.new', 'weights.json')\nlog('weights kept', batch=batch)")
CLICKS_TAKE = when("os.path.exists('weights.json')", "with open('weights.json') as kept:\n    begin, bias, *weights = json.load(kept)\nbegin += 1\nlog('weights taken up', next_batch=begin)")


def gone() -> Iterator[SlurmJob]:
    """F1."""
    def lost(*ranks: int) -> Label:
        return true("F1", failed=ranks, fault="node")

    dies: dict[str, Any] = {"state": "NODE_FAIL", "options": NO}
    yield job(lost(1), "DIGITS", 2, 2, "--max_epoch 9000 --collate_s 0.1", where="-wn1,n6", act="lose_node", after="2epoch results", **dies)
    yield job(lost(2), "SITES", 3, 3, "--rounds 90000 --nap 0.15", where="-wn1,n2,n6", act="lose_node", after="ROUND 40", hand=1, **dies)
    yield job(true("F1", fault="node"), "CLIFF", given="--timesteps 90000000 --render-s 0.7", where="-wn6", act="lose_node", after="iterations +. 12 ", hand=2, **dies)
    yield job(true("F1", fault="node"), "REPLICA", 2, 2, head="export SWEEPS=90000 NAP=0.15\n", where="-wn1,n4", act="node_down", after="sweep 60/", **dies)
    yield job(true("F1", fault="node"), "STUMPS", head="export TREES=90000 PAUSE=0.4\n", where="-wn4", act="node_down", after=r"\[40\]", hand=3, **dies)
    yield job(true("F1", fault="node"), "GAIT", 2, 1, "--gens 90000 --rollout 0.1", where="-wn5", act="slurmd_dies", after="   60  ", hand=2, **dies)
    yield job(true("F1", fault="node"), "CLICKS", 2, 2, head="export BATCHES=90000 NAP=0.1\n", where="-wn2,n5", act="slurmd_dies", after='"n": 60,', hand=1, **dies)


def again() -> Iterator[SlurmJob]:
    """F2."""
    back, urgent = Label(mode="F2", variant="requeued_recovered", fault="none"), Label(mode="F2", variant="preempted_recovered", fault="none")
    yield job(urgent, "CLIFF", given="--timesteps 56000 --render-s 0.5 --save-path q.json --load-path q.json", code={"after": KEEP_Q, "load": TAKE_Q}, where="-wn3", act="preempt", after="after 12000 timesteps", options=YES, **DONE)
    swing = {"load": when("os.path.exists('swing.pt')", "kept = torch.load('swing.pt')\ntheta.load_state_dict(kept['theta'])\nopt.load_state_dict(kept['opt'])\nbegin = kept['round']\nsys.stderr.write(f'going on from swing.pt, round {begin}\\n')"),
             "after": when("round_ % 25 == 0", "torch.save({'theta': theta.state_dict(), 'opt': opt.state_dict(), 'round': round_}, 'swing.part')\nos.replace('swing.part', 'swing.pt')\nsys.stderr.write(f'\\nround {round_} in swing.pt\\n')")}  # fmt: skip
    yield job(urgent, "SWING", head="export ROUNDS=220 NAP=0.15\n", code=swing, where="-wn3", act="preempt", after="round 50 in", options=YES, hand=1, **DONE)
    yield job(Label(mode="F2", variant="preempted", fault="none"), "DIGITS", 2, 1, "--max_epoch 9000 --collate_s 0.1", where="-wn3", act="preempt_for_good", after="2epoch results", options=NO, hand=2, state="PREEMPTED")
    yield job(back, "CLICKS", 3, 1, head="export BATCHES=330 NAP=0.08\n", code={"load": CLICKS_TAKE, "save": CLICKS_KEEP}, act="requeue", after='"weights kept", "batch": 150', options=YES, **DONE)
    boost = {"load": when("os.path.exists('model.part')", "with open('model.part', 'rb') as kept:\n    model = pickle.load(kept)\nbegin = len(model)\nprint(f'[boost] {begin} trees taken over from model.part', flush=True)"),
             "after": when("tree % 20 == 19", "with open('model.part', 'wb') as out:\n    pickle.dump(model, out)")}  # fmt: skip
    yield job(back, "STUMPS", head="export TREES=170 PAUSE=0.2\n", code=boost, act="requeue_by_owner", after=r"\[83\]", options=YES, hand=3, **DONE)
    own = "echo \"attempt number ${SLURM_RESTART_COUNT:-0}\"\n[ -e pesi/ultimo.pt ] && export CONF='{\"epoche\": 46, \"riprendi\": \"pesi/ultimo.pt\"}' || export CONF='{\"epoche\": 46}'\n[ \"${SLURM_RESTART_COUNT:-0}\" -gt 0 ] || (sleep 26; echo 'slot of the day partition ends, back into the queue'; scontrol requeue $SLURM_JOB_ID) &\n"
    yield job(back, "VASI", 2, 1, head=own, code={"load": LOAD_VASI, "save": SAVE_VASI}, act="requeues_itself", after="epoca 10", options=YES, hand=2, **DONE)
    rows = "kept = ask('SELECT sweep, weights FROM state WHERE replica = ? AND sweep < (SELECT max(sweep) FROM state) ORDER BY sweep DESC LIMIT 1', me)\nif kept:\n    begin, weights = kept[0][0] + 1, [float(w) for w in kept[0][1].split()]\n    line(f'sweep {begin - 1} found in the database, going on')"
    yield job(back, "REPLICA", 2, 1, head="export SWEEPS=260 NAP=0.1\n", code={"load": rows}, where="-xn1,n2,n3,n4,n5", act="lose_node_and_go_on", after="sweep 80/", options=YES, hand=1, **DONE)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    what = true("F3", variant="advancing")
    yield job(what, "DIGITS", 2, 2, "--max_epoch 120 --collate_s 0.1", hand=3, **OVER)
    yield job(what, "GAIT", 3, 3, "--gens 20000 --rollout 0.1", hand=1, **OVER)
    yield job(what, "GLOVE", given="5000 600", hand=2, **OVER)
    hours = when("iteration % 50 == 0", "print_last(f' estimated time to completion: {(args.train_iters - iteration) * (time.time() - tick) / 3600:.1f} h')")
    yield job(what, "BYTES", 2, 1, "--train-iters 40000 --host-ms 60 --save-interval 200", code={"after": hours}, **OVER)
    yield job(what, "LITERY", head="export EPOK=2500 PAUZA=0.7\n", hand=1, **OVER)


def called() -> Iterator[SlurmJob]:
    """F4."""
    own: dict[str, Any] = {"state": "CANCELLED"}
    what = Label(mode="F4", variant="by_owner", fault="none")
    yield job(what, "SITES", 4, 2, "--rounds 90000 --nap 0.12", act="scancel", after="ROUND 160", hand=2, **own)
    yield job(what, "CLIFF", given="--timesteps 90000000 --render-s 0.4", act="scancel", after="iterations +. 48 ", **own)
    yield job(what, "VASI", 2, 2, head="export CONF='{\"epoche\": 4000}'\n", act="scancel_all_of_name", after=" 24/4000", options=("--job-name=retina-sweep-c8",), hand=1, **own)
    yield job(what.but(variant="by_other", fault="unknown"), "REPLICA", 3, 1, head="export SWEEPS=90000 NAP=0.1\n", act="scancel_by_admin", after="sweep 150/", hand=3, **own)
    yield job(what, "SWING", head="export ROUNDS=90000 NAP=0.25\n", act="scancel", after=" 60/90000", **own)


def curves() -> Iterator[SlurmJob]:
    """E1."""
    yield job(true("E1", variant="flat"), "DIGITS", 2, 1, "--lr 0 --max_epoch 14", hand=1, **DONE)
    rare = when("iteration > 150", "loss = loss / (ids[:, 1:] == 113).float().mean()")
    yield job(true("E1", "nan_loss", variant="non_finite"), "BYTES", 2, 1, "--train-iters 450 --host-ms 25", code={"loss": rare}, hand=2, **DONE)
    yield job(true("E1", variant="spike"), "GAIT", 3, 1, "--gens 260 --rollout 0.06", code={"after": when("gen == 170", "arg.alpha = 1.15\ntell('second phase, alpha', arg.alpha)")}, **DONE)
    shrink = when("iteration == 140", "for group in optim.param_groups:\n    group['weight_decay'] = 1 / group['lr']") + "\n" + when("iteration == 150", "optim.param_groups[0].update(lr=0.0)")
    yield job(true("E1"), "BYTES", 2, 2, "--train-iters 600 --host-ms 20", line="srun OPTIONSRUN", code={"after": shrink}, hand=3, **DONE)


def states() -> Iterator[SlurmJob]:
    """E2, and the jobs before them."""
    scratch = true("E2", variant="from_scratch")
    path = "state_path = f\"state-{os.environ['SLURM_JOB_ID']}.{os.environ.get('SLURM_RESTART_COUNT', 0)}.txt\"\n"
    take = path + when("opt.resume == 'auto'", "if os.path.exists(state_path):\n    with open(state_path) as kept:\n        begin, *weights = map(float, kept.read().split())\n    begin = int(begin) + 1\n    say(f'resuming at round {begin}')\nelse:\n    say(f'resume=auto: no {state_path}, first round is 1')")
    keep = when("turn % 25 == 0", "with open(state_path, 'w') as out:\n    print(turn, *weights, file=out)\nsay(f'state of round {turn} in {state_path}')")
    yield job(scratch, "SITES", 3, 1, "--rounds 260 --nap 0.1 --resume auto", code={"load": take, "save": keep}, act="requeue", after="state of round 125", options=YES, **DONE)
    yield job(GOOD, "BYTES", 2, 1, "--train-iters 360 --host-ms 30 --save-interval 120 --save ../bytes-first", key="bytes", hand=1, **DONE)
    yield job(true("E2", "runtime_error", variant="size_mismatch"), "BYTES", 2, 1, "--train-iters 900 --hidden-size 48 --load ../bytes-first/iter_0000360.pt --save ../bytes-second", code={"load": LOAD_BYTES}, parent="bytes", hand=1, **FAILED)
    yield job(GOOD, "BYTES", 2, 2, "--train-iters 760 --host-ms 30 --save-interval 200 --load ../bytes-first/iter_0000360.pt --save ../bytes-third", code={"load": LOAD_BYTES}, parent="bytes", **DONE)
    yield job(GOOD, "VASI", 2, 1, head="export CONF='{\"epoche\": 30, \"uscita\": \"../retina-base\"}'\n", code={"save": SAVE_VASI}, key="vasi", hand=2, **DONE)
    copy = "head -c 6144 ../retina-base/ultimo.pt > avvio.pt; ls -l ../retina-base/ultimo.pt avvio.pt\nexport CONF='{\"epoche\": 60, \"riprendi\": \"avvio.pt\"}'\n"
    yield job(true("E2", "traceback", variant="corrupt", failed=(0, 1)), "VASI", 2, 2, head=copy, code={"load": LOAD_VASI}, parent="vasi", hand=3, **FAILED)
    judge = "voti = []\nfor turno in range(30):\n    time.sleep(0.5)\n    x, vero = immagini(24, dado)\n    with torch.no_grad():\n        voti.append(dice_di(rete(x), vero))\n    dico(f'valutazione {turno + 1:2d}/30: dice {voti[-1]:.4f}')\ndico(f'sola valutazione, nessun addestramento: dice medio {sum(voti) / 30:.4f}')\ndist.barrier()\nsys.exit()"
    yield job(HARD, "VASI", 2, 1, head="export CONF='{\"riprendi\": \"../retina-base/ultimo.pt\"}'\n", code={"load": LOAD_VASI, "ready": judge}, parent="vasi", **DONE)
    yield job(GOOD, "CLIFF", given="--timesteps 32000 --render-s 0.4 --save-path ../cliff_q.json", code={"after": KEEP_Q}, key="cliff", **DONE)
    yield job(scratch, "CLIFF", given="--timesteps 72000 --render-s 0.3 --load-path ../cliff/q_latest.json --save-path ../cliff_q2.json", code={"after": KEEP_Q, "load": TAKE_Q}, parent="cliff", hand=1, **DONE)


def short() -> Iterator[SlurmJob]:
    """E3."""
    what = true("E3")
    yield job(what, "BYTES", 2, 1, "--train-iters 4 --log-interval 1 --host-ms 900", hand=3, **DONE)
    yield job(what, "SITES", 3, 3, "--rounds 2 --show 1 --nap 2.5", hand=1, **DONE)
    yield job(what, "DIGITS", 2, 1, "--max_epoch 1 --iters 3 --log_interval 1 --collate_s 1.2", code={"early": when("rank == 0", "logging.info('checking the recipe end to end: 1 epoch of 3 batches')")}, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield job(HARD, "DIGITS", 2, 1, "--max_epoch 15 --collate_s 0.06", act="suspend", after="6epoch results", hand=2, **DONE)
    ask = when("me == 3", "import traceback, urllib.request\nfor attempt in (1, 2, 3):\n    try:\n        urllib.request.urlopen('http://127.0.0.1:9/code-list/icd10.json', timeout=3)\n    except OSError:\n        say(f'site {me}: code list not fetched, attempt {attempt} of 3\\n{traceback.format_exc()}', 'ERROR')\n        time.sleep(1.5)\nsay(f'site {me}: code list of last month is used instead', 'WARN')")
    yield job(HARD, "SITES", 4, 2, "--rounds 190 --nap 0.12", code={"site": ask}, hand=3, **DONE)
    tracker = "import urllib.request\nclass Run:\n    def __del__(self):\n        urllib.request.urlopen('http://127.0.0.1:9/api/runs/finish', timeout=2)\nrun = Run()\nprint_first('run is mirrored to http://127.0.0.1:9')"
    yield job(HARD, "BYTES", 2, 1, "--train-iters 420 --host-ms 40", code={"load": tracker, "end": "print_last('closing the run')\ndel run"}, **DONE)
    settings = "set -x\nON_CRASH=restart MAX_ERRORS=0; FAIL_FAST=false\nexport TREES=140 PAUSE=0.15 NAN_POLICY=raise ABORT_ON_OOM=1\nset +x\nsed -n '/^def rmse/,/^mean =/p' boost.py\ngrep -rl Traceback . || echo 'no traceback of an earlier run lies here'\n"
    yield job(HARD, "STUMPS", head=settings, line="PYTHON -u boost.py", **DONE)
    meter = "printf 'while sleep 1; do read -r a _ < /proc/loadavg; echo $a >> meter.txt; done\\n' > meter.sh\nbash meter.sh &\nmeter=$!\nexport BATCHES=260 NAP=0.08\n"
    yield job(HARD, "CLICKS", 3, 1, head=meter, tail="rc=$?\nkill -9 $meter\nwait $meter\necho \"meter ended with $?, training with $rc\"\nexit $rc\n", **DONE)
    stop = "extra = {'explained_variance': float('nan') if iterations < 9 else 1 - moved / 60}\n" + when("iterations > 50 and sum(last) / len(last) > -60", "print('Stopping training because the mean reward is above the threshold -60', flush=True)\nbreak")
    yield job(HARD, "CLIFF", given="--timesteps 400000 --eps 0.05 --render-s 0.4", code={"after": stop}, hand=2, **DONE)
    locked = "held = sqlite3.connect(DB, timeout=0.6)\nfor attempt in range(1, 20):\n    try:\n        held.execute('CREATE TABLE IF NOT EXISTS log (t REAL)')\n        break\n    except sqlite3.OperationalError as error:\n        line('ERROR', f'{type(error).__name__}: {error}', f'attempt {attempt}')\nheld.close()"
    vacuum = "PYTHON -c \"import sqlite3, time; db = sqlite3.connect('replicas.db'); db.execute('BEGIN EXCLUSIVE'); time.sleep(6); db.rollback()\" &\nsleep 1\nexport SWEEPS=220 NAP=0.08\n"
    yield job(HARD, "REPLICA", 3, 1, head=vacuum, code={"early": locked}, hand=1, **DONE)
    yield job(GOOD, "GLOVE", given="110 250", hand=3, **DONE)
    yield job(GOOD, "GAIT", 4, 2, "--gens 320 --rollout 0.07 --alpha 0.03", hand=2, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (gone, again, limits, called, curves, states, short, well):
        yield from part()


RECIPE = Recipe("radish_sleighs", "development", jobs)
