# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Dashboards that are created, changed and viewed in the browser, and shared with links.
import json
import re
import time
import unittest
import urllib.error
import urllib.request

import collector
from collector import HOSTILE, PageTest, expect

setUpModule = collector.setUp

ALL_KINDS = [
    ("live", "minutes=60"), ("trends", "name=purchase&by=currency&last=30d"), ("funnels", "step=view_item&step=purchase&last=30d"),
    ("retention", "first=view_item&interval=week&last=30d"), ("lifecycle", "last=30d"), ("stickiness", "last=7d"), ("paths", "start=Home&last=30d"),
    ("catalogue", "limit=10"), ("ledger", ""), ("failed", "last=30d"),
]


class BoardTest(PageTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of (401|404|409|422|503)")

    def request(self, method, path, value=None):
        request = urllib.request.Request(self.collector.url + path, None if value is None else json.dumps(value).encode(), {"authorization": "Bearer dev"}, method=method)
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def create_board(self, title, cards=ALL_KINDS):
        """Creates a dashboard, and deletes it when the test ends."""
        board = self.request("POST", "/v1/boards", {"title": title, "cards": [{"title": f"{kind} {number}", "kind": kind, "query": query} for number, (kind, query) in enumerate(cards)]})

        def remove():
            try:
                self.request("DELETE", f"/v1/boards/{board['id']}?version={self.request('GET', '/v1/boards/' + board['id'])['version']}")
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, 404)

        self.addCleanup(remove)
        return board

    def wait_for_earlier_responses(self, page):
        """Waits until earlier responses have reached the page, by waiting for the response to a later request."""
        page.evaluate("fetch('/v1/boards').then((answer) => answer.text())")

    def loaded_cards(self, page, count):
        """Waits until all cards show their results, and returns the cards."""
        cards = page.locator("#board-cards > article")
        expect(cards).to_have_count(count)
        expect(page.locator("#board-cards [aria-busy]")).to_have_count(0)
        return cards


class ViewBoards(BoardTest):
    def test_every_kind_of_card_has_its_chart(self):
        board = self.create_board("Everything")
        page = self.open(f"/?boards={board['id']}")
        cards = self.loaded_cards(page, len(ALL_KINDS))
        expect(page.locator("#board-title")).to_have_text("Everything")
        for kind, inside in [("trends", "path.line"), ("funnels", "ol.funnel li"), ("retention", "table.cohort-table"), ("lifecycle", ".chart rect.fill"), ("stickiness", ".chart rect.fill"), ("paths", ".ribbon"), ("catalogue", "table.data-table tbody tr"), ("failed", ".card-groups li"), ("live", ".chart")]:
            expect(page.locator(f".card-{kind} {inside}").first).to_be_visible()
        # A sender without sequence numbers has no account in the ledger.
        expect(page.locator(".card-ledger")).to_contain_text("No data yet.")
        self.assertEqual(cards.locator(".error").count(), 0)
        expect(page.locator(".card-funnels ol.funnel")).to_contain_text(str(self.collector.viewers))

    def test_the_time_range_of_all_cards_is_in_the_url_and_back_undoes_it(self):
        board = self.create_board("Times", [("trends", "name=purchase&last=30d&zone=UTC"), ("ledger", "")])
        page = self.open(f"/?boards={board['id']}")
        self.loaded_cards(page, 2)
        with page.expect_request(re.compile(r"/cards/c1\?last=24h&interval=hour")):
            page.get_by_role("button", name="24 h").click()
        expect(page).to_have_url(re.compile("last=24h"))
        self.loaded_cards(page, 2)
        page.go_back()
        expect(page.get_by_role("button", name="As saved")).to_have_attribute("aria-pressed", "true")

    def test_built_in_boards_can_be_duplicated(self):
        page = self.open("/?boards=behaviour")
        expect(page.locator("#board-title")).to_have_text("Behavior")
        expect(page.get_by_role("heading", name="Screens")).to_be_visible()
        expect(page.get_by_role("button", name="Edit")).to_be_hidden()
        page.get_by_role("button", name="Duplicate", exact=True).click()
        expect(page.get_by_role("textbox", name="Title", exact=True)).to_have_value("Behavior")
        expect(page.locator("#board-list")).to_contain_text(re.compile(r"Behavior\d+ cards"))
        board = re.search("boards=(.+)$", page.url).group(1)
        saved = self.request("GET", f"/v1/boards/{board}")
        self.addCleanup(lambda: self.request("DELETE", f"/v1/boards/{board}?version={saved['version']}"))
        self.assertIn("zone=Europe%2FBerlin", saved["cards"][0]["query"])

    def test_many_cards_load_a_few_at_a_time(self):
        board = self.create_board("Many", [("trends", f"name=purchase&last={days}d") for days in range(1, 51)])
        page, other = self.open(f"/?boards={board['id']}"), self.open(f"/?boards={board['id']}")
        for shown in (page, other):
            self.assertEqual(self.loaded_cards(shown, 50).locator(".error").count(), 0)

    def test_a_failed_card_shows_the_error_and_can_be_retried(self):
        board = self.create_board("Trouble", [("trends", "name=purchase&last=7d"), ("trends", "name=gone-for-good&last=7d"), ("catalogue", "")])
        page = self.open()
        expect(page.locator("#rows tr").first).to_be_attached()
        error = {"error": {"code": "question_too_large", "field": "from", "message": "The query is too large: choose a shorter time range."}}
        page.route("**/cards/c1*", lambda route: route.fulfill(status=422, content_type="application/json", body=json.dumps(error)))
        page.keyboard.press("b")
        page.get_by_role("link", name=re.compile("^Trouble")).click()
        self.loaded_cards(page, 3)
        expect(page.locator('[data-card="c1"] .error')).to_have_text("The query is too large: choose a shorter time range.")
        expect(page.locator('[data-card="c2"]')).to_contain_text("No events in this time range.")
        expect(page.locator('[data-card="c3"] table')).to_be_visible()
        page.unroute("**/cards/c1*")
        page.get_by_role("button", name="Try again").last.click()
        expect(page.locator('[data-card="c1"] path.line').first).to_be_visible()

    def test_a_loading_card_shows_a_skeleton(self):
        board = self.create_board("Slow", [("trends", "last=7d")])
        page = self.open("/icon.svg")
        older = self.request("GET", f"/v1/boards/{board['id']}")
        held = []
        page.route("**/cards/c1*", lambda route: held.append(route))
        page.goto(f"{self.collector.url}/?boards={board['id']}")
        expect(page.locator('[data-card="c1"] .skeleton')).to_be_attached()
        expect(page.locator("#board-cards [aria-busy]")).to_contain_text("Loading…")
        for route in held:
            route.continue_()
        expect(page.locator(".card path.line").first).to_be_visible()

    def test_event_names_like_object_properties_are_counted_as_zero(self):
        minute = 60_000 * (int(time.time()) // 60)
        response = {"minutes": [[minute - 60_000, 2, {"constructor": 1, "toString": 1}], [minute, 1, {"other": 1}]]}
        board = self.create_board("Names of properties", [("live", "minutes=60")])
        page = self.open(f"/?boards={board['id']}", responses={re.compile(r"/cards/"): response})
        self.loaded_cards(page, 1)
        self.assertEqual(page.locator(".chart").evaluate_all("(nodes) => nodes.filter((node) => node.outerHTML.includes('NaN')).length"), 0)

    def test_a_missing_board_is_reported(self):
        page = self.open("/?boards=nowhere")
        expect(page.get_by_text("Dashboard not found")).to_be_visible()


class KeyRequired(BoardTest):
    """A collector that other machines can reach requires a key for changes.

    It reports this after the user has filled in a form.
    """

    def open_without_write_access(self, path):
        page = self.open(path)
        page.route(re.compile("/v1/boards"), lambda route: route.continue_() if route.request.method == "GET" or "authorization" in route.request.headers else route.fulfill(status=401, json={"error": {"code": "unauthorized", "message": "no key"}}))
        return page

    def enter_key(self, page):
        key_input = page.get_by_label("A key with the scopes “read” and “write”")
        key_input.fill("dev")
        key_input.press("Enter")

    def test_a_card_is_saved_after_a_key_is_entered(self):
        board = self.create_board("Cards", [("ledger", "")])
        page = self.open_without_write_access("/?questions=trends&name=purchase&last=7d")
        self.loaded_result(page)
        page.get_by_role("button", name="Add to dashboard").click()
        form = page.get_by_role("dialog", name="Add to dashboard")
        form.get_by_label("Card title").fill("Sales")
        form.get_by_role("combobox", name="Dashboard", exact=True).select_option(board["id"])
        form.get_by_role("button", name="Save", exact=True).click()
        self.enter_key(page)
        expect(form.get_by_role("link", name="Cards")).to_be_visible()
        self.assertEqual([card["title"] for card in self.request("GET", f"/v1/boards/{board['id']}")["cards"]], ["ledger 0", "Sales"])

    def test_a_link_is_created_after_a_key_is_entered(self):
        board = self.create_board("Linked", [("ledger", "")])
        page = self.open_without_write_access(f"/?boards={board['id']}")
        self.loaded_cards(page, 1)
        page.get_by_role("button", name="Share", exact=True).click()
        page.get_by_role("button", name="Create link").click()
        self.enter_key(page)
        expect(page.get_by_label("The link", exact=True)).to_have_value(re.compile("link=twl_"))
        self.assertEqual(len(self.request("GET", f"/v1/boards/{board['id']}")["links"]), 1)

    def test_a_board_is_renamed_after_a_key_is_entered(self):
        board = self.create_board("Before", [("ledger", "")])
        page = self.open_without_write_access(f"/?boards={board['id']}")
        self.loaded_cards(page, 1)
        page.get_by_role("button", name="Edit").click()
        page.locator("#board-title-input").fill("After")
        page.locator("#board-title-input").press("Enter")
        self.enter_key(page)
        expect(page.locator("#board-title")).to_have_text("After")
        self.wait_until(page, lambda: self.request("GET", f"/v1/boards/{board['id']}")["title"] == "After")

    def test_a_response_requested_before_a_change_does_not_undo_it(self):
        board = self.create_board("Before", [("ledger", "")])
        page = self.open_without_write_access(f"/?boards={board['id']}")
        self.loaded_cards(page, 1)
        older = self.request("GET", f"/v1/boards/{board['id']}")
        held = []

        def hold_first(route):
            if route.request.method != "GET" or "authorization" not in route.request.headers or held:
                return route.fallback()
            held.append(route)

        page.route(re.compile(f"/v1/boards/{board['id']}$"), hold_first)
        page.get_by_role("button", name="Edit").click()
        page.locator("#board-title-input").fill("After")
        page.locator("#board-title-input").press("Enter")
        self.enter_key(page)
        self.wait_until(page, lambda: self.request("GET", f"/v1/boards/{board['id']}")["title"] == "After")
        expect(page.locator("#board-status")).to_have_text("Saved.")
        self.assertEqual(len(held), 1)
        with page.expect_response(re.compile(f"/v1/boards/{board['id']}$")):
            held[0].fulfill(json=older)
        self.wait_for_earlier_responses(page)
        expect(page.locator("#board-title")).to_have_text("After")
        expect(page.locator("#board-list [aria-current=page]")).to_contain_text("After")

    def test_a_response_does_not_replace_text_being_typed(self):
        board = self.create_board("Before", [("ledger", "")])
        page = self.open(f"/?boards={board['id']}")
        self.loaded_cards(page, 1)
        page.get_by_role("button", name="Edit").click()
        page.locator("#board-title-input").fill("Half of a na")
        with page.expect_response(re.compile(f"/v1/boards/{board['id']}$")):
            page.evaluate("document.getElementById('board-refresh').click()")
        self.wait_for_earlier_responses(page)
        expect(page.locator("#board-title-input")).to_have_value("Half of a na")


class EditBoards(BoardTest):
    def test_an_insight_is_saved_to_a_new_board_and_opens_from_its_card(self):
        page = self.open("/?questions=trends&name=purchase&by=currency&last=7d")
        self.loaded_result(page)
        page.get_by_role("button", name="Add to dashboard").click()
        dialog = page.get_by_role("dialog", name="Add to dashboard")
        dialog.get_by_label("Card title").fill("Sales")
        dialog.get_by_role("combobox", name="Dashboard", exact=True).select_option("")
        dialog.get_by_label("New dashboard title").fill("Mine")
        dialog.get_by_role("button", name="Save", exact=True).click()
        dialog.get_by_role("link", name="Mine").click()
        self.loaded_cards(page, 1)
        board = re.search("boards=(.+)$", page.url).group(1)
        saved = self.request("GET", f"/v1/boards/{board}")
        self.addCleanup(lambda: self.request("DELETE", f"/v1/boards/{board}?version={saved['version']}"))
        self.assertEqual(saved["cards"][0]["query"], "name=purchase&by=currency&zone=Europe%2FBerlin&interval=day&last=7d")
        page.get_by_role("link", name="Sales").click()
        expect(page.get_by_label("Group by")).to_have_value("currency")
        expect(page.get_by_role("button", name="7 days")).to_have_attribute("aria-pressed", "true")

    def test_cards_are_moved_renamed_resized_and_removed_by_keyboard(self):
        board = self.create_board("Order", [("ledger", ""), ("catalogue", ""), ("live", "")])
        page = self.open(f"/?boards={board['id']}")
        self.loaded_cards(page, 3)
        page.get_by_role("button", name="Edit").focus()
        page.keyboard.press("Enter")
        later = page.get_by_role("button", name="Move later: ledger 0")
        later.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#board-status")).to_have_text("Saved.")
        expect(page.locator("#board-cards > article").nth(1)).to_have_attribute("data-card", "c1")
        expect(later).to_be_focused()
        title = page.locator('[data-card="c2"]').get_by_label("Card title")
        title.fill("Names")
        title.press("Enter")
        expect(page.get_by_role("link", name="Names")).to_be_visible()
        page.get_by_role("button", name="Full width: Names").click()
        expect(page.locator('[data-card="c2"]')).to_have_class(re.compile("full"))
        page.get_by_role("button", name="Remove: live 2").click()
        expect(page.locator("#board-cards > article")).to_have_count(2)
        saved = self.request("GET", f"/v1/boards/{board['id']}")
        self.assertEqual([(card["id"], card["title"], card["size"]) for card in saved["cards"]], [("c2", "Names", "full"), ("c1", "ledger 0", "half")])
        self.assertEqual(saved["version"], 5)

    def test_a_conflicting_edit_is_reported_and_the_saved_board_is_shown(self):
        board = self.create_board("Together", [("ledger", "")])
        page = self.open(f"/?boards={board['id']}")
        self.loaded_cards(page, 1)
        page.get_by_role("button", name="Edit").click()
        self.request("PUT", f"/v1/boards/{board['id']}", {"title": "Theirs", "cards": [], "version": 1})
        page.get_by_role("button", name="Full width: ledger 0").click()
        expect(page.locator("#board-status")).to_contain_text("Another user has just changed this dashboard.")
        expect(page.locator("#board-title")).to_have_text("Theirs")
        self.assertEqual(self.request("GET", f"/v1/boards/{board['id']}")["title"], "Theirs")

    def test_a_board_is_created_and_deleted(self):
        page = self.open("/?boards")
        expect(page.locator("#board-title")).to_have_text("First look")
        page.get_by_role("button", name="New").click()
        expect(page.get_by_text("Empty dashboard")).to_be_visible()
        page.get_by_role("textbox", name="Title", exact=True).fill("Short-lived")
        page.get_by_role("textbox", name="Title", exact=True).press("Tab")
        expect(page.locator("#board-list")).to_contain_text("Short-lived")
        page.locator("#board-add").select_option("ledger")
        self.loaded_cards(page, 1)
        page.get_by_role("button", name="Delete dashboard").click()
        page.get_by_role("dialog", name="Delete this dashboard?").get_by_role("button", name="Delete").click()
        expect(page.locator("#board-list")).not_to_contain_text("Short-lived")

    def test_hostile_titles_are_shown_as_text(self):
        board = self.request("POST", "/v1/boards", {"title": HOSTILE[0], "cards": [{"title": title[:60], "kind": "ledger"} for title in HOSTILE]})
        self.addCleanup(lambda: self.request("DELETE", f"/v1/boards/{board['id']}?version=1"))
        page = self.open(f"/?boards={board['id']}")
        self.loaded_cards(page, len(HOSTILE))
        self.assertEqual(page.locator("#boards img, #boards script").count(), 0)
        self.assertNotEqual(page.title(), "hit")
        page.get_by_role("button", name="Edit").click()
        expect(page.locator(".card-title-input")).to_have_count(len(HOSTILE))


class ShareBoards(BoardTest):
    def create_link(self, board):
        return self.request("POST", f"/v1/boards/{board['id']}/links?expires_in=1h")["path"]

    def test_a_link_shows_its_board_and_requests_nothing_else(self):
        board = self.create_board("Shown around")
        requests = []
        page = self.open("/icon.svg")
        page.on("request", lambda request: requests.append(request.url.removeprefix(self.collector.url)))
        page.goto(self.collector.url + self.create_link(board))
        self.loaded_cards(page, len(ALL_KINDS))
        expect(page.locator("#board-title")).to_have_text("Shown around")
        self.assertEqual([path for path in requests if path.startswith("/v1/") and not path.startswith("/v1/shared")], [])
        self.assertEqual([path for path in requests if path.startswith("/v1/") and "twl_" in path], [])
        for name in ["Live", "Edit", "Share", "Refresh"]:
            expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
        self.assertEqual(page.locator("#boards a[href]").count(), 0)

    def test_an_invalid_link_is_reported(self):
        page = self.open("/?link=twl_nothing")
        expect(page.get_by_text("This link has expired or was revoked")).to_be_visible()
        board = self.create_board("Gone", [("ledger", "")])
        path = self.create_link(board)
        self.request("DELETE", f"/v1/boards/{board['id']}?version=1")
        page.goto(self.collector.url + path)
        expect(page.get_by_text("This link has expired or was revoked")).to_be_visible()


class Accessibility(BoardTest):
    def open_loaded(self, path, **options):
        page = self.open(path, **options)
        expect(page.locator("#board-cards > *").first).to_be_attached()
        expect(page.locator("#board-cards [aria-busy]")).to_have_count(0)
        return page

    def test_boards_are_accessible_and_do_not_scroll_horizontally(self):
        board = self.create_board("Rules")
        link = self.request("POST", f"/v1/boards/{board['id']}/links")["path"]
        for path in [f"/?boards={board['id']}", "/?boards=first-look", link, "/?boards=nowhere", "/?link=nothing"]:
            page = self.open_loaded(path)
            if "first-look" not in path and "boards=" in path and "nowhere" not in path:
                page.get_by_role("button", name="Edit").click()
            for width, scheme in [(1440, "light"), (390, "dark")]:
                with self.subTest(path, width=width, scheme=scheme):
                    page.emulate_media(color_scheme=scheme)
                    self.resize(page, width)
                    self.assertEqual(self.violations(page, without=["region"]), [])
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    if width > 900:
                        self.assertLessEqual(page.evaluate("document.documentElement.scrollHeight"), 900)
            page.context.close()

    def test_boards_have_one_column_on_narrow_screens(self):
        page = self.open_loaded(f"/?boards={self.create_board('Narrow')['id']}", width=390)
        self.assertEqual(len({round(card.bounding_box()["x"]) for card in page.locator("#board-cards > article").all()}), 1)


if __name__ == "__main__":
    unittest.main()
