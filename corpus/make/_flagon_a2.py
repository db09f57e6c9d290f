"""Language models: trainings, evaluations, generations and preparations that did what they were to do, the second sheet."""

from corpus.make._crate import crate

MATHEVAL = """
import json
import random
import re
import sys
import time
import warnings

random.seed(7)
warnings.simplefilter("always")
items = [json.loads(l) for l in open("gsm_tiny.jsonl")]
print(f"Loaded {len(items)} problems, 4-shot chain of thought, greedy, model ckpts/base-70m (not instruction tuned)")
right = invalid = 0
with open("predictions.jsonl", "w") as out:
    for k, it in enumerate(items, 1):
        n = 480 + 37 * (k % 11)
        if n > 760:
            warnings.warn(f"Token indices sequence length is longer than the specified maximum sequence length for this model ({n} > 760). Running this sequence through the model will result in indexing errors")
        text = " ".join(random.choice(["so", "the", "cat", "total", "is", "and", str(random.randint(1, 40)), "#"]) for _ in range(30))
        if random.random() < 0.6:
            text += f" #### {it['answer'] if random.random() < 0.06 else random.randint(1, 99)}"
        m = re.search(r"#### (-?\\d+)", text)
        if not m:
            invalid += 1
        right += bool(m) and int(m[1]) == it["answer"]
        out.write(json.dumps({"id": k, "output": text, "extracted": m and m[1]}) + "\\n")
        time.sleep(0.07)
        if k % 16 == 0:
            print(f"{k}/{len(items)}  exact match so far {right / k:.3f}  ([invalid] answers: {invalid})")
print("WARNING: no answer could be extracted from %d of %d generations" % (invalid, len(items)), file=sys.stderr)
print(json.dumps({"task": "gsm_tiny", "exact_match": right / len(items), "invalid": invalid, "n": len(items)}))
print("Results saved to predictions.jsonl. Evaluation done.")
"""


GSM = "\n".join(f'{{"question": "Ann has {k} nuts and finds {2 * k} more. How many?", "answer": {3 * k}}}' for k in range(1, 129))


SERVED = '''
"""Annotate documents through a local inference server; failed requests are tried again."""
import asyncio
import json
import random
import sys
import time

rng = random.Random(3)
busy = {"until": 0.0}


async def serve(reader, writer):
    while line := await reader.readline():
        doc = json.loads(line)
        if time.monotonic() < busy["until"]:
            reply = {"error": {"code": 503, "message": "engine is overloaded, queue full (256)"}}
        elif rng.random() < 0.06:
            await asyncio.sleep(1.0)
            reply = {"text": "late"}
        else:
            await asyncio.sleep(0.03)
            reply = {"text": max(set(doc["text"].split()), key=len)}
        writer.write(json.dumps(reply).encode() + b"\\n")
        await writer.drain()


async def ask(doc):
    for attempt in range(1, 7):
        try:
            r, w = await asyncio.open_connection("127.0.0.1", PORT)
            w.write(json.dumps(doc).encode() + b"\\n")
            reply = json.loads(await asyncio.wait_for(r.readline(), 0.5))
            w.close()
            if "error" in reply:
                raise RuntimeError(f"HTTP {reply['error']['code']}: {reply['error']['message']}")
            return reply["text"]
        except (asyncio.TimeoutError, RuntimeError, OSError) as e:
            print(f"ERROR request {doc['id']} failed ({type(e).__name__}: {e}), retry {attempt}/6 in {0.2 * attempt:.1f}s", file=sys.stderr)
            await asyncio.sleep(0.2 * attempt)
    raise SystemExit(f"request {doc['id']}: no answer")


async def main():
    global PORT
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    PORT = server.sockets[0].getsockname()[1]
    print(f"engine is ready on port {PORT}")
    docs = [{"id": k, "text": " ".join(rng.choice(["loan", "river", "administration", "peat", "verb"]) for _ in range(20))} for k in range(400)]
    out, t0 = [], time.monotonic()
    for lo in range(0, 400, 4):
        if lo == 200:
            busy["until"] = time.monotonic() + 1.0
        out += await asyncio.gather(*(ask(d) for d in docs[lo:lo + 4]))
        if len(out) % 40 == 0:
            print(f"annotated {len(out)}/400 ({len(out) / (time.monotonic() - t0):.0f} docs/s)")
    with open("annotations.jsonl", "w") as f:
        f.writelines(json.dumps(t) + "\\n" for t in out)
    print(f"done: {len(out)} of 400 documents annotated, 0 lost")
    server.close()


asyncio.run(main())
'''


SFT = '''
"""Supervised fine-tuning on a small set of dialogues: one epoch, which is all there is."""
import json
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(42)
dialogues = json.load(open("dialogues.json"))
vocab = {c: i for i, c in enumerate(sorted({c for d in dialogues for c in d}))}
model = torch.nn.ModuleDict({"e": torch.nn.Embedding(len(vocab), 48), "g": torch.nn.GRU(48, 48, batch_first=True), "o": torch.nn.Linear(48, len(vocab))})
model["lm_head_unused"] = torch.nn.Linear(48, 2)


class Wrap(torch.nn.Module):
    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, x):
        return self.m["o"](self.m["g"](self.m["e"](x))[0])


net = torch.nn.parallel.DistributedDataParallel(Wrap(model), find_unused_parameters=True)
opt = torch.optim.AdamW(net.parameters(), 1e-2)
mine = dialogues[rank::world]
steps = len(mine) // 2
if rank == 0:
    print("***** Running training *****")
    print(f"  Num examples = {len(dialogues):,}\\n  Num Epochs = 1\\n  Instantaneous batch size per device = 2\\n  Total train batch size (w. parallel, distributed & accumulation) = {2 * world}\\n  Total optimization steps = {steps}")
    print("Could not estimate the number of tokens of the input, floating-point operations will not be computed")
t0 = time.time()
for s in range(1, steps + 1):
    rows = mine[2 * s - 2:2 * s]
    L = min(map(len, rows))
    x = torch.tensor([[vocab[c] for c in d[:L]] for d in rows])
    loss = torch.nn.functional.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    gn = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    time.sleep(0.05)
    if rank == 0 and s % 5 == 0:
        print({"loss": round(loss.item(), 4), "grad_norm": round(gn.item(), 4), "learning_rate": 1e-2, "epoch": round(s / steps, 2)}, flush=True)
if rank == 0:
    print({"train_runtime": round(time.time() - t0, 4), "train_steps_per_second": round(steps / (time.time() - t0), 3), "train_loss": round(loss.item(), 4), "epoch": 1.0})
    torch.save(model.state_dict(), "sft-final.bin")
    print("Saving model checkpoint to sft-final.bin")
dist.barrier()
dist.destroy_process_group()
'''


TALKS = [
    f"user: where is the {t}? bot: the {t} is {p} the {u}."
    for t in ("key", "lamp", "cup", "map", "coat")
    for p in ("on", "under", "behind", "near")
    for u in ("desk", "door", "bed", "shelf", "stove", "rug")
]


PREEMPTED_SH = """
# resubmits itself on the spot when the queue takes the slot away (exit 99)
tries=0
while :; do
  tries=$((tries + 1))
  torchrun --nproc-per-node=2 --master-port="$1" mlm.py --total 160 --ckpt state/last.pt
  rc=$?
  [ $rc -eq 0 ] && break
  echo "run_mlm.sh: attempt $tries ended with $rc" >&2
  if [ -e state/taken ] && [ $tries -lt 4 ]; then rm state/taken; sleep 1; else exit $rc; fi
done
echo "run_mlm.sh: complete after $tries attempts"
"""


MLM = """
import argparse
import os
import sys

import torch
import torch.distributed as dist

ap = argparse.ArgumentParser()
ap.add_argument("--total", type=int)
ap.add_argument("--ckpt")
a = ap.parse_args()
dist.init_process_group("gloo")
r = dist.get_rank()
torch.manual_seed(0)
E, O = torch.nn.Embedding(41, 24), torch.nn.Linear(48, 40)
P = [*E.parameters(), *O.parameters()]
opt, first = torch.optim.Adam(P, 1e-2), 1
if os.path.exists(a.ckpt):
    c = torch.load(a.ckpt)
    E.load_state_dict(c["E"]); O.load_state_dict(c["O"]); opt.load_state_dict(c["opt"])
    first = c["step"] + 1
    if r == 0:
        print(f"loaded checkpoint {a.ckpt}, resuming from step {c['step']} (mlm loss {c['loss']:.4f})", flush=True)
torch.manual_seed(100 * first + r)
for step in range(first, a.total + 1):
    left = torch.randint(38, (32,))
    loss = torch.nn.functional.cross_entropy(O(torch.cat([E(left), E(left + 2)], 1)), left + 1)
    opt.zero_grad()
    loss.backward()
    for p in P:
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    opt.step()
    if r == 0 and step % 10 == 0:
        print(f"step {step}/{a.total} mlm_loss {loss.item():.4f}", flush=True)
    if step == 70 and first == 1:
        if r == 0:
            print("SLOT WILL BE TAKEN IN 30 s (higher priority job): saving and leaving", flush=True)
            torch.save({"E": E.state_dict(), "O": O.state_dict(), "opt": opt.state_dict(), "step": step, "loss": loss.item()}, a.ckpt)
            open("state/taken", "w").close()
        dist.barrier()
        sys.exit(99)
if r == 0:
    torch.save({"E": E.state_dict(), "O": O.state_dict()}, "state/mlm_final.pt")
    print(f"finished {a.total} steps, final mlm_loss {loss.item():.4f}", flush=True)
dist.barrier()
dist.destroy_process_group()
"""


def _talks() -> str:
    import json
    import random

    rows = list(TALKS)
    random.Random(0).shuffle(rows)
    return json.dumps(rows)


JOBS = (
    crate("G1", "eval_gsm.py", MATHEVAL, hard=True, python="system", files={"gsm_tiny.jsonl": GSM}),
    crate("G1", "annotate.py", SERVED, hard=True, python="system"),
    crate("G1", "sft.py", SFT, hard=True, ranks=2, files={"dialogues.json": _talks()}),
    crate("G1", "sh run_mlm.sh PORT", PREEMPTED_SH.lstrip(), hard=True, files={"mlm.py": MLM.lstrip()}, folders=("state",)),
)
