# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Exports a collector's events, runs the DuckDB program of Documentation/Export.md on them, and compares the tables."""
import pathlib
import re
import subprocess
import sys
import tempfile

import duckdb

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent.parent / "Documentation/Export.md"


def export(program, collector, folder, *options):
    command = [str(pathlib.Path(program).resolve()), "events", "export", "--url", f"http://127.0.0.1:{collector.port}", "--key", "dev", *options]
    return subprocess.run(command, check=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def difference(program, collector, rows):
    """Compares the NDJSON, Parquet and CSV files with the events as received; returns the first difference."""
    expected = sorted((row["id"], row["name"], row["time"], row["user_id"], row["country"]) for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        cursor = export(program, collector, folder, "--output", "events.ndjson")
        export(program, collector, folder, "--output", "events.csv", "--format", "csv")
        export(program, collector, folder, "--output", "none.ndjson", "--since", cursor)
        if pathlib.Path(folder, "none.ndjson").read_bytes():
            return f"an export since {cursor} is not empty"
        recipe = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL).group(1)
        subprocess.run([sys.executable, "-c", recipe], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        database = duckdb.connect()
        parquet = database.execute("""
            SELECT id, name, epoch_ms("time"), "user", (context->'device'->'country')::VARCHAR FROM read_parquet(?)
        """, [f"{folder}/events.parquet"]).fetchall()
        table = database.execute("""
            SELECT id, name, epoch_ms("time"::TIMESTAMP), "user", to_json("context.device.country")::VARCHAR
            FROM read_csv(?, all_varchar = true, header = true, quote = '"', escape = '"')
        """, [f"{folder}/events.csv"]).fetchall()
    for name, found in [("Parquet file", parquet), ("CSV file", table)]:
        found = sorted(found)
        if found != expected:
            wrong = next((pair for pair in zip(found, expected) if pair[0] != pair[1]), "the number of rows")
            return f"the {name} has {len(found)} rows instead of {len(expected)}: {wrong}"
    print(f"sample export {len(parquet)} events in NDJSON, Parquet and CSV")
    return None
