"""Trainings over accelerate and the Hub's models in loops of their own: pollen pictures, drug names, bird calls, and two processes on article summaries."""

POLLEN = '''
import argparse, logging, math, os, pathlib, shutil, sys, time
import numpy as np
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from tqdm.auto import tqdm
from transformers import ViTConfig, ViTForImageClassification, get_cosine_schedule_with_warmup

logger = get_logger(__name__)
SPECIES = "alder birch hazel ash oak plane grass mugwort nettle ragweed".split()


def parse():
    ap = argparse.ArgumentParser("pollen slides")
    ap.add_argument("--num_train_epochs", type=int, default=6)
    ap.add_argument("--learning_rate", type=float, default=2e-3)
    ap.add_argument("--train_batch_size", type=int, default=20)
    ap.add_argument("--output_dir", default="pollen-vit")
    ap.add_argument("--checkpointing_steps", type=int, default=75)
    ap.add_argument("--resume_from_checkpoint", default=None)
    ap.add_argument("--max_train_steps", type=int, default=None)
    ap.add_argument("--lr_warmup_steps", type=int, default=10)
    ap.add_argument("--slides", type=int, default=500)
    ap.add_argument("--width", type=int, default=32)
    #: options
    return ap.parse_args()


def slides(n, seed, classes=10):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    x = rng.normal(0, 0.6, (n, 1, 16, 16)).astype("float32")
    stains = np.random.default_rng(99).normal(0, 0.45, (10, 16, 16)).astype("float32")
    x[:, 0] += stains[y]
    return torch.tensor(x), torch.tensor(y)


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        out = model(pixel_values=x, labels=y)
    model.train()
    guess = out.logits.argmax(-1)
    #: scores
    return out.loss.item(), (guess == y).float().mean().item()


def main():
    args = parse()
    torch.set_num_threads(1)
    accelerator = Accelerator(cpu=True, project_config=ProjectConfiguration(project_dir=args.output_dir))
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
    logger.info(accelerator.state, main_process_only=False)
    set_seed(31)
    #: early
    x, y = slides(args.slides, 1)
    vx, vy = slides(100, 2)
    #: data
    model = ViTForImageClassification(ViTConfig(image_size=16, patch_size=4, num_channels=1, hidden_size=args.width, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, num_labels=10))
    #: model
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=args.train_batch_size, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate, weight_decay=0.01)
    per_epoch = len(loader)
    total = args.max_train_steps or args.num_train_epochs * per_epoch
    scheduler = get_cosine_schedule_with_warmup(optimizer, args.lr_warmup_steps, total)
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)
    logger.info("***** Running training *****")
    logger.info(f"  Num examples = {len(x)}")
    logger.info(f"  Num Epochs = {math.ceil(total / per_epoch)}")
    logger.info(f"  Batch size = {args.train_batch_size}")
    logger.info(f"  Total optimization steps = {total}")
    global_step, first_epoch = 0, 0
    #: ready
    if args.resume_from_checkpoint:
        path = args.resume_from_checkpoint
        if path == "latest":
            dirs = sorted((d for d in os.listdir(args.output_dir) if d.startswith("checkpoint")), key=lambda d: int(d.split("-")[1])) if os.path.isdir(args.output_dir) else []
            path = os.path.join(args.output_dir, dirs[-1]) if dirs else None
        if path is None:
            accelerator.print(f"Checkpoint '{args.resume_from_checkpoint}' does not exist. Starting a new training run.")
        else:
            accelerator.print(f"Resuming from checkpoint {path}")
            accelerator.load_state(path)
            global_step = int(path.rstrip("/").split("-")[-1])
            first_epoch = global_step // per_epoch
    bar = tqdm(range(0, total), initial=global_step, desc="Steps", mininterval=2.0)
    for epoch in range(first_epoch, math.ceil(total / per_epoch)):
        seen = 0.0
        for step, (xb, yb) in enumerate(loader):
            #: batch
            loss = model(pixel_values=xb, labels=yb).loss
            #: loss
            accelerator.backward(loss)
            norm = accelerator.clip_grad_norm_(model.parameters(), 1.0)
            #: norm
            optimizer.step(); scheduler.step(); optimizer.zero_grad()
            time.sleep(float(os.environ.get("LAG", "0.04")))
            global_step += 1; bar.update(1)
            seen += loss.item()
            #: step
            if global_step % 15 == 0:
                logger.info(f"step {global_step}: loss {loss.item():.4f} grad_norm {float(norm):.3f} lr {scheduler.get_last_lr()[0]:.2e}")
            if global_step % args.checkpointing_steps == 0:
                save_path = os.path.join(args.output_dir, f"checkpoint-{global_step}")
                accelerator.save_state(save_path)
                logger.info(f"Saved state to {save_path}")
                #: saved
            if global_step >= total:
                break
        vloss, vacc = evaluate(model, vx, vy)
        logger.info(f"epoch {epoch}: train_loss {seen / (step + 1):.4f} eval_loss {vloss:.4f} eval_accuracy {vacc:.3f}")
        #: epoch
    bar.close()
    accelerator.unwrap_model(model).save_pretrained(args.output_dir)
    logger.info(f"Model saved in {args.output_dir}")
    #: late
    accelerator.end_training()


if __name__ == "__main__":
    main()
'''

DRUGS = '''
import json, os, random, sys, time
import torch
from accelerate import Accelerator
from transformers import DistilBertConfig, DistilBertForTokenClassification, get_linear_schedule_with_warmup

CFG = {"run": "drug-ner", "epochs": 5, "lr": 0.002, "batch": 16, "sentences": 480, "dim": 32, "out": "ner-out", "init": None, "resume": None, "log_steps": 10, "seed": 3, "sleep": 0.04}
if len(sys.argv) > 1:
    CFG.update(json.loads(sys.argv[1]))
torch.set_num_threads(1)
torch.manual_seed(CFG["seed"])
T0 = time.time()


def emit(kind, **fields):
    print(json.dumps({"t": round(time.time() - T0, 2), "event": kind, **fields}), flush=True)


emit("config", **CFG)
#: early
LABELS = ["O", "B-DRUG", "I-DRUG", "B-DOSE"]


def sentence(r):
    tokens, tags = [], []
    while len(tokens) < 20:
        u = r.random()
        if u < 0.18:
            tokens += [r.randrange(10, 30), r.randrange(30, 40)]; tags += [1, 2]
        elif u < 0.3:
            tokens.append(r.randrange(40, 55)); tags.append(3)
        else:
            tokens.append(r.randrange(55, 150)); tags.append(0)
    return tokens[:20], tags[:20]


r = random.Random(CFG["seed"])
rows = [sentence(r) for _ in range(CFG["sentences"] + 80)]
#: data
train, dev = rows[:-80], rows[-80:]
emit("data", train=len(train), dev=len(dev), labels=LABELS)
acc = Accelerator(cpu=True)
cfg = DistilBertConfig(vocab_size=160, dim=CFG["dim"], n_layers=1, n_heads=2, hidden_dim=64, max_position_embeddings=32, num_labels=4, dropout=0.0, attention_dropout=0.0)
net = DistilBertForTokenClassification.from_pretrained(CFG["init"]) if CFG["init"] else DistilBertForTokenClassification(cfg)
#: model
opt = torch.optim.AdamW(net.parameters(), lr=CFG["lr"])
steps = CFG.get("max_steps") or CFG["epochs"] * (len(train) // CFG["batch"])
sched = get_linear_schedule_with_warmup(opt, 8, steps)
net, opt, sched = acc.prepare(net, opt, sched)
done, best = 0, -1.0
#: ready
if CFG["resume"]:
    state = torch.load(CFG["resume"], weights_only=True)
    net.load_state_dict(state["net"]); opt.load_state_dict(state["opt"]); done = state["step"]; best = state["best"]
    emit("resumed", path=CFG["resume"], step=done, best_f1=best)


def f1(batch):
    net.eval()
    x, y = (torch.tensor([s[k] for s in batch]) for k in (0, 1))
    with torch.no_grad():
        out = net(input_ids=x, labels=y)
    net.train()
    guess = out.logits.argmax(-1)
    hit = ((guess == y) & (y > 0)).sum().item()
    precision, recall = hit / max(1, (guess > 0).sum().item()), hit / (y > 0).sum().item()
    #: scores
    return out.loss.item(), 2 * precision * recall / max(1e-9, precision + recall)


emit("train_begin", steps=steps, at=done)
net.train()
while done < steps:
    batch = r.sample(train, CFG["batch"])
    #: batch
    x, y = (torch.tensor([s[k] for s in batch]) for k in (0, 1))
    loss = net(input_ids=x, attention_mask=torch.ones_like(x), labels=y).loss
    #: loss
    acc.backward(loss)
    norm = float(torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0))
    opt.step(); sched.step(); opt.zero_grad(); done += 1
    time.sleep(CFG["sleep"])
    #: step
    if done % CFG["log_steps"] == 0 or done == steps:
        emit("train", step=done, of=steps, loss=round(loss.item(), 5), grad_norm=round(norm, 4), lr=sched.get_last_lr()[0])
    if done % (len(train) // CFG["batch"]) == 0:
        dev_loss, score = f1(dev)
        emit("eval", step=done, loss=round(dev_loss, 5), f1=round(score, 4))
        #: eval
        if score > best:
            best = score
            os.makedirs(CFG["out"], exist_ok=True)
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": done, "best": best}, f"{CFG['out']}/best.pt")
            emit("saved", path=f"{CFG['out']}/best.pt", f1=round(best, 4))
            #: saved
emit("done", steps=done, best_f1=round(best, 4), wall_s=round(time.time() - T0, 1))
#: late
'''

BIRDS = '''
import os, sys, time
import click_free_cli as cli
import numpy as np, torch
from loguru import logger
from transformers import Trainer, TrainerCallback, TrainingArguments, Wav2Vec2Config, Wav2Vec2ForCTC, set_seed

a = cli.read(sys.argv[1:], steps=160, lr=2e-3, batch=8, clips=240, out="calls-ctc", report=10, keep=40, resume="", seed=17, think=0.05, hidden=32)
logger.remove()
logger.add(sys.stdout, format="{time:HH:mm:ss.SSS} | {level: <8} | {message}", level="DEBUG")
logger.info("options: {}", vars(a))
set_seed(a.seed)
torch.set_num_threads(1)
#: early
CALLS = "_ chip trill buzz whistle".split()


def clip(rng):
    kinds = rng.integers(1, 5, 2)
    t = np.arange(160) / 160
    parts = [np.sin(2 * np.pi * t * (6, 14, 26, 40)[k - 1]) for k in kinds]
    wave = np.concatenate(parts) + rng.normal(0, 0.1, 320)
    return wave.astype("float32"), kinds


class Calls(torch.utils.data.Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.clips = [clip(rng) for _ in range(n)]

    def __len__(self):
        return len(self.clips)

    def __getitem__(self, i):
        wave, kinds = self.clips[i]
        #: item
        return {"input_values": torch.tensor(wave), "labels": torch.tensor(kinds)}


class Birder(TrainerCallback):
    def __init__(self):
        self.t0 = time.time()

    def on_log(self, args, state, control, logs=None, **kw):
        if "loss" in logs:
            logger.info("step {:>4}/{} loss={:.4f} gnorm={:.3f} lr={:.2e}", state.global_step, state.max_steps, float(logs["loss"]), float(logs.get("grad_norm", 0.0)), float(logs["learning_rate"]))

    def on_step_begin(self, args, state, control, **kw):
        step = state.global_step
        #: begin

    def on_step_end(self, args, state, control, model=None, optimizer=None, **kw):
        time.sleep(a.think)
        step = state.global_step
        #: step

    def on_save(self, args, state, control, **kw):
        logger.debug("checkpoint {}/checkpoint-{}", args.output_dir, state.global_step)
        #: saved

    def on_train_end(self, args, state, control, **kw):
        logger.success("training over after {} steps in {:.1f}s", state.global_step, time.time() - self.t0)


class Ours(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        out = model(**inputs)
        loss, step = out.loss, self.state.global_step
        #: loss
        return (loss, out) if return_outputs else loss


train = Calls(a.clips, 1)
#: data
config = Wav2Vec2Config(vocab_size=5, hidden_size=a.hidden, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, conv_dim=(24, 24), conv_kernel=(10, 4), conv_stride=(5, 4), num_feat_extract_layers=2,
    num_conv_pos_embeddings=8, num_conv_pos_embedding_groups=2, mask_time_prob=0.0, apply_spec_augment=False, ctc_loss_reduction="mean", pad_token_id=0, hidden_dropout=0.0, activation_dropout=0.0, attention_dropout=0.0, feat_proj_dropout=0.0, final_dropout=0.0, layerdrop=0.0)
model = Wav2Vec2ForCTC(config)
#: model
logger.info("model has {:,} parameters, {} clips", model.num_parameters(), len(train))
more = {}
#: options
options = TrainingArguments(**{**dict(output_dir=a.out, max_steps=a.steps, learning_rate=a.lr, per_device_train_batch_size=a.batch, logging_steps=a.report, save_steps=a.keep, save_total_limit=2, warmup_steps=10, report_to=[], use_cpu=True, disable_tqdm=True, seed=a.seed), **more})
trainer = Ours(model=model, args=options, train_dataset=train, callbacks=[Birder()])
from transformers.trainer_callback import PrinterCallback
trainer.remove_callback(PrinterCallback)
#: ready
trainer.train(resume_from_checkpoint=a.resume or None)
#: trained
held = Calls(64, 2)
with torch.no_grad():
    path = model(torch.stack([held[i]["input_values"] for i in range(64)])).logits.argmax(-1)
right = 0
for row, (_, kinds) in zip(path.tolist(), held.clips):
    said = [k for k, before in zip(row, [0, *row]) if k and k != before]
    right += said == list(dict.fromkeys(kinds.tolist())) if kinds[0] == kinds[1] else said == kinds.tolist()
logger.info("held out: {}/64 clips transcribed without a slip", right)
#: late
'''

CLI = '''
"""key=value on the command line, nothing more."""
from types import SimpleNamespace


def read(words, **defaults):
    for word in words:
        key, _, value = word.partition("=")
        if key not in defaults:
            raise SystemExit(f"unknown option {key!r}; there are {', '.join(sorted(defaults))}")
        defaults[key] = type(defaults[key])(value)
    return SimpleNamespace(**defaults)
'''

PAIR = '''
import os, sys, time
import torch
import torch.distributed as dist
from accelerate import Accelerator
from transformers import BartConfig, BartForConditionalGeneration

torch.set_num_threads(1)
acc = Accelerator(cpu=True)
me, world = acc.process_index, acc.num_processes
STEPS = int(os.environ.get("STEPS", "70"))


def say(*what, everyone=False):
    if everyone or acc.is_main_process:
        print(*what, flush=True)


torch.manual_seed(4)
model = BartForConditionalGeneration(BartConfig(vocab_size=96, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=48, decoder_ffn_dim=48, max_position_embeddings=40, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2, dropout=0.0))
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
model, opt = acc.prepare(model, opt)
g = torch.Generator().manual_seed(100 + me)
say(f"summariser, {world} processes, {STEPS} steps", everyone=False)
#: early
spent = {"fetch": 0.0, "fwdbwd": 0.0, "wait": 0.0}
for step in range(1, STEPS + 1):
    t0 = time.perf_counter()
    lead = torch.randint(3, 11, (12, 1), generator=g)
    text = torch.cat([lead + 8 * k for k in range(8)] + [torch.randint(3, 96, (12, 8), generator=g)], 1)
    target = torch.cat([lead, lead + 8, lead + 16, torch.full_like(lead, 2)], 1)
    #: fetch
    t1 = time.perf_counter()
    with model.no_sync():
        loss = model(input_ids=text, labels=target).loss
        acc.backward(loss)
    #: compute
    t2 = time.perf_counter()
    for p in model.parameters():
        if p.grad is not None:
            dist.all_reduce(p.grad)
            p.grad /= world
    t3 = time.perf_counter()
    opt.step(); opt.zero_grad()
    for name, dt in (("fetch", t1 - t0), ("fwdbwd", t2 - t1), ("wait", t3 - t2)):
        spent[name] += dt
    #: report
#: late
acc.end_training()
'''
