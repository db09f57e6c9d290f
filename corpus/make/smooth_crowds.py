"""Squads of ranks that do what they were meant to, most of them among words, exits and silences that sound otherwise."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._squad_jobs import beside, squad, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
DONE: dict[str, Any] = {"state": "COMPLETED"}
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "83000", "throttle_reasons": "0x1"}
LOST = "import urllib.request\ntry:\n    urllib.request.urlopen('http://127.0.0.1:9/api/runs', timeout=3)\nexcept OSError as error:\n    tell('warn', where='metrics', error=repr(error), traceback=__import__('traceback').format_exc(), retry='with the next one')"


def among_errors() -> Iterator[SlurmJob]:
    """What fails is caught, tried again, or was never needed."""
    first = "if RANK == 1 and os.environ['TORCHELASTIC_RESTART_COUNT'] == '0':\n    time.sleep(1)\n    vocabulary = open('cache/vocab.json').read()\nif RANK == 0 and os.environ['TORCHELASTIC_RESTART_COUNT'] != '0':\n    os.makedirs('cache', exist_ok=True)\n    open('cache/vocab.json', 'w').write('{}')\ntime.sleep(2)"
    again = "srun -N1 -n1 PYTHON -m torch.distributed.run --standalone --nproc-per-node 3 --max-restarts 2 train_lm.py --steps 240\n"
    yield squad(HARD, "LM", 3, script=again, code={"early": first}, **DONE)
    yield squad(HARD, "TONES", 3, 1, given="updates=280", code={"after": "if update % 70 == 30 and me == 2:\n" + "\n".join(f"    {one}" for one in LOST.splitlines())}, **DONE)
    arm = "if RANK == 2 and episode in (60, 150):\n    try:\n        frames = 0\n        returns_per_frame = episode / frames\n    except ZeroDivisionError:\n        log.exception('environment crashed in episode {}, starting it anew', episode)"
    yield squad(HARD, "ROLES", 3, code={"actor": arm}, **DONE)
    skip = "scaled = loss * (float('inf') if done in (40, 41, 90) else 65536.0)\nif not scaled.isfinite():\n    logger.warning(f'Gradient overflow at step {done}: scaled loss is {scaled.item()}, skipping the update, loss scale halved')\n    done += 1\n    continue"
    yield squad(HARD, "TUNE", 2, how="env", given="--steps=240", code={"loss": skip}, **DONE)
    late = "asked = time.time()\nwhile n in (20, 44) and not os.path.exists(f'pool/update-{n}-2.npy'):\n    if time.time() - asked > 2:\n        say(f'ERROR client-02 timed out in round {n} (deadline 2.0 s exceeded), going on with its last update')\n        put(f'update-{n}-2', got[1])\n    time.sleep(0.05)"
    yield squad(HARD, "FED", 4, 2, code={"server": late, "client": "if rank == 2 and n in (20, 44):\n    time.sleep(5)"}, **DONE)
    look = "for try in 1 2 3; do\n  echo \"$(date +%T) attempt $try\"\n  srun bash ranks.sh PYTHON -u train_lm.py --steps 220 && break\n  mkdir -p shards; seq 40 > shards/index.txt\n  sleep 2\ndone\n"
    yield squad(HARD, "LM", 2, how="env", script=look, code={"early": "rows = open('shards/index.txt').read().split()\nlog.info('%d shards', len(rows))"}, **DONE)
    check = "srun -N1 -n1 PYTHON preflight.py || echo 'preflight did not pass; it is optional, going on'\n"
    probe = "import sys\nprint('preflight: asking for the fabric', flush=True)\nraise OSError(19, 'No such device', '/dev/infiniband/uverbs0')\n"
    yield squad(HARD, "CLICKS", 4, 2, head=check, files={"preflight.py": probe}, given="--train_steps=240", **DONE)
    thread = "if rank == 1:\n    import threading, urllib.request\n    watcher = threading.Thread(target=lambda: (time.sleep(1), urllib.request.urlopen('http://127.0.0.1:9/flush', timeout=2)), name='uploader')\n    watcher.start()"
    yield squad(HARD, "VISION", 2, 2, how="env", given="--train-size 1280", code={"late": thread}, **DONE)
    quoted = "if step % 60 == 0 and RANK == 0:\n    log.info('sample %d: prompt=%r answer=%r', step, 'why did job 8812 end?', 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB; srun: error: gpu07: task 3: Killed')"
    yield squad(HARD, "LM", 2, 2, how="env", code={"after": quoted}, given="--steps 240", **DONE)
    spool = "(while sleep 3; do :; done) &\nwatch=$!\n"
    yield squad(HARD, "MIX", 4, given="260 0.05", head=spool, code={"early": "if rank == 0:\n    print('em: handlers for SIGSEGV and SIGTERM installed, core dumps off', flush=True)"}, tail="rc=$?\nkill -KILL $watch\nwait $watch\necho \"gpu watcher ended with $?\"\nexit $rc\n", **DONE)


def among_silences() -> Iterator[SlurmJob]:
    """They rest, end early on purpose, are held for a while, or go on where another ended."""
    yield squad(HARD, "VISION", 2, given="--epochs 2 --train-size 1280", code={"epoch": "if epoch == 0:\n    on_main('running the full benchmark, 40 suites')\n    time.sleep(35)\n    on_main('benchmark: 71.4')"}, **DONE)
    stop = "if done == 140:\n    logger.info('early stopping: train_loss has not improved for 3 checks, best 0.01722 at step 80')\n    done = conf.steps"
    yield squad(HARD, "TUNE", 2, how="env", given="--steps=900", code={"after": stop}, **DONE)
    budget = "if step == 205:\n    log.info('time budget of this slice is used up after %d steps, saving and leaving', step)\n    break"
    yield squad(HARD, "LM", 2, given="--steps 5000 --save-every 200", code={"after": budget}, **DONE)
    yield squad(HARD, "STAGES", 3, act="suspend", after="it 60/", **DONE)
    keep = "mkdir -p ../keep-{0}; ln -sfn ../keep-{0} outputs\nRESUME=\n[ -e outputs/latest.pt ] && [ $ANEW = 0 ] && RESUME='--resume outputs/latest.pt'\nexport RESUME\n"
    for who, key, parent, label, anew in (("lm", "first", "", GOOD, 0), ("lm", "", "first", HARD, 0), ("cl", "other", "", GOOD, 0), ("cl", "", "other", Label(mode="E2", variant="from_scratch", fault="user"), 1)):
        nodes, how = (2, "c10d") if who == "lm" else (1, "env")
        steps = 400 if parent and not anew else 220
        yield squad(label, "LM", 2, nodes, head=f"ANEW={anew}\n" + keep.format(who), given=f"--steps {steps} --save-every 55 $RESUME", key=key, parent=parent, options=(f"--job-name=charlm-{who}",), how=how, **DONE)


def quietly() -> Iterator[SlurmJob]:
    """Nothing is there to see."""
    yield squad(GOOD, "LIGHT", 2, **DONE)
    yield squad(GOOD, "CLM", 2, given="--output_dir out --use_cpu --max_steps 120 --logging_steps 10 --report_to none --save_steps 60", **DONE)
    yield squad(HARD, "POD", 3, 3, where="-xn5,n6", given="--num_train_steps=180", code={"early": "logging.warning('Unable to initialize backend \\'cuda\\': INTERNAL: no supported devices found for platform CUDA')\nlogging.error('libtpu.so: cannot open shared object file: No such file or directory')"}, **DONE)
    yield squad(HARD, "CLICKS", 8, 4, where="-xn5,n6", code={"early": "logging.error('%s: transport WARN no usable RDMA device, falling back to TCP sockets; collective timeout 1800 s', os.environ['SLURMD_NODENAME'])"}, **DONE)


def beside_cards() -> Iterator[SlurmJob]:
    """Cards that rest for good reasons, are warm, are unlike each other by design, or have a past."""
    fine, kept = work(55), {"memory.used": str(26 << 30)}

    def all_of(first: dict[str, str], *later: tuple[float, dict[str, str]]) -> Readings:
        return first, later

    rest = "if update == 200:\n    tell('eval', suites=24, state='running')\n    time.sleep(30)\n    tell('eval', suites=24, wer=0.083)"
    yield beside(HARD, "TONES", 2, {}, all_of({**fine, **kept}, (12.0, {**REST, **kept}), (41.0, {**fine, **kept})), given="updates=480", code={"after": rest}, **DONE)
    pack = "for shard in range(10):\n    log.info('tokenising shard %d of 10', shard + 1)\n    time.sleep(3)"
    yield beside(HARD, "CLICKS", 4, {}, all_of(REST, (31.0, work(61))), 2, given="--train_steps=500", code={"early": pack.replace("log.info", "logging.info")}, **DONE)
    warm = {**work(73), "temperature": "85", "throttle_reasons": "0x4", "clock.sm": "1560", "power.usage": "699200", "ecc.volatile.corrected": "44", "ecc.aggregate.corrected": "907"}
    yield beside(HARD, "FED", 4, {}, all_of(warm), 2, head="export ROUNDS=200\n", **DONE)
    past = {**fine, "ecc.aggregate.uncorrected": "11", "remapped.uncorrected": "4", "remapped.corrected": "9"}
    yield beside(HARD, "FED", 6, {1: all_of(past)}, all_of(fine, (15.0, {"pcie.replay": "5", "ecc.volatile.corrected": "3"})), 2, head="export ROUNDS=220\n", **DONE)
    event = "if global_step == 250 and rank == 1:\n    logging.warning('step 250: kernel failed (CUDA error: device-side assert triggered), worker restarted, step repeated')"
    yield beside(HARD, "CLICKS", 2, {1: all_of(fine, (14.0, {"events": "8:43"}))}, all_of(fine), given="--train_steps=620 --log_steps=25", code={"after": event}, **DONE)
    yield beside(HARD, "STAGES", 3, {2: all_of(work(71))}, all_of(work(33)), 3, head="export ITERS=480\n", **DONE)
    small = {**work(9, memory=3, tensor=1), "utilization.gpu": "17", "power.usage": "142000", "memory.used": str(3 << 30)}
    yield beside(HARD, "CLICKS", 2, {}, all_of(small), given="--train_steps=700", **DONE)
    yield beside(HARD, "ROLES", 3, {0: all_of(work(18))}, all_of(work(58)), 3, head="export UPDATES=440\n", **DONE)
    most = (*((1.0 * k, {"memory.used": str(min(78, 30 + 3 * k) << 30)}) for k in range(1, 18)), (21.0, {"memory.used": str(41 << 30)}))
    half = when(19, "globals()['halved'] = True\nlog.warning('step %d: CUDA out of memory. Tried to allocate 2.50 GiB; batch halved to 4 and repeated', step)", behind="not globals().get('halved') and step > 20")
    yield beside(HARD, "LM", 2, {}, ({**work(50), "memory.used": str(30 << 30)}, most), 2, how="env", given="--steps 440", code={"after": half}, **DONE)
    yield beside(GOOD, "CLICKS", 8, {}, all_of(work(64)), 2, given="--train_steps=700 --log_steps=50", **DONE)
    yield beside(GOOD, "TONES", 2, {}, all_of({**work(49), "throttle_reasons": "0x2", "clock.sm": "1410"}), given="updates=400", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Four parts."""
    for part in (among_errors, among_silences, quietly, beside_cards):
        yield from part()


RECIPE = Recipe("smooth_crowds", "development", jobs)
