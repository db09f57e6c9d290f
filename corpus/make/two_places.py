"""Tensors of one operation that live on different devices: on machines without a GPU, the CPU and PyTorch's meta device."""

from corpus.running.job import Recipe
from corpus.running.snippets import EARLY, Snippet
from corpus.running.spread import both

SNIPPETS = (
    Snippet("layer = nn.Linear(16, 4, device='meta')\nlogits = layer(torch.randn(2, 16))", "device_mismatch", "config", EARLY, "torch"),
    Snippet("bias = torch.zeros(3, device='meta')\nshifted = torch.ones(3) + bias", "device_mismatch", "config", ("first", "mid"), "torch"),
    Snippet("embed = nn.Embedding(10, 4).to('meta')\nvectors = embed(torch.tensor([1, 2]))", "device_mismatch", "config", ("first", "mid"), "torch"),
    Snippet("joined = torch.cat([torch.ones(2), torch.ones(2, device='meta')])", "device_mismatch", "config", ("data", "mid"), "torch"),
    Snippet("scores = torch.ones(2, 3, device='meta') @ torch.ones(3, 2)", "device_mismatch", "config", ("first", "mid"), "torch"),
    Snippet("norm = nn.LayerNorm(4, device='meta')\nnorm(torch.randn(2, 4))", "device_mismatch", "config", ("first", "mid"), "torch"),
    Snippet("conv = nn.Conv1d(1, 1, 3, device='meta')\nconv(torch.randn(1, 1, 8))", "device_mismatch", "config", ("first", "mid"), "torch"),
    Snippet("loss_fn = nn.CrossEntropyLoss(weight=torch.ones(4, device='meta'))\nloss_fn(torch.randn(3, 4), torch.tensor([0, 1, 2]))", "device_mismatch", "config", ("first", "mid"), "torch"),
    Snippet("mask = torch.ones(3, dtype=torch.bool)\nchosen = torch.where(mask, torch.ones(3), torch.zeros(3, device='meta'))", "device_mismatch", "data", ("data", "mid"), "torch"),
)
RECIPE = Recipe("two_places", "development", lambda: both(SNIPPETS, 4))
