"""datasets and PyArrow: what does not load."""

# /// runs
# env = "new"
# ends = 1
# absent = ["progress"]
# [[run]]
# log = "datasets-5.2/01"
# what = "a line of a JSON file is cut"
# args = ["1"]
# root = {detail = "dataset_generation", about = "data"}
# [[run]]
# log = "datasets-5.2/02"
# what = "a row of a CSV file has a column too many"
# args = ["2"]
# root = {detail = "dataset_generation", about = "data"}
# [[run]]
# log = "datasets-5.2/03"
# what = "a pattern that no file matches: a bare StopIteration"
# args = ["3"]
# root = {type = "StopIteration", detail = "dataset_empty", about = "data"}
# [[run]]
# log = "datasets-5.2/04"
# what = "files of one set have different columns"
# args = ["4"]
# root = {detail = "dataset_columns", about = "data"}
# [[run]]
# log = "datasets-5.2/05"
# what = "an exception in map with two processes"
# args = ["5"]
# root = {type = "KeyError"}
# steady = false
# [[run]]
# log = "datasets-5.2/06"
# what = "a process of map is killed"
# args = ["6"]
# root = {detail = "map_worker_killed"}
# steady = false
# [[run]]
# log = "datasets-5.2/07"
# what = "a folder that is no saved data set"
# args = ["7"]
# root = {cause = "file_not_found", about = "data"}
# [[run]]
# log = "datasets-5.2/08"
# what = "a Parquet file that was cut"
# args = ["8"]
# root = {about = "data"}
# [[run]]
# log = "datasets-5.2/09"
# what = "a column that is not there"
# args = ["9"]
# root = {about = "data", detail = "dataset_columns"}
# [[run]]
# log = "datasets-5.2/10"
# what = "a data set's name that is in no cache, on a node without network"
# args = ["10"]
# root = {about = "data", cause = "file_not_found"}
# [[run]]
# log = "datasets-5.2/11"
# what = "a split that is not there"
# args = ["11"]
# root = {type = "ValueError", detail = "split_missing", about = "data"}
# [[run]]
# log = "datasets-5.2/12"
# what = "values of one column have two types"
# args = ["12"]
# root = {detail = "mixed_types", about = "data"}
# [[run]]
# log = "datasets-2.14/01"
# what = "a line of a JSON file is cut"
# env = "old"
# args = ["1"]
# root = {detail = "dataset_generation", about = "data"}
# [[run]]
# log = "datasets-2.14/02"
# what = "a pattern that no file matches"
# env = "old"
# args = ["3"]
# root = {detail = "dataset_empty", about = "data"}
# [[run]]
# log = "datasets-2.14/03"
# what = "files of one set have different columns"
# env = "old"
# args = ["4"]
# root = {detail = "dataset_columns", about = "data"}
# [[run]]
# log = "datasets-2.14/04"
# what = "a data set's name that is in no cache, on a node without network"
# env = "old"
# args = ["10"]
# vars = {HF_DATASETS_OFFLINE = "1"}
# root = {cause = "file_not_found"}
# ///

import json
import os
import signal
import sys
from pathlib import Path

from datasets import Dataset, load_dataset, load_from_disk

part = sys.argv[1]


def broken(row):
    if part == "6":
        os.kill(os.getpid(), signal.SIGKILL)
    return {"length": len(row["document"])}


def main():
    Path("data").mkdir()
    rows = [{"text": "a b c", "label": i % 2} for i in range(20)]
    good = "\n".join(json.dumps(row) for row in rows)
    Path("data/a.jsonl").write_text(good[:-25] if part == "1" else good)
    if part == "1":
        load_dataset("json", data_files="data/a.jsonl")
    if part == "2":
        Path("data/a.csv").write_text("text,label\n" + "a,1\n" * 20 + "b,c,2,3\n")
        load_dataset("csv", data_files="data/a.csv")
    if part == "3":
        load_dataset("json", data_files={"train": "data/train-*.jsonl"})
    if part == "4":
        Path("data/b.jsonl").write_text('{"text": "a", "score": 0.5}\n')
        load_dataset("json", data_files=["data/a.jsonl", "data/b.jsonl"], split="train")[0]
    if part in {"5", "6"}:
        Dataset.from_list(rows).map(broken, num_proc=2)
    if part == "7":
        load_from_disk("data")
    if part == "8":
        Dataset.from_list(rows).to_parquet("data/a.parquet")
        os.truncate("data/a.parquet", 300)
        load_dataset("parquet", data_files="data/a.parquet")
    if part == "9":
        Dataset.from_list(rows).select_columns(["prompt"])
    if part == "10":
        load_dataset("myteam/reviews")
    if part == "11":
        load_dataset("json", data_files={"train": "data/a.jsonl"}, split="validation")
    if part == "12":
        Dataset.from_dict({"label": [0, 1, "two"]})


if __name__ == "__main__":
    main()
