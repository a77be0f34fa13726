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

EVERYTHING = [
    ("live", "minutes=60"), ("trends", "name=purchase&by=currency&last=30d"), ("funnels", "step=view_item&step=purchase&last=30d"),
    ("retention", "first=view_item&interval=week&last=30d"), ("lifecycle", "last=30d"), ("stickiness", "last=7d"), ("paths", "start=Home&last=30d"),
    ("catalogue", "limit=10"), ("ledger", ""), ("failed", "last=30d"),
]


class BoardTest(PageTest):
    forgiven = re.compile("Failed to load resource: the server responded with a status of (401|404|409|422|503)")

    def ask(self, method, path, value=None):
        request = urllib.request.Request(self.collector.url + path, None if value is None else json.dumps(value).encode(), {"authorization": "Bearer dev"}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def make(self, title, cards=EVERYTHING):
        """Creates a dashboard, and deletes it when the test ends."""
        board = self.ask("POST", "/v1/boards", {"title": title, "cards": [{"title": f"{kind} {number}", "kind": kind, "query": query} for number, (kind, query) in enumerate(cards)]})

        def remove():
            try:
                self.ask("DELETE", f"/v1/boards/{board['id']}?version={self.ask('GET', '/v1/boards/' + board['id'])['version']}")
            except urllib.error.HTTPError as error:
                self.assertEqual(error.code, 404)

        self.addCleanup(remove)
        return board

    def pass_through(self, page):
        """Returns when earlier responses have reached the page, because this request's response is later."""
        page.evaluate("fetch('/v1/boards').then((answer) => answer.text())")

    def drawn(self, page, count):
        """Returns the cards, once all of them show their results."""
        cards = page.locator("#board-cards > article")
        expect(cards).to_have_count(count)
        expect(page.locator("#board-cards [aria-busy]")).to_have_count(0)
        return cards


class Looking(BoardTest):
    def test_every_kind_of_card_is_drawn_by_its_own_chart(self):
        board = self.make("Everything")
        page = self.open(f"/?boards={board['id']}")
        cards = self.drawn(page, len(EVERYTHING))
        expect(page.locator("#board-title")).to_have_text("Everything")
        for kind, inside in [("trends", "path.line"), ("funnels", "ol.funnel li"), ("retention", "table.triangle"), ("lifecycle", ".chart rect.fill"), ("stickiness", ".chart rect.fill"), ("paths", ".ribbon"), ("catalogue", "table.figures tbody tr"), ("failed", ".card-groups li"), ("live", ".chart")]:
            expect(page.locator(f".card-{kind} {inside}").first).to_be_visible()
        # A sender without sequence numbers has no account in the ledger.
        expect(page.locator(".card-ledger")).to_contain_text("Nothing yet.")
        self.assertEqual(cards.locator(".wrong").count(), 0)
        expect(page.locator(".card-funnels ol.funnel")).to_contain_text(str(self.collector.viewers))

    def test_one_time_for_all_cards_has_an_address_and_back_undoes_it(self):
        board = self.make("Times", [("trends", "name=purchase&last=30d&zone=UTC"), ("ledger", "")])
        page = self.open(f"/?boards={board['id']}")
        self.drawn(page, 2)
        with page.expect_request(re.compile(r"/cards/c1\?last=24h&interval=hour")):
            page.get_by_role("button", name="24 h").click()
        expect(page).to_have_url(re.compile("last=24h"))
        self.drawn(page, 2)
        page.go_back()
        expect(page.get_by_role("button", name="As saved")).to_have_attribute("aria-pressed", "true")

    def test_ready_made_boards_are_there_and_can_be_copied(self):
        page = self.open("/?boards=behaviour")
        expect(page.locator("#board-title")).to_have_text("Behavior")
        expect(page.get_by_role("heading", name="Screens")).to_be_visible()
        expect(page.get_by_role("button", name="Edit")).to_be_hidden()
        page.get_by_role("button", name="Copy", exact=True).first.click()
        expect(page.get_by_role("textbox", name="Title", exact=True)).to_have_value("Behavior")
        expect(page.locator("#board-list")).to_contain_text(re.compile(r"Behavior\d+ cards"))
        board = re.search("boards=(.+)$", page.url).group(1)
        saved = self.ask("GET", f"/v1/boards/{board}")
        self.addCleanup(lambda: self.ask("DELETE", f"/v1/boards/{board}?version={saved['version']}"))
        self.assertIn("zone=Europe%2FBerlin", saved["cards"][0]["query"])

    def test_many_cards_wait_until_there_is_room(self):
        board = self.make("Many", [("trends", f"name=purchase&last={days}d") for days in range(1, 51)])
        page, other = self.open(f"/?boards={board['id']}"), self.open(f"/?boards={board['id']}")
        for shown in (page, other):
            self.assertEqual(self.drawn(shown, 50).locator(".wrong").count(), 0)

    def test_a_card_that_cannot_be_answered_says_why_and_can_be_asked_again(self):
        board = self.make("Trouble", [("trends", "name=purchase&last=7d"), ("trends", "name=gone-for-good&last=7d"), ("catalogue", "")])
        page = self.open()
        expect(page.locator("#rows tr").first).to_be_attached()
        error = {"error": {"code": "question_too_large", "field": "from", "message": "The query is too large: choose a shorter time."}}
        page.route("**/cards/c1*", lambda route: route.fulfill(status=422, content_type="application/json", body=json.dumps(error)))
        page.keyboard.press("b")
        page.get_by_role("link", name=re.compile("^Trouble")).click()
        self.drawn(page, 3)
        expect(page.locator('[data-card="c1"] .wrong')).to_have_text("The query is too large: choose a shorter time.")
        expect(page.locator('[data-card="c2"]')).to_contain_text("No events in this time range.")
        expect(page.locator('[data-card="c3"] table')).to_be_visible()
        page.unroute("**/cards/c1*")
        page.get_by_role("button", name="Try again").last.click()
        expect(page.locator('[data-card="c1"] path.line').first).to_be_visible()

    def test_while_it_waits_it_shows_where_answers_will_be(self):
        board = self.make("Slow", [("trends", "last=7d")])
        page = self.open("/icon.svg")
        older = self.ask("GET", f"/v1/boards/{board['id']}")
        held = []
        page.route("**/cards/c1*", lambda route: held.append(route))
        page.goto(f"{self.collector.url}/?boards={board['id']}")
        expect(page.locator('[data-card="c1"] .skeleton')).to_be_attached()
        expect(page.locator("#board-cards [aria-busy]")).to_contain_text("Loading…")
        for route in held:
            route.continue_()
        expect(page.locator(".card path.line").first).to_be_visible()

    def test_a_minute_without_an_event_that_is_named_like_a_property_counts_none(self):
        minute = 60_000 * (int(time.time()) // 60)
        answer = {"minutes": [[minute - 60_000, 2, {"constructor": 1, "toString": 1}], [minute, 1, {"other": 1}]]}
        board = self.make("Names of properties", [("live", "minutes=60")])
        page = self.open(f"/?boards={board['id']}", answers={re.compile(r"/cards/"): answer})
        self.drawn(page, 1)
        self.assertEqual(page.locator(".chart").evaluate_all("(nodes) => nodes.filter((node) => node.outerHTML.includes('NaN')).length"), 0)

    def test_a_board_that_is_none_says_so(self):
        page = self.open("/?boards=nowhere")
        expect(page.get_by_text("Dashboard not found")).to_be_visible()


class Refused(BoardTest):
    """A collector that other machines can reach requires a key for changes.

    It reports this after the user has filled in a form.
    """

    def refusing(self, path):
        page = self.open(path)
        page.route(re.compile("/v1/boards"), lambda route: route.continue_() if route.request.method == "GET" or "authorization" in route.request.headers else route.fulfill(status=401, json={"error": {"code": "unauthorized", "message": "no key"}}))
        return page

    def give_key(self, page):
        given = page.get_by_label("A key with the scopes “read” and “write”")
        given.fill("dev")
        given.press("Enter")

    def test_a_card_is_saved_once_there_is_a_key(self):
        board = self.make("Cards", [("ledger", "")])
        page = self.refusing("/?questions=trends&name=purchase&last=7d")
        self.answered(page)
        page.get_by_role("button", name="Add to dashboard").click()
        form = page.get_by_role("dialog", name="Add to dashboard")
        form.get_by_label("Card title").fill("Sales")
        form.get_by_role("combobox", name="Dashboard", exact=True).select_option(board["id"])
        form.get_by_role("button", name="Save", exact=True).click()
        self.give_key(page)
        expect(form.get_by_role("link", name="Cards")).to_be_visible()
        self.assertEqual([card["title"] for card in self.ask("GET", f"/v1/boards/{board['id']}")["cards"]], ["ledger 0", "Sales"])

    def test_a_link_is_made_once_there_is_a_key(self):
        board = self.make("Linked", [("ledger", "")])
        page = self.refusing(f"/?boards={board['id']}")
        self.drawn(page, 1)
        page.get_by_role("button", name="Share", exact=True).click()
        page.get_by_role("button", name="Create link").click()
        self.give_key(page)
        expect(page.get_by_label("The link", exact=True)).to_have_value(re.compile("link=twl_"))
        self.assertEqual(len(self.ask("GET", f"/v1/boards/{board['id']}")["links"]), 1)

    def test_a_board_is_renamed_and_deleted_once_there_is_a_key(self):
        board = self.make("Before", [("ledger", "")])
        page = self.refusing(f"/?boards={board['id']}")
        self.drawn(page, 1)
        page.get_by_role("button", name="Edit").click()
        page.locator("#board-name").fill("After")
        page.locator("#board-name").press("Enter")
        self.give_key(page)
        expect(page.locator("#board-title")).to_have_text("After")
        self.until(page, lambda: self.ask("GET", f"/v1/boards/{board['id']}")["title"] == "After")

    def test_an_answer_that_was_asked_before_a_change_does_not_undo_it(self):
        board = self.make("Before", [("ledger", "")])
        page = self.refusing(f"/?boards={board['id']}")
        self.drawn(page, 1)
        older = self.ask("GET", f"/v1/boards/{board['id']}")
        held = []

        def hold(route):
            if route.request.method != "GET" or "authorization" not in route.request.headers or held:
                return route.fallback()
            held.append(route)

        page.route(re.compile(f"/v1/boards/{board['id']}$"), hold)
        page.get_by_role("button", name="Edit").click()
        page.locator("#board-name").fill("After")
        page.locator("#board-name").press("Enter")
        self.give_key(page)
        self.until(page, lambda: self.ask("GET", f"/v1/boards/{board['id']}")["title"] == "After")
        expect(page.locator("#board-told")).to_have_text("Saved.")
        self.assertEqual(len(held), 1)
        with page.expect_response(re.compile(f"/v1/boards/{board['id']}$")):
            held[0].fulfill(json=older)
        self.pass_through(page)
        expect(page.locator("#board-title")).to_have_text("After")
        expect(page.locator("#board-list [aria-current=page]")).to_contain_text("After")

    def test_an_answer_leaves_what_is_being_typed(self):
        board = self.make("Before", [("ledger", "")])
        page = self.open(f"/?boards={board['id']}")
        self.drawn(page, 1)
        page.get_by_role("button", name="Edit").click()
        page.locator("#board-name").fill("Half of a na")
        with page.expect_response(re.compile(f"/v1/boards/{board['id']}$")):
            page.evaluate("document.getElementById('board-again').click()")
        self.pass_through(page)
        expect(page.locator("#board-name")).to_have_value("Half of a na")


class Changing(BoardTest):
    def test_a_question_is_saved_to_a_new_board_and_leads_back(self):
        page = self.open("/?questions=trends&name=purchase&by=currency&last=7d")
        self.answered(page)
        page.get_by_role("button", name="Add to dashboard").click()
        dialog = page.get_by_role("dialog", name="Add to dashboard")
        dialog.get_by_label("Card title").fill("Sales")
        dialog.get_by_role("combobox", name="Dashboard", exact=True).select_option("")
        dialog.get_by_label("New dashboard title").fill("Mine")
        dialog.get_by_role("button", name="Save", exact=True).click()
        dialog.get_by_role("link", name="Mine").click()
        self.drawn(page, 1)
        board = re.search("boards=(.+)$", page.url).group(1)
        saved = self.ask("GET", f"/v1/boards/{board}")
        self.addCleanup(lambda: self.ask("DELETE", f"/v1/boards/{board}?version={saved['version']}"))
        self.assertEqual(saved["cards"][0]["query"], "name=purchase&by=currency&zone=Europe%2FBerlin&interval=day&last=7d")
        page.get_by_role("link", name="Sales").click()
        expect(page.get_by_label("Group by")).to_have_value("currency")
        expect(page.get_by_role("button", name="7 days")).to_have_attribute("aria-pressed", "true")

    def test_cards_are_moved_renamed_widened_and_removed_by_keyboard(self):
        board = self.make("Order", [("ledger", ""), ("catalogue", ""), ("live", "")])
        page = self.open(f"/?boards={board['id']}")
        self.drawn(page, 3)
        page.get_by_role("button", name="Edit").focus()
        page.keyboard.press("Enter")
        later = page.get_by_role("button", name="Move later: ledger 0")
        later.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#board-told")).to_have_text("Saved.")
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
        saved = self.ask("GET", f"/v1/boards/{board['id']}")
        self.assertEqual([(card["id"], card["title"], card["size"]) for card in saved["cards"]], [("c2", "Names", "full"), ("c1", "ledger 0", "half")])
        self.assertEqual(saved["version"], 5)

    def test_who_saves_second_hears_of_it_and_sees_what_the_first_saved(self):
        board = self.make("Together", [("ledger", "")])
        page = self.open(f"/?boards={board['id']}")
        self.drawn(page, 1)
        page.get_by_role("button", name="Edit").click()
        self.ask("PUT", f"/v1/boards/{board['id']}", {"title": "Theirs", "cards": [], "version": 1})
        page.get_by_role("button", name="Full width: ledger 0").click()
        expect(page.locator("#board-told")).to_contain_text("Another user has just changed this dashboard.")
        expect(page.locator("#board-title")).to_have_text("Theirs")
        self.assertEqual(self.ask("GET", f"/v1/boards/{board['id']}")["title"], "Theirs")

    def test_a_board_is_made_and_deleted(self):
        page = self.open("/?boards")
        expect(page.locator("#board-title")).to_have_text("First look")
        page.get_by_role("button", name="New").click()
        expect(page.get_by_text("Empty dashboard")).to_be_visible()
        page.get_by_role("textbox", name="Title", exact=True).fill("Short-lived")
        page.get_by_role("textbox", name="Title", exact=True).press("Tab")
        expect(page.locator("#board-list")).to_contain_text("Short-lived")
        page.locator("#board-add").select_option("ledger")
        self.drawn(page, 1)
        page.get_by_role("button", name="Delete dashboard").click()
        page.get_by_role("dialog", name="Delete this dashboard?").get_by_role("button", name="Delete").click()
        expect(page.locator("#board-list")).not_to_contain_text("Short-lived")

    def test_hostile_titles_stay_text(self):
        board = self.ask("POST", "/v1/boards", {"title": HOSTILE[0], "cards": [{"title": title[:60], "kind": "ledger"} for title in HOSTILE]})
        self.addCleanup(lambda: self.ask("DELETE", f"/v1/boards/{board['id']}?version=1"))
        page = self.open(f"/?boards={board['id']}")
        self.drawn(page, len(HOSTILE))
        self.assertEqual(page.locator("#boards img, #boards script").count(), 0)
        self.assertNotEqual(page.title(), "hit")
        page.get_by_role("button", name="Edit").click()
        expect(page.locator(".card-rename")).to_have_count(len(HOSTILE))


class Sharing(BoardTest):
    def link(self, board):
        return self.ask("POST", f"/v1/boards/{board['id']}/links?expires_in=1h")["path"]

    def test_a_link_shows_its_board_and_asks_for_nothing_else(self):
        board = self.make("Shown around")
        asked = []
        page = self.open("/icon.svg")
        page.on("request", lambda request: asked.append(request.url.removeprefix(self.collector.url)))
        page.goto(self.collector.url + self.link(board))
        self.drawn(page, len(EVERYTHING))
        expect(page.locator("#board-title")).to_have_text("Shown around")
        self.assertEqual([path for path in asked if path.startswith("/v1/") and not path.startswith("/v1/shared")], [])
        self.assertEqual([path for path in asked if path.startswith("/v1/") and "twl_" in path], [])
        for name in ["Live", "Edit", "Share", "Refresh"]:
            expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
        self.assertEqual(page.locator("#boards a[href]").count(), 0)

    def test_a_link_that_opens_nothing_says_so(self):
        page = self.open("/?link=twl_nothing")
        expect(page.get_by_text("This link has expired or was revoked")).to_be_visible()
        board = self.make("Gone", [("ledger", "")])
        path = self.link(board)
        self.ask("DELETE", f"/v1/boards/{board['id']}?version=1")
        page.goto(self.collector.url + path)
        expect(page.get_by_text("This link has expired or was revoked")).to_be_visible()


class Rules(BoardTest):
    def settled(self, path, **options):
        page = self.open(path, **options)
        expect(page.locator("#board-cards > *").first).to_be_attached()
        expect(page.locator("#board-cards [aria-busy]")).to_have_count(0)
        return page

    def test_axe_has_nothing_to_say_and_nothing_scrolls_sideways(self):
        board = self.make("Rules")
        link = self.ask("POST", f"/v1/boards/{board['id']}/links")["path"]
        for path in [f"/?boards={board['id']}", "/?boards=first-look", link, "/?boards=nowhere", "/?link=nothing"]:
            page = self.settled(path)
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

    def test_narrow_boards_have_one_column(self):
        page = self.settled(f"/?boards={self.make('Narrow')['id']}", width=390)
        self.assertEqual(len({round(card.bounding_box()["x"]) for card in page.locator("#board-cards > article").all()}), 1)


if __name__ == "__main__":
    unittest.main()
