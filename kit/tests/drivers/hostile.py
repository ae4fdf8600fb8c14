"""A store over standard input and output that commits the one sin it is started for.

``python hostile.py SIN [FILE]``; each sin is a function of its name. What they don't spoil is
answered as the protocol wants. Only the standard library, as an implementer of another language
would have it.
"""

import json
import os
import signal
import sys
import time

HELLO = {
    "name": "hostile",
    "version": "1",
    "language": "python",
    "homepage": None,
    "protocol": "1.0",
    "capabilities": [],
    "profiles": [],
    "policies": {
        "scopeLevels": [],
        "scopeFilter": "before-limit",
        "superseded": "hidden",
        "duplicates": "none",
        "overflow": None,
        "budgetUnit": None,
        "overBudget": "never",
        "outOfRange": "refuse",
        "stopWords": "kept",
        "tokenClasses": ["word"],
        "consistency": "immediate",
        "consistencyBoundMs": None,
        "ids": "own",
        "surfaces": ["recall", "get"],
    },
}
DONE = {"done": True, "cause": None}
RECALLED = {"hits": [], "namespace": None, "ledger": None, "trace": None}
RESULTS = {
    "hello": HELLO,
    "open": {"store": "s", "namespace": None},
    "close": DONE,
    "forget": DONE,
    "recall": RECALLED,
}


def say(message):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def answer(request, result=None):
    result = RESULTS[request["method"]] if result is None else result
    return {"jsonrpc": "2.0", "id": request["id"], "result": result}


def serve(**special):
    """Answer every request; those of the methods named go to the function given instead."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        special.get(request["method"], lambda r: say(answer(r)))(request)


def no_sin(file):
    serve()


def dies_on_start(file):
    sys.exit("no model found")


def dies_in_a_call(file):
    def die(request):
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(7)

    serve(recall=die)


def is_killed_in_a_call(file):
    serve(recall=lambda request: os.kill(os.getpid(), signal.SIGKILL))


def hangs_on_start(file):
    time.sleep(600)


def hangs_in_a_call(file):
    serve(recall=lambda request: time.sleep(600))


def does_not_read(file):
    def stop_reading(request):
        say(answer(request))
        time.sleep(600)

    serve(open=stop_reading)


def answers_with_another_id(file):
    serve(recall=lambda r: say({**answer(r), "id": r["id"] + 1}))


def answers_with_the_id_as_text(file):
    serve(recall=lambda r: say({**answer(r), "id": str(r["id"])}))


def answers_twice(file):
    def twice(request):
        line = json.dumps(answer(request)).encode() + b"\n"
        write(line + line)

    serve(recall=twice)


def answers_close_twice(file):
    def twice(request):
        line = json.dumps(answer(request)).encode() + b"\n"
        write(line + line)

    serve(close=twice)


def sends_half_a_line_and_ends(file):
    def half(request):
        write(json.dumps(answer(request)).encode()[:20])
        os._exit(0)

    serve(recall=half)


def sends_half_a_line_and_hangs(file):
    def half(request):
        write(json.dumps(answer(request)).encode()[:20])
        time.sleep(600)

    serve(recall=half)


def sends_no_json(file):
    serve(recall=lambda request: write(b"Traceback (most recent call last):\n"))


def prints_a_banner(file):
    write(b"hostile 1.0 is listening\n")
    serve()


def sends_invalid_utf8(file):
    serve(recall=lambda r: write(json.dumps(answer(r)).encode()[:-1] + b', "x": "\xff"}\n'))


def sends_a_huge_line(file):
    serve(recall=lambda request: write(b'"' + b"x" * 3_000_000 + b'"\n'))


def sends_endless_nesting(file):
    serve(recall=lambda request: write(b"[" * 100_000 + b"]" * 100_000 + b"\n"))


def sends_wrong_types(file):
    serve(recall=lambda r: say(answer(r, {**RECALLED, "hits": "none"})))


def sends_an_unknown_field(file):
    serve(recall=lambda r: say(answer(r, {**RECALLED, "count": 0})))


def leaves_a_key_out(file):
    serve(recall=lambda r: say(answer(r, {"hits": [], "namespace": None, "ledger": None})))


def sends_nan(file):
    serve(recall=lambda r: say(answer(r, {**RECALLED, "ledger": float("nan")})))


def sends_half_a_surrogate_pair(file):
    serve(recall=lambda r: say(answer(r, {**RECALLED, "namespace": "\ud800"})))


def sends_result_and_error(file):
    error = {"code": -32602, "message": "no", "data": {"code": "invalid", "message": "no"}}
    error["data"]["detail"] = None
    serve(recall=lambda r: say({**answer(r), "error": error}))


def sends_neither_result_nor_error(file):
    serve(recall=lambda r: say({"jsonrpc": "2.0", "id": r["id"]}))


def sends_an_error_without_data(file):
    error = {"code": -32602, "message": "no"}
    serve(recall=lambda r: say({"jsonrpc": "2.0", "id": r["id"], "error": error}))


def refuses_hello(file):
    data = {"code": "unavailable", "message": "still asleep", "detail": None}
    error = {"code": -32003, "message": "still asleep", "data": data}
    serve(hello=lambda r: say({"jsonrpc": "2.0", "id": r["id"], "error": error}))


def speaks_another_protocol(file):
    serve(hello=lambda r: say(answer(r, {**HELLO, "protocol": "0.9"})))


def changes_its_hello(file):
    serve(hello=lambda r: say(answer(r, {**HELLO, "version": str(r["id"])})))


def gives_one_handle_twice(file):
    serve()


def floods_standard_error(file):
    def flood(request):
        for _ in range(100):
            sys.stderr.write("noise " * 10_000)  # 6 MB in all, far more than any pipe holds
        sys.stderr.write("the last words\n")
        sys.stderr.flush()
        say(answer(request))

    serve(recall=flood, forget=lambda request: os._exit(1))


def floods_standard_output(file):
    while True:
        write(b"{}\n")


def ignores_close(file):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    serve()
    time.sleep(600)


def forks_a_child(file):
    _fork(file)
    serve()


def forks_a_child_and_dies(file):
    _fork(file)
    serve(recall=lambda request: os._exit(4))


def forks_a_child_and_hangs(file):
    _fork(file)
    serve(recall=lambda request: time.sleep(600))


def _fork(file):
    """A child that keeps all pipes open and lives for long; its id goes into the file."""
    pid = os.fork()
    if pid == 0:
        time.sleep(600)
        os._exit(0)
    with open(file, "w") as f:
        f.write(str(pid))


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2] if len(sys.argv) > 2 else None)
