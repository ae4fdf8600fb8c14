"""The latest value wins: work for a slider that is moved faster than the work gets done.

In a notebook the event loop delivers every step of a slider. Work of more than a few milliseconds
goes to a thread; values that come meanwhile replace each other, and when the thread is free it
gets the last of them. Results are shown on the event loop, in the order in which they were asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")
Result = TypeVar("Result")


class Latest(Generic[Value, Result]):
    """Calls ``work`` for the newest value alone and hands the result to ``show``.

    Args:
        work: takes long; runs in a thread, never twice at once.
        show: runs on the event loop.
        failed: is told what ``work`` raised, on the event loop.
    """

    def __init__(
        self,
        work: Callable[[Value], Result],
        show: Callable[[Result], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._work = work
        self._show = show
        self._failed = failed
        self._next: list[Value] = []  # at most one
        self._generation = 0
        self._task: asyncio.Task[None] | None = None

    def ask(self, value: Value) -> None:
        """Have the work done for this value, unless a newer one comes before it can begin.

        Without a running event loop, as in a script, it is done at once.
        """
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self._now(value)
            return
        self._next[:] = [value]
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._all())

    def forget(self) -> None:
        """Drop the value that waits and the one in work: something newer is being shown."""
        self._next.clear()
        self._generation += 1

    async def settled(self) -> None:
        """Wait until nothing is being worked on and nothing waits."""
        while self._task is not None and not self._task.done():
            await self._task

    def _now(self, value: Value) -> None:
        try:
            result = self._work(value)
        except Exception as error:
            self._failed(error)
        else:
            self._show(result)

    async def _all(self) -> None:
        while self._next:
            value, generation = self._next.pop(), self._generation
            try:
                result = await asyncio.to_thread(self._work, value)
            except Exception as error:
                if generation == self._generation:
                    self._failed(error)
            else:
                if generation == self._generation:
                    self._show(result)
