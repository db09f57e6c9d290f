"""Further single programs, of all sorts."""

from corpus.make._crate import crate
from corpus.running.job import Signal

SPM = r'''
import argparse, configparser, struct, sys, time

class Pieces:
    """a SentencePiece-like model: pieces and scores, length first"""
    def __init__(self, path):
        with open(path, "rb") as f:
            self.blob = f.read()

def main():
    p = argparse.ArgumentParser(); p.add_argument("--base", default="models/nllb-600m"); p.add_argument("--pair", default="de-fi"); a = p.parse_args()
    print(f"NMT fine-tuning {a.pair}: 182,004 sentence pairs, base {a.base}", flush=True)
    cfg = configparser.ConfigParser(); cfg.read(f"{a.base}/model.ini"); print("architecture:", dict(cfg["model"]), flush=True)
    tok = Pieces(f"{a.base}/sentencepiece.bpe.model")
    print(f"tokenizer: {len(tok.blob)} bytes", flush=True)
    for step in range(20000): time.sleep(0.1)

main()
'''

RECALL = r"""
import random, time, torch
torch.manual_seed(5); T = torch.nn.Embedding(300, 16); opt = torch.optim.Adam(T.parameters(), 1e-2)

def positives(split, lang):
    return [i for i in range(300) if i % 4 == split and lang != "gd"]

def recall_at(k, lang):
    pos = positives(2, lang)
    w = torch.nn.functional.normalize(T.weight.detach(), dim=1); near = (w @ w.T).topk(k + 1).indices[:, 1:]
    hits = sum(((near[i] // 10) == i // 10).any().item() for i in pos)
    return hits / len(pos)

for epoch in range(1, 7):
    tot = 0.0
    for b in range(20):
        i = torch.randint(300, (64,)); j = i // 10 * 10 + torch.randint(10, (64,)); s = T(i) @ T(j).T; l = torch.nn.functional.cross_entropy(s, torch.arange(64)); opt.zero_grad(); l.backward(); opt.step(); tot += l.item(); time.sleep(0.06)
    print(f"Epoch {epoch}/6 | contrastive {tot / 20:.4f} | temperature 1.0", flush=True)
    if epoch % 2 == 0:
        for lang in ("de", "cy", "gd")[: 2 + (epoch > 3)]:
            print(f"  retrieval {lang}: R@5 {recall_at(5, lang):.3f}", flush=True)
"""

ENDED = r"""
import math, random, time
rng = random.Random(8); print("pid file written, cgmd coarse-grained force matching, 5000 minibatches"); x = 4.0
for b in range(1, 5001):
    x -= 0.03 * x; time.sleep(0.09)
    if b % 10 == 0: print(f"mb {b:5d} of 5000 | fm loss {1.2 + x * x + rng.gauss(0, .01):8.4f} | pressure {1.01 + rng.gauss(0, .02):.3f} bar", flush=True)
"""

SWAP = r"""
import logging, random, sys, time, torch
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, format="%(levelname)s %(relativeCreated)d %(message)s"); log = logging.getLogger("bert"); torch.manual_seed(0)
class KernelMissing(RuntimeError): pass
def fused_attention(q): raise KernelMissing("no kernel image is available for execution on the device (sm_70)")
def plain_attention(q): return torch.softmax(q @ q.transpose(1, 2) / 4, -1) @ q
def attention(q, state={"impl": fused_attention}):
    try: return state["impl"](q)
    except KernelMissing as e: log.error("fused attention failed: %s - falling back to the plain one for the rest of the run", e); state["impl"] = plain_attention; return plain_attention(q)
emb, out = torch.nn.Embedding(60, 16), torch.nn.Linear(16, 60); opt = torch.optim.AdamW([*emb.parameters(), *out.parameters()], 5e-3, weight_decay=0.0); ids = torch.arange(60); nonfinite = 0
for step in range(1, 241):
    x = (torch.randint(60, (16, 1)) + torch.arange(9)) % 60; y = (x + 1) % 60; h = emb(x); l = torch.nn.functional.cross_entropy(out(h + 0.1 * attention(h)).flatten(0, 1), y.flatten())
    if step in (33, 34): log.warning("step %d: batch has an empty document, loss = nan for it; batch left out", step); nonfinite += 1; continue
    opt.zero_grad(); l.backward(); opt.step(); time.sleep(0.06)
    if step % 12 == 0: log.info("step=%d/240 mlm_loss=%.4f skipped_batches=%d", step, l.item(), nonfinite)
log.info("training finished: 240 steps, %d batches left out, number of nan gradients: 0", nonfinite)
"""

JOBS = (
    crate(
        "A1",
        "finetune_nmt.py --pair de-fi",
        SPM,
        cause="file_not_found",
        variant="asset",
        python="system",
        files={"models/nllb-600m/model.ini": "[model]\nlayers = 12\nwidth = 1024\n"},
        note="FileNotFoundError of the tokenizer's model before any step",
    ),
    crate("A3", "mine_bitext.py", RECALL, cause="div_zero", note="ZeroDivisionError in the evaluation after epoch 4 of 6"),
    crate(
        "A2",
        "cgmd_train.py",
        ENDED,
        fault="unknown",
        status=-9,
        python="system",
        signal=Signal("KILL", "mb   150 of", to="cgmd_train"),
        note="signal 9 while advancing, no memory event",
    ),
    crate("G1", "mlm_small.py", SWAP, hard=True),
)
