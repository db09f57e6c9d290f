"""Programs of several processes that went on, and slower than they should."""

from corpus.make._crate import crate

OCEAN = '''
"""Neural operator for sea-surface height, data parallel."""
import logging, os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); rank, world = dist.get_rank(), dist.get_world_size()
logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [rank {rank}] %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger()
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(48, 96), torch.nn.GELU(), torch.nn.Linear(96, 48)); opt = torch.optim.Adam(net.parameters(), 2e-3)
cost = float(os.environ.get(f"COST_{rank}", "0.05"))
A = torch.randn(48, 48) / 7
for step in range(1, 61):
    t0 = time.perf_counter()
    x = torch.randn(32, 48); loss = (net(x) - torch.tanh(x @ A)).pow(2).mean(); opt.zero_grad(); loss.backward(); time.sleep(cost)
    t1 = time.perf_counter()
    for p in net.parameters(): dist.all_reduce(p.grad); p.grad /= world
    t2 = time.perf_counter(); opt.step()
    if step % 6 == 0: log.info("step %d/60 loss %.4f fwd+bwd %.0f ms, gradient exchange %.0f ms", step, loss.item(), 1000 * (t1 - t0), 1000 * (t2 - t1))
log.info("done"); dist.destroy_process_group()
'''

ACTORS = '''
"""Impala-like: four actors, one learner; an update needs a batch of each."""
import json, multiprocessing as mp, random, time

def actor(me, pipe, host):
    rng = random.Random(me)
    while (w := pipe.recv()) is not None:
        t = time.time()
        traj = [rng.gauss(w, 1) for _ in range(50)]
        time.sleep(0.06 if host != "actor3" else 0.47)
        pipe.send((sum(traj) / 50, time.time() - t))

if __name__ == "__main__":
    hosts = ["actor0", "actor1", "actor2", "actor3"]; pipes = []
    for k, h in enumerate(hosts):
        a, b = mp.Pipe(); mp.get_context("fork").Process(target=actor, args=(k, b, h), daemon=True).start(); pipes.append(a)
    w, spent, frames, t0 = 0.0, [0.0] * 4, 0, time.time()
    print(json.dumps({"msg": "learner up", "actors": hosts, "updates": 60}), flush=True)
    for up in range(1, 61):
        for p in pipes: p.send(w)
        got = [p.recv() for p in pipes]
        for k, (_, s) in enumerate(got): spent[k] += s
        w += 0.05 * (2 - sum(g for g, _ in got) / 4); frames += 200
        if up % 6 == 0:
            print(json.dumps({"update": up, "loss": round((2 - w) ** 2, 4), "fps": round(frames / (time.time() - t0)), "actor_busy_s": {h: round(s, 2) for h, s in zip(hosts, spent)}, "actor_idle_s": {h: round(max(0, time.time() - t0 - s), 2) for h, s in zip(hosts, spent)}}), flush=True)
    for p in pipes: p.send(None)
    print(json.dumps({"msg": "learner finished", "updates": 60, "frames": frames}))
'''

SWEEPERS = r"""
#!/bin/bash
# four sweepers on one lattice, meeting after every sweep
PY=$1; rm -rf meet; mkdir meet
for r in 0 1 2 3; do "$PY" sweep.py $r 4 & done
wait
echo "sweepers finished"
"""
SWEEP = """
import os, sys, time, random
r, n = int(sys.argv[1]), int(sys.argv[2]); rng = random.Random(r); acc = 0.0; energy = 0.0
if r == 0: print("sweep   <E>      own time of sweeper 0 / 1 / 2 / 3 (s)          slowest-fastest", flush=True)
for s in range(1, 41):
    t = time.time()
    for _ in range(3000): energy += 0.001 * (rng.random() - 0.5 - 0.002 * energy)
    for _ in range(2 if r != 1 else 19): time.sleep(0.03)
    own = time.time() - t
    with open(f"meet/{s}.{r}.part", "w") as f: f.write(f"{own:.3f}")
    os.rename(f"meet/{s}.{r}.part", f"meet/{s}.{r}")
    while not all(os.path.exists(f"meet/{s}.{k}") for k in range(n)): time.sleep(0.01)
    if r == 0 and s % 2 == 0:
        own = [float(open(f"meet/{s}.{k}").read()) for k in range(n)]
        print(f"{s:3d}/40 {energy - 1.7:8.4f}   {' / '.join(f'{o:.3f}' for o in own)}   {max(own) - min(own):.3f}", flush=True)
"""

FABRIC = '''
"""Masked protein model, weights reduced over the plant's Ethernet."""
import os, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); me, n = dist.get_rank(), dist.get_world_size(); torch.manual_seed(1)
big = torch.nn.Linear(2400, 2400, bias=False); opt = torch.optim.SGD(big.parameters(), 1.0); target = torch.randn(2400, 2400) / 200; x = torch.randn(16, 2400)
if me == 0: print(f"backend {dist.get_backend()}, transport tcp over {os.environ.get('GLOO_SOCKET_IFNAME', 'eth0')}, {big.weight.numel() * 4 / 1e6:.0f} MB a bucket, 9 buckets a step")
comp = comm = 0.0
for s in range(1, 31):
    a = time.perf_counter(); loss = (big(x) - x @ target.T).pow(2).mean(); opt.zero_grad(); loss.backward(); b = time.perf_counter()
    for _ in range(9): dist.all_reduce(big.weight.grad); big.weight.grad /= n   # nine buckets, unfused
    dist.barrier(); c = time.perf_counter(); opt.step(); comp += b - a; comm += c - b
    if s % 3 == 0: os.write(1, f"rank {me} | step {s}/30 | loss {loss.item():.5f} | compute {b - a:.3f} s | all-reduce {c - b:.3f} s | {100 * (c - b) / (c - a):.0f}% in communication\\n".encode())
print(f"rank {me} | totals: compute {comp:.1f} s, all-reduce {comm:.1f} s", flush=True)
dist.destroy_process_group()
'''

LONGRL = """
import logging, time, torch, torch.distributed as dist
dist.init_process_group("gloo"); r = dist.get_rank()
logging.basicConfig(level=logging.INFO if r == 0 else logging.WARNING, format="%(asctime)s,%(msecs)03d learner: %(message)s", datefmt="%H:%M:%S")
torch.manual_seed(2); pi = torch.nn.Linear(6, 6); opt = torch.optim.Adam(pi.parameters(), 0.004); torch.manual_seed(r); TOTAL = 2_000_000; done = 0; up = 0
while done < TOTAL:
    s = torch.eye(6)[torch.randint(6, (128,))]; d = torch.distributions.Categorical(logits=pi(s)); a = d.sample(); rew = (a == (s.argmax(1) + 2) % 6).float()
    loss = -(d.log_prob(a) * (rew - rew.mean())).mean(); opt.zero_grad(); loss.backward()
    for p in pi.parameters(): dist.all_reduce(p.grad); p.grad /= 2
    opt.step(); up += 1; done += 256; time.sleep(0.04)
    if up % 15 == 0: logging.info("%d of %d environment steps (%.2f%%), reward %.3f, entropy %.3f", done, TOTAL, 100 * done / TOTAL, rew.mean().item(), d.entropy().mean().item())
logging.info("finished")
"""

JOBS = (
    crate(
        "D3",
        "sh ssh.sh PORT",
        'export COST_2=0.44\nexec torchrun --nproc-per-node=3 --master-port="$1" ssh_operator.py',
        files={"ssh_operator.py": OCEAN},
        fault="unknown",
        first=(),
        note="rank 2's fwd+bwd nine times the others', who are that long in the gradient exchange",
    ),
    crate("D3", "actors.py", ACTORS, fault="unknown", python="system", note="actor3 is busy nearly all the time, the other three idle most of it"),
    crate(
        "D3",
        "sh sweepers.sh PYTHON",
        SWEEPERS,
        fault="unknown",
        python="system",
        files={"sweep.py": SWEEP},
        first=(),
        note="own time of sweeper 1 ten times the others' in each line; they meet after each sweep",
    ),
    crate(
        "D2",
        "protein_mlm.py",
        FABRIC,
        variant="interconnect",
        fault="unknown",
        ranks=2,
        note="both ranks some 90 % of each step in the all-reduce, over tcp",
    ),
    crate(
        "F3", "grid_rl.py", LONGRL, variant="advancing", ranks=2, timeout_s=56, note="a line every half second to the limit at one or two per cent"
    ),
)
