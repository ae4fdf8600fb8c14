"""Whatever a line holds and whatever a store does, the dispatcher answers one message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from drivers.tiny_store import TinyStore, factory

from memconform.model import hit, recalled
from memconform.protocol import Invalid, Unavailable, system
from memconform.wire import Dispatcher

HELLO = {"kit": "0", "protocols": ["1.0"]}


class Talk:
    """A dispatcher that is spoken to in dictionaries."""

    def __init__(self, served=None):
        self.log: list[str] = []
        self.dispatcher = Dispatcher(served or factory(), log=self.log.append)

    def line(self, line: bytes) -> dict[str, Any]:
        answer = self.dispatcher.handle(line)
        assert b"\n" not in answer
        plain = json.loads(answer.decode("utf-8"))
        assert plain["jsonrpc"] == "2.0"
        assert ("result" in plain) != ("error" in plain)
        if "error" in plain:
            error = plain["error"]
            assert error["message"] == error["data"]["message"]
            assert set(error) == {"code", "message", "data"}
            assert set(error["data"]) == {"code", "message", "detail"}
        return plain

    def ask(self, method: str, params: Any = None, id: Any = 1) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}
        plain = self.line(json.dumps(message).encode())
        assert plain["id"] == id
        return plain

    def open(self, **settings: Any) -> str:
        return self.ask("open", {"settings": settings})["result"]["store"]


@pytest.mark.parametrize(
    ("line", "number", "id", "said"),
    [
        (b"", -32700, None, "can't be read"),
        (b"hello", -32700, None, "no JSON"),
        (b'{"jsonrpc": "2.0", "id": 1', -32700, None, "no JSON"),
        (b'{"id": "\xff"}', -32700, None, "no UTF-8: invalid start byte at byte 8"),
        (b"[" * 100_000, -32700, None, "nested too deeply"),
        (b'{"a": NaN, "b": "\\ud800"}', -32700, None, "no JSON"),
        (b"null", -32600, None, "Expected `object`"),
        (b"[]", -32600, None, "Expected `object`"),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "hello"}]', -32600, None, "Expected `object`"),
        (b'{"jsonrpc": "2.0", "method": "hello"}', -32600, None, "`id`"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "hello"}', -32600, None, "$.id"),
        (b'{"jsonrpc": "2.0", "id": true, "method": "hello"}', -32600, None, "$.id"),
        (b'{"jsonrpc": "1.0", "id": 7, "method": "hello"}', -32600, 7, "$.jsonrpc"),
        (b'{"id": 7, "method": "hello"}', -32600, 7, "jsonrpc"),
        (b'{"jsonrpc": "2.0", "id": "x", "method": 3}', -32600, "x", "$.method"),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "hello", "params": []}', -32600, 7, "$.params"),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "hello", "more": 1}', -32600, 7, "more"),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "hello"}', -32602, 7, "`kit`"),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "dream"}', -32601, 7, "'dream'"),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "\\ud800"}', -32602, 7, "surrogate"),
    ],
)
def test_lines_that_are_no_request(line, number, id, said):
    answer = Talk().line(line)
    assert (answer["error"]["code"], answer["id"]) == (number, id)
    assert said in answer["error"]["message"]


@pytest.mark.parametrize("id", [0, -1, 2**60, "", "a\u2028b"])
def test_the_id_comes_back(id):
    assert Talk().ask("hello", HELLO, id=id)["result"]["name"] == "tiny"


@pytest.mark.parametrize(
    ("protocols", "welcome"),
    [(["1.0"], True), (["2.0", "1.0"], True), (["0.9"], False), ([], False)],
)
def test_a_protocol_version_must_be_shared(protocols, welcome):
    answer = Talk().ask("hello", {"kit": "0", "protocols": protocols})
    assert ("result" in answer) is welcome
    if not welcome:
        assert "1.0 is spoken here" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("asked", "declared", "own", "in_effect"),
    [
        ("n", True, ..., "n"),
        (None, True, ..., None),
        ("n", False, ..., None),
        ("n", True, "mine", "mine"),
        ("n", False, "mine", "mine"),
        ("n", True, len, "n"),
    ],
)
def test_the_namespace_in_effect(asked, declared, own, in_effect):
    class Store(TinyStore):
        def __init__(self, settings):
            super().__init__(settings)
            del self.namespace
            if own is not ...:
                self.namespace = own

    served = system(Store, name="s", version="1", capabilities=["namespaces"] if declared else [])
    result = Talk(served).ask("open", {"settings": {"namespace": asked}})["result"]
    assert result["namespace"] == in_effect


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


def answering(operation: str, act: Any) -> Talk:
    """A dispatcher whose stores do this when asked for that operation."""

    class Store(TinyStore):
        pass

    setattr(Store, operation, lambda self, **arguments: act())
    return Talk(system(Store, name="s", version="1", capabilities=["durable", "scores"]))


def raising(error: BaseException) -> Any:
    def act():
        raise error

    return act


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "the answer of recall is no RecallResult: Expected `object`, got `null`"),
        ([], "the answer of recall is no RecallResult: Expected `object`, got `array`"),
        (
            recalled([hit("1", "a", score="high")]),  # type: ignore[arg-type]
            "the answer of recall is no RecallResult: Expected `float | null`, got `str` - "
            "at `$.hits[0].score`",
        ),
        (
            recalled([hit("1", "a", state="lost")]),  # type: ignore[arg-type]
            "the answer of recall is no RecallResult: Invalid enum value 'lost' - "
            "at `$.hits[0].state`",
        ),
        (recalled([hit("1", "a", score=float("nan"))]), "NaN"),
        (recalled([hit("1", "a", extra={"x": float("inf")})]), "NaN and no infinity"),
        (recalled([hit("1", "a\ud800")]), "half of a surrogate pair"),
        (recalled([hit("1", "a", extra={"x": object()})]), "object"),
    ],
)
def test_an_answer_that_breaks_its_type_is_internal(answer, said):
    talk = answering("recall", lambda: answer)
    refused = talk.ask("recall", {"store": talk.open(), "query": "a"})["error"]
    assert refused["data"]["code"] == "internal"
    assert said in refused["message"]


def test_an_answer_that_is_nested_without_end_is_internal():
    loop: dict[str, Any] = {}
    loop["again"] = loop
    talk = answering("recall", lambda: recalled([hit("1", "a", extra=loop)]))
    assert talk.ask("recall", {"store": talk.open(), "query": "a"})["error"]["code"] == -32603


def test_plain_values_of_the_right_shape_are_answers_too():
    plain = {"hits": [], "namespace": None, "ledger": None, "trace": None}
    talk = answering("recall", lambda: plain)
    assert talk.ask("recall", {"store": talk.open(), "query": "a"})["result"] == plain


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (Invalid("no \ud800"), "invalid", "no \\ud800"),
        (Unavailable("locked", {"by": "\udfff"}), "unavailable", "locked"),
        (Invalid("no", {"at": object()}), "internal", "an error that breaks the protocol"),
        (Invalid("no", {"at": float("nan")}), "internal", "an error that breaks the protocol"),
        (Invalid(5), "internal", "an error that breaks the protocol"),  # type: ignore[arg-type]
        (KeyError("x"), "internal", "KeyError: 'x'"),
        (RecursionError("deep"), "internal", "RecursionError: deep"),
        (TypeError(), "internal", "TypeError: "),
        (Wordless(), "internal", "Wordless, which can't say what it is about"),
        (GeneratorExit("x"), "internal", "GeneratorExit: x"),
        (pytest.skip.Exception("not today"), "internal", "Skipped: not today"),
        (pytest.xfail.Exception("known"), "internal", "XFailed: known"),
        (BaseExceptionGroup("g", [KeyError("x")]), "internal", "ExceptionGroup: g"),
    ],
)
def test_what_a_store_raises(error, code, message):
    talk = answering("forget", raising(error))
    store = talk.open()
    refused = talk.ask("forget", {"store": store, "id": "1"})["error"]
    assert refused["data"]["code"] == code
    assert refused["message"].startswith(message)
    assert "result" in talk.ask("recall", {"store": store, "query": "a"})


def test_the_traceback_of_the_unforeseen_is_logged_and_that_of_a_refusal_is_not():
    talk = answering("forget", raising(ValueError("a\udc80b")))
    talk.ask("forget", {"store": talk.open(), "id": "1"})
    assert len(talk.log) == 1
    assert talk.log[0].startswith("Traceback")
    assert talk.log[0].endswith("ValueError: a\\udc80b\n")
    talk = answering("forget", raising(Invalid("no")))
    talk.ask("forget", {"store": talk.open(), "id": "1"})
    assert talk.log == []


def test_a_store_lacking_required_methods_is_named():
    class Half:
        def close(self):
            pass

        def write(self, record):
            raise NotImplementedError

    talk = Talk(system(lambda settings: Half(), name="s", version="1"))
    refused = talk.ask("open")["error"]
    assert refused["data"]["code"] == "internal"
    assert refused["message"] == "Half is no store: it has no method recall, forget, get"


def test_reopen_that_gives_no_store_is_internal():
    talk = answering("reopen", lambda: None)
    refused = talk.ask("reopen", {"store": talk.open()})["error"]
    assert refused["message"].startswith("NoneType is no store")


def test_reopen_may_give_the_same_store_again():
    kept = []

    class Store(TinyStore):
        def reopen(self, settings):
            kept.append(self)
            return self

    talk = Talk(system(Store, name="s", version="1", capabilities=["durable"]))
    old = talk.open()
    new = talk.ask("reopen", {"store": old})["result"]["store"]
    assert new != old
    assert talk.ask("recall", {"store": old, "query": "a"})["error"]["data"]["code"] == "not_found"
    assert "result" in talk.ask("close", {"store": new})
    assert kept[0].closed == 1


def test_a_store_whose_close_fails_is_gone_all_the_same():
    talk = answering("close", raising(ValueError("busy")))
    store = talk.open()
    assert talk.ask("close", {"store": store})["error"]["data"]["code"] == "internal"
    assert talk.ask("close", {"store": store})["error"]["data"]["code"] == "not_found"
    talk.open()
    talk.dispatcher.close()  # does not raise either
    assert len(talk.log) == 2


def test_a_hello_that_breaks_its_type_is_internal():
    served = system(TinyStore, name="s", version=1)  # type: ignore[arg-type]
    refused = Talk(served).ask("hello", HELLO)["error"]
    assert "Expected `str`, got `int` - at `$.version`" in refused["message"]


def test_a_capability_that_there_is_none_of_is_named_and_one_that_is_near():
    misspelt = ["tags", "listings", "flying"]
    served = system(TinyStore, name="s", version="1", capabilities=misspelt)  # type: ignore[arg-type]
    refused = Talk(served).ask("hello", HELLO)["error"]
    assert (
        "it declares 'listings' (did you mean 'listing'?), 'flying', which is no capability"
        in refused["message"]
    )


def test_options_reach_only_a_store_that_declares_them():
    seen: list[dict[str, Any]] = []

    class Store(TinyStore):
        def recall(self, **arguments):
            seen.append(arguments)
            return recalled([])

    for capabilities in ([], ["budget", "trace"]):
        talk = Talk(system(Store, name="s", version="1", capabilities=capabilities))
        talk.ask("recall", {"store": talk.open(), "query": "a", "budget": None, "trace": False})
    assert sorted(seen[0]) == ["access", "limit", "query"]
    assert sorted(seen[1]) == ["access", "budget", "limit", "query", "trace"]
    assert (seen[1]["budget"], seen[1]["trace"]) == (None, False)


def test_the_version_that_both_speak_is_chosen_among_those_offered():
    answer = Talk().ask("hello", {"kit": "9", "protocols": ["2.0", "1.0", "0.9"]})
    assert answer["result"]["protocol"] == "1.0"


@pytest.mark.parametrize("offered", [["2.0", "0.9"], []])
def test_without_a_common_version_hello_is_refused_and_both_sides_are_named(offered):
    error = Talk().ask("hello", {"kit": "9", "protocols": offered})["error"]
    assert error["data"]["code"] == "invalid"
    words = ", ".join(offered) or "none"
    assert error["message"] == (f"no common protocol version: 1.0 is spoken here, offered: {words}")


def test_a_system_of_a_version_that_the_server_does_not_know_is_refused_too():
    from msgspec import structs

    ready = factory()

    class Newer:
        def hello(self):
            return structs.replace(ready.hello(), protocol="2.0")

        def open(self, settings):
            return ready.open(settings)

    error = Talk(Newer()).ask("hello", {"kit": "9", "protocols": ["2.0", "1.0"]})["error"]
    assert "2.0 is spoken here" in error["message"]


def test_what_is_served_can_be_asked_about_beyond_the_protocol():
    """The tiny store declares update without a method for it, and has one for mask undeclared."""
    talk = Talk()
    assert talk.ask("memconform/about")["result"]["methods"] == []  # no store has been opened
    talk.open()
    about = talk.ask("memconform/about")["result"]
    assert about["methods"] == ["mask", "set_clock", "reopen", "second", "fault"]
    assert isinstance(about["reference"], bool)  # of this process: other tests may have loaded them
