# What Hermes does to prune sessions, on the interpreter and the SQLite that it runs on: session by session in one transaction; then,
# for each, two names of files and a look through the folder for dumps that begin with its name. What Hermes needs to start is
# left out, and so is what it reads first. Takes the path of a home, and ids as JSON; says how long both parts took.
import json
import platform
import sqlite3
import sys
import time
from pathlib import Path

home = Path(sys.argv[1])
ids = json.load(sys.stdin)


def measured(work):
    started, before = time.perf_counter(), time.process_time()
    work()
    return {"ms": (time.perf_counter() - started) * 1000, "cpuMs": (time.process_time() - before) * 1000}


def delete_rows():
    db = sqlite3.connect(home / "state.db", timeout=1, isolation_level=None)
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("BEGIN IMMEDIATE")
    for session in ids:
        db.execute("UPDATE sessions SET parent_session_id = NULL WHERE parent_session_id = ?", (session,))
        db.execute("DELETE FROM messages WHERE session_id = ?", (session,))
        db.execute("DELETE FROM sessions WHERE id = ?", (session,))
    db.execute("COMMIT")
    db.close()


def delete_files():
    folder = home / "sessions"
    for session in ids:
        for ending in (".json", ".jsonl"):
            (folder / f"{session}{ending}").unlink(missing_ok=True)
        for dump in folder.glob(f"request_dump_{session}_*.json"):
            dump.unlink(missing_ok=True)


by = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
json.dump({"by": by, "rows": measured(delete_rows), "files": measured(delete_files)}, sys.stdout)
