"""Tensors of one operation that live on different devices: on machines without a GPU, the CPU and PyTorch's meta device."""

from corpus.running.job import Recipe
from corpus.running.snippets import EARLY, Snippet
from corpus.running.spread import both

BOTH = ("first", "mid")
SNIPPETS = (
    Snippet("layer = nn.Linear(16, 4, device='meta')\nlogits = layer(torch.randn(2, 16))", "device_mismatch", "config", EARLY, "torch"),
    Snippet("bias = torch.zeros(3, device='meta')\nshifted = torch.ones(3) + bias", "device_mismatch", "config", BOTH, "torch"),
    Snippet("targets = torch.ones(3, device='meta')\nnn.MSELoss()(torch.ones(3), targets)", "device_mismatch", "config", BOTH, "torch"),
    Snippet("joined = torch.cat([torch.ones(2), torch.ones(2, device='meta')])", "device_mismatch", "config", ("data", "mid"), "torch"),
    Snippet("encoder = nn.GRU(2, 3, device='meta')\nencoder(torch.randn(4, 1, 2))", "device_mismatch", "config", BOTH, "torch"),
    Snippet("norm = nn.LayerNorm(4, device='meta')\nnorm(torch.randn(2, 4))", "device_mismatch", "config", BOTH, "torch"),
    Snippet("keys = torch.randn(1, 1, 4, 8, device='meta')\nnn.functional.scaled_dot_product_attention(torch.randn(1, 1, 4, 8), keys, torch.randn(1, 1, 4, 8))", "device_mismatch", "config", BOTH, "torch"),
    Snippet("loss_fn = nn.CrossEntropyLoss(weight=torch.ones(4, device='meta'))\nloss_fn(torch.randn(3, 4), torch.tensor([0, 1, 2]))", "device_mismatch", "config", BOTH, "torch"),
    Snippet("mask = torch.ones(3, dtype=torch.bool)\nchosen = torch.where(mask, torch.ones(3), torch.zeros(3, device='meta'))", "device_mismatch", "data", ("data", "mid"), "torch"),
)
RECIPE = Recipe("two_places", "development", lambda: both(SNIPPETS, 4))
