"""A store that commits the sin that it is asked for: ``recall`` takes the query for its name.

``python sins.py PIDS``; the ids of all processes that it starts, its own among them, are appended
to the file. Every other query is answered with nothing found.
"""

import json
import os
import signal
import sys
import time

from hostile import RESULTS, answer, say, write

WRITTEN = {"id": "1", "outcome": "created", "other": None, "cause": None, "namespace": None}


def note_pid(pid):
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(f"{pid}\n")


def dies(request):
    sys.stderr.write("out of memory\n")
    sys.stderr.flush()
    os._exit(7)


def is_killed(request):
    os.kill(os.getpid(), signal.SIGKILL)


def hangs(request):
    time.sleep(600)


def answers_late(request):
    time.sleep(11)  # a second after the time limit of a call
    say(answer(request))


def answers_twice(request):
    line = json.dumps(answer(request)).encode() + b"\n"
    write(line + line)


def answers_with_another_id(request):
    say({**answer(request), "id": request["id"] + 1})


def sends_half_a_line(request):
    write(json.dumps(answer(request)).encode()[:20])
    os._exit(0)


def sends_no_json(request):
    write(b"Traceback (most recent call last):\n")


def sends_invalid_utf8(request):
    write(json.dumps(answer(request)).encode()[:-1] + b', "x": "\xff"}\n')


def sends_fifty_megabytes(request):
    write(b'"' + b"x" * 50_000_000 + b'"\n')


def sends_wrong_types(request):
    say(answer(request, {**RESULTS["recall"], "hits": "none"}))


def sends_an_unknown_field(request):
    say(answer(request, {**RESULTS["recall"], "count": 0}))


def sends_an_error_of_its_own(request):
    error = {"code": 1, "message": "no", "data": {"why": "because"}}
    say({"jsonrpc": "2.0", "id": request["id"], "error": error})


def floods_standard_error(request):
    for _ in range(100):
        sys.stderr.write("noise " * 10_000)
    say(answer(request))


def leaves_a_child(request):
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
        os._exit(0)
    note_pid(pid)
    say(answer(request))


SINS = {
    function.__name__.replace("_", " "): function
    for function in (
        dies,
        is_killed,
        hangs,
        answers_late,
        answers_twice,
        answers_with_another_id,
        sends_half_a_line,
        sends_no_json,
        sends_invalid_utf8,
        sends_fifty_megabytes,
        sends_wrong_types,
        sends_an_unknown_field,
        sends_an_error_of_its_own,
        floods_standard_error,
        leaves_a_child,
    )
}


def main():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note_pid(os.getpid())
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["method"] == "recall" and request["params"]["query"] in SINS:
            SINS[request["params"]["query"]](request)
        elif request["method"] == "write":
            say(answer(request, WRITTEN))
        else:
            say(answer(request))
    time.sleep(600)  # it doesn't care that nobody listens any more


if __name__ == "__main__":
    main()
