# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Saves screenshots of the collector's page in light and dark mode to a folder (see Scripts/screenshots)."""
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

from PIL import Image
from playwright.sync_api import expect, sync_playwright

WIDTH, HEIGHT = 1440, 900
MAXIMUM_BYTES = 150_000


def compress(png: bytes) -> bytes:
    """Returns the image with a palette of at most 256 colors.

    That is enough for a page without photos.
    """
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for colors in (256, 128, 64):
        output = io.BytesIO()
        picture.quantize(colors, dither=Image.Dither.NONE).save(output, "PNG", optimize=True)
        if len(output.getvalue()) <= MAXIMUM_BYTES:
            return output.getvalue()
    raise SystemExit(f"screenshots: an image has {len(output.getvalue())} bytes; the limit is {MAXIMUM_BYTES}")


def main(folder: pathlib.Path):
    trackway = os.environ["TRACKWAY"]
    with tempfile.TemporaryDirectory() as data:
        collector = subprocess.Popen([trackway, "serve", "--data", data, "--port", "0", "--dev-key", "dev", "--address-rate", "0"], stdout=subprocess.PIPE, text=True)
        try:
            url = next(found.group() for line in collector.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
            subprocess.run([trackway, "sample", "--key", "dev", "--url", url, "--days", "30", "--visitors", "40"], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([trackway, "expect", "purchase", "--url", url, "--key", "dev"], check=True, stdout=subprocess.DEVNULL)
            with urllib.request.urlopen(f"{url}/v1/boards") as response:
                board = next(board["id"] for board in json.load(response)["boards"] if board["title"] == "Sample shop")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"])
                for scheme in ("light", "dark"):
                    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, timezone_id="UTC", locale="en-US")
                    page.goto(f"{url}/?boards={board}")
                    page.locator("#board-cards > article").first.wait_for(timeout=60_000)
                    # Every card shows its result.
                    expect(page.locator("#board-cards [aria-busy]")).to_have_count(0, timeout=60_000)
                    # Scroll past the first card: it shows the arrivals of the last hour, but the sample arrived in one minute.
                    page.locator("#board-cards > article").nth(1).evaluate("card => { card.style.scrollMarginTop = '14px'; card.scrollIntoView({block: 'start'}); }")
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / f"dashboard-{scheme}.png").write_bytes(compress(page.screenshot()))
                    page.close()
                browser.close()
        finally:
            collector.send_signal(signal.SIGTERM)
            collector.wait(30)


main(pathlib.Path(sys.argv[1]))
