"""A refusal is a value: programs choose by its code, and never read its sentence."""

import copy
import pickle
import warnings

import pytest

import mollify as mo
from mollify._refusal import refusal as made_refusal

DOMAIN = {"sex": mo.categorical(["f", "m"], null="f", outside="f")}
TABLE = {"sex": ["f", "m", "f"]}


def refusal(call):
    with pytest.raises(mo.InvalidInput) as refused:
        call()
    return refused.value


@pytest.mark.parametrize(
    ("call", "code", "parameter", "column"),
    [
        (lambda: mo.Domain({"my-age": mo.integer(9, 0)}), "not-ascending", "min", "my-age"),
        (lambda: mo.Local(DOMAIN, epsilon=-1), "out-of-range", "epsilon", ""),
        (lambda: mo.Local(DOMAIN, epsilon=1, mechanism="minmax"), "unknown-name", "mechanism", ""),
        (lambda: mo.Local(DOMAIN, epsilon=1, accept_error=True).sample({"age": [1]}), "missing-column", "data", "sex"),
        (lambda: mo.Local(DOMAIN, epsilon="many"), "wrong-type", "epsilon", ""),
        (lambda: mo.Local(DOMAIN, epsilon=1, mu=1), "contradicting-parameters", "mu", ""),
        (lambda: mo.Domain.read("nowhere.yaml"), "unreadable-file", "path", ""),
        (lambda: mo.advise(DOMAIN, purpose="records"), "missing-parameter", "protect", ""),
        (lambda: mo.advise(columns=[2, "x"], purpose="table", protect="row"), "wrong-type", "columns", ""),
        (lambda: mo.Sampler(k=0, epsilon=1), "out-of-range", "k", ""),
        (lambda: mo.Local(DOMAIN, epsilon=1, unit="unitt").sample(TABLE), "missing-column", "unit", "unitt"),
        (lambda: mo.Local(DOMAIN, epsilon=1).sample(TABLE, threads=0), "out-of-range", "threads", ""),
        (lambda: mo.ReleaseWarning["mostly-nois"], "unknown-name", "code", ""),
        (lambda: mo.Domain({"a": mo.number(float("nan"), 1)}), "wrong-type", "min", "a"),
    ],
)
def test_a_refusal_has_a_code_and_what_it_concerns(call, code, parameter, column):
    refused = refusal(call)
    assert (refused.code, refused.parameter, refused.column) == (code, parameter, column), str(refused)


def test_ways_out_have_the_names_of_python():
    refused = refusal(lambda: mo.Local(DOMAIN, epsilon=1e-3).sample(TABLE))
    assert refused.code == "indistinct-from-noise", str(refused)
    assert mo.WayOut("set", "accept_error", "True") in refused.ways_out
    refused = refusal(lambda: mo.Integral(DOMAIN, epsilon=1).sample(TABLE, ledger="spent.ledger"))
    assert refused.ways_out == (mo.WayOut("set", "data_set"),)


def test_a_way_out_is_named_where_only_words_told_it():
    assert refusal(lambda: mo.Local(DOMAIN, epsilon=-1)).ways_out == (mo.WayOut("set", "epsilon"),)
    refused = refusal(lambda: mo.Local(DOMAIN, epsilon=1, mechanism="minmax"))
    assert refused.ways_out == (mo.WayOut("set", "mechanism", "minimax"),)
    refused = refusal(lambda: mo.Local(DOMAIN, epsilon=1, mechanism="histogram"))
    assert refused.ways_out == (mo.WayOut("use", "mo.Central"),)
    refused = refusal(lambda: mo.Domain({"a": {"type": "integr", "min": 0, "max": 1}}))
    assert refused.ways_out == (mo.WayOut("declare", "type", "integer"),)
    refused = refusal(lambda: mo.Synthesizer(mo.Central(DOMAIN, count=1, epsilon=1)).sample(1))
    assert refused.ways_out == (mo.WayOut("run", "Synthesizer.fit"),)


def test_a_wrong_value_has_its_way_out_in_python_as_in_the_library():
    for code in ("out-of-range", "not-ascending", "unknown-value"):
        assert made_refusal(code, "a sentence", "bins").ways_out == (mo.WayOut("set", "bins"),)
    assert made_refusal("missing-file", "a sentence", "out").ways_out == ()
    assert made_refusal("out-of-range", "a sentence").ways_out == ()


def test_a_refusal_names_the_public_file_and_its_line(tmp_path):
    file = tmp_path / "domain.yaml"
    file.write_text("columns:\n  a: {type: integer, min: 9, max: 0}\n")
    refused = refusal(lambda: mo.Domain.read(file))
    assert (refused.file, refused.line, refused.column) == (str(file), 2, "a")
    refused = refusal(lambda: mo.Domain.read("nowhere.yaml"))
    assert (refused.file, refused.line) == ("nowhere.yaml", 0)
    refused = refusal(lambda: mo.Domain({"a": mo.integer(9, 0)}))
    assert (refused.file, refused.line) == ("", 0), "a domain in memory has no lines"


def test_a_warning_is_pickled_as_an_error_with_its_category():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(mo.ReleaseWarning) as said:
            mo.Sampler(k=12, epsilon=12)
    again = pickle.loads(pickle.dumps(said.value))
    assert type(again) is mo.ReleaseWarning["large-epsilon"]
    assert (again.code, again.message.severity) == ("large-epsilon", said.value.message.severity)
    assert str(again) == str(said.value)
    assert type(pickle.loads(pickle.dumps(mo.ReleaseWarning("mine")))) is mo.ReleaseWarning


def test_a_category_of_a_code_is_pickled_as_process_pools_do():
    for category in (mo.ReleaseWarning, mo.ReleaseWarning["mostly-noise"], mo.DomainWarning["undeclared-values"]):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(category, protocol)) is category
        assert copy.deepcopy(category) is category


@pytest.mark.parametrize("code", [5, None, [], ("mostly-noise",)])
def test_a_category_of_something_else_than_a_text_is_refused(code):
    refused = refusal(lambda: mo.ReleaseWarning[code])
    assert (refused.code, refused.parameter) == ("wrong-type", "code")


@pytest.mark.parametrize(
    ("call", "code", "parameter", "ways"),
    [
        (lambda: mo.Local(DOMAIN, eps=1), "unknown-parameter", "eps", ["leave", "set"]),
        (lambda: mo.Sampler(), "missing-parameter", "k", ["set", "set", "set"]),
        (lambda: mo.RandomizedResponse(k=3), "missing-parameter", "epsilon", ["set"]),
        (lambda: mo.Sampler(3, epsilon=1, mechanism="foo"), "superfluous-parameter", "mechanism", ["leave"]),
        (lambda: mo.amplify(3, 4), "superfluous-parameter", "", ["set"] * 8),
        (lambda: mo.Sampler(3, k=3, epsilon=1), "wrong-type", "mechanism", ["set"]),
        (lambda: mo.Privacy(epsilon=1).epsilon_up("one"), "wrong-type", "delta", ["set"]),
        (lambda: mo.Privacy(epsilon=1, rho=1), "contradicting-parameters", "rho", ["leave"]),
        (mo.Privacy, "missing-parameter", "epsilon", ["set"]),
        (lambda: mo.amplify(k=3, n=9), "missing-parameter", "epsilon0", ["set"] * 3),
        (lambda: mo.amplify(k=3, n=9, epsilon=1, epsilon0=1, delta=0.1), "contradicting-parameters", "n", ["leave"] * 4),
    ],
)
def test_a_wrong_call_has_what_a_refusal_has(call, code, parameter, ways):
    refused = refusal(call)
    assert (refused.code, refused.parameter) == (code, parameter), str(refused)
    assert [way.action for way in refused.ways_out] == ways
    assert isinstance(refused, TypeError) or code not in ("unknown-parameter", "superfluous-parameter")
    again = pickle.loads(pickle.dumps(refused))
    assert (type(again), str(again), again.ways_out) == (type(refused), str(refused), refused.ways_out)


def test_a_refusal_keeps_its_facts_when_it_is_pickled():
    refused = refusal(lambda: mo.Domain({"my-age": mo.integer(9, 0)}))
    again = pickle.loads(pickle.dumps(refused))
    assert (str(again), again.code, again.column) == (str(refused), "not-ascending", "my-age")
    assert pickle.loads(pickle.dumps(mo.WayOut("leave", "mu"))) == ("leave", "mu", "")


def test_a_refusal_that_a_program_makes_has_no_code():
    assert (mo.InvalidInput("no").code, mo.InvalidInput("no").ways_out) == ("", ())


def test_words_of_a_column_are_never_rewritten():
    name = "my method local --epsilon line 7"
    domain = {name: mo.integer(9, 0)}
    assert f'"{name}"' in str(refusal(lambda: mo.Domain(domain)))
    refused = refusal(lambda: mo.Local({name: mo.integer(0, 9)}, epsilon=1, accept_error=True).sample({"a": [1]}))
    assert name in str(refused) and refused.column == name


def test_a_row_of_a_table_is_counted_from_0_and_a_line_of_a_file_is_a_line(tmp_path):
    method = {"epsilon": 4, "unit": "u", "accept_error": True}
    data = {"u": ["a", "b"], "sex": ["f", "m"]}
    refused = refusal(lambda: mo.Local(DOMAIN, units={"u": ["a", "a"]}, **method).sample(data))
    assert "row 1, counted from 0, must name a new unit" in str(refused)
    file = tmp_path / "units.csv"
    file.write_text("u\na\na\n")
    refused = refusal(lambda: mo.Local(DOMAIN, units=file, **method).sample(data))
    assert "line 3 must name a new unit" in str(refused)


def test_a_check_names_rows_of_a_table_and_lines_of_a_file(tmp_path):
    method = mo.Local({"sex": mo.categorical(["f", "m"])}, epsilon=1, accept_error=True)
    found = method.check({"sex": ["f", "x"]})
    assert found["listed"][0]["row"] == 1
    assert "rows are counted from 0\nrow 1: sex" in str(found)
    file = tmp_path / "data.csv"
    file.write_text("sex\nf\nx\n")
    found = method.check(file)
    assert found["listed"][0]["line"] == 3
    assert "data.csv:3: sex" in str(found)
