"""The expression language: every function, and every refusal with its column."""

from __future__ import annotations

import ast

import pytest
from tests.specs.shop import shop

from supersede.specs.expressions import translate
from supersede.specs.refused import ExpressionError
from supersede.specs.scope import Code, Scope

SCOPE = Scope(
    shop().spec,
    {
        "target": Code("r_target", "order"),
        "actor": Code("r_actor", "clerk"),
        "place": Code("r_place", "depot"),
        "seen": Code("r_seen", "record pay"),
        "gift": Code("r_gift", "record follow"),
        "amount": Code("p_amount", "integer"),
    },
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("7", "integer"),
        ("-amount", "integer"),
        ("amount + 2 * paid[target] - 1", "integer"),
        ("'paid up'", "symbol"),
        ("'Northgate'", "depot"),
        ("None", "None"),
        ("True", "truth value"),
        ("block", "integer"),
        ("block + 3", "integer"),
        ("order", "list of order"),
        ("escrow", "integer"),
        ("open_value[target]", "integer"),
        ("half_open[target]", "integer"),
        ("stage[target]", "symbol of stage"),
        ("kept_at[target]", "depot"),
        ("rate", "integer"),
        ("shift", "list of clerk"),
        ("watch[actor]", "list of order"),
        ("stored[place]", "integer"),
        ("stored['Northgate']", "integer"),
        ("room[place]", "integer"),
        ("place.room", "integer"),
        ("target.item", "product"),
        ("target.item.price", "integer"),
        ("target.speed", "symbol"),
        ("seen.amount", "any"),
        ("seen.target", "order"),
        ("seen.target.cover", "integer"),
        ("amount < 3", "truth value"),
        ("1 <= amount <= 3", "truth value"),
        ("actor in shift", "truth value"),
        ("actor not in shift", "truth value"),
        ("amount in (1, 2)", "truth value"),
        ("kept_at[target] is None", "truth value"),
        ("kept_at[target] is not None", "truth value"),
        ("amount > 1 and not amount > 3 or rate == 2", "truth value"),
        ("1 if amount > 2 else 3", "integer"),
        ("abs(amount)", "integer"),
        ("min(amount, 3)", "integer"),
        ("max(amount, 3, rate)", "integer"),
        ("size(shift)", "integer"),
        ("head(watch[actor])", "order"),
        ("rank(watch[actor], target)", "integer"),
        ("left(seen)", "integer"),
        ("counts(seen)", "truth value"),
        ("other(depot, place)", "depot"),
        ("floor_div(amount, 2)", "integer"),
        ("half_up_div(amount, 2)", "integer"),
        ("at_value(kept_at, place)", "order"),
        ("near(place, place)", "truth value"),
        ("sum(paid[o] for o in order)", "integer"),
        ("sum(paid[o] for o in order if stage[o] == 'delivered')", "integer"),
        ("all(paid[o] >= 0 for o in order)", "truth value"),
        ("any(paid[o] > 5 for o in order)", "truth value"),
        ("count(o for o in order if paid[o] > 5)", "integer"),
        ("min(paid[o] for o in order)", "integer"),
        ("max(paid[o] for o in order)", "integer"),
    ],
)
def test_what_the_language_says_has_a_type_and_becomes_python(text: str, kind: str) -> None:
    code = translate(text, SCOPE)
    assert code.type == kind
    ast.parse(code.source, mode="eval")


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("amount / 2", "amount", "use + - * or floor_div"),
        ("amount // 2", "amount", "use + - * or floor_div"),
        ("amount % 2", "amount", "use + - * or floor_div"),
        ("amount ** 2", "amount", "use + - * or floor_div"),
        ("1.5", "1.5", "no fractions"),
        ("b'x'", "b'x'", "is not an integer"),
        ("f'{amount}'", "f'", "is not of the expression language"),
        ("lambda: 1", "lambda", "is not of the expression language"),
        ("[o for o in order]", "[", "is not of the expression language"),
        ("{1: 2}", "{", "is not of the expression language"),
        ("(a := 1)", "a", "is not of the expression language"),
        ("~amount", "~", "is not of the expression language"),
        ("+amount", "+", "is not of the expression language"),
        ("shift[0:1]", "0:1", "is not of the expression language"),
        ("amount.real", "amount", "has no attributes"),
        ("target.__class__", "target", "has no attribute '__class__'"),
        ("target.itm", "target", "Did you mean 'item'?"),
        ("seen.colour", "seen", "a record of 'pay' has no 'colour'"),
        ("__import__('os')", "__import__", "unknown function '__import__'"),
        ("eval('1')", "eval", "unknown function 'eval'"),
        ("target.item()", "target", "only listed functions can be called"),
        ("abs(x=1)", "abs", "only listed functions can be called"),
        ("max(*shift)", "*", "is not of the expression language"),
        ("escro", "escro", "Did you mean 'escrow'?"),
        ("1 + escro", "escro", "unknown name 'escro'"),
        ("paid", "paid", "'paid' takes [order]"),
        ("paid[actor]", "actor", "is indexed by order, but 'actor' is a clerk"),
        ("paid[target, actor]", "paid", "'paid' takes [order]"),
        ("escrow[target]", "escrow", "'escrow' takes no index"),
        ("open_value[target][1]", "open_value", "only state can be indexed"),
        ("stored[place, place]", "stored", "takes one value of 'kept_at'"),
        ("room[actor]", "actor", "has no attribute 'room'"),
        ("room[place, place]", "room", "takes one entity"),
        ("actor + 1", "actor", "'actor' is a clerk, not an integer"),
        ("-actor", "actor", "not an integer"),
        ("actor < actor", "actor", "by size"),
        ("actor in amount", "actor", "`in` needs a list"),
        ("amount is 3", "amount", "`is` only goes with None"),
        ("stage[target] == 'paid'", "stage", "register 'stage' never holds 'paid'"),
        ("sum(paid)", "sum", "needs a generator"),
        ("sum(paid[o] for o in order for p in order)", "sum", "one `for` only"),
        ("sum(paid[o] for o in amount)", "amount", "is not a list of entities"),
        ("sum(1 for a, b in order)", "a", "binds one plain name"),
        ("size(o for o in order)", "size", "does not take a generator"),
        ("size(amount)", "size", "is not a list"),
        ("abs(1, 2)", "abs", "needs 1 arguments"),
        ("left(actor)", "left", "is not a record role"),
        ("left(gift)", "left", "needs a parameter `amount` on event 'follow'"),
        ("counts(actor)", "counts", "is not a record role"),
        ("at_value(paid, 1)", "at_value", "'paid' is not a register"),
        ("at_value(1)", "at_value", "needs a register's name"),
        ("near(place)", "near", "needs 2 arguments"),
        ("amount +", "amount", "is not an expression"),
        ("amount; 1", ";", "is not an expression"),
        ("", "", "is not an expression"),
    ],
)
def test_what_is_not_of_the_language_is_refused_with_its_column(
    text: str, at: str, said: str
) -> None:
    with pytest.raises(ExpressionError) as caught:
        translate(text, SCOPE)
    assert said in caught.value.message
    assert text[caught.value.column :].startswith(at) or "is not an expression" in said


def test_an_integer_stands_for_itself() -> None:
    assert translate(-3, SCOPE) == Code("-3", "integer")
