# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# A real collector, filled with the same generated events each time, and a browser that shows its page.
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import uuid

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect, sync_playwright

DAY = 86_400_000
# A long timeout for busy machines; most of the outcomes that tests wait for are immediate.
TIMEOUT = 1000 * int(os.environ.get("TRACKWAY_PATIENCE", "60"))
# A folder with the page's files during development; None uses the collector's own files.
ASSETS = os.environ.get("TRACKWAY_ASSETS")
HOSTILE = [
    "<img src=x onerror=document.title='hit'>", "\u202egnp.ecilop", "شراء الآن", "🛒👩‍👩‍👧‍👦", "a=b≠\"c\"", "</script><script>alert(1)</script>", "x" * 200,
]


def installation(number):
    return str(uuid.UUID(int=number << 80 | 7 << 76 | 2 << 62 | number))


class Collector:
    """A collector with a temporary folder and additional options.

    `now` is the time of its last events.
    """

    def __init__(self, trackway, *options):
        self.trackway = trackway
        self.folder = tempfile.TemporaryDirectory(prefix="trackway-page-")
        self.process = subprocess.Popen(
            [trackway, "serve", "--data", self.folder.name, "--port", "0", "--dev-key", "dev", "--address-rate", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            match = re.search(r"http://127\.0\.0\.1:\d+", line)
            if match:
                self.url = match.group()
                break
        else:
            raise RuntimeError("the collector did not start: " + "".join(lines))

    def send(self, *lines):
        body = "\n".join(json.dumps(line) for line in lines).encode()
        request = urllib.request.Request(self.url + "/v1/events", body, {"authorization": "Bearer dev", "content-type": "application/x-ndjson"})
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            return json.load(error)

    def wait(self, position):
        """Waits until the index contains all records up to a position."""
        with urllib.request.urlopen(f"{self.url}/v1/wait?position={position}&timeout=60") as response:
            response.read()

    def get(self, path):
        with urllib.request.urlopen(self.url + path) as response:
            return json.load(response)

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        self.process.wait(60)
        self.folder.cleanup()


def create_key(collector, name, scopes):
    """Creates a key with these scopes, and returns it once the collector knows it."""
    made = subprocess.run([collector.trackway, "keys", "create", "--data", collector.folder.name, name, "--json", *(word for scope in scopes for word in ("--scope", scope))], check=True, capture_output=True, text=True)
    key = json.loads(made.stdout)["key"]
    for _ in range(600):
        request = urllib.request.Request(collector.url + "/v1/failed/replay?dry_run=1&limit=1&code=none", b"", {"authorization": f"Bearer {key}"})
        try:
            with urllib.request.urlopen(request):
                return key
        except urllib.error.HTTPError as error:
            # The key is rejected as unknown until the collector has reloaded the key file.
            if error.code != 401:
                return key
        time.sleep(0.1)
    raise RuntimeError("the collector did not load the key")


def seed(collector):
    """Sends four weeks of events from sixty people, and events with hostile names and values.

    All of the people view items, some add items to the cart, and fewer purchase them.
    """
    rng = random.Random(14)
    collector.now = int(time.time() * 1000)
    purchases, viewers, buyers = 0, set(), set()
    for number in range(1, 61):
        user = {"user": {"id": f"user-{number}"}} if number % 3 else {}
        lines = [{"batch": {"installation": installation(number)}}]
        for day in range(27, -1, -1):
            if rng.random() < 0.6:
                continue
            at = collector.now - day * DAY - 3_600_000 + rng.randrange(1_800_000)
            lines.append({"context": {"app": {"id": "shop", "version": rng.choice(["1.1", "2.0"])}, "session": {"id": f"s{number}-{day}", "start": at}, **user}})
            names = ["Home", "Product"] + (["Cart"] if rng.random() < 0.6 else [])
            for name in names:
                lines.append({"name": "_screen_view", "time": at, "attributes": {"_screen_name": name}})
                at += 5_000
            values = {"currency": rng.choice(["EUR", "EUR", "USD"]), "total": rng.randrange(1, 800) / 4}
            for name in ["view_item", *(["add_to_cart"] if "Cart" in names else []), *(["purchase"] if "Cart" in names and rng.random() < 0.5 else [])]:
                lines.append({"name": name, "time": at, "attributes": values})
                at += 20_000
                purchases += name == "purchase"
                if name == "view_item":
                    viewers.add(number)
                if name == "purchase":
                    buyers.add(number)
        collector.send(*lines)
    collector.purchases, collector.viewers, collector.buyers = purchases, len(viewers), len(buyers)
    for name in HOSTILE[:-1]:
        collector.send({"name": "hostile", "time": collector.now - 60_000, "attributes": {name: name, "long": name * (8_000 // len(name.encode()))}})
    collector.send({"name": "hostile", "time": collector.now - 60_000, "attributes": {"hostile": HOSTILE[0]}})
    # Event names are free text, too, as far as admission allows.
    for name in HOSTILE:
        collector.send({"name": name, "time": collector.now - 120_000})
    collector.rejection_message = collector.send({"name": "", "time": collector.now})["error"]["message"]
    last = collector.send({"id": "0199aaaa-0000-7000-8000-000000000014", "name": "the_last", "time": collector.now, "attributes": {"note": "needle in the haystack"}})
    collector.wait(last["position"])


def respond_with(response):
    return lambda route: route.fulfill(json=response)


class PageTest(unittest.TestCase):
    """A test of the page.

    Tests share one collector and one browser. Each has a separate browser context, and fails if the page writes errors
    or warnings to the console.
    """

    collector = None
    browser = None
    # Allowed console messages: browsers report error responses, which some tests cause on purpose.
    allowed_messages = re.compile(r"^$")

    def open(self, path="/", width=1440, height=900, scheme="light", zone="Europe/Berlin", few_events=False, responses=None):
        """Opens the page, and fails the test at its end if the console has errors or warnings.

        `few_events` shows the latest twenty events instead of two hundred, for accessibility rules that check each one slowly.
        `responses` replaces the collector's responses, by URL.
        """
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, timezone_id=zone, reduced_motion="reduce")
        context.set_default_timeout(TIMEOUT)
        self.addCleanup(context.close)
        if ASSETS:
            context.route(re.compile(r"^http://[^/]+/([a-z-]+\.(?:js|css|svg))?(?:[?#]|$)"), self.fulfill_from_folder)
        if few_events:
            context.route("**/v1/events?*limit=200*", lambda route: route.continue_(url=route.request.url.replace("limit=200", "limit=20")))
        for address, response in (responses or {}).items():
            context.route(address, respond_with(response))
        page = context.new_page()
        messages = []
        page.on("console", lambda message: messages.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(self.collector.url + path)
        self.addCleanup(lambda: self.assertEqual([text for text in messages if not self.allowed_messages.search(text)], [], path))
        return page

    def fulfill_from_folder(self, route):
        name = route.request.url.split("?")[0].rsplit("/", 1)[1] or "index.html"
        route.fulfill(path=os.path.join(ASSETS, name), headers={"content-type": {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}[name.rsplit(".", 1)[1]]})

    def wait_until(self, page, condition):
        """Waits until the condition is true."""
        for _ in range(TIMEOUT // 50):
            if condition():
                return
            page.wait_for_timeout(50)
        self.fail("the condition did not become true")

    def resize(self, page, width):
        page.set_viewport_size({"width": width, "height": 900})
        # Elements that depend on the width redraw in the next frame.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def violations(self, page, without=()):
        """Returns a sentence for each violation that axe finds, ignoring the rules in `without`."""
        if not page.evaluate("'axe' in globalThis"):
            page.evaluate(AXE_SCRIPT)
        options = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in without}}
        # Waiting for a script in the page has no timeout, so the script sets an attribute when it is done.
        page.evaluate("""(options) => {
            delete document.documentElement.dataset.axe;
            globalThis.axeFound = null;
            axe.run(options).then(({ violations }) => (globalThis.axeFound = violations)).finally(() => (document.documentElement.dataset.axe = "done"));
        }""", options)
        page.locator("html[data-axe=done]").wait_for(state="attached", timeout=TIMEOUT)
        found = page.evaluate("globalThis.axeFound")
        self.assertIsNotNone(found, "axe did not finish")
        return [f"{rule['id']}: {node['target']} {node.get('failureSummary', '')}" for rule in found for node in rule["nodes"][:4]]

    def loaded_result(self, page):
        """Waits for a result to be shown, and returns it."""
        result = page.locator("#results:not([aria-busy])")
        expect(result.locator(":scope > *").first).to_be_attached()
        return result


def setUp(*options):
    """Starts a collector with these options, fills it, and starts the browser."""
    expect.set_options(timeout=TIMEOUT)
    PageTest.collector = Collector(os.environ["TRACKWAY"], *options)
    unittest.addModuleCleanup(PageTest.collector.close)
    seed(PageTest.collector)
    playwright = sync_playwright().start()
    unittest.addModuleCleanup(playwright.stop)
    # Chromium's own sandbox does not start for root.
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    PageTest.browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=options, timeout=3 * TIMEOUT)
    unittest.addModuleCleanup(PageTest.browser.close)
