"""datasets 2.14 to 5.2 and PyArrow: files that cannot be read, columns that do not fit, workers of ``map`` that die. Recorded by running both."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="datasets",
    patterns=(
        Pattern(
            name="file_refused",
            says="data_refused",
            role=Role.CONFIRMATION,
            regex=r"Failed to read file '(?P<path>[^']{1,300})' with error (?P<message>.{1,200})",
            literals=("Failed to read file '",),
            samples=(
                "Failed to read file 'data/a.csv' with error <class 'pandas.errors.ParserError'>: Error tokenizing data. C error: Expected 2 fields in line 22, saw 4",
                "Failed to read file '/data/c4/0007.json' with error ArrowInvalid: JSON parse error: Missing a comma or '}' after an object member. in row 12",
            ),
            near_misses=("Failed to read file: try again",),
            cause=Cause.TRACEBACK,
            detail="dataset_generation",
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="map_worker_killed",
            words=r"One of the subprocesses has abruptly died during map operation",
            samples=(
                ("RuntimeError", "One of the subprocesses has abruptly died during map operation.To debug the error, disable multiprocessing."),
                ("RuntimeError", "One of the subprocesses has abruptly died during map operation. To debug the error, disable multiprocessing."),
            ),
            near_misses=(("RuntimeError", "One of the subprocesses is slow"),),
        ),
        ExceptionRule(
            detail="dataset_columns",
            words=r"All the data files must have the same columns|column names don't match|Column\(?s?\)? name[ds]? .{1,200}(?:not in the dataset|don't exist)|Columns \[.{1,300}\] not in the dataset|couldn't cast .{0,300}because column names|Column .{1,80} doesn't exist",
            samples=(
                (
                    "datasets.exceptions.DatasetGenerationCastError",
                    "An error occurred while generating the dataset. All the data files must have the same columns, but at some point there are 1 new columns ({'score'})",
                ),
                ("ValueError", "Couldn't cast text: string score: double because column names don't match"),
                ("ValueError", "Columns ['prompt'] not in the dataset. Current columns in the dataset: ['text', 'label']"),
            ),
            near_misses=(("KeyError", "'text'"),),
            about="data",
        ),
        ExceptionRule(
            detail="dataset_columns",
            words=r".",
            samples=(("datasets.table.CastError", "Couldn't cast"), ("CastError", "Couldn't cast array of type string to int64")),
            near_misses=(("ValueError", "Couldn't cast"),),
            about="data",
            of=r"(?:^|\.)CastError$",
        ),
        ExceptionRule(
            detail="mixed_types",
            words=r"Could not convert .{1,200} with type .{1,60}: tried to convert to|cannot mix (?:list and non-list|struct and non-struct)|Expected bytes, got an? '\w{1,40}' object|changed from (?:string|number|\w{1,20}) to \w{1,20} in row",
            samples=(
                ("pyarrow.lib.ArrowInvalid", "Could not convert 'two' with type str: tried to convert to int64"),
                ("pyarrow.lib.ArrowInvalid", "cannot mix list and non-list, non-null values"),
                ("pyarrow.lib.ArrowTypeError", "Expected bytes, got a 'int' object"),
            ),
            near_misses=(("pyarrow.lib.ArrowInvalid", "Could not convert the table"),),
            about="data",
        ),
        ExceptionRule(
            detail="dataset_empty",
            words=r"Please pass `features` or at least one example when writing data|\(raised in datasets/packaged_modules/\w{1,30}/\w{1,30}\.py\)$",
            samples=(
                ("datasets.arrow_writer.SchemaInferenceError", "Please pass `features` or at least one example when writing data"),
                ("StopIteration", " (raised in datasets/packaged_modules/json/json.py)"),
            ),
            near_misses=(("StopIteration", " (raised in torch/utils/data/dataloader.py)"),),
            about="data",
        ),
        ExceptionRule(
            detail="dataset_generation",
            words=r"An error occurred while generating the dataset|JSON parse error: |Error tokenizing data\.|Parquet magic bytes not found|Not an Arrow file|Couldn't deserialize thrift|CSV parse error: |Unexpected end of stream",
            samples=(
                ("datasets.exceptions.DatasetGenerationError", "An error occurred while generating the dataset"),
                ("pyarrow.lib.ArrowInvalid", "JSON parse error: Missing a closing quotation mark in string. in row 18"),
                ("pandas.errors.ParserError", "Error tokenizing data. C error: Expected 2 fields in line 22, saw 4"),
                ("pyarrow.lib.ArrowInvalid", "Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file."),
            ),
            near_misses=(("ValueError", "a parse error"),),
            about="data",
        ),
        ExceptionRule(
            detail="split_missing",
            words=r"Unknown split \"|Bad split: ",
            samples=(
                ("ValueError", "Unknown split \"validation\". Should be one of ['train']."),
                ("ValueError", "Bad split: val. Available splits: ['train', 'test']"),
            ),
            near_misses=(("ValueError", "Unknown option 'split'"),),
            about="data",
        ),
        ExceptionRule(
            detail="data_files_missing",
            words=r"Couldn't find (?:any data file|a dataset script|'.{1,200}' on the Hugging Face Hub)|Unable to find '|No \(supported\) data files|Directory .{1,300} is neither a `?Dataset`? ?directory nor a|Couldn't reach '.{1,200}' on the Hub|Couldn't find cache for|doesn't contain any data files|doesn't exist on the Hub",
            samples=(
                ("FileNotFoundError", "Unable to find '/home/user/run/data/train-*.jsonl'"),
                ("datasets.exceptions.DatasetNotFoundError", "Dataset 'myteam/reviews' doesn't exist on the Hub or cannot be accessed."),
                ("ConnectionError", "Couldn't reach 'myteam/reviews' on the Hub (OfflineModeIsEnabled)"),
                ("FileNotFoundError", "Directory data is neither a `Dataset` directory nor a `DatasetDict` directory."),
                ("datasets.exceptions.DataFilesNotFoundError", "No (supported) data files found in /data/c4"),
            ),
            near_misses=(("FileNotFoundError", "[Errno 2] No such file or directory: 'x'"),),
            cause=Cause.FILE_NOT_FOUND,
            about="data",
        ),
        ExceptionRule(
            detail="dataset_script",
            words=r"Dataset scripts are no longer supported|contains custom code which must be executed to correctly load the dataset|requires you to execute the dataset script",
            samples=(
                ("RuntimeError", "Dataset scripts are no longer supported, but found c4.py"),
                ("ValueError", "The repository for c4 contains custom code which must be executed to correctly load the dataset."),
            ),
            near_misses=(("RuntimeError", "scripts are supported"),),
            about="config",
        ),
    ),
)
