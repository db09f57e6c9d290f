"""What is told at once, and what waits to be told together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.notify.grouping import HET_WAIT_NS, HOUR_NS, Kind, Limits, Mailed, Message, S, Waiting, plan

T0 = 1_790_000_000 * S
ALICE = ("alice@example.org",)
MIN = 60 * S


def run(number: int, at_ns: int = T0, **changes: object) -> Waiting:
    fields: dict[str, object] = {"run_id": number, "cluster": "c", "uid": 1000, "addresses": ALICE, "problem": True, "judged_ns": at_ns, "started_ns": T0 - HOUR_NS}
    return Waiting(**{**fields, **changes})  # type: ignore[arg-type]


class Daemon:
    """Plans again and again; remembers what went out."""

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008 - frozen
        self.limits, self.mailed, self.waiting = limits, list[Mailed](), dict[int, Waiting]()

    def at(self, now_ns: int, *new: Waiting) -> list[Message]:
        self.waiting |= {w.run_id: w for w in new}
        found = plan(list(self.waiting.values()), self.mailed, self.limits, now_ns)
        for message in found:
            self.mailed.append(Mailed(message.group, self.waiting[message.run_ids[0]].addresses, now_ns))
            for run_id in message.run_ids:
                del self.waiting[run_id]
        return found


def told(messages: list[Message]) -> list[tuple[str, tuple[int, ...]]]:
    return [(m.kind.value, m.run_ids) for m in messages]


def test_jobs_that_have_nothing_in_common_are_told_at_once():
    assert told(Daemon().at(T0, run(1, fingerprint="a"), run(2, fingerprint="b"), run(3, problem=False))) == [("one", (1,)), ("one", (2,)), ("one", (3,))]


def test_an_array_s_first_failure_comes_at_once_the_rest_in_digests_at_growing_intervals():
    daemon = Daemon()
    tasks = [run(i, array_job_id=7, problem=i != 0) for i in range(5)]
    assert told(daemon.at(T0, *tasks)) == [("one", (1,))]
    assert daemon.at(T0 + 9 * MIN) == []
    assert told(daemon.at(T0 + 10 * MIN)) == [("array", (2, 3, 4, 0))]
    assert daemon.at(T0 + 29 * MIN, run(9, T0 + 11 * MIN, array_job_id=7)) == []
    assert told(daemon.at(T0 + 30 * MIN, run(10, T0 + 29 * MIN, array_job_id=7))) == [("array", (9, 10))]


def test_an_array_that_goes_well_is_one_mail():
    daemon = Daemon()
    assert daemon.at(T0, *(run(i, array_job_id=7, problem=False) for i in range(100))) == []
    ((kind, ids),) = told(daemon.at(T0 + 10 * MIN))
    assert (kind, len(ids)) == ("array", 100)


def test_the_parts_of_a_het_job_are_one_mail():
    daemon = Daemon()
    assert daemon.at(T0, run(1, het_job_id=7)) == []
    assert told(daemon.at(T0 + HET_WAIT_NS, run(2, T0 + 5 * S, het_job_id=7, problem=False))) == [("het", (1, 2))]


def test_equal_failures_side_by_side_are_grouped_and_a_new_try_is_told_at_once():
    """Twenty jobs that ran together: one mail, then a digest. The one that was started after the first mail was the owner's next try."""
    daemon = Daemon()
    assert told(daemon.at(T0, *(run(i, fingerprint="f") for i in range(1, 21)))) == [("one", (1,))]
    assert told(daemon.at(T0 + MIN, run(30, T0 + MIN, fingerprint="f", started_ns=T0 + 1))) == [("one", (30,))]
    assert told(daemon.at(T0 + 30 * MIN)) == [("alike", tuple(range(2, 21)))]


def test_a_loop_that_fails_alike_again_and_again_is_not_told_each_time():
    daemon = Daemon()
    singles = 0
    for i in range(40):
        now = T0 + i * MIN
        singles += len(daemon.at(now, run(i, now, fingerprint="f", started_ns=now - S)))
    assert singles <= 8


def test_users_and_addresses_are_never_mixed():
    found = Daemon().at(T0, run(1, fingerprint="f"), run(2, fingerprint="f", uid=1001), run(3, fingerprint="f", addresses=("bob@example.org",)))
    assert told(found) == [("one", (1,)), ("one", (2,)), ("one", (3,))]


def test_an_address_gets_its_share_and_one_digest_that_says_how_many_were_held_back():
    """A hundred different failures at once: thirty mails, and an hour later one with the seventy."""
    daemon = Daemon(Limits(address_per_hour=30))
    assert len(daemon.at(T0, *(run(i, fingerprint=f"f{i}") for i in range(100)))) == 30
    for minute in range(1, 60):
        assert daemon.at(T0 + minute * MIN) == []
    (digest,) = daemon.at(T0 + HOUR_NS)
    assert (digest.kind, digest.held_back, len(digest.run_ids)) == (Kind.LIMIT, True, 70)
    assert told(daemon.at(T0 + 2 * HOUR_NS, run(200, T0 + 2 * HOUR_NS))) == [("one", (200,))]


def test_nothing_is_grouped_where_the_site_does_not_want_it():
    found = Daemon(Limits(interval_s=0, address_per_hour=0)).at(T0, *(run(i, array_job_id=7) for i in range(50)))
    assert [m.kind for m in found] == [Kind.ONE] * 50


RUNS = st.builds(
    lambda n, array, het, mark, well, minute: run(
        n, T0 + minute * MIN, array_job_id=array, het_job_id=het, fingerprint=mark, problem=not well
    ),
    st.integers(0, 10**6), st.sampled_from([None, None, 7, 8]), st.sampled_from([None, None, 9]), st.sampled_from([None, "a", "b"]), st.booleans(), st.integers(0, 90),
)  # fmt: skip


@given(st.lists(RUNS, max_size=60, unique_by=lambda r: r.run_id), st.integers(0, 20))
def test_every_run_is_told_exactly_once_and_none_waits_for_ever(runs, per_hour):
    daemon = Daemon(Limits(address_per_hour=per_hour))
    told_ids: list[int] = []
    for minute in range(0, 24 * 60, 7):
        now = T0 + minute * MIN
        new = [r for r in runs if now - 7 * MIN < r.judged_ns <= now]
        told_ids += [i for m in daemon.at(now, *new) for i in m.run_ids]
    assert sorted(told_ids) == sorted(r.run_id for r in runs)
