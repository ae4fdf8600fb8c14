"""An MCP server that keeps notes in a list and commits the one sin it is started for.

``python mcp_server.py SIN [FILE]``. Only the standard library, so that a start costs little and
that nothing of the package that is used on the other side stands in for it.
"""

import json
import os
import signal
import subprocess
import sys
import time

SIN = sys.argv[1]
FILE = sys.argv[2] if len(sys.argv) > 2 else None
NOTES = []

TOOLS = {
    "keep": {"text": {"type": "string"}},
    "find": {"query": {"type": "string"}},
    "show": {"id": {"type": "integer"}},
    "drop": {"id": {"type": "integer"}},
    "wipe": {},
}


def say(**message):
    raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def wrong(text):
    return {"content": [{"type": "text", "text": text}], "isError": True}


def told(value):
    return {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value}


def call(id, name, arguments):
    if SIN == "falls silent":
        sys.stderr.write("waiting for godot\n")
        sys.stderr.flush()
        time.sleep(600)
    if SIN == "exits":
        sys.stderr.write("no disk left\n")
        sys.exit(3)
    if SIN == "is killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if SIN == "prints":
        raw(b"keeping your note ...\n")
    if SIN == "begins a line":
        raw(b'{"jsonrpc": "2.0", ')
        sys.exit(0)
    if SIN == "never ends a line":
        chunk = b"x" * 1_000_000
        while True:
            raw(chunk)
    if SIN == "refuses as a tool":
        return wrong("No space:\n the notebook is full")
    if SIN == "refuses in plain words":
        return {"content": [{"type": "text", "text": "Sorry, nothing by that name."}]}
    if SIN == "refuses as a server":
        return say(id=id, error={"code": -32603, "message": "the notebook is locked"})
    if SIN == "answers no result":
        return say(id=id, result={"resultType": "complete", "content": "done"})
    if SIN == "answers another shape":
        return told({"notes": NOTES, "status": "ok"})
    if SIN == "breaks its promise":
        return told({"id": "one"})
    if SIN == "answers null":
        return told({"id": None})
    return ordinary(name, arguments)


def ordinary(name, arguments):
    if name == "keep":
        NOTES.append(arguments["text"])
        return told({"id": len(NOTES), "given": arguments})
    if name == "find":
        asked = arguments["query"].lower()
        found = [{"id": i, "text": t} for i, t in enumerate(NOTES, 1) if t and asked in t.lower()]
        if SIN == "speaks prose":
            lines = [f"- [{n['id']}] {n['text']}" for n in found] or ["I found nothing."]
            return {"content": [{"type": "text", "text": "\n".join(lines)}]}
        if SIN == "speaks json":
            return {"content": [{"type": "text", "text": json.dumps(found)}]}
        return told({"items": found})
    if name == "wipe":
        NOTES.clear()
        return told({"done": True})
    place = arguments["id"] - 1
    if not 0 <= place < len(NOTES):
        return wrong(f"there is no note {arguments['id']}")
    if name == "drop":
        NOTES[place] = None
        return told({"done": True})
    status = "gone" if NOTES[place] is None else "here"
    return told({"id": place + 1, "text": NOTES[place], "status": status})


def tools():
    listed = []
    for name, properties in TOOLS.items():
        if SIN == "lacks a tool" and name == "drop":
            continue
        schema = {"type": "object", "properties": dict(properties), "required": list(properties)}
        if SIN == "wants more" and name == "keep":
            schema["properties"]["owner"] = {"type": "string"}
            schema["required"].append("owner")
        tool = {"name": name, "inputSchema": schema}
        if SIN == "breaks its promise" and name == "keep":
            number = {"id": {"type": "integer"}}
            tool["outputSchema"] = {"type": "object", "properties": number, "required": ["id"]}
        listed.append(tool)
    return {"tools": listed}


def answer(request):
    id, method = request.get("id"), request.get("method")
    if id is None:
        return
    if method == "initialize":
        say(
            id=id,
            result={
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "notebook", "version": "7.1"},
            },
        )
    elif method == "tools/list":
        say(id=id, result=tools())
    elif method == "tools/call":
        result = call(id, request["params"]["name"], request["params"].get("arguments", {}))
        if result is not None:
            say(id=id, result=result)
    else:
        say(id=id, error={"code": -32601, "message": f"no method {method}"})


def main():
    if FILE:
        with open(FILE, "a", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    if SIN == "has a child":
        child = subprocess.Popen([sys.executable, "-S", "-E", "-c", "import time; time.sleep(600)"])
        with open(FILE, "a", encoding="ascii") as file:
            file.write(f"{child.pid}\n")
    if SIN == "exits at once":
        sys.exit("no configuration found")
    if SIN == "prints at its start":
        raw(b"Notebook server 7.1 is ready\n")
    if SIN == "says nothing":
        time.sleep(600)
    for line in sys.stdin.buffer:
        answer(json.loads(line))
    if SIN == "stays":
        time.sleep(600)


main()
