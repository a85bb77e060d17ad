import json

from supersede.reports.markup import Html, element, embedded, join, text

NASTY = "<script>alert(\"1\")</script> & 'x'"


def test_a_text_is_escaped_wherever_it_stands() -> None:
    made = element("p", NASTY, title=NASTY)
    escaped = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#x27;x&#x27;"
    assert made == f'<p title="{escaped}">{escaped}</p>'


def test_html_is_not_escaped_twice() -> None:
    assert element("p", element("b", "1 < 2")) == "<p><b>1 &lt; 2</b></p>"
    assert join(["a<", Html("<br>")], "&") == "a&lt;&amp;<br>"


def test_half_a_surrogate_pair_can_be_written() -> None:
    assert text("a\ud800b") == "a?b"


def test_attributes_are_named_and_left_out() -> None:
    made = element("svg", class_="a", viewBox="0 0 1 1", aria_hidden="true", open=True, id=None)
    assert made == '<svg class="a" viewBox="0 0 1 1" aria-hidden="true" open></svg>'
    assert element("meta", name="a", open=False) == '<meta name="a">'


def test_no_text_ends_the_data_of_a_script() -> None:
    data = {"</script>": "<!-- & \u2028 \ud800"}
    made = embedded(data, "d")
    inner = made.removeprefix('<script type="application/json" id="d">').removesuffix("</script>")
    assert not set("<>&") & set(inner)
    assert json.loads(inner) == data
