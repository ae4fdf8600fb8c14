"""Capabilities over- and under-claimed: each declared one is tried, each other one must be refused.

An over-claim costs the scenarios that need the capability, no more; an under-claim costs nothing,
but whoever reads "unsupported" should know that it is only not said. Source: the store protocol,
"An operation whose capability isn't declared answers unsupported".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memconform.model.report import Finding, Probe
from memconform.protocol import CAPABILITIES, OPERATIONS, Capability, Hello, StoreError
from memconform.verdict.honesty.attempts import CALLED, Attempt, attempt_for, mere_call
from memconform.verdict.honesty.policies import policies
from memconform.verdict.honesty.trial import Lacking, Trial
from memconform.wire.client import Connection, RemoteStore
from memconform.wire.errors import WireError

BREAKS = 3  # attempts that may break the connection, after which no other is made

# Options of recall that a store which has never heard of them answers like one that knows them.
_PASSED_OVER: frozenset[Capability] = frozenset({"mode", "purpose"})

_SUITE_ONLY = "Whether it works is left to the scenarios."


def claims(connect: Callable[[], Connection]) -> Iterator[Probe]:
    """Try every capability of the protocol, in the order of their names.

    Args:
        connect: gives a connection to a new process; asked again when an attempt has broken one.
    """
    claimant = _Claimant(connect)
    try:
        if (cause := claimant.no_ground()) is not None:
            yield _probe("probes", "broke off", f"No capability could be tried: {cause}")
            return
        yield from policies(claimant.hello())
        for capability in sorted(CAPABILITIES):
            if claimant.breaks > BREAKS:
                told = f"{capability} and what comes after it were not tried: too much broke."
                yield _probe("probes", "broke off", told)
                return
            yield claimant.claim(capability)
    except WireError as error:
        yield _probe("probes", "broke off", f"No capability could be tried: {error.cause}")
    finally:
        claimant.close()


class _Claimant:
    """An implementation whose claims are looked at one by one.

    Attributes:
        breaks: how many attempts have broken the connection.
    """

    def __init__(self, connect: Callable[[], Connection]) -> None:
        self.breaks = 0
        self._connect = connect
        self._connection = connect()
        self._store: tuple[RemoteStore, str] | None = None  # with a memory, for mere calls
        self._offered: frozenset[str] = frozenset()

    def close(self) -> None:
        self._connection.close()

    def hello(self) -> Hello:
        """What it declares."""
        return self._trial().hello

    def _trial(self) -> Trial:
        if not self._connection.alive:
            self._connection.close()
            self._connection = self._connect()
            self._store = None
        return Trial(self._connection, self._connection.hello())

    def no_ground(self) -> str | None:
        """Why nothing can be tried: what every attempt needs doesn't work."""
        try:
            trial = self._trial()
            store = trial.open()
            id = trial.write(store)
            trial.hit(store, id)
        except Lacking as error:
            return str(error).replace(" with it", "")
        except StoreError as error:
            return f"a plain memory was refused as {error.code}: {error.message}"
        except WireError as error:
            return error.cause
        self._store = store, id
        about = self._connection.about()
        methods = about.methods if about is not None else []
        self._offered = frozenset(str(OPERATIONS[name].capability) for name in methods)
        return None

    def claim(self, capability: Capability) -> Probe:
        """What is found about one capability."""
        trial = self._trial()
        declared = trial.declares(capability)
        attempt = attempt_for(capability)
        if attempt is None:
            told = f"{capability} is declared, and no call of the protocol shows it at once. "
            return _probe(capability, "not looked at", told + _SUITE_ONLY if declared else "")
        try:
            if declared:
                return _declared(capability, attempt, trial)
            return self._undeclared(capability, attempt, trial)
        except WireError as error:
            self.breaks += not self._connection.alive
            said = "declared" if declared else "not declared"
            told = f"{capability} is {said}, and the attempt broke off: {error.cause}"
            return _probe(capability, "broke off", told, error.evidence)

    def _undeclared(self, capability: Capability, attempt: Attempt, trial: Trial) -> Probe:
        if capability not in CALLED:
            try:
                attempt(trial)
            except (Lacking, StoreError):
                return _probe(capability, "kept", "")
            return _under(capability, f"{capability} works, but is not declared.")
        try:
            self._mere_call(capability, trial)
        except StoreError as error:
            return self._refused(capability, error)
        try:
            attempt(trial)
        except Lacking as error:
            told = f"{capability} is not declared and not refused as unsupported, but {error}."
            return _probe(capability, "refused otherwise", told)
        except StoreError as error:
            return self._refused(capability, error)
        return _answered(capability)

    def _mere_call(self, capability: Capability, trial: Trial) -> None:
        """Most are refused here already, without a store of their own to be opened."""
        if self._store is None:
            store = trial.open()
            self._store = store, trial.write(store)
        store, id = self._store
        call = mere_call(capability, id)
        if call is not None:
            store.call(*call)
            self._store = None  # whatever it has done to the memory

    def _refused(self, capability: Capability, error: StoreError) -> Probe:
        if error.code != "unsupported":
            told = (
                f"{capability} is not declared, and refused as {error.code} instead of "
                f"unsupported: {error.message}"
            )
            return _probe(capability, "refused otherwise", told)
        if capability in self._offered:
            told = f"{capability} is not declared, but the store has a method for it."
            return _under(capability, told)
        return _probe(capability, "kept", "")


def _declared(capability: Capability, attempt: Attempt, trial: Trial) -> Probe:
    try:
        attempt(trial)
    except Lacking as error:
        return _probe(capability, "over-claimed", f"{capability} is declared, but {error}.")
    except StoreError as error:
        told = f"{capability} is declared, but refused as {error.code}: {error.message}"
        return _probe(capability, "over-claimed", told)
    return _probe(capability, "kept", "")


def _answered(capability: Capability) -> Probe:
    if capability in _PASSED_OVER:
        told = f"{capability} is not declared and not refused as unsupported."
        return _probe(capability, "refused otherwise", told)
    return _under(capability, f"{capability} works, but is not declared.")


def _under(capability: Capability, told: str) -> Probe:
    return _probe(capability, "under-claimed", told)


def _probe(subject: str, finding: Finding, told: str, evidence: str | None = None) -> Probe:
    return Probe(subject=subject, finding=finding, told=told, evidence=evidence)
