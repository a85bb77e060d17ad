from supersede.evaluation.deadline import Clock


def test_a_clock_starts_when_it_is_first_looked_at() -> None:
    times = iter([100.0, 100.0, 103.0, 120.0])
    clock = Clock(5.0, now=lambda: next(times))
    assert clock.left() == 5
    assert clock.left() == 2
    assert clock.left() == 0


def test_a_clock_without_an_end_has_no_time_left_to_count() -> None:
    assert Clock(None).left() is None
