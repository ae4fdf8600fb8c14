import pytest
from reference_stores import (
    ASK_HOSE,
    ELSEWHERE,
    HERE,
    HOSE,
    NOW,
    PLACE,
    STORES,
    draft,
    ids,
    opened,
    put,
)

from memconform.model import Access, Filters, Policy, Settings, SourceDraft
from memconform.protocol import Conflict, Invalid, MemoryStore, NotFound, System, Unavailable
from memconform.reference import filesystem, hybrid
from memconform.reference.store import system_clock
from memconform.reference.system import DEFAULT_WORKSPACE
from memconform.retrieval import Pipeline, Stage
from memconform.wire.client import Connection
from memconform.wire.transport import LocalTransport

FACTORIES = [filesystem.factory, hybrid.factory]
MENDED = "The green hose hangs in the garage."


@pytest.fixture(params=STORES)
def store(request, tmp_path):
    store = opened(request.param, tmp_path)
    yield store
    store.close()


# --- opening -------------------------------------------------------------------------------------


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_system_opens_empty_stores_that_know_nothing_of_each_other(factory):
    system = factory()
    assert isinstance(system, System)
    one, other = system.open(Settings()), system.open(Settings())
    assert isinstance(one, MemoryStore)
    one.write(draft(HOSE, "hose"))
    assert ids(one, access=Access()) == ["hose"]
    assert other.list_records().records == []
    with pytest.raises(NotFound):
        other.get("hose")
    one.close()
    other.close()


@pytest.mark.parametrize("factory", FACTORIES)
def test_a_temporary_folder_goes_with_its_last_connection(factory):
    store = factory().open(Settings())
    root = store.root
    second = store.second()
    reopened = store.reopen()
    store.close()  # once more does no harm
    second.write(draft(HOSE, "hose"))
    second.close()
    assert ids(reopened, access=Access()) == ["hose"]
    reopened.close()
    assert not root.exists()


def test_a_folder_of_ones_own_stays(store):
    store.write(draft(HOSE, "hose"))
    store.close()
    assert (store.root / "memory" / "hose.json").exists()


def test_a_closed_connection_is_unavailable(store):
    store.close()
    for call in (
        lambda: store.write(draft(HOSE)),
        lambda: store.recall(ASK_HOSE),
        lambda: store.get("hose"),
        store.list_records,
        store.second,
        store.diagnostics,
    ):
        with pytest.raises(Unavailable):
            call()


def test_over_messages_a_store_answers_as_in_process():
    for factory in FACTORIES:
        connection = Connection(LocalTransport(factory()))
        assert connection.hello().profiles == ["foundation", "abstention", "feedback"]
        remote = connection.open(Settings(clock=NOW))
        assert remote.call("write", record=draft(HOSE, "hose")).id == "hose"
        answer = remote.call("recall", query=ASK_HOSE, trace=True)
        local = factory().open(Settings(clock=NOW))
        local.write(draft(HOSE, "hose"))
        assert answer == local.recall(ASK_HOSE, trace=True)
        local.close()
        connection.close()


def test_every_declared_capability_has_its_operation():
    from memconform.protocol import OPERATIONS

    for factory in FACTORIES:
        hello = factory().hello()
        store = factory().open(Settings())
        for operation in OPERATIONS.values():
            if operation.on == "store":
                needed = operation.capability
                offered = needed is None or needed in hello.capabilities
                assert hasattr(store, operation.name) == offered, operation.name
        store.close()


def test_a_pipeline_of_ones_own_is_what_answers():
    # A gate that lets everything pass: 1 of 24 tokens is far below the floor of 0.40.
    open_gate = Pipeline(gate=lambda ranked, gate: Stage(tuple(ranked), ()))
    for factory in FACTORIES:
        for pipeline, found in ((Pipeline(), []), (open_gate, ["hose"])):
            store = factory(pipeline).open(Settings())
            store.write(draft(HOSE, "hose"))
            assert ids(store, "What colour has the neighbour's fence?", Access()) == found
            store.close()


# --- places --------------------------------------------------------------------------------------


def test_nothing_said_means_the_default_place(store):
    store.write(draft(HOSE, "hose"))
    record = store.get("hose").record
    assert record.extra["workspace"] == PLACE
    assert ids(store, access=Access()) == ids(store, access=HERE) == ["hose"]
    assert ids(store, access=ELSEWHERE) == []


def test_the_default_place_of_the_kits_stores_is_a_place_like_any_other():
    for factory in FACTORIES:
        store = factory().open(Settings())
        store.write(draft(HOSE, "hose"))
        store.write(draft(MENDED, "there", workspace="/elsewhere"))
        assert ids(store, access=Access()) == ["hose"]
        assert ids(store, access=Access(workspace=f"{DEFAULT_WORKSPACE}//.")) == ["hose"]
        assert ids(store, access=Access(workspace="/elsewhere")) == ["there"]
        store.close()


@pytest.mark.parametrize("store_class", STORES)
def test_without_a_default_place_a_caller_from_nowhere_sees_user_memories_only(
    store_class, tmp_path
):
    store = store_class(tmp_path)
    store.write(draft(HOSE, "mine", scope="user"))
    store.write(draft(HOSE, "there", workspace=PLACE))
    with pytest.raises(Invalid, match="workspace"):
        store.write(draft(HOSE, "nowhere"))
    assert ids(store, access=Access()) == ["mine"]
    with pytest.raises(NotFound):
        store.get("there")
    store.close()


def test_a_project_without_a_workspace_sees_no_workspace_and_no_project_memory(store):
    store.write(draft(HOSE, "workspace"))
    store.write(draft(f"{HOSE} It is mine.", "user", scope="user"))
    store.write(draft(f"{HOSE} It drips.", "project", scope="project", project="/p"))
    assert ids(store, access=Access(project="/p")) == ["user"]
    assert sorted(ids(store, access=Access(project="/p", workspace=PLACE))) == [
        "project",
        "user",
        "workspace",
    ]


def test_an_id_of_another_place_is_not_found_by_any_operation(store):
    store.write(draft(HOSE, "hose"))
    store.write(draft(MENDED, "there", workspace=ELSEWHERE.workspace))
    for call in (
        lambda: store.get("hose", ELSEWHERE),
        lambda: store.forget("hose", ELSEWHERE),
        lambda: store.purge("hose", ELSEWHERE),
        lambda: store.update("hose", ELSEWHERE, content="Changed."),
        lambda: store.disable("hose", ELSEWHERE),
        lambda: store.enable("hose", ELSEWHERE),
        lambda: store.correct("hose", MENDED, ELSEWHERE),
        lambda: store.supersede("hose", "there", ELSEWHERE),
        lambda: store.supersede("there", "hose", ELSEWHERE),
        lambda: store.get("never-written", ELSEWHERE),
    ):
        with pytest.raises(NotFound, match="in this place"):
            call()
    assert store.get("hose").record.content == HOSE
    assert store.get("hose").record.version == 1
    assert ids(store) == ["hose"]


def test_a_user_memory_that_agents_may_not_see_is_out(store):
    store.write(draft(HOSE, "hidden", scope="user", agent_visible=False))
    assert ids(store) == []
    assert store.list_records().records == []
    with pytest.raises(NotFound):
        store.get("hidden")


def test_the_policy_narrows_recall_and_list_but_not_what_may_be_forgotten(store):
    store.write(draft(HOSE, "hose"))
    store.write(draft(f"{HOSE} Mine.", "mine", scope="user"))
    narrow = store.reopen(Settings(clock=NOW, policy=Policy(scopes=("workspace",))))
    assert ids(narrow) == ["hose"]
    assert [hit.id for hit in narrow.list_records().records] == ["hose"]
    assert narrow.forget("mine").done
    narrow.close()


def test_limit_and_policy_bound_the_number_of_hits(store):
    for n in range(12):
        store.write(draft(f"{HOSE} Peg {n}.", f"n{n:02}"))
    assert len(ids(store)) == 8
    assert len(store.recall(ASK_HOSE, HERE, 3).hits) == 3
    assert len(store.recall(ASK_HOSE, HERE, 100).hits) == 8
    assert store.recall(ASK_HOSE, HERE, 0).hits == []
    assert store.recall(ASK_HOSE, HERE, -1).hits == []
    more = store.reopen(Settings(clock=NOW, policy=Policy(max_injected_records=11)))
    assert len(ids(more)) == 11
    off = more.reopen(Settings(clock=NOW, policy=Policy(enabled=False)))
    assert ids(off) == []
    off.close()


# --- writing -------------------------------------------------------------------------------------


def test_a_key_is_the_id_and_is_taken_once(store):
    assert store.write(draft(HOSE, "hose")).id == "hose"
    for again in (draft(HOSE, "hose"), draft(MENDED, "hose", workspace="/other")):
        with pytest.raises(Conflict, match="taken"):
            store.write(again)
    store.forget("hose")
    with pytest.raises(Conflict):
        store.write(draft(MENDED, "hose"))
    store.purge("hose")
    assert store.write(draft(MENDED, "hose")).outcome == "created"


def test_without_a_key_ids_are_made_of_the_content_and_differ(tmp_path):
    made = {}
    for store_class in STORES:
        store = opened(store_class, tmp_path / store_class.__name__)
        made[store_class] = [store.write(draft(text)).id for text in (HOSE, HOSE, MENDED)]
        assert len(set(made[store_class])) == 3
        assert len(store.list_records().records) == 3
        store.close()
    # The same text, place and time give the same ids anywhere: nothing is drawn by lot.
    assert made[STORES[0]] == made[STORES[1]]
    assert all(id.startswith("mem-") and len(id) == 36 for id in made[STORES[0]])


def test_a_batch_has_one_outcome_each(store):
    result = store.write_batch(
        (
            draft(HOSE, "hose", tags=("tools",)),
            draft("", "empty", confidence=0.5),
            draft(MENDED, "hose", tags=("tools",), importance=0.1),
            draft(MENDED, "mended", confidence=0.0, importance=0.0),
        )
    )
    assert [outcome.outcome for outcome in result.outcomes] == [
        "created",
        "refused",
        "refused",
        "created",
    ]
    assert "content" in (result.outcomes[1].cause or "")
    assert "taken" in (result.outcomes[2].cause or "")
    # What was refused passed nothing on; a confidence of 0 is one.
    counts = result.passed_on
    assert (counts.tags, counts.confidence, counts.importance) == (1, 1, 1)
    assert ids(store) == ["hose", "mended"]


def test_what_is_written_comes_back_byte_for_byte(store):
    text = 'Tab\t, NUL \x00, "quotes", \\u0041, <b>, 名前 \U0001f33b\r\n'
    source = SourceDraft(id="s1", kind="file", locator="a b/c.txt", trust="observed")
    store.write(
        draft(text, "odd", tags=("a b", "偏好"), type="insight", confidence=0.25, sources=(source,))
    )
    record = store.get("odd").record
    assert record.content == text
    assert record.tags == ["a b", "偏好"]
    assert record.type == "insight"
    assert record.confidence == 0.25
    assert [(s.id, s.kind, s.locator, s.trust) for s in record.sources] == [
        ("s1", "file", "a b/c.txt", "observed")
    ]
    assert store.recall("quotes", HERE).hits[0].content == text


@pytest.mark.parametrize("content", ["", "  \n", "\ud800"])
def test_a_content_that_is_none_is_invalid(store, content):
    with pytest.raises(Invalid):
        store.write(draft(content, "bad"))
    assert store.list_records().records == []


# --- asking --------------------------------------------------------------------------------------


def test_a_hit_says_what_is_needed_to_act_on_it(store):
    store.write(draft(HOSE, "hose", tags=("tools",), confidence=0.75))
    (hit,) = store.recall(ASK_HOSE, HERE).hits
    assert (hit.id, hit.content, hit.state, hit.tags) == ("hose", HOSE, "active", ["tools"])
    assert (hit.confidence, hit.version, hit.type, hit.flags) == (0.75, 1, "fact", [])
    # "Where does the green hose hang?" has the words where, does, the, green, hose, hang and the
    # grams whe her ere, doe oes, gre ree een, hos ose, han ang: 18 tokens. The record has the,
    # green, hose (hangs and hang differ) and gre ree een, hos ose, han ang: 10. So
    # .55 * 10/18 + .1 * .9 (workspace) + .1 * 0 + .1 * 1 (fresh) + .075 * .5 + .075 * .75
    assert hit.score == pytest.approx(0.55 * 10 / 18 + 0.09 + 0.1 + 0.0375 + 0.05625, abs=1e-9)


def test_purpose_filters_and_mode(store):
    store.write(draft(HOSE, "fact"))
    store.write(draft(f"{HOSE} Always coil it.", "rule", authority="directive"))
    store.write(draft(f"{HOSE} Noted.", "seen", type="episode", scope="user"))
    assert sorted(ids(store)) == ["fact", "seen"]

    def narrowed(**filters):
        hits = store.recall(ASK_HOSE, HERE, purpose="tool", filters=Filters(**filters)).hits
        return sorted(hit.id for hit in hits)

    assert narrowed() == ["fact", "rule", "seen"]
    assert narrowed(types=("episode", "insight")) == ["seen"]
    assert narrowed(scopes=("workspace",)) == ["fact", "rule"]
    assert narrowed(authorities=("directive",), scopes=("workspace", "user")) == ["rule"]
    with pytest.raises(Invalid):
        narrowed(types=("rumour",))


def test_the_historical_gate_is_for_evaluations(store):
    store.write(draft(HOSE, "hose"))
    far = "Whose hose is this, and who will carry it home tomorrow?"
    assert ids(store, far) == []
    assert store.recall(far, HERE, mode="foundation-v1").hits == []
    with pytest.raises(Invalid, match="evaluation"):
        store.recall(far, HERE, mode="historical-v1")
    evaluation = store.reopen(Settings(clock=NOW, evaluation=True))
    assert [h.id for h in evaluation.recall(far, HERE, mode="historical-v1").hits] == ["hose"]
    assert ids(evaluation, far) == []
    evaluation.close()


def test_half_a_surrogate_pair_is_no_question(store):
    for call in (
        lambda: store.recall("hose \ud800"),
        lambda: store.context("hose \ud800"),
        lambda: store.recall("hose", Access(workspace="\udfff")),
    ):
        with pytest.raises(Invalid, match="surrogate"):
            call()


def test_the_context_is_what_is_injected_and_is_remembered_as_such(store):
    store.write(draft(HOSE, "hose"))
    store.write(draft("The green hose hangs " + "on a long line of pegs " * 40, "long"))
    context = store.context(ASK_HOSE, HERE)
    assert context.ids == ["hose", "long"]
    assert context.cut == []
    assert HOSE in context.text
    # Less than the long one needs, and at least 96 of its characters: it is cut.
    short = store.context(ASK_HOSE, HERE, len(context.text) - 500)
    assert (short.ids, short.cut) == (["hose"], ["long"])
    assert len(short.text) <= len(context.text) - 500
    assert store.diagnostics().last_injected_ids == ["hose", "long"]
    assert store.context(ASK_HOSE, HERE, 10).text == ""
    assert store.diagnostics().last_injected_ids == []
    store.context(ASK_HOSE, HERE)
    store.recall("pegs", HERE, purpose="tool")
    store.list_records(HERE)
    assert store.diagnostics().last_injected_ids == ["hose", "long"]


def test_a_hit_cut_for_the_block_says_so(store):
    long = "The green hose hangs " + "on a long line of pegs " * 300  # beyond 6,000 characters
    store.write(draft(long, "long"))
    (hit,) = store.recall("green hose hangs on pegs", HERE).hits
    assert hit.flags == ["cut"]
    assert hit.content is not None
    assert long.startswith(hit.content)
    assert len(hit.content) < 6000
    assert store.get("long").record.content == long


# --- changing ------------------------------------------------------------------------------------


def test_forgotten_is_gone_and_says_so(store):
    store.write(draft(HOSE, "hose"))
    assert ids(store) == ["hose"]
    assert store.forget("hose").done
    assert ids(store) == []
    record = store.get("hose").record
    assert (record.state, record.content, record.tags, record.type) == (
        "forgotten",
        None,
        None,
        None,
    )
    again = store.forget("hose")
    assert not again.done
    assert again.cause
    for call in (
        lambda: store.update("hose", content="Back again."),
        lambda: store.disable("hose"),
        lambda: store.enable("hose"),
        lambda: store.correct("hose", MENDED),
    ):
        with pytest.raises(Conflict, match="forgotten"):
            call()
    assert store.list_records().records == []


def test_purged_is_as_if_it_had_never_been(store):
    store.write(draft(HOSE, "hose"))
    store.write(draft(MENDED, "mended"))
    store.forget("mended")
    for id in ("hose", "mended"):
        assert store.purge(id).done
        with pytest.raises(NotFound):
            store.get(id)
        with pytest.raises(NotFound):
            store.purge(id)
    assert ids(store) == []
    assert store.diagnostics().records == 0
    assert list((store.root / "memory").iterdir()) == []


def test_an_update_takes_effect_at_once_and_counts_a_version(store):
    store.write(draft(HOSE, "hose", tags=("tools",), confidence=0.5))
    assert ids(store) == ["hose"]
    store.set_clock("2026-03-02T00:00:00Z")
    result = store.update("hose", content="The wheelbarrow has a flat tyre.")
    assert (result.id, result.outcome) == ("hose", "merged")
    assert ids(store) == []
    assert ids(store, "flat tyre of the wheelbarrow") == ["hose"]
    record = store.get("hose").record
    assert (record.version, record.tags, record.confidence) == (2, ["tools"], 0.5)
    assert record.times is not None
    assert record.times.updated_at == "2026-03-02T00:00:00.000Z"
    assert record.times.created_at == "2026-03-01T00:00:00.000Z"
    store.update("hose", tags=("wheels",), confidence=0.0)
    record = store.get("hose").record
    assert (record.version, record.tags, record.confidence) == (3, ["wheels"], 0.0)
    for wrong in ({"content": " "}, {"confidence": 7.0}, {"content": "\ud800"}):
        with pytest.raises(Invalid):
            store.update("hose", **wrong)
    assert store.get("hose").record.version == 3


def test_disabled_is_out_until_enabled(store):
    store.write(draft(HOSE, "hose"))
    assert ids(store) == ["hose"]
    assert store.disable("hose").done
    assert ids(store) == []
    assert store.list_records().records == []
    assert store.get("hose").record.state == "disabled"
    assert store.get("hose").record.content == HOSE
    assert not store.disable("hose").done
    assert store.enable("hose").done
    assert ids(store) == ["hose"]
    assert not store.enable("hose").done


def test_a_correction_wins_at_once_and_for_good(store):
    store.write(draft(HOSE, "old", tags=("tools",), scope="user", confidence=0.5))
    assert ids(store) == ["old"]
    result = store.correct("old", MENDED, key="new")
    assert (result.id, result.outcome, result.other) == ("new", "superseded", "old")
    assert ids(store) == ["new"]
    new, old = store.get("new").record, store.get("old").record
    assert (new.extra["scope"], new.tags, new.confidence, new.version) == (
        "user",
        ["tools"],
        0.5,
        2,
    )
    assert new.extra["supersedes"] == "old"
    assert (old.state, old.superseded_by, old.content) == ("superseded", "new", HOSE)
    assert store.forget("new").done
    assert ids(store) == []
    assert store.purge("new").done
    assert ids(store) == []
    assert store.get("old").record.state == "superseded"


@pytest.mark.parametrize("key", [None, "new"])
def test_a_correction_replayed_happens_once(store, key):
    store.write(draft(HOSE, "old"))
    first = store.correct("old", MENDED, key=key)
    again = store.correct("old", MENDED, key=key)
    assert again == first
    assert [hit.id for hit in store.list_records().records] == [first.id]
    with pytest.raises(Conflict):
        store.correct("old", "The green hose is lost.", key=key)
    assert first.id is not None
    # Replayed after the correction was forgotten, it must not bring anything back.
    store.forget(first.id)
    with pytest.raises(Conflict):
        store.correct("old", MENDED, key=key)
    assert ids(store) == []


def test_a_correction_with_the_id_of_another_memory_is_a_conflict(store):
    store.write(draft(HOSE, "old"))
    store.write(draft(MENDED, "taken"))
    with pytest.raises(Conflict, match="taken"):
        store.correct("old", MENDED, key="taken")
    # The same text and link, but in another place: that is no correction of this one.
    store.write(draft(MENDED, "far", workspace="/far", supersedes="old"))
    with pytest.raises(Conflict, match="taken"):
        store.correct("old", MENDED, key="far")
    assert store.get("old").record.state == "active"
    with pytest.raises(Invalid):
        store.correct("old", "  ")


def test_a_correction_that_a_crash_interrupted_is_completed_by_its_replay(store):
    store.write(draft(HOSE, "old"))
    # The crash came after the new memory was stored and before the old one was marked.
    put(store.root, draft(MENDED, workspace=PLACE, supersedes="old"), "new")
    assert ids(store) == ["new"]
    assert store.get("old").record.superseded_by == "new"
    assert store.correct("old", MENDED, key="new").id == "new"
    store.purge("new")
    assert store.get("old").record.state == "superseded"


def test_a_chain_of_corrections_shows_its_last_link_only(store):
    store.write(draft("The green hose hangs by the gate.", "a"))
    store.correct("a", "The green hose hangs by the well.", key="b")
    store.correct("b", "The green hose hangs by the door.", key="c")
    assert ids(store) == ["c"]
    with pytest.raises(Conflict, match="'b'"):
        store.correct("a", "The green hose hangs nowhere.")
    # Written as links instead, without the marks of a correction:
    store.write(draft("The red hose hangs by the gate.", "x"))
    store.write(draft("The red hose hangs by the well.", "y", supersedes="x"))
    store.write(draft("The red hose hangs by the door.", "z", supersedes="y"))
    assert [i for i in ids(store, "Where does the red hose hang?") if i in "xyz"] == ["z"]
    # y says that x is replaced, and is active but for z: x stays out (computed once).
    assert store.get("x").record.state == "superseded"


def test_a_disabled_successor_replaces_nothing_by_its_link_alone(store):
    store.write(draft(HOSE, "x"))
    store.write(draft(MENDED, "y", supersedes="x"))
    assert ids(store) == ["y"]
    store.disable("y")
    assert ids(store) == ["x"]


def test_one_stored_memory_supersedes_another(store):
    store.write(draft(HOSE, "old"))
    store.write(draft(MENDED, "new"))
    assert store.supersede("old", "new").done
    assert ids(store) == ["new"]
    assert store.get("old").record.superseded_by == "new"
    again = store.supersede("old", "new")
    assert not again.done
    assert again.cause


def test_superseding_is_refused_where_it_would_make_no_sense(store):
    store.write(draft(HOSE, "a"))
    store.write(draft(MENDED, "b"))
    store.write(draft("The green hose is lost.", "c"))
    store.write(draft(HOSE, "mine", scope="user"))
    with pytest.raises(Invalid, match="itself"):
        store.supersede("a", "a")
    for old, new in (("a", "mine"), ("mine", "a")):
        with pytest.raises(Invalid, match="scope"):
            store.supersede(old, new)
    store.supersede("a", "b")
    with pytest.raises(Conflict):
        store.supersede("b", "a")  # what is replaced can't replace what replaced it
    with pytest.raises(Conflict):
        store.supersede("c", "b")  # it names a already
    with pytest.raises(Conflict):
        store.supersede("a", "c")  # it is replaced by b
    store.forget("c")
    with pytest.raises(Conflict, match="forgotten"):
        store.supersede("b", "c")
    with pytest.raises(NotFound):
        store.supersede("a", "nobody")
    assert sorted(ids(store)) == ["b", "mine"]


def test_places_that_are_spelled_differently_are_one(store):
    store.write(draft(HOSE, "old", workspace="/home//garden/"))
    store.write(draft(MENDED, "new", workspace="/home/x/../garden"))
    assert store.supersede("old", "new", Access(workspace="/home/garden/.")).done
    assert ids(store) == ["new"]


# --- time ----------------------------------------------------------------------------------------


def test_validity_follows_the_clock(store):
    store.write(
        draft(HOSE, "h", valid_from="2026-03-02T00:00:00Z", valid_to="2026-03-04T00:00:00Z")
    )
    store.write(draft(MENDED, "ttl", ttl_ms=24 * 3600 * 1000))
    expected = [
        ("2026-03-01T23:59:59.999Z", ["ttl"], "not-yet-valid"),
        ("2026-03-02T00:00:00Z", ["h"], "active"),
        ("2026-03-03T23:59:59.999Z", ["h"], "active"),
        ("2026-03-04T00:00:00Z", [], "expired"),
    ]
    for time, found, state in expected:
        store.set_clock(time)
        assert ids(store) == found
        assert store.get("h").record.state == state
        assert [hit.id for hit in store.list_records().records] == found


def test_of_two_ends_the_earlier_one_holds(store):
    early, late = "2026-03-02T00:00:00Z", "2026-03-05T00:00:00Z"
    store.write(draft(HOSE, "a", valid_to=early, expires_at=late))
    store.write(draft(MENDED, "b", valid_to=late, expires_at=early))
    assert sorted(ids(store)) == ["a", "b"]
    store.set_clock("2026-03-03T00:00:00Z")
    assert ids(store) == []


@pytest.mark.parametrize(
    ("query", "tag"),
    [("what do I prefer", "PREFERENCES"), ("who am i", "ＰＲＯＦＩＬＥ"), ("我是谁", "身份")],
)
def test_a_tag_answers_a_hint_however_it_is_spelled(store, query, tag):
    # No word in common, and an episode is of none of the hinted types: the tag alone lets it pass.
    store.write(draft("Rosehips, mostly.", "tagged", tags=(tag,), type="episode"))
    store.write(draft("Sloes, mostly.", "plain", type="episode"))
    assert ids(store, query) == ["tagged"]


def test_each_connection_has_its_own_clock_and_a_second_one_inherits_it(store):
    store.write(draft(HOSE, "h", valid_from="2026-03-02T00:00:00Z"))
    store.set_clock("2026-03-03T00:00:00Z")
    second = store.second()
    assert ids(second) == ["h"]
    second.set_clock("2026-03-01T00:00:00Z")
    assert (ids(second), ids(store)) == ([], ["h"])
    again = store.reopen()
    assert ids(again) == ["h"]
    earlier = again.reopen(Settings(clock=NOW))
    assert ids(earlier) == []
    earlier.close()
    second.close()


@pytest.mark.parametrize("time", ["", "yesterday", "2026-03-01", "2026-03-01T00:00:00"])
def test_what_is_no_time_is_no_clock(store, time):
    with pytest.raises(Invalid, match="ISO 8601"):
        store.set_clock(time)
    with pytest.raises(Invalid, match="ISO 8601"):
        store.reopen(Settings(clock=time))


@pytest.mark.parametrize("store_class", STORES)
def test_without_a_clock_the_given_one_goes(store_class, tmp_path):
    ticks = iter([f"2026-03-01T00:00:0{n}Z" for n in range(9)])
    store = store_class(tmp_path, workspace=PLACE, clock=lambda: next(ticks))
    store.write(draft(HOSE, "one"))
    store.write(draft(MENDED, "two"))
    times = [store.get(id).record.times for id in ("one", "two")]
    assert all(t is not None for t in times)
    assert times[0].created_at < times[1].created_at
    store.close()
    assert system_clock().endswith("Z")


# --- several connections -------------------------------------------------------------------------


def test_a_second_connection_sees_every_change_at_once_and_so_does_a_restart(store):
    second = store.second()
    assert ids(second) == []
    store.write(draft(HOSE, "hose"))
    assert ids(second) == ["hose"]
    second.update("hose", content=MENDED)
    assert store.recall(ASK_HOSE, HERE).hits[0].content == MENDED
    store.disable("hose")
    assert ids(second) == []
    second.enable("hose")
    assert ids(store) == ["hose"]
    new = second.correct("hose", "The green hose hangs on the fence.").id
    assert ids(store) == [new]
    assert new is not None
    assert store.forget(new).done
    assert ids(second) == []
    assert second.get(new).record.state == "forgotten"
    store.write(draft(f"{HOSE} Again.", "again"))
    assert ids(second) == ["again"]
    second.purge("again")
    assert ids(store) == []
    store.write_batch((draft(HOSE, "b1"), draft(MENDED, "b2")))
    assert ids(second) == ["b1", "b2"]
    restarted = second.reopen()
    assert ids(restarted) == ["b1", "b2"]
    restarted.close()


@pytest.mark.parametrize("classes", [STORES, STORES[::-1]])
def test_both_kinds_of_store_may_share_a_folder(classes, tmp_path):
    one, other = (opened(kind, tmp_path) for kind in classes)
    one.write(draft(HOSE, "hose"))
    assert ids(other) == ids(one) == ["hose"]
    other.correct("hose", MENDED, key="new")
    assert ids(one) == ids(other) == ["new"]
    one.forget("new")
    assert ids(other) == ids(one) == []
    one.close()
    other.close()


def test_diagnostics_count_without_showing(store):
    store.write(draft(HOSE, "hose"))
    store.write(draft(MENDED, "mended"))
    store.forget("mended")
    assert store.diagnostics().last_trace is None
    store.recall(ASK_HOSE, HERE)
    diagnostics = store.diagnostics()
    assert (diagnostics.records, diagnostics.malformed, diagnostics.failures) == (1, 0, {})
    assert diagnostics.last_trace is not None
    assert diagnostics.last_trace.selected_ids == ["hose"]
    assert diagnostics.last_trace.filtered.lifecycle == 1
    shown = repr(diagnostics)
    for private in (HOSE, MENDED, ASK_HOSE, str(store.root), PLACE):
        assert private not in shown
