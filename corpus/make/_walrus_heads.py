"""What the programs of these jobs begin with."""

from __future__ import annotations

HEAD = r"""
import torch
import torch.nn.functional as F
from torch import nn

"""

# The weights alone are too many: refused while the layers are being made, nothing trained.
