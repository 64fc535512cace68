"""A refusal is a value: programs choose by its code, and never read its sentence."""

import pickle

import pytest

import mollify as mo

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
        (lambda: mo.Local(DOMAIN, epsilon=1, accept_error=True).sample({"age": [1]}), "missing-column", "", "sex"),
        (lambda: mo.Local(DOMAIN, epsilon="many"), "wrong-type", "epsilon", ""),
        (lambda: mo.Local(DOMAIN, epsilon=1, mu=1), "contradicting-parameters", "mu", ""),
        (lambda: mo.Domain.read("nowhere.yaml"), "unreadable-file", "", ""),
        (lambda: mo.advise(DOMAIN, purpose="records"), "missing-parameter", "protect", ""),
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
