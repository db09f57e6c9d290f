"""Loops of five more hands in PyTorch, who log by logging, as JSON, as a table, in German, or in the words of toolkits for speech and pictures."""

LEAVES = '''
import os, sys, time, json, logging, random, datetime
import torch
import torch.nn as nn

opts = json.load(open(sys.argv[1])) if len(sys.argv) > 1 else {}
max_epochs, interval = opts.get("max_epochs", 6), opts.get("interval", 10)
per_epoch, base_lr, pause = opts.get("per_epoch", 40), opts.get("lr", 0.05), opts.get("pause", 0.0)
work_dir = opts.get("work_dir", "work_dirs/leaf_r10")
os.makedirs(work_dir, exist_ok=True)
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s - leafseg - %(levelname)s - %(message)s")
log = logging.getLogger("leafseg")
random.seed(2); torch.manual_seed(2); torch.set_num_threads(1)
log.info("Set random seed to 2, deterministic: False")
#: early
net = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.Conv2d(12, 3, 1))
sgd = torch.optim.SGD(net.parameters(), lr=base_lr, momentum=0.9, weight_decay=1e-4)
begin = 0
if opts.get("resume_from"):
    #: resume
    ck = torch.load(opts["resume_from"], map_location="cpu")
    net.load_state_dict(ck["state_dict"]); sgd.load_state_dict(ck["optimizer"])
    begin = ck["meta"]["epoch"]
    log.info("resumed epoch %d, iter %d", begin, ck["meta"]["iter"])
elif opts.get("load_from"):
    ck = torch.load(opts["load_from"], map_location="cpu")
    net.load_state_dict(ck["state_dict"])
    log.info("load checkpoint from local path: %s", opts["load_from"])


def sample():
    img = torch.rand(6, 3, 20, 20)
    return img, (img.mean(1) > 0.5).long() + (img[:, 0] > 0.8).long()


#: data
log.info("Start running, host: node, work_dir: %s", work_dir)
log.info("workflow: [('train', 1)], max: %d epochs", max_epochs)
total, done, t_all = max_epochs * per_epoch, begin * per_epoch, time.time()
for epoch in range(begin, max_epochs):
    for it in range(1, per_epoch + 1):
        t = time.time()
        img, gt = sample()
        #: mid
        data_time = time.time() - t
        logit = net(img)
        loss = nn.functional.cross_entropy(logit, gt)
        #: loss
        sgd.zero_grad(); loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 35.0)
        #: grads
        sgd.step()
        time.sleep(pause)
        done += 1
        spent = time.time() - t
        if it % interval == 0:
            acc = 100.0 * (logit.argmax(1) == gt).float().mean().item()
            eta = datetime.timedelta(seconds=int(spent * (total - done)))
            log.info("Epoch [%d][%d/%d]\\tlr: %.3e, eta: %s, time: %.3f, data_time: %.3f, memory: 2104, decode.loss_ce: %.4f, decode.acc_seg: %.4f, loss: %.4f, grad_norm: %.4f", epoch + 1, it, per_epoch, sgd.param_groups[0]["lr"], eta, spent, data_time, loss.item(), acc, loss.item(), norm)
        #: after
    log.info("Saving checkpoint at %d epochs", epoch + 1)
    path = f"{work_dir}/epoch_{epoch + 1}.pth"
    torch.save({"meta": {"epoch": epoch + 1, "iter": done}, "state_dict": net.state_dict(), "optimizer": sgd.state_dict()}, path)
    #: saved
    with torch.no_grad():
        img, gt = sample()
        hit = (net(img).argmax(1) == gt).float().mean().item()
    log.info("Epoch(val) [%d][8]\\taAcc: %.4f, mIoU: %.4f", epoch + 1, hit, hit * 0.8)
    #: epoch
#: late
'''
WIND = '''
"""Windleistung aus Wetterdaten, kleines LSTM.  python windprognose.py <durchgaenge>"""
import sys, time, os
import torch
from torch import nn

DURCHGAENGE = int(sys.argv[1]) if len(sys.argv) > 1 else 20
RATE = float(os.environ.get("LERNRATE", "0.01"))
PAUSE = float(os.environ.get("PAUSE", "0"))
SCHRITTE = int(os.environ.get("SCHRITTE", "25"))
torch.manual_seed(44); torch.set_num_threads(1)
#: early
print("Lese Wetterdaten ...", flush=True)
t = torch.linspace(0, 120, 3000)
wetter = torch.stack([torch.sin(t), torch.cos(0.31 * t), torch.sin(0.11 * t + 1)], 1) + 0.1 * torch.randn(3000, 3)
leistung = (wetter[:, 0] * wetter[:, 2] + 0.5 * wetter[:, 1]).roll(-1)
#: data
print(f"{len(wetter)} Stundenwerte, davon 2600 zum Lernen", flush=True)
lstm, kopf = nn.LSTM(3, 24, batch_first=True), nn.Linear(24, 1)
alle = [*lstm.parameters(), *kopf.parameters()]
opt = torch.optim.Adam(alle, lr=RATE)
anfang = 1
STAND = os.environ.get("STAND", "")
if STAND:
    #: laden
    stand = torch.load(STAND)
    lstm.load_state_dict(stand["lstm"]); kopf.load_state_dict(stand["kopf"]); opt.load_state_dict(stand["opt"])
    anfang = stand["durchgang"] + 1
    print(f"Stand nach Durchgang {anfang - 1} geladen", flush=True)
beginn = time.time()
for durchgang in range(anfang, DURCHGAENGE + 1):
    summe = 0.0
    for schritt in range(SCHRITTE):
        i = torch.randint(0, 2500, (16,))
        x = torch.stack([wetter[k : k + 24] for k in i])
        ziel = torch.stack([leistung[k : k + 24] for k in i])
        #: mid
        verlust = (kopf(lstm(x)[0])[..., 0] - ziel).square().mean()
        #: loss
        opt.zero_grad(); verlust.backward()
        #: grads
        opt.step()
        summe += verlust.item()
        if PAUSE:
            time.sleep(PAUSE)
        #: after
    with torch.no_grad():
        pruef = (kopf(lstm(wetter[None, 2600:])[0])[0, :, 0] - leistung[2600:]).square().mean().item()
    print(f"Durchgang {durchgang:3d}/{DURCHGAENGE}: Verlust {summe / SCHRITTE:.5f}  Prüfverlust {pruef:.5f}  ({time.time() - beginn:.1f} s)", flush=True)
    if durchgang % 5 == 0:
        torch.save({"lstm": lstm.state_dict(), "kopf": kopf.state_dict(), "opt": opt.state_dict(), "durchgang": durchgang}, "stand.pt")
        #: saved
    #: epoch
#: late
print(f"Fertig: {DURCHGAENGE} Durchgänge, Prüfverlust {pruef:.5f}", flush=True)
'''
CART = '''
# clean single-file policy gradient: balance a stick
import os, sys, time, math, random
from dataclasses import dataclass, fields
import torch
from torch import nn


@dataclass
class Args:
    seed: int = 1
    total_timesteps: int = 24000
    num_steps: int = 400
    learning_rate: float = 0.01
    gamma: float = 0.98
    track: int = 0
    checkpoint: str = ""


args = Args()
it = iter(sys.argv[1:])
for word in it:
    name = word[2:].replace("-", "_")
    kind = {f.name: f.type for f in fields(Args)}[name]
    setattr(args, name, {"int": int, "float": float, "str": str, int: int, float: float, str: str}[kind](next(it)))
run_name = f"stick__{args.seed}__{int(time.time())}"
random.seed(args.seed); torch.manual_seed(args.seed); torch.set_num_threads(1)
#: early


class Stick:
    def reset(self):
        self.a, self.v, self.n = random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0
        return [self.a * 10, self.v * 3]

    def step(self, push):
        self.v += 0.02 * (9.8 * math.sin(self.a) + (12 if push else -12) * 0.5)
        self.a += 0.02 * self.v
        self.n += 1
        fell = abs(self.a) > 0.2
        return [self.a * 10, self.v * 3], 1.0, fell or self.n >= 200


env = Stick()
agent = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))
#: load
optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
global_step, start_time = 0, time.time()
num_iterations = args.total_timesteps // args.num_steps
obs, ret, recent = env.reset(), 0.0, []
for iteration in range(1, num_iterations + 1):
    frac = 1.0 - (iteration - 1.0) / num_iterations
    optimizer.param_groups[0]["lr"] = frac * args.learning_rate
    logps, rewards, ends, ents = [], [], [], []
    for step in range(args.num_steps):
        global_step += 1
        dist = torch.distributions.Categorical(logits=agent(torch.tensor(obs)))
        act = dist.sample()
        logps.append(dist.log_prob(act)); ents.append(dist.entropy())
        obs, r, done = env.step(int(act))
        #: env
        rewards.append(r); ends.append(done); ret += r
        if done:
            recent.append(ret)
            if len(recent) % 20 == 0:
                print(f"global_step={global_step}, episodic_return={ret}", flush=True)
            ret, obs = 0.0, env.reset()
    #: mid
    back, g = [], 0.0
    for r, e in zip(reversed(rewards), reversed(ends)):
        g = r + args.gamma * g * (not e)
        back.insert(0, g)
    adv = torch.tensor(back)
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    loss = -(torch.stack(logps) * adv).mean() - 0.005 * torch.stack(ents).mean()
    #: loss
    optimizer.zero_grad(); loss.backward()
    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
    optimizer.step()
    print(f"iteration={iteration}/{num_iterations} pg_loss={loss.item():.4f} mean_return={sum(recent[-20:]) / max(1, len(recent[-20:])):.1f}", flush=True)
    print("SPS:", int(global_step / (time.time() - start_time)), flush=True)
    #: after
#: late
torch.save(agent.state_dict(), "agent.pt")
print(f"model saved to runs/{run_name}/agent.pt", flush=True)
'''
DISTIL = '''
import sys, time, os, json, math
import torch, torch.nn.functional as F
from loguru import logger
from omegaconf import OmegaConf

conf = OmegaConf.merge(OmegaConf.create({"steps": 300, "every": 15, "temp": 2.0, "alpha": 0.7, "lr": 2e-2, "teacher": None, "resume": None, "out": "student.pt", "sleep": 0.0, "ckpt_every": 100}), OmegaConf.from_cli())
logger.remove()
logger.add(sys.stderr, format="{time:MM-DD HH:mm:ss} | {level: <8} | {name}:{line} - {message}", level="DEBUG", colorize=False)
logger.debug("conf: {}", OmegaConf.to_container(conf))
torch.manual_seed(5); torch.set_num_threads(1)
#: early
teacher = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
student = torch.nn.Sequential(torch.nn.Linear(16, 12), torch.nn.ReLU(), torch.nn.Linear(12, 10))
with torch.no_grad():
    teacher[-1].weight.mul_(4)
if conf.teacher:
    #: teacher
    teacher.load_state_dict(torch.load(conf.teacher))
    logger.info("teacher restored from {}", conf.teacher)
teacher.requires_grad_(False)
opt = torch.optim.AdamW(student.parameters(), lr=conf.lr)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 20) * (1 - 0.9 * s / max(1, conf.steps)))
#: data
s0 = 0
if conf.resume:
    #: resume
    blob = torch.load(conf.resume)
    student.load_state_dict(blob["student"]); opt.load_state_dict(blob["opt"]); s0 = blob["step"]
    logger.info("student continues at step {}", s0)
logger.info("distilling for {} steps, T={}, alpha={}", conf.steps, conf.temp, conf.alpha)
ema = None
for step in range(s0 + 1, conf.steps + 1):
    x = torch.randn(64, 16)
    #: mid
    with torch.no_grad():
        soft = teacher(x)
    logits = student(x)
    kd = F.kl_div(F.log_softmax(logits / conf.temp, -1), F.softmax(soft / conf.temp, -1), reduction="batchmean") * conf.temp**2
    ce = F.cross_entropy(logits, soft.argmax(-1))
    loss = conf.alpha * kd + (1 - conf.alpha) * ce
    #: loss
    opt.zero_grad(); loss.backward()
    gnorm = torch.nn.utils.clip_grad_norm_(student.parameters(), 10.0)
    #: grads
    opt.step(); sched.step()
    if conf.sleep:
        time.sleep(conf.sleep)
    ema = loss.item() if ema is None else 0.95 * ema + 0.05 * loss.item()
    if step % conf.every == 0:
        logger.info("step={}/{} kd={:.4f} ce={:.4f} loss={:.4f} (ema {:.4f}) gnorm={:.3f} lr={:.2e}", step, conf.steps, kd.item(), ce.item(), loss.item(), ema, gnorm.item(), sched.get_last_lr()[0])
    if conf.ckpt_every and step % conf.ckpt_every == 0:
        torch.save({"student": student.state_dict(), "opt": opt.state_dict(), "step": step}, conf.out)
        logger.success("wrote {} (step {})", conf.out, step)
        #: saved
    #: after
#: late
with torch.no_grad():
    x = torch.randn(2000, 16)
    agree = (student(x).argmax(-1) == teacher(x).argmax(-1)).float().mean().item()
logger.success("agreement with the teacher {:.3f} after {} steps", agree, conf.steps)
'''
