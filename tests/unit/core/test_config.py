from __future__ import annotations

from pathlib import Path

import pytest

from gpualert_slurm.config import Config, ConfigError, load, parse


def test_an_empty_file_gives_the_defaults() -> None:
    assert parse("", "x.toml") == Config()


def test_an_unknown_key_names_file_line_and_the_nearest_valid_key() -> None:
    with pytest.raises(ConfigError, match=r"x\.toml:3: unknown key 'mail\.allowed_domain'; did you mean 'allowed_domains'\?"):
        parse('[mail]\nhost = "h"\nallowed_domain = ["a"]\n', "x.toml")


def test_a_key_in_the_wrong_table_is_sent_to_the_right_one() -> None:
    with pytest.raises(ConfigError, match=r"x\.toml:2: unknown key 'node\.spool_dir'; did you mean 'site\.spool_dir'\?"):
        parse('[node]\nspool_dir = "/x"\n', "x.toml")


def test_an_unknown_table_names_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"x\.toml:2: unknown key 'demon'; did you mean 'daemon'\?"):
        parse("\n[demon]\npoll_interval_s = 2\n", "x.toml")


def test_a_wrong_value_says_what_was_found_and_where() -> None:
    with pytest.raises(ConfigError, match=r"x\.toml:2: mail\.port: .*less than 65536 \(found 70000\)"):
        parse("[mail]\nport = 70000\n", "x.toml")


def test_text_that_is_no_toml_says_so() -> None:
    with pytest.raises(ConfigError, match=r"x\.toml: not TOML"):
        parse("[mail\n", "x.toml")


def test_a_missing_default_file_means_the_defaults_but_a_named_one_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load(tmp_path / "gpualert.toml")


def test_nobody_is_written_to_until_the_admin_allows_a_domain() -> None:
    """A cluster must not become an open relay by installing this."""
    assert Config().mail.allowed_domains == ()
