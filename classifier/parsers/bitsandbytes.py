"""bitsandbytes 0.37 to 0.50: native libraries that do not load, quantisation that the machine cannot do.

Neither run nor read: from what is known of its messages (it needs a GPU).
"""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_BINARY = r"CUDA Setup failed despite (?:GPU|CUDA) being available|No compatible .{0,60}binary found|Could not find the bitsandbytes .{0,20}binary at|bitsandbytes library load error|Configured \w{1,8} binary not found|compiled without GPU support"

PARSER = Parser(
    program="bitsandbytes",
    patterns=(
        Pattern(
            name="setup_failed",
            says="launch_refused",
            role=Role.CONFIRMATION,
            regex=r"(?P<message>CUDA Setup failed despite (?:GPU|CUDA) being available|bitsandbytes library load error: .{0,200}|Could not find the bitsandbytes .{0,20}binary at .{0,200}|Configured \w{1,8} binary not found at .{0,200})",
            literals=("CUDA Setup failed despite", "bitsandbytes library load error", "Could not find the bitsandbytes", " binary not found at "),
            samples=(
                "CUDA Setup failed despite GPU being available. Please run the following command to get more information:",
                "bitsandbytes library load error: Configured CUDA binary not found at /opt/env/lib/bitsandbytes/libbitsandbytes_cuda130.so",
                "Could not find the bitsandbytes CUDA binary at PosixPath('/opt/env/lib/bitsandbytes/libbitsandbytes_cuda121.so')",
            ),
            near_misses=("CUDA Setup finished", "loaded bitsandbytes library"),
            cause=Cause.MISSING_MODULE,
            detail="quantisation_library",
            read=lambda _, match: refined(match, data={"about": "env"}),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="quantisation_library",
            words=_BINARY + r"|Attempted to use bitsandbytes native library functionality but it's not available",
            samples=(
                ("RuntimeError", "CUDA Setup failed despite GPU being available. Please run the following command to get more information"),
                ("RuntimeError", "Attempted to use bitsandbytes native library functionality but it's not available."),
                ("RuntimeError", "No compatible CUDA binary found at /opt/env/lib"),
            ),
            near_misses=(("RuntimeError", "CUDA setup took 3 s"),),
            cause=Cause.MISSING_MODULE,
            about="env",
        ),
        ExceptionRule(
            detail="packages_needed",
            words=r"Using `bitsandbytes` (?:8-bit|4-bit)?.{0,40}requires|requires (?:the latest version of )?bitsandbytes",
            samples=(
                ("ImportError", "Using `bitsandbytes` 4-bit quantization requires bitsandbytes: `pip install -U bitsandbytes>=0.46.1`"),
                ("ImportError", "Using `bitsandbytes` 8-bit quantization requires the latest version of bitsandbytes: `pip install -U bitsandbytes`"),
            ),
            near_misses=(("ImportError", "bitsandbytes is installed"),),
            cause=Cause.MISSING_MODULE,
            about="env",
        ),
        ExceptionRule(
            detail="quantised_offload",
            words=r"Some modules are dispatched on the CPU or the disk|current model requires \d{1,12} bytes of buffer for offloaded layers",
            samples=(
                ("ValueError", "Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM to fit the quantized model."),
                ("ValueError", "Some modules are dispatched on the CPU or the disk. If you want to dispatch the model on the CPU"),
            ),
            near_misses=(("ValueError", "Some modules are frozen"),),
            about="config",
        ),
    ),
)
