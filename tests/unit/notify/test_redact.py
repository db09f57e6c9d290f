"""Secrets are taken out; what only looks like one stays."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notify.redact import Redactor, patterns, summary
from tests.unit.notify import cases

# Made up here, in the formats of their services; put together so that no scanner takes this file for a leak.
SECRETS = {
    "hub token": "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"[:34],
    "wandb": "WANDB_API_KEY=" + "0123456789abcdef" * 2 + "01234567",
    "wandb v1": "wandb_v1_" + "aB3" * 12,
    "OpenAI": "sk-proj-" + "a1B2" * 10,
    "Anthropic": "sk-ant-api03-" + "a1B2-" * 8 + "x",
    "NVIDIA": "nvapi-" + "a1B2" * 12,
    "AWS id": "AKIA" + "ABCDEFGHIJKLMNOP",
    "AWS secret": "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "Google": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "GitHub": "ghp_" + "a1B2" * 9,
    "GitHub fine": "github_pat_" + "11ABCDEFG0" + "a1B2" * 12,
    "GitLab": "glpat-" + "a1B2c3D4e5F6g7H8i9J0",
    "Slack": "xoxb-" + "123456789012-123456789012-" + "a1b2c3d4e5f6",
    "JWT": "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "URL password": "s3fs://bob:" + "hunter2!x@storage.example.org/bucket",
    "URL password with @": "https://bob:" + "p@ss@storage.example.org/bucket",
    "bearer": "Authorization: Bearer " + "abc.DEF-ghi_123",
    "password": "password=" + "hunter22",
    "password in JSON": '{"db_password": "' + 'hunter22"}',
    "option": "--token " + "hunter22",
    "signed URL": "https://x.example.org/a?X-Amz-Signature=" + "0a1b2c3d" * 8,
    "Azure": "https://x.example.org/c?sv=2022&sig=" + "a1B2c3D4e5F6g7H8%2B",
    "secret variable": "export DB_SECRET=" + "correct-horse",
}
SECRET_PARTS = {
    "URL password": "hunter2", "URL password with @": "p@ss", "wandb": "89abcdef01", "AWS secret": "wJalr", "signed URL": "0a1b2c", "Azure": "c3D4",
    "bearer": "DEF", "password": "hunter22", "password in JSON": "hunter22", "option": "hunter22", "secret variable": "horse",
}  # fmt: skip

HARMLESS = [
    "PWD=/home/alice/run7 OLDPWD=/home/alice",
    "num_tokens=4096 max_tokens: 8192 tokens/s 12345.678 tokens_per_second=10233.2512345678901",
    "eos_token_id=2, pad_token='<pad>', bos_token: <|begin_of_text|>, use_auth_token=True",
    "password=None secret: null api_key=True",
    "tcp://10.0.0.1:29500 rank 0 on user@host:/path",
    "GPU-5f2b1c9e-0000-4000-8000-000000000001 sha256:0cf6c8a2a311ecc53fc0fae234969fef03ac41c48edc074229179cfa4eef949e",
    "checkpoint /scratch/alice/0123456789abcdef0123456789abcdef01234567/step_1000.pt saved",
    "KeyError: 'token'",
    "NCCL INFO comm 0x5581e0 rank 3 nranks 16 cudaDev 3 busId 3b000 commId 0xd2a5c8a1f2b3c4d5",
    "FileNotFoundError: [Errno 2] No such file or directory: 'data/train-00003.bin'",
    "sbatch --gpualert-mail=alice@example.org --export=ALL train.sh",
]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_taken_out_and_counted(name):
    """And nothing of it is left, in the middle of a line as well."""
    redactor = Redactor()
    line = f"rank 3: config {SECRETS[name]} loaded"
    clean = redactor.text(line)
    part = SECRET_PARTS.get(name, SECRETS[name])
    assert part in line
    assert part not in clean
    assert "[redacted: " in clean
    assert sum(redactor.counts.values()) >= 1
    assert clean.startswith("rank 3: config")


@pytest.mark.parametrize("line", HARMLESS)
def test_what_is_no_secret_stays(line):
    redactor = Redactor()
    assert redactor.text(line) == line
    assert summary(redactor.counts) == ""


@pytest.mark.parametrize("name", SECRETS)
def test_redacting_twice_changes_nothing_more(name):
    redactor = Redactor()
    once = redactor.text(SECRETS[name])
    assert redactor.text(once) == once


KEY_BODY = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"] * 5)


@pytest.mark.parametrize(
    "text",
    [
        f"before\n-----BEGIN RSA PRIVATE KEY-----\n{KEY_BODY}\n-----END RSA PRIVATE KEY-----\nafter",
        f"before\n-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY_BODY}\nafter",
        f"before\n{KEY_BODY}\n-----END PRIVATE KEY-----\nafter",
        "before '-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADAN\\n-----END PRIVATE KEY-----\\n' after",
    ],
    ids=["whole", "end cut off", "beginning cut off", "escaped on one line"],
)
def test_a_private_key_goes_even_when_an_excerpt_cut_it(text):
    clean = Redactor().text(text)
    assert "MIIEvQ" not in clean
    assert clean.startswith("before")
    assert clean.endswith("after")


def test_a_redacted_quote_is_marked_and_the_verdict_stays_valid():
    """Its hash no longer fits, so that a reader must be told; claims still find their evidence."""
    secret = SECRETS["hub token"]
    evidence = cases.quote(f"OSError: 401 for token {secret}")
    untouched = cases.quote("plain", name="q2")
    verdict = cases.verdict(evidence=(evidence, untouched), shows=({"text": "It printed a token.", "evidence": ("q1", "q2")},))
    clean = Redactor().verdict(verdict)
    assert secret not in clean.model_dump_json()
    assert [bool(e.data.get("redacted")) for e in clean.evidence] == [True, False]
    assert clean.evidence[1] == untouched
    assert verdict.evidence[0].source.text.endswith(secret), "the verdict itself is never changed"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "hostile", ["a" * 65536, "password_" * 7000, "-----BEGIN PRIVATE KEY-----" * 2400, "://" * 20000, "A" * 40 + "\n" + ("B" * 70 + "\n") * 900, "aws key " * 8000, "eyJ" * 20000,
                "\n".join(f"{chr(97 + n % 26)}{n}" + "eyJ" * 168 for n in range(130))]
)
def test_no_text_makes_it_slow(hostile):
    """64 KiB of what an attacker would choose take seconds at most, also on a slow machine."""
    started = time.process_time()
    Redactor().text(hostile)
    assert time.process_time() - started < 5.0


@given(st.text(max_size=200))
def test_text_without_a_pattern_is_unchanged(text):
    """Only a counted replacement changes a text."""
    redactor = Redactor()
    clean = redactor.text(text)
    assert (clean == text) == (not redactor.counts)


def test_the_detectors_of_the_library_are_there():
    """A release that renames one must be noticed here, not in a mail."""
    assert len(patterns()) > 30
