from __future__ import annotations

from supersede.corpus.instances import instance_key, make_instance
from supersede.corpus.text_proof import prove_instance
from supersede.model.serialize import instance_from_json, instance_to_json
from supersede.questions.closing import _unit


def test_units_do_not_depend_on_the_order_of_parameters() -> None:
    """Two labels of one length: the one said first gives the unit, whichever comes first."""
    measured = [("tolls", "gulden"), ("grain", "sacks"), ("grain store", "carts")]
    for order in (measured, measured[::-1]):
        assert _unit("net tolls among those with grain", order) == "gulden"
        assert _unit("net grain among those with tolls", order) == "sacks"
        assert _unit("tolls beside the grain store", order) == "carts"
        assert _unit("number of records", order) == ""


def test_an_instance_whose_labels_are_equally_long_is_proved_from_its_json() -> None:
    operator = "ranking/metric-among-holders"
    key = instance_key("historical-policy-process", "very_short", 13, operator=operator)
    assert prove_instance(instance_from_json(instance_to_json(make_instance(key)))) is None
