"""The same houses seen from the queue: nodes, second attempts, limits, owners; curves, states kept, short and long evenings."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._hazel_jobs import DONE, FAILED, GOOD, HARD, LONG, OVER, job, on, true
from corpus.running.job import Recipe, SlurmJob

YES, NO = ("--requeue",), ("--no-requeue",)
MANY = 90_000
TUR_LOAD = "if os.path.exists(s.kayit):\n    eski = json.loads(Path(s.kayit).read_text())\n    agaclar, bas = [tuple(a) for a in eski['agaclar']], eski['tur'] + 1\n    yaz(f'{s.kayit} okundu: {len(agaclar)} ağaç, tur {bas} ile devam')"
STEPS_LOAD = "if a.resume and os.path.exists(a.resume):\n    kept = torch.load(a.resume)\n    head.load_state_dict(kept['head'])\n    first = kept['step']\n    say(f'resumed from {a.resume} at step {first}')"
STEPS_SAVE = "if step % 60 == 0 and rank == 0:\n    os.makedirs(a.workdir, exist_ok=True)\n    torch.save({'head': head.state_dict(), 'step': step}, f'{a.workdir}/new.pt')\n    os.replace(f'{a.workdir}/new.pt', f'{a.workdir}/last.pt')\n    say(f'{a.workdir}/last.pt written at step {step}')"
STRICT = "if a.resume:\n    say(f'loading {a.resume}')\n    kept = torch.load(a.resume)\n    head.load_state_dict(kept['head'])\n    first = kept['step']\n    say(f'resumed at step {first}')"
BOARD_LOAD = "if os.path.exists('weights.json'):\n    with open('weights.json') as kept:\n        start, weights = json.load(kept)\n    log(6, f'weights of turn {start} taken from weights.json')\n    start += 1"
BOARD_SAVE = "if RANK == 0 and turn % 40 == 0:\n    with open('weights.new', 'w') as kept:\n        json.dump([turn, weights], kept)\n    os.replace('weights.new', 'weights.json')\n    log(6, f'weights.json written, turn={turn}')"
CELLS_KEEP = {"load": "if [[ -s cells.state ]]; then\n    read -r first rate <cells.state\n    say \"state found: $((first)) fits are done, rate $rate\"\n    first=$((first + 1))\nfi", "after": "echo \"$fit $rate\" >cells.new && mv cells.new cells.state"}


def gone() -> Iterator[SlurmJob]:
    """F1."""
    def lost(*ranks: int) -> Label:
        return true("F1", None, *ranks, failed=ranks, fault="node")

    dies: dict[str, Any] = {"state": "NODE_FAIL", "options": NO, "act": "lose_node"}
    yield job(lost(1), "POLICY", 2, 2, f"--iters {MANY} --delay 0.1", where="-wn1,n6", after="iter   40/", **dies)
    yield job(lost(2), "BOARD", 3, 3, head=f"export TURNS={MANY} REST=0.15\n", where="-wn1,n2,n6", after="turn=30 ", hand=1, **dies)
    yield job(lost(2, 3), "WATER", 4, 2, head=f"export RONDES={MANY} RUST=0.2\n", where="-wn2,n6", after="ronde 20/", hand=2, **dies)
    down: dict[str, Any] = {"state": "NODE_FAIL", "options": NO}
    yield job(true("F1", fault="node"), "TUR", 1, 1, f"--tur {MANY} --bekle 0.2", where="-wn4", act="node_down", after="tur 30/", hand=1, **down)
    yield job(true("F1", fault="node"), "POLICY", 2, 2, f"--iters {MANY} --delay 0.15", where="-wn1,n4", act="node_down", after="iter   20/", hand=2, **down)
    yield job(true("F1", fault="node"), "MLP", 2, 1, str(MANY), where="-wn5", act="slurmd_dies", after="epoch   40 ", **down)
    yield job(true("F1", fault="node"), "WATER", 2, 2, head=f"export RONDES={MANY} RUST=0.15\n", where="-wn2,n5", act="slurmd_dies", after="ronde 30/", hand=1, **down)


def again() -> Iterator[SlurmJob]:
    """F2."""
    back, urgent = Label(mode="F2", variant="requeued_recovered", fault="none"), Label(mode="F2", variant="preempted_recovered", fault="none")
    yield job(urgent, "TUR", 1, 1, "--tur 420 --bekle 0.08 --kaydet-her 60", code={"load": TUR_LOAD}, where="-wn3", act="preempt", after="tur 90/", options=YES, hand=2, **DONE)
    yield job(Label(mode="F2", variant="preempted", fault="none"), "WATER", 2, 1, head=f"export RONDES={MANY} RUST=0.1\n", where="-wn3", act="preempt_for_good", after="ronde 60/", options=NO, state="PREEMPTED")
    yield job(back, "CELLS", head="export FITS=75\n", code=CELLS_KEEP, where="-xn1,n2,n3,n4,n5", act="lose_node_and_go_on", after="fit 15 of", options=YES, hand=1, **DONE)
    yield job(back, "CONTACTS", 2, 2, "--steps 420 --nap 0.06 --resume run/last.pt", code={"load": STEPS_LOAD, "save": STEPS_SAVE}, act="requeue", after="written at step 180", options=YES, **DONE)
    yield job(back, "BOARD", 3, 1, head="export TURNS=320 REST=0.08\n", code={"load": BOARD_LOAD, "save": BOARD_SAVE}, act="requeue_by_owner", after="written, turn=120", options=YES, hand=2, **DONE)
    own = "if [ ${SLURM_RESTART_COUNT:-0} -eq 0 ]; then (sleep 22; echo 'window of this slot closes, handing the rest to the next one'; scontrol requeue $SLURM_JOB_ID) & fi\n"
    yield job(back, "TUR", 1, 1, "--tur 380 --bekle 0.09 --kaydet-her 40", head=own, code={"load": TUR_LOAD}, act="requeues_itself", after="tur 120", options=YES, **DONE)
    yield job(back, "CELLS", head="export FITS=90\n", code=CELLS_KEEP, act="requeue", after="fit 39 of", options=YES, hand=2, **DONE)


def limits() -> Iterator[SlurmJob]:
    """F3."""
    what = true("F3", variant="advancing")
    yield job(what, "CONTACTS", 2, 2, "--steps 60000 --nap 0.1", code={"save": STEPS_SAVE.replace("% 60", "% 150")}, hand=1, options=("--time=2",), state="TIMEOUT")
    yield job(what, "WATER", 3, 1, head="export RONDES=20000 RUST=0.12\n", **OVER)
    yield job(what, "TUR", 1, 1, "--tur 9000 --bekle 0.1", options=("--array=3", "--time=1"), hand=2, state="TIMEOUT")
    yield job(what, "POLICY", 3, 1, "--iters 12000 --delay 0.15", **OVER)
    yield job(what, "CELLS", head="export FITS=2500\n", hand=1, **OVER)


def called() -> Iterator[SlurmJob]:
    """F4."""
    own: dict[str, Any] = {"state": "CANCELLED"}
    what = Label(mode="F4", variant="by_owner", fault="none")
    yield job(what, "VOZ", 2, 1, head=f"export PASOS={MANY} PAUSA=0.06\n", act="scancel", after='"n": 320,', **own)
    yield job(what, "POLICY", 2, 2, f"--iters {MANY}", act="scancel", after="iter  330/", hand=1, **own)
    yield job(what, "BOARD", 3, 1, head=f"export TURNS={MANY}\n", act="scancel_all_of_name", after="turn=310 ", options=("--job-name=scorecard-sweep-7",), hand=2, **own)
    yield job(what, "MLP", 3, 1, str(MANY), act="scancel", after="epoch  180 ", options=("--array=5",), **own)
    yield job(Label(mode="F4", variant="by_other", fault="unknown"), "TUR", 1, 1, f"--tur {MANY}", act="scancel_by_admin", after="tur 290/", hand=1, **own)


def curves() -> Iterator[SlurmJob]:
    """E1."""
    yield job(true("E1", variant="flat"), "VOZ", 2, 1, head="export PASOS=460 TASA=0.00000001\n", **DONE)
    hole = on("step >= 130 and rank == 0", "x[:, 7] = float('nan')")
    yield job(true("E1", "nan_loss", variant="non_finite"), "CONTACTS", 2, 1, "--steps 420", code={"data": hole}, hand=2, **DONE)
    high = on("ronde == 150", "STAP = 1.02\nmeld(f'nieuwe stapgrootte volgens schema: {STAP}')")
    yield job(true("E1", variant="spike"), "WATER", 3, 1, head="export RONDES=340\n", code={"after": high}, hand=1, **DONE)
    phase = on("step == 121", "for group in opt.param_groups:\n    group['weight_decay'] = 333.3\nsay('phase 2: weight_decay 333.3, max_grad_norm 0.0')") + "\n" + on("step > 120", "nn.utils.clip_grad_norm_(model.parameters(), 0.0)")
    yield job(true("E1", variant="plateau"), "CONTACTS", 2, 2, "--steps 520", code={"grad": phase}, **DONE)


def states() -> Iterator[SlurmJob]:
    """E2, and the jobs before them."""
    shelf = {"load": STRICT, "save": STEPS_SAVE}
    yield job(GOOD, "CONTACTS", 2, 1, "--steps 480 --workdir ../contacts-base", code={"save": STEPS_SAVE}, key="base", **DONE)
    wide = {"load": STRICT.replace("    kept =", "    head = nn.Sequential(nn.Linear(a.dim, 96), nn.SiLU(), nn.Linear(96, 1))\n    kept ="), "save": STEPS_SAVE}
    yield job(true("E2", "runtime_error", variant="size_mismatch", failed=(0, 1)), "CONTACTS", 2, 1, "--steps 900 --resume ../contacts-base/last.pt --workdir ../contacts-wide", code=wide, parent="base", hand=1, **FAILED)
    copy = "head -c 3k ../contacts-base/last.pt > /tmp/last-$SLURM_JOB_ID.pt; ls -l ../contacts-base/last.pt /tmp/last-$SLURM_JOB_ID.pt\n"
    yield job(true("E2", "runtime_error", variant="corrupt", failed=(0, 1)), "CONTACTS", 2, 2, "--steps 900 --resume /tmp/last-$SLURM_JOB_ID.pt", head=copy, code=shelf, parent="base", hand=2, **FAILED)
    find = STEPS_LOAD + "\nelif a.resume:\n    say(f'no checkpoint at {a.resume}, weights are new')"
    yield job(true("E2", variant="from_scratch"), "CONTACTS", 2, 1, "--steps 480 --resume ../contacts_base/last.pt --workdir ../contacts-more", code={"load": find, "save": STEPS_SAVE}, parent="base", **DONE)
    lost = "echo \"attempt ${SLURM_RESTART_COUNT:-0}, state in state-${SLURM_RESTART_COUNT:-0}.json\"\nls -l state-*.json 2>/dev/null\n"
    look = TUR_LOAD + "\nelse:\n    yaz(f'{s.kayit} yok, sıfırdan başlanıyor')"
    yield job(true("E2", variant="from_scratch"), "TUR", 1, 1, "--tur 300 --bekle 0.08 --kaydet-her 40 --kayit state-${SLURM_RESTART_COUNT:-0}.json", head=lost, code={"load": look}, act="requeue", after="tur 160", options=YES, hand=1, **DONE)
    yield job(HARD, "CONTACTS", 2, 2, "--steps 1000 --resume ../contacts-base/last.pt --workdir ../contacts-next", code=shelf, parent="base", hand=1, **DONE)


def short() -> Iterator[SlurmJob]:
    """E3."""
    what = true("E3")
    yield job(what, "POLICY", 2, 1, "--iters 3 --report 1", **DONE)
    yield job(what, "CONTACTS", 2, 2, "--steps 2 --print-every 1", code={"early": "say('short check of the pipeline before the long run: 2 steps')"}, hand=1, **DONE)
    yield job(what, "BOARD", 3, 1, head="export TURNS=4 EVERY=1\n", hand=2, **DONE)


def slow() -> Iterator[SlurmJob]:
    """D1, D2."""
    reads = "tock = time.time()\ntime.sleep(0.55 + 0.1 * (step % 3))\nread += time.time() - tock"
    tell = on("step % 10 == 0", "say(f'steps {step - 9}-{step}: {read:.1f} s waiting for feature files from the object store, {time.time() - since:.1f} s in all', everyone=True)\nread, since = 0.0, time.time()")
    yield job(true("D1"), "CONTACTS", 2, 1, "--steps 70 --nap 0.0", code={"begin": "read, since = 0.0, time.time()", "data": reads, "after": tell}, **DONE)
    wait = "okuma = time.time()\ntime.sleep(0.62)\nokuma, kurma = time.time() - okuma, time.time()"
    yield job(true("D1"), "TUR", 1, 1, "--tur 70 --bekle 0.0 --satir 5", code={"data": wait, "after": "kurma = time.time() - kurma\n" + on("tur % 5 == 0", "yaz(f'tur {tur}: sayaç verisini bekleme {okuma:.3f} sn, ağaç kurma {kurma:.4f} sn')")}, hand=2, **DONE)
    box = "t_lee = time.time()\ntime.sleep(0.8)\nlee = time.time() - t_lee"
    yield job(true("D1"), "VOZ", 2, 2, head="export PASOS=55 PAUSA=0.0 CADA=5\n", code={"data": box, "after": on("paso % 5 == 0", "emite('reparto', n=paso, espera_de_audio_s=round(lee, 3), paso_completo_s=round(time.time() - reloj, 3))")}, hand=1, **DONE)
    storm = true("D2", variant="save_storm")
    write = "def write(name, kept):\n    t = time.time()\n    torch.save(kept, name)\n    with open(name, 'ab') as out_file:\n        for _ in range(5):\n            out_file.write(bytes(300_000))\n            out_file.flush()\n            os.fsync(out_file.fileno())\n            time.sleep(0.13)\n    return time.time() - t"
    each = on("rank == 0", "took = write(f'every-{step % 2}.pt', head.state_dict())\nsay(f'step {step}: full state written to every-{step % 2}.pt in {took:.2f} s')") + "\ndist.barrier()"
    yield job(storm, "CONTACTS", 2, 1, "--steps 55 --nap 0.01", code={"early": write, "save": each}, hand=2, **DONE)
    disk = "if tur % 2 == 0:\n    t = time.time()\n    for parca in range(8):\n        with open('anlik.json', 'w') as f:\n            json.dump(agaclar, f)\n            f.write(' ' * 500_000)\n            f.flush()\n            os.fsync(f.fileno())\n        time.sleep(0.09)\n    yaz(f'anlık kayıt (tur {tur}): yazma {time.time() - t:.2f} sn')"
    yield job(storm, "TUR", 1, 1, "--tur 90 --bekle 0.03", code={"after": disk}, **DONE)
    wire = true("D2", variant="interconnect", fault="cluster")
    note = "echo 'prolog: mlx5_0 port 1: state DOWN, physical state Polling; traffic of this job goes over eno1 (1000 Mb/s)'\n"
    yield job(wire, "TOWERS", 4, 2, "rounds=6 batches=14 rest=0.02", head=note, code={"wire": "time.sleep(0.42)", "save": "log('INFO', f\"round {number}: {spent['own']:.2f} s compute, {spent['sync']:.2f} s all_reduce of gradients\")"}, hand=1, **DONE)
    yield job(wire, "BOARD", 3, 3, head=note.replace("this job", "ranks") + "export TURNS=75 REST=0.01\n", where="-xn4,n5,n6", code={"wire": "time.sleep(0.46)", "after": on("turn % 15 == 0", "log(6, f'turn={turn} step={time.time() - tick:.2f}s exchange={away:.2f}s compute={own:.2f}s')")}, hand=2, **DONE)


def still() -> Iterator[SlurmJob]:
    """C3."""
    lock = on("tur == 200", "import fcntl\nkilit = open('olcum.kilit', 'w')\nyaz('ölçüm dosyası için kilit bekleniyor')\nfcntl.flock(kilit, fcntl.LOCK_EX)")
    yield job(true("C3"), "TUR", 1, 1, f"--tur {MANY}", head="touch olcum.kilit; flock olcum.kilit sleep 900 &\nsleep 1\n", code={"data": lock}, hand=1, **LONG)


def well() -> Iterator[SlurmJob]:
    """G1."""
    yield job(HARD, "WATER", 3, 1, head="export RONDES=300 RUST=0.08\n", act="suspend", after="ronde 90/", hand=2, **DONE)
    fetch = "for mirror in cells-a cells-b cells-c; do\n  if [ $mirror = cells-c ]; then echo \"fetch: 40 traces from $mirror\"; break; fi\n  cat /mnt/$mirror/traces.csv > traces.csv || echo \"fetch: $mirror failed (exit $?), next\" >&2\n  sleep 1\ndone\n"
    yield job(HARD, "CELLS", head=fetch + "export FITS=66\n", **DONE)
    stop = on("tur == 230", "yaz('doğrulama hatası 25 turdur düşmüyor: planlandığı gibi erken durdurma, en iyi tur 205')\nbreak")
    yield job(HARD, "TUR", 1, 1, "--tur 800", code={"after": stop}, options=("--array=2",), hand=2, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node lose it together."""
    for part in (gone, again, limits, called, curves, states, short, slow, still, well):
        yield from part()


RECIPE = Recipe("birch_spoons", "development", jobs)
