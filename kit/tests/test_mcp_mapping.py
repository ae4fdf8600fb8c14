"""A mapping is refused before any server is started, in one sentence that names the place."""

from __future__ import annotations

import json
import re
import tomllib

import jsonschema
import pytest
from mcp_mappings import OPERATIONS, notebook, server

from memconform import resources
from memconform.protocol import OPERATIONS as TABLE
from memconform.protocol import Invalid, NotFound
from memconform.resources import find
from memconform.targets import UsageError, resolve
from memconform.wire.mcp import paths
from memconform.wire.mcp.loading import names_of, read_mapping
from memconform.wire.mcp.placeholders import LEFT_OUT, fill


def refusal(text, tmp_path):
    file = tmp_path / "notes.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        resolve(f"mcp:{file}")
    told = str(caught.value)
    assert told.startswith(str(file))
    assert "\n" not in told
    assert told.endswith((".", "?"))
    assert not told.endswith("..")
    return told.removeprefix(str(file))


def test_a_mapping_that_will_do(tmp_path):
    file = tmp_path / "notes.toml"
    file.write_text(notebook(), encoding="utf-8")
    (target,) = resolve(f"mcp:{file}")
    assert (target.name, target.way, target.time_limit_s) == (f"mcp:{file}", "wire", 10.0)
    target.prepare()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mapping = 1", "mapping = 2", " is no mapping: Invalid enum value 2, at mapping."),
        ("mapping = 1", "mapping = ", " is no TOML: Invalid value (at line 1, column 11)."),
        ("args =", "arguments =", " unknown field `arguments`, at server."),
        ("each =", "eech =", " unknown field `eech`, at operations.recall."),
        ("command =", 'url = "http://127.0.0.1:1/mcp"\ncommand =', "and not both."),
        ('"{content}"', '"{contnt}"', ", [operations.write] arguments: there is no placeholder"),
        ('"{content}"', '"{contnt}"', "{workspace}. Did you mean content?"),
        ('"{content}"', '"{content"', "has a single '{'; write it twice."),
        ('"{content}"', '"{content:upper}"', "no conversion 'upper'; there are int, commas, json."),
        ('"{content}"', '"at {workspace}: {content}"', "such as {workspace|none}."),
        ('"{content}"', '"{content} {tags}"', "write it alone, or {tags:json}."),
        ('"{query}"', '"{content}"', "[operations.recall] arguments: there is no placeholder"),
        ('id = "structuredContent.id"', 'id = "structured.id"', "begins with one of structuredC"),
        ('id = "structuredContent.id"', 'id = "json..id"', "no path from its character 5 on"),
        ('id = "structuredContent.id"', 'ident = "json.id"', "result.ident: there is no such"),
        ("items[*]", "items", "finds one value; end it with [*] for all of a list."),
        ("items[*]", "items[*].x[*]", "has a second [*]; a list of lists can't be read."),
        ('each = "structuredContent.items[*]"', "", "[operations.recall]: each is missing"),
        (', content = "text"', "", "result.content is missing: where in the answer does it stand?"),
        ('tool = "drop"', 'tool = "drop"\nunsupported = "no"', "and not both."),
        ("[operations.forget]", "[operations.forgot]", "[operations.forget]: the table is missing"),
        ("[operations.forget]", "[operations.graph]\n[operations.forget]", "can't carry this"),
        ("[operations.forget]", '[operations.purge]\ntool="x"\n[operations.forget]', "capability"),
        ('match = "there', 'match = "(there', "'(there is no note' is no regular expression"),
        ('code = "not_found"', 'code = "gone"', "Invalid enum value 'gone', at errors[0].code."),
        ("[operations.write]", '[store]\ncapabilities = ["graph"]\n[operations.write]', "adapter"),
        ("[operations.write]", '[store]\ncapabilities = ["mask"]\n[operations.write]', "s.mask]."),
        ("[operations.write]", "[store.policies]\nstopwords = 1\n[operations.write]", "stopWords"),
        ("[operations.write]", '[store.policies]\nids = "no"\n[operations.write]', "value 'no'"),
        ("args =", 'fresh = "argument"\nargs =', "told apart by {store}, and no argument has it."),
        ("args =", 'fresh = "files"\nargs =', "args, env or cwd must name {root}."),
        ("args =", 'fresh = "reset"\nargs =', "and a table reset belong together."),
        ("args =", "time_limit_s = 0\nargs =", "Expected `float` > 0.0, at server.time_limit_s."),
    ],
)
def test_what_is_wrong_is_said_with_its_place(old, new, said, tmp_path):
    text = notebook()
    assert text.count(old) >= 1
    assert said in refusal(text.replace(old, new, 1), tmp_path)


def test_durable_needs_a_process_for_each_store(tmp_path):
    more = 'fresh = "argument"\n[store]\ncapabilities = ["durable"]'
    text = notebook(more=more).replace('"{content}"', '"{store}{content}"')
    told = refusal(text.replace('"{query}"', '"{store}{query}"'), tmp_path)
    assert 'durable needs a command, and a process for each store: fresh must not be "ar' in told


@pytest.mark.parametrize(
    "url",
    ["http://example.org/mcp", "http://127.0.0.1.example.org/", "file:///etc", "http://[", ""],
)
def test_a_server_elsewhere_is_refused(url, tmp_path):
    text = f'mapping = 1\n[server]\nurl = "{url}"\nfresh = "reset"\nreset = {{ tool = "wipe" }}\n'
    assert "url must begin with http://127.0.0.1" in refusal(text + OPERATIONS, tmp_path)


def test_a_url_is_not_started_afresh(tmp_path):
    text = 'mapping = 1\n[server]\nurl = "http://localhost:1/mcp"\n' + OPERATIONS
    assert 'fresh must be "reset" or "argument".' in refusal(text, tmp_path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match=r"no\.toml can't be read: No such file or directory\.$"):
        resolve(f"mcp:{tmp_path / 'no.toml'}")
    with pytest.raises(UsageError, match=r"names no mapping; write mcp:FILE\.toml"):
        resolve("mcp:")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError) as caught:
        resolve(f"mcp:{tmp_path / 'no.toml'}")
    assert "pip install 'memconform[mcp]' brings it." in str(caught.value)


def test_the_placeholders_of_an_operation_are_the_fields_of_its_request():
    write, recall = names_of(TABLE["write"]), names_of(TABLE["recall"])
    assert write.always == {"content", "serial", "store", "root"}
    assert {"tags", "sources"} == write.lists
    assert {"workspace", "validFrom", "ttlMs", "key"} <= write.sometimes
    assert recall.always == {"query", "store", "root"}
    assert {"limit", "workspace", "budget"} <= recall.sometimes
    assert recall.lists == {"filters"}
    assert names_of(TABLE["supersede"]).always == {"id", "by", "store", "root"}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{limit}", 3),
        ("{tags}", ["a", "b c"]),
        ("{tags:commas}", "a,b c"),
        ("{tags:json}", '["a", "b c"]'),
        ("{id:int}", 12),
        ("<{id}>", "<12>"),
        ("{workspace|none}", "none"),
        ("a {workspace|} b", "a  b"),
        ("{{id}}", "{id}"),
        ({"a": "{workspace}", "b": ["{workspace}", "{id}"], "c": 7}, {"b": ["12"], "c": 7}),
        ("{flag}", True),
        ("is {flag}", "is true"),
    ],
)
def test_filling(template, filled):
    values = {"limit": 3, "tags": ["a", "b c"], "id": "12", "flag": True}
    assert fill(template, values) == filled


def test_what_has_no_value_is_left_out():
    assert fill("{workspace}", {}) is LEFT_OUT
    # What stands in a value is no template.
    assert fill("{content}", {"content": "{id} {{ }"}) == "{id} {{ }"


@pytest.mark.parametrize("id", ["x", "1e3", " 1", "9" * 40, "１"])
def test_an_id_that_is_no_number_is_nobodys(id):
    with pytest.raises(NotFound, match="the server's ids are numbers"):
        fill("{id:int}", {"id": id})
    with pytest.raises(Invalid):
        fill("{limit:int}", {"limit": id})


TREE = {"items": [{"id": 1, "tags": ["a"]}, {"id": 2, "tags": []}], "a b": {"x": None}, "n": None}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("@", TREE),
        ("items[*].id", [1, 2]),
        ("items[*]", TREE["items"]),
        ("items[-1].id", 2),
        ("items[0].tags[0]", "a"),
        ('["a b"].x', None),
        ("nothing?", None),
        ("nothing?.more", None),
        ("n?.more.still", None),
        ("nothing?[*].id", []),
        ("n?[*]", []),
        ("items[7]?", None),
        ("items[*].tags[0]?", ["a", None]),
    ],
)
def test_a_path_finds(path, value):
    assert paths.find(paths.parse(path), TREE) == value


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("itms[*]", "the answer has nothing at .itms: it is an object with items, a b, n"),
        ("n[*]", "n is null and no list"),
        ("items[2].id", "items has nothing at [2]: it is a list of 2"),
        ("items.id", "items has nothing at .id: it is a list of 2"),
        ("items[*].name", "items[*] has nothing at .name: it is an object with id, tags"),
    ],
)
def test_a_path_that_leads_nowhere_is_an_error(path, said):
    with pytest.raises(paths.Missing) as caught:
        paths.find(paths.parse(path), TREE)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    "path",
    ["", ".a", "a.", "a..b", "a[", "a[]", "a[x]", "a['b']", "a b", "__import__('os')", "a[*"],
)
def test_what_is_no_path(path):
    with pytest.raises(paths.PathError):
        paths.parse(path)


def test_the_server_is_asked_nothing(tmp_path):
    pids = tmp_path / "pids"
    refusal(server("keeps to all", pids), tmp_path)
    assert not pids.exists()


ROOT = resources.checkout()
TEMPLATE = resources.PACKAGE / "cli" / "templates" / "mcp" / "mapping.toml"
MEASURED = sorted((ROOT / "conformance" / "implementations").glob("*/mapping.toml"))


@pytest.mark.parametrize("file", [TEMPLATE, *MEASURED], ids=lambda file: file.parent.name)
def test_the_mappings_that_are_here_will_do_and_keep_to_the_schema(file):
    schema = json.loads(find("schemas").joinpath("mcp-mapping-1.json").read_text("utf-8"))
    plain = tomllib.loads(file.read_text("utf-8"))
    check = jsonschema.Draft202012Validator(schema)
    check.validate(plain)
    assert read_mapping(file).operations.keys() >= {"write", "recall", "forget", "get"}
    plain["operations"]["write"]["tols"] = "x"
    assert not check.is_valid(plain)


def test_the_mappings_of_the_page_will_do(tmp_path):
    page = (ROOT / "docs" / "mcp.md").read_text("utf-8")
    whole, recall = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    before, _, rest = whole.partition("[operations.recall]")
    after = rest[rest.index("[operations.get]") :]
    for number, text in enumerate((whole, before + recall + after)):
        file = tmp_path / f"{number}.toml"
        file.write_text(text, "utf-8")
        read_mapping(file)
