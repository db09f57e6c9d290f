"""PyTorch built for CUDA on a machine without NVIDIA's driver, really run."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

CALLS = (
    "net.net.cuda()", "torch.zeros(4, device='cuda')", "torch.cuda.set_device(rank)", "torch.cuda.init()", "device = torch.device('cuda:0')\nnet.net.to(device)",
    "torch.cuda.get_device_name(0)", "torch.randn(3).cuda()", "torch.cuda.current_device()", "torch.cuda.manual_seed_all(1)\ntorch.cuda.synchronize()", "torch.cuda.mem_get_info()",
)  # fmt: skip


def jobs() -> Iterator[LocalJob]:
    """Before any progress."""
    for number, code in enumerate(CALLS):
        script = Program(("mlp", "cnn", "gru", "lm")[number % 4], ("plain", "logging", "epochs", "json")[number % 4], at={"first": code}, seed=number).text()
        label = Label(mode="A1", variant="env", cause="cuda_runtime", fault="user", failed_ranks=(0,), first_ranks=(0,))
        yield LocalJob(label, {"train.py": script}, ("PYTHON", "train.py"), "torch-old", ends=lambda s: s == 1)


RECIPE = Recipe("no_driver", "development", jobs)
