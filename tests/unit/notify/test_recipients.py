"""Who may be written to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.config import Mail
from gpualert_slurm.notify.recipients import MAX_RECIPIENTS, choose, domain_allowed

SITE = Mail(allowed_domains=("example.org", ".cs.example.edu"))


def test_nobody_is_written_to_until_a_site_says_who():
    found = choose(["alice@example.org"], Mail())
    assert found.allowed == ()
    assert "mail.allowed_domains is empty" in found.refused[0][1]


def test_several_addresses_in_one_string_are_several():
    """A library that took the first and dropped the others would be silent about it."""
    found = choose(["alice@example.org, Bob <bob@example.org>", "carol@example.org"], SITE)
    assert found.allowed == ("alice@example.org", "bob@example.org", "carol@example.org")
    assert found.refused == ()


def test_the_same_address_twice_is_one_mail():
    assert choose(["alice@example.org,ALICE@example.org"], SITE).allowed == ("alice@example.org",)


@pytest.mark.parametrize(
    ("domain", "allowed"),
    [
        ("example.org", True), ("EXAMPLE.ORG", True), ("mail.example.org", False), ("example.org.evil.net", False), ("notexample.org", False),
        ("a.cs.example.edu", True), ("a.b.cs.example.edu", True), ("cs.example.edu", False), ("evilcs.example.edu", False),
    ],
)  # fmt: skip
def test_a_domain_is_allowed_by_name_and_its_subdomains_by_a_leading_dot(domain, allowed):
    assert domain_allowed(domain, SITE.allowed_domains) is allowed


@pytest.mark.parametrize("address", ["alice@localhost", "alice@mail.cluster.local", "alice@lab.internal"])
def test_a_domain_of_the_site_alone_is_allowed_by_name_only(address):
    """Many clusters deliver to names that the world does not know; a star does not mean those."""
    assert choose([address], Mail(allowed_domains=("localhost", ".cluster.local", "lab.internal"))).allowed == (address,)
    assert "localhost" not in address or choose([address], Mail(allowed_domains=("*",))).allowed == ()


def test_a_star_allows_everybody():
    assert choose(["x@elsewhere.net"], Mail(allowed_domains=("*",))).allowed == ("x@elsewhere.net",)


@pytest.mark.parametrize(
    "asked",
    [
        "alice", "alice@", "@example.org", "alice@example.org\r\nRCPT TO:<v@example.net>", "alice@example.org>\r\nBcc: x", "-oQ/tmp@example.org",
        "älice@example.org", '"a b"@example.org', "alice@[127.0.0.1]", "|/bin/sh@example.org\n", "none", "a@b@example.org", "alice@exa mple.org",
    ],
)  # fmt: skip
def test_what_is_no_plain_address_is_refused_by_name(asked):
    found = choose([asked], Mail(allowed_domains=("example.org", "localhost")))
    assert found.allowed == ()
    assert found.refused
    assert all("\n" not in shown and "\r" not in shown for shown, _ in found.refused)


def test_a_mailing_list_of_ones_own_is_not_served():
    found = choose([",".join(f"u{i}@example.org" for i in range(MAX_RECIPIENTS + 3))], SITE)
    assert len(found.allowed) == MAX_RECIPIENTS
    assert len(found.refused) == 3


@given(st.lists(st.text(st.one_of(st.characters(), st.sampled_from("@,<>\"\r\n\\ .;:")), max_size=80), max_size=4))
def test_whatever_was_asked_only_clean_allowed_addresses_come_out(asked):
    for address in choose(asked, SITE).allowed:
        assert address.isascii()
        assert address.isprintable()
        assert not set(address) & set(" ,<>\"\r\n")
        assert domain_allowed(address.rpartition("@")[2], SITE.allowed_domains)
