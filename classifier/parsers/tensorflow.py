"""TensorFlow 2: memory, graph errors, files (2.13 recorded by running it on a CPU)."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="TensorFlow",
    patterns=(
        Pattern(
            name="oom",
            says="gpu_oom",
            role=Role.ROOT,
            regex=r"OOM when allocating tensor with shape\[(?P<shape>[\d,]{1,120})\].{0,200}(?:GPU|gpu)",
            literals=("OOM when allocating tensor",),
            samples=(
                "ResourceExhaustedError: OOM when allocating tensor with shape[256,1024,1024] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
                "tensorflow.python.framework.errors_impl.ResourceExhaustedError: {{function_node x}} OOM when allocating tensor with shape[8,8] and type half on /device:GPU:3",
            ),
            near_misses=("OOM when allocating tensor with shape[8,8] and type float on /device:CPU:0",),
            cause=Cause.CUDA_OOM,
            detail="tensorflow",
        ),
        Pattern(
            name="host_oom",
            says="host_memory_refused",
            role=Role.ROOT,
            regex=r"OOM when allocating tensor with shape ?\[(?P<shape>[\d,]{1,120})\].{0,200}device:CPU:",
            literals=("OOM when allocating tensor",),
            samples=(
                "tensorflow.python.framework.errors_impl.ResourceExhaustedError: {{function_node __wrapped__Fill}} OOM when allocating tensor with shape[1024,1024,1024,16] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu [Op:Fill]",
                "OOM when allocating tensor with shape[8,8] and type float on /device:CPU:0",
            ),
            near_misses=("OOM when allocating tensor with shape[8,8] and type half on /device:GPU:3",),
            cause=Cause.RAM_OOM,
            detail="host_memory",
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="host_memory",
            words=r"OOM when allocating tensor with shape.{0,300}device:CPU:",
            samples=(
                ("tensorflow.python.framework.errors_impl.ResourceExhaustedError", "{{function_node x}} OOM when allocating tensor with shape[1024,16] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu [Op:Fill]"),
                ("ResourceExhaustedError", "OOM when allocating tensor with shape[8,8] and type float on /device:CPU:0"),
            ),
            near_misses=(("ResourceExhaustedError", "OOM when allocating tensor with shape[8,8] and type half on /device:GPU:3"),),
            cause=Cause.RAM_OOM,
        ),
        ExceptionRule(
            detail="non_finite",
            words=r"CheckNumerics(?:V2)?_device_|: Tensor had [+-]?(?:NaN|Inf) values",
            samples=(
                (
                    "tensorflow.python.framework.errors_impl.InvalidArgumentError",
                    "{{function_node __wrapped__CheckNumericsV2_device_/job:localhost/replica:0/task:0/device:CPU:0}}",
                ),
                ("InvalidArgumentError", "loss : Tensor had NaN values [Op:CheckNumerics]"),
            ),
            near_misses=(("InvalidArgumentError", "{{function_node __wrapped__MatMul_device_/job:localhost}} Tensor had 3 values"),),
            cause=Cause.NAN_LOSS,
        ),
        ExceptionRule(
            detail="index_range",
            words=r"Received a label value of -?\d{1,12} which is outside the valid range|indices\[[\d,]{1,60}\] = -?\d{1,12} is not in \[",
            samples=(
                (
                    "tensorflow.python.framework.errors_impl.InvalidArgumentError",
                    "Received a label value of 9 which is outside the valid range of [0, 3).  Label values: 9 9 9",
                ),
                ("InvalidArgumentError", "indices[0,3] = 50257 is not in [0, 50257)"),
            ),
            near_misses=(("InvalidArgumentError", "the label is valid"),),
            about="data",
        ),
        ExceptionRule(
            detail="corrupt_data",
            words=r"corrupted record at \d{1,18}|truncated record at \d{1,18}|Invalid (?:PNG|JPEG) data",
            samples=(("DataLossError", "corrupted record at 123456"), ("DataLossError", "truncated record at 99 failed with Read less bytes than requested")),
            near_misses=(("DataLossError", "a record was lost"),),
            about="data",
        ),
        ExceptionRule(
            detail="data_files_missing",
            words=r"; No such file or directory \[Op:|No such file or directory.{0,60}(?:TFRecord|IteratorGetNext|ReadFile|MatchingFiles)|Failed to find any matching files for|No files matched pattern",
            samples=(
                (
                    "tensorflow.python.framework.errors_impl.NotFoundError",
                    "{{function_node __wrapped__IteratorGetNext}} shards/train-00000.tfrecord; No such file or directory [Op:IteratorGetNext] name:",
                ),
                ("tensorflow.python.framework.errors_impl.NotFoundError", "Failed to find any matching files for ['gs://data/train*']"),
            ),
            near_misses=(("FileNotFoundError", "[Errno 2] No such file or directory: 'x'"),),
            cause=Cause.FILE_NOT_FOUND,
            about="data",
        ),
    ),
)
