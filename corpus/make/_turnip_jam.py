"""Programs of several processes that never met, or stood still together."""

from corpus.make._crate import crate

CREW = r"""
#!/bin/bash
# crew.sh PYTHON PORT -- coordinator and the workers of this allocation
PY=$1 PORT=$2
"$PY" coord.py "$PORT" 4 &
sleep 1
for w in 0 1 2; do "$PY" member.py "$PORT" "$w" & done
wait
"""
COORD = """
import socket, sys, time, threading
port, want = int(sys.argv[1]), int(sys.argv[2])
srv = socket.create_server(("127.0.0.1", port)); here = []
def say(m): print(time.strftime("%H:%M:%S"), "[coordinator]", m, flush=True)
def report():
    while len(here) < want:
        time.sleep(6); say(f"{len(here)} of {want} members registered")
say(f"listening on :{port}, expecting {want} members")
threading.Thread(target=report, daemon=True).start()
while len(here) < want:
    c, _ = srv.accept(); here.append(c); say(f"member {c.recv(16).decode()} registered")
for c in here: c.sendall(b"go")
say("all members here, round 1 begins")
"""
MEMBER = """
import socket, sys, time
port, me = int(sys.argv[1]), sys.argv[2]
for _ in range(50):
    try:
        s = socket.create_connection(("127.0.0.1", port)); break
    except ConnectionRefusedError:
        time.sleep(0.2)
s.sendall(me.encode())
print(time.strftime("%H:%M:%S"), f"[member {me}] registered, waiting for the start", flush=True)
if s.recv(2) != b"go": sys.exit(3)
for rnd in range(1, 101): time.sleep(0.2); print(f"[member {me}] round {rnd}/100", flush=True)
"""

FILERDZV = r"""
set -u
export WORLD=2
launch() {
    RUN_ID=$(date +%s%N); mkdir -p rdzv
    RANK=$1 RDZV="file://$PWD/rdzv/$RUN_ID" "$PY" dock.py
}
PY=$1
echo "starting both halves of the docking model"
launch 0 &
launch 1 &
wait
"""
DOCK = """
import logging, os, time, torch, torch.distributed as dist, datetime
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD"])
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [{rank}/{world}] %(message)s", datefmt="%X")
logging.info("torch %s, init_method %s", torch.__version__, "file://rdzv/" + os.environ["RDZV"].rsplit("/", 1)[1])
dist.init_process_group("gloo", init_method=os.environ["RDZV"], rank=rank, world_size=world, timeout=datetime.timedelta(minutes=30))
logging.info("process group ready")
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 1)); opt = torch.optim.Adam(net.parameters())
for s in range(1000):
    loss = net(torch.randn(32, 64)).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.05)
    if s % 20 == 0: logging.info("step %d loss %.4f", s, loss.item())
"""

TWOPORTS = r"""
#!/bin/bash
PY=$1; BASE=$2
export MASTER_ADDR=127.0.0.1 WORLD_SIZE=2
# one port per local rank, so that jobs of one node do not collide
for r in 0 1; do
    RANK=$r MASTER_PORT=$((BASE + r)) "$PY" waves.py 2>&1 | sed -u "s/^/rank$r| /" &
done
wait
"""
WAVES = """
import os, time, torch, torch.distributed as dist
print(f"pid {os.getpid()}: wave-equation operator learning, store at {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", flush=True)
dist.init_process_group("gloo")
print(f"connected as {dist.get_rank()} of {dist.get_world_size()}", flush=True)
for it in range(500):
    t = torch.ones(1); dist.all_reduce(t); time.sleep(0.05)
    if it % 20 == 0: print(f"it {it} ok", flush=True)
"""

EVALFLAG = '''
"""Session-based recommender; rank 0 evaluates, the other waits for its flag."""
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank = dist.get_rank(); torch.manual_seed(8)
V = 80; emb, out = torch.nn.Embedding(V, 24), torch.nn.Linear(24, V); params = [*emb.parameters(), *out.parameters()]; opt = torch.optim.Adam(params, 0.01); torch.manual_seed(rank)
def log(m): print(f"{time.strftime('%H:%M:%S')} r{rank} {m}", flush=True)
def sync():
    for p in params: dist.all_reduce(p.grad); p.grad /= dist.get_world_size()
log("started")
for epoch in range(1, 41):
    for b in range(12):
        x = torch.randint(V, (64,)); loss = torch.nn.functional.cross_entropy(out(emb(x)), (x * 3 + 1) % V); opt.zero_grad(); loss.backward(); sync(); opt.step(); time.sleep(0.02)
    log(f"epoch {epoch}/40 loss {loss.item():.4f}")
    if epoch % 10 == 0:
        if rank == 0:
            dist.barrier()
            log(f"recall@5 {(out(emb.weight).topk(5).indices == ((torch.arange(V) * 3 + 1) % V)[:, None]).any(1).float().mean():.3f}")
            open(f"eval_{epoch}.flag", "w").close()
        else:
            while not os.path.exists(f"eval_{epoch}.flag"): time.sleep(0.2)
            dist.barrier()
'''

CKPTLOCK = """
import fcntl, logging, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r, n = dist.get_rank(), dist.get_world_size()
logging.basicConfig(level=logging.INFO, format=f"%(relativeCreated)8d rank={r} %(funcName)s: %(message)s")
torch.manual_seed(3); model = torch.nn.GRU(10, 20, batch_first=True); head = torch.nn.Linear(20, 10); ps = [*model.parameters(), *head.parameters()]; opt = torch.optim.Adam(ps, 4e-3); torch.manual_seed(r)

def reduce_mean(x):
    dist.all_reduce(x); return x / n

def train_step(step):
    x = torch.randn(16, 12, 10).cumsum(1) / 4; loss = (head(model(x[:, :-1])[0]) - x[:, 1:]).pow(2).mean(); opt.zero_grad(); loss.backward()
    for p in ps: p.grad = reduce_mean(p.grad)
    opt.step(); time.sleep(0.03)
    if step % 10 == 0 and r == 0: logging.info("step %d of 600 mse %.4f", step, loss.item())

def save(step):
    with open("weights.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        norm = sum(p.detach().norm() for p in ps)
        if r == 0: time.sleep(0.5)
        logging.info("holding the lock, averaging the norm before writing shard %d", r)
        norm = reduce_mean(norm.reshape(1)); torch.save([p.detach() for p in ps], f"w{step}_{r}.pt"); logging.info("shard %d written, norm %.3f", r, norm.item())

for step in range(1, 601):
    train_step(step)
    if step % 120 == 0: save(step)
"""

THREESIM = '''
"""Lattice-Boltzmann over three processes with a learned wall model; shared arrays, a barrier per time step."""
import ctypes, faulthandler, multiprocessing as mp, sys, time
faulthandler.enable()
CELLS, STEPS = 90, 900

def domain(me, field, gate, wall):
    lo, hi = me * CELLS // 3, (me + 1) * CELLS // 3
    for step in range(1, STEPS + 1):
        new = [0.5 * field[i] + 0.25 * (field[i - 1] + field[(i + 1) % CELLS]) for i in range(lo, hi)]
        gate.wait()
        field[lo:hi] = new
        if me == 2 and step == 260:
            table = ctypes.cast(ctypes.c_void_p(wall + 8 * 10**12), ctypes.POINTER(ctypes.c_double))
            field[hi - 1] = table[step]
        gate.wait()
        time.sleep(0.015)
        if step % 20 == 0: print(f"domain {me}: step {step}/{STEPS}, mass {sum(field[lo:hi]):.6f}", flush=True)

if __name__ == "__main__":
    ctx = mp.get_context("fork"); field = ctx.Array("d", [float(i % 30 == 0) for i in range(CELLS)], lock=False); gate = ctx.Barrier(3)
    procs = [ctx.Process(target=domain, args=(k, field, gate, ctypes.addressof(field)), name=f"domain-{k}") for k in range(3)]
    for p in procs: p.start()
    print("domains:", ", ".join(f"{p.name} pid {p.pid}" for p in procs), flush=True)
    for p in procs: p.join()
    print("all domains finished")
'''

JOBS = (
    crate(
        "C1",
        "sh crew.sh PYTHON PORT",
        CREW,
        python="system",
        files={"coord.py": COORD, "member.py": MEMBER},
        timeout_s=40,
        note="the coordinator counts 3 of 4 members to the limit; no round begins",
    ),
    crate(
        "C1",
        "sh dock.sh PYTHON",
        FILERDZV,
        files={"dock.py": DOCK},
        timeout_s=55,
        note="two ranks name two different rendezvous files; neither is ready, silent to the limit",
    ),
    crate(
        "C1",
        "sh waves.sh PYTHON PORT",
        TWOPORTS,
        files={"waves.py": WAVES},
        timeout_s=50,
        note="rank 1 names another port; neither is connected to the limit",
    ),
    crate("C2", "sessions.py", EVALFLAG, ranks=2, timeout_s=55, note="both ranks end epoch 10 within seconds, then nothing to the limit"),
    crate("C2", "seqnet.py", CKPTLOCK, ranks=2, timeout_s=55, note="at step 120 one rank holds the lock in an average, nothing more to the limit"),
    crate(
        "C2",
        "lbm.py",
        THREESIM,
        trigger="A2",
        cause="segfault",
        python="system",
        timeout_s=42,
        note="domain 2's Segmentation fault by faulthandler at step 260; the other two silent to the limit",
    ),
)
