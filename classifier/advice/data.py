"""Data sets, their files and what is in them."""

from __future__ import annotations

ADVICE: dict[str, tuple[str, ...]] = {
    "data_files_missing": ("Check the data set's name or folder on the compute node (srun -N1 ls PATH), and its file patterns (data_files=…).",),
    "dataset_generation": (
        "One file of the data set cannot be read: the error above this one names it; check it with head -c 300 FILE.",
        "After correcting it, make the set anew: load_dataset(…, download_mode='force_redownload').",
    ),
    "dataset_columns": (
        "The columns differ from what is asked for; print them: python -c \"import datasets; print(datasets.load_dataset('NAME').column_names)\"",
        "Rename or drop: dataset.rename_column('old', 'new'), dataset.remove_columns([…]); files with other columns: one configuration each (data_files={…}).",
    ),
    "dataset_empty": ("No row came out of the files: check the pattern and the sizes (srun -N1 ls -l PATH), and what a filter or map step drops.",),
    "dataset_script": ("This version of datasets runs no scripts: convert the set to Parquet once (pip install 'datasets<4' there), or use its Parquet revision.",),
    "dataset_undefined": ("Add the set to dataset_info.json (LLaMA-Factory: --dataset_dir), or correct --dataset.",),
    "split_missing": ("Ask for a split that is there (the message lists them), or make one: dataset.train_test_split(test_size=0.01).",),
    "mixed_types": (
        "A column holds values of two types: cast it when it is read (features=Features({…}), pandas: dtype=str), or correct the rows.",
        "To find them: jq -c 'select(.COLUMN|type!=\"number\")' FILE.jsonl | head",
    ),
    "corrupt_data": ("A record is corrupt: compare its file with the source (sha256sum FILE), copy it again, and write new records to a temporary name first.",),
    "unreadable_data": ("The file is malformed, cut or of another kind: look at the place that the error names (head -c 300 FILE; file FILE).",),
    "empty_dataset": ("The data set has no row left: check its path, and what filtering, packing or --max_samples leaves: print(len(dataset)).",),
    "ragged_batch": (
        "Rows of different lengths: pad in the collate function (DataCollatorWithPadding(tokenizer), torch.nn.utils.rnn.pad_sequence), or truncation=True.",
        "None in a batch: the data set's __getitem__ returned nothing for a row.",
    ),
    "index_range": (
        "A label or token lies outside the model's range: compare max(labels) with num_labels, len(tokenizer) with model.config.vocab_size.",
        "After adding tokens: model.resize_token_embeddings(len(tokenizer)); inputs longer than the positions: truncation=True, max_length=…",
    ),
    "map_worker_killed": ("A process of dataset.map died, mostly for lack of memory: a smaller num_proc and writer_batch_size, or #SBATCH --mem=…; num_proc=None shows its error.",),
}
