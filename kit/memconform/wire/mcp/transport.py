"""The kit's side: the adapter in a process of its own, and what it leaves behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import weakref
from collections.abc import Mapping as Table
from pathlib import Path

from memconform.wire.errors import BadAnswer, WireError
from memconform.wire.mcp.faults import fault_in
from memconform.wire.transport import LINE_LIMIT, ProcessTransport, Way
from memconform.wire.watch import CallWatch

# The adapter keeps the limits of the mapping itself and says what was waited for; the kit's own
# limit ends an adapter that can't, such as one that a regular expression keeps busy.
_MORE_S = 5.0
_IMPORTS_S = 30.0  # for the adapter's own start, on a machine with much to do
_GRACE_S = 4.0  # for the adapter to end its servers
GROUPS = "groups"


class McpTransport:
    """Lines to an adapter that is the client of an MCP server.

    A fault that the adapter tells is raised here as what it is. The folder that the servers are
    given their own in is made and removed here, and whatever group of processes an adapter has
    started and not ended is ended here, so that nothing is left however it ends.

    Args:
        file: the mapping.
        time_limit_s: of the mapping, for a call of the kit's.
        start_limit_s: of the mapping, for a start of the server.
        env: the adapter's whole environment; null is the kit's own.
    """

    way: Way = "wire"

    def __init__(
        self,
        file: Path,
        *,
        time_limit_s: float,
        start_limit_s: float,
        env: Table[str, str] | None = None,
    ) -> None:
        self._file = file
        self._env = env
        self._limit_s = time_limit_s + start_limit_s + _MORE_S
        self._inner: ProcessTransport | None = None
        self._clean: weakref.finalize[..., McpTransport] | None = None

    @property
    def pid(self) -> int | None:
        """Id of the adapter's process; null before it runs."""
        return None if self._inner is None else self._inner.pid

    def exchange(self, line: bytes) -> bytes:
        """Send one line and wait for one; what the server did wrong is raised."""
        if self._inner is None:
            self._inner = self._started()
        answer = self._inner.exchange(line)
        fault = fault_in(answer)
        if fault is None:
            return answer
        if not isinstance(fault, BadAnswer):
            self.abandon()
            written = self._inner.evidence()
            fault.evidence = "\n".join(t for t in (fault.evidence, written) if t) or None
        raise fault

    def evidence(self) -> str:
        """The end of what the adapter and its servers wrote to standard error."""
        return "" if self._inner is None else self._inner.evidence()

    def watch(self, watch: CallWatch) -> None:
        """Nothing to watch: each call has a time limit."""

    def restart(self) -> None:
        """End everything; the next line starts another adapter."""
        self.abandon()
        self._inner = None

    def abandon(self) -> None:
        """End the adapter and all of its servers at once."""
        if self._inner is not None:
            self._inner.abandon()
            self._leave_nothing()

    def close(self) -> WireError | None:
        """Let the adapter end its servers, then end what is left; say what it still wrote."""
        if self._inner is None:
            return None
        found = self._inner.close()
        self._leave_nothing()
        return found

    def _started(self) -> ProcessTransport:
        own = (os.environ if self._env is None else self._env).get("TMPDIR")
        work = Path(tempfile.mkdtemp(prefix="memconform-mcp-", dir=own))
        # A kit that ends without closing must not leave servers behind either.
        self._clean = weakref.finalize(self, _cleaned, work)
        # Without -P a file mcp.py in the working folder would be taken for the package.
        argv = [sys.executable, "-P", "-m", "memconform.wire.mcp", str(self._file), str(work)]
        return ProcessTransport(
            argv,
            env=self._env,
            time_limit_s=self._limit_s,
            start_limit_s=self._limit_s + _IMPORTS_S,
            grace_s=_GRACE_S,
            line_limit=2 * LINE_LIMIT,
        )

    def _leave_nothing(self) -> None:
        if self._clean is not None:
            self._clean()


def _cleaned(work: Path) -> None:
    """End the groups that are still marked as running, and remove the folder."""
    running: set[int] = set()
    with contextlib.suppress(OSError, ValueError):
        for line in (work / GROUPS).read_text(encoding="ascii").split():
            group = int(line[1:])
            running.add(group) if line[0] == "+" else running.discard(group)
    for group in running:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    shutil.rmtree(work, ignore_errors=True)
