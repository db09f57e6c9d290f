"""Small models that really learn, each with ``build(lr, seed)`` whose result has ``step(i) -> loss`` and ``state()``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """``library`` is what it needs: ``pure`` (nothing), ``numpy`` or ``torch``."""

    library: str
    imports: str
    code: str


_TORCH = "import torch\nfrom torch import nn"
_TORCH_STEP = """

class Trainer:
    def __init__(self, net, lr, seed, batch):
        torch.manual_seed(seed)
        self.net, self.batch = net, batch
        self.optimizer = torch.optim.{optimizer}(net.parameters(), lr=lr)

    def step(self, i):
        inputs, targets = self.batch()
        self.optimizer.zero_grad()
        loss = {loss}(self.net(inputs), targets)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def state(self):
        return self.net.state_dict()
"""

MODELS = {
    "line": Model(
        "pure",
        "import random",
        '''
class Line:
    """y = a x + b by gradient descent."""

    def __init__(self, lr, seed):
        self.rng = random.Random(seed)
        self.a, self.b, self.lr = 4.0, -3.0, lr

    def step(self, i):
        loss = da = db = 0.0
        for _ in range(16):
            x = self.rng.uniform(-1, 1)
            error = self.a * x + self.b - (0.7 * x + 0.2) - self.rng.gauss(0, 0.1)
            loss += error * error / 16
            da += 2 * error * x / 16
            db += 2 * error / 16
        self.a -= self.lr * da
        self.b -= self.lr * db
        return loss

    def state(self):
        return {"a": self.a, "b": self.b}


def build(lr, seed):
    return Line(lr, seed)
''',
    ),
    "logistic": Model(
        "pure",
        "import math\nimport random",
        """
class Classifier:
    def __init__(self, lr, seed, dim=12):
        self.rng = random.Random(seed)
        self.truth = [self.rng.gauss(0, 1) for _ in range(dim)]
        self.weights = [0.0] * dim
        self.lr = 10 * lr

    def sample(self):
        x = [self.rng.gauss(0, 1) for _ in self.truth]
        return x, float(sum(a * b for a, b in zip(x, self.truth)) > 0)

    def step(self, i):
        total = 0.0
        grads = [0.0] * len(self.weights)
        for _ in range(8):
            x, y = self.sample()
            p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(x, self.weights))))
            total -= math.log(max(1e-9, p if y else 1 - p)) / 8
            for j, value in enumerate(x):
                grads[j] += (p - y) * value / 8
        self.weights = [w - self.lr * g for w, g in zip(self.weights, grads)]
        return total

    def state(self):
        return list(self.weights)


def build(lr, seed):
    return Classifier(lr, seed)
""",
    ),
    "np_mlp": Model(
        "numpy",
        "import numpy as np",
        """
class Network:
    def __init__(self, lr, seed, width=24):
        self.rng = np.random.default_rng(seed)
        self.w1 = self.rng.normal(0, 0.4, (8, width))
        self.w2 = self.rng.normal(0, 0.4, (width, 1))
        self.lr = lr

    def step(self, i):
        x = self.rng.normal(size=(32, 8))
        y = np.sin(x[:, :1]) + x[:, 1:2]
        hidden = np.tanh(x @ self.w1)
        error = hidden @ self.w2 - y
        grad2 = hidden.T @ error / len(x)
        grad1 = x.T @ (error @ self.w2.T * (1 - hidden**2)) / len(x)
        self.w1 -= self.lr * grad1
        self.w2 -= self.lr * grad2
        return float((error**2).mean())

    def state(self):
        return {"w1": self.w1, "w2": self.w2}


def build(lr, seed):
    return Network(4 * lr, seed)
""",
    ),
    "np_factors": Model(
        "numpy",
        "import numpy as np",
        '''
class Factors:
    """A ratings matrix as a product of two thin ones."""

    def __init__(self, lr, seed, users=40, items=30, k=4):
        self.rng = np.random.default_rng(seed)
        self.ratings = self.rng.normal(size=(users, k)) @ self.rng.normal(size=(k, items))
        self.u = self.rng.normal(0, 0.3, (users, k))
        self.v = self.rng.normal(0, 0.3, (k, items))
        self.lr = lr

    def step(self, i):
        error = self.u @ self.v - self.ratings
        self.u, self.v = self.u - self.lr * error @ self.v.T / 10, self.v - self.lr * self.u.T @ error / 10
        return float((error**2).mean())

    def state(self):
        return (self.u, self.v)


def build(lr, seed):
    return Factors(lr, seed)
''',
    ),
    "mlp": Model(
        "torch",
        _TORCH,
        _TORCH_STEP.format(optimizer="SGD", loss="nn.functional.mse_loss")
        + """

def build(lr, seed):
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))

    def batch():
        x = torch.randn(32, 16)
        return x, x[:, :3].sum(1, keepdim=True)

    return Trainer(net, lr, seed, batch)
""",
    ),
    "cnn": Model(
        "torch",
        _TORCH,
        _TORCH_STEP.format(optimizer="Adam", loss="nn.functional.cross_entropy")
        + """

class ConvNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3, padding=1)
        self.head = nn.Linear(6 * 16, classes)

    def forward(self, images):
        x = torch.relu(self.conv(images))
        x = nn.functional.max_pool2d(x, 2)
        return self.head(x.flatten(1))


def build(lr, seed):
    torch.manual_seed(seed)

    def batch():
        targets = torch.randint(0, 4, (16,))
        images = torch.randn(16, 1, 8, 8) + targets[:, None, None, None]
        return images, targets

    return Trainer(ConvNet(), lr / 5, seed, batch)
""",
    ),
    "gru": Model(
        "torch",
        _TORCH,
        _TORCH_STEP.format(optimizer="AdamW", loss="nn.functional.mse_loss")
        + """

class Sequence(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, sequence):
        outputs, _ = self.gru(sequence)
        return self.head(outputs[:, -1])


def build(lr, seed):
    torch.manual_seed(seed)

    def batch():
        x = torch.randn(16, 6, 2)
        return x, x[:, :, :1].mean(1)

    return Trainer(Sequence(), lr / 3, seed, batch)
""",
    ),
    "lm": Model(
        "torch",
        _TORCH,
        _TORCH_STEP.format(optimizer="AdamW", loss="lm_loss")
        + """

VOCABULARY = 32


def lm_loss(logits, tokens):
    return nn.functional.cross_entropy(logits[:, :-1].reshape(-1, VOCABULARY), tokens[:, 1:].reshape(-1))


class Decoder(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed_tokens = nn.Embedding(VOCABULARY, width)
        self.layer = nn.TransformerEncoderLayer(width, 2, 64, batch_first=True, dropout=0.0)
        self.lm_head = nn.Linear(width, VOCABULARY)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1])
        return self.lm_head(self.layer(self.embed_tokens(tokens), src_mask=mask))


def build(lr, seed):
    torch.manual_seed(seed)

    def batch():
        start = torch.randint(0, VOCABULARY, (8, 1))
        tokens = (start + torch.arange(12)) % VOCABULARY
        return tokens, tokens

    return Trainer(Decoder(), lr / 10, seed, batch)
""",
    ),
}
"""By name."""
