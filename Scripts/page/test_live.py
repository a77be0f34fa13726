# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Live events, the ledger and rejected events; each view has a URL.
import re
import unittest

import collector
from collector import HOSTILE, PageTest, expect

setUpModule = collector.setUp


class Live(PageTest):
    def test_words_and_terms_filter_events(self):
        page = self.open()
        rows = page.locator("#rows tr:visible")
        expect(rows.filter(has_text="the_last")).to_have_count(1)
        page.keyboard.press("/")
        page.keyboard.type("needle haystack")
        expect(rows).to_have_count(1)
        page.locator("#filter").fill("name:purchase")
        expect(rows.first).to_contain_text("purchase")
        expect(rows.filter(has_not_text="purchase")).to_have_count(0)
        page.locator("#filter").fill("no such event anywhere")
        expect(page.get_by_text("No matching events")).to_be_visible()
        page.get_by_role("button", name="Clear filter").click()
        expect(rows.filter(has_text="the_last")).to_have_count(1)
        self.assertEqual(page.url, self.collector.url + "/")

    def test_attribute_conditions_match_stored_and_new_events(self):
        page = self.open("/#name%3Apurchase%20total%3E%3D100")
        rows = page.locator("#rows tr:visible")
        expect(rows.first).to_contain_text("purchase")
        expect(page.locator("#table-status")).to_contain_text(re.compile(r"^[\d,]+ events · search complete$"))
        found = rows.count()
        expensive = self.collector.get("/v1/events?name=purchase&where=total%3E%3D100&limit=1000")["events"]
        self.assertEqual(found, min(len(expensive), 200))
        self.assertGreater(found, 10)
        with page.expect_response(re.compile("order=asc")):
            self.collector.send({"name": "purchase", "time": self.collector.now, "attributes": {"total": 99}}, {"name": "purchase", "time": self.collector.now, "attributes": {"total": 100, "arrived": "while it was looked at"}})
        expect(rows.first).to_contain_text("while it was looked at")
        expect(rows).to_have_count(found + 1)
        for line, names in [("arrived=*", {"purchase"}), ("note:\"needle in the haystack\"", {"the_last"}), ("note≠* name:the_last", set()), ("total> needle", {"the_last"})]:
            with self.subTest(line):
                page.locator("#filter").fill(line)
                if names:
                    expect(rows.filter(has_not_text=re.compile("|".join(names)))).to_have_count(0)
                    expect(rows).to_have_count(1)
                else:
                    expect(page.get_by_text("No matching events")).to_be_visible()

    def test_an_incomplete_search_reports_its_progress_and_continues(self):
        requested_urls = []

        def respond(route):
            requested_urls.append(route.request.url)
            number = len([url for url in requested_urls if "text=" in url])
            stored = lambda index: {"position": f"1.{1000 - index}.0", "id": f"0199aaaa-0000-7000-8000-{index:012}", "received": 0, "event": {"name": f"rare_{index}", "time": self.collector.now}}
            if "text=" not in route.request.url:
                route.fulfill(json={"events": [stored(0)]})
            else:
                route.fulfill(json={"events": [stored(number)], "searched": 200_000, "of": 5_000_000, **({"next": f"1.{1000 - number}.0"} if number < 15 else {})})

        page = self.open("/icon.svg")
        page.route("**/v1/events?*", respond)
        # The collector's real events have later positions than these invented ones, and would count as new arrivals.
        held = []
        page.route("**/v1/live*", lambda route: held.append(route))
        page.goto(self.collector.url + "/#rare")
        # The search continues automatically for a while.
        expect(page.locator("#table-status")).to_have_text("11 events · searched 2,200,000 of 5,000,000")
        page.get_by_role("button", name="Search older events").click()
        expect(page.locator("#table-status")).to_have_text("15 events · search complete")
        expect(page.locator("#load-older")).to_be_hidden()
        expect(page.locator("#rows .row-name")).to_have_text([f"rare_{index}" for index in range(1, 16)])

    def test_older_events_are_loaded_page_by_page(self):
        page = self.open("/#name%3A_screen_view")
        rows = page.locator("#rows tr")
        expect(rows).to_have_count(200)
        expected = self.collector.get("/v1/trends?name=_screen_view&last=60d")["series"][0]["total"]
        self.assertGreater(expected, 600)
        for count in [*range(400, expected, 200), expected]:
            page.get_by_role("button", name="Load older events").click()
            expect(rows).to_have_count(count)
        expect(page.locator("#load-older")).to_be_hidden()
        expect(page.locator("#table-status")).to_have_text(f"{expected:,} events")
        # The times of events before today have dates.
        expect(rows.last.locator(".cell-date")).to_have_text(re.compile(r"^\w{3} \d{1,2}(, \d{4})?$"))
        page.get_by_role("button", name="Clear", exact=True).click()
        expect(rows).to_have_count(0)
        page.get_by_role("button", name="Load older events").click()
        expect(rows).to_have_count(200)

    def test_the_time_range_is_in_the_url_and_back_undoes_it(self):
        page = self.open("/#name%3A_screen_view")
        rows = page.locator("#rows tr")
        expect(rows).to_have_count(200)
        page.get_by_label("Time range of the events").select_option("24h")
        expect(page).to_have_url(re.compile(r"/\?last=24h#name%3A_screen_view$"))
        expected = self.collector.get(f"/v1/events?name=_screen_view&limit=1000&from={self.collector.now // 3_600_000 * 3_600_000 - 23 * 3_600_000}")["events"]
        expect(rows).to_have_count(len(expected))
        page.get_by_label("Time range of the events").select_option("dates")
        expect(page).to_have_url(re.compile(r"/\?from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d#"))
        page.go_back()
        expect(page.get_by_label("Time range of the events")).to_have_value("24h")
        expect(rows).to_have_count(len(expected))
        page.go_back()
        expect(page.get_by_label("Time range of the events")).to_have_value("")
        expect(rows).to_have_count(200)
        page.goto(self.collector.url + "/?from=2001-01-01&to=2001-01-02")
        expect(page.get_by_text("No matching events")).to_be_visible()
        expect(page.locator("#time-choice").get_by_label("Through")).to_have_value("2001-01-02")
        page.get_by_role("button", name="Clear filter").click()
        expect(rows.first).to_be_visible()
        expect(page).to_have_url(self.collector.url + "/")

    def test_an_event_shows_its_trace(self):
        page = self.open("/?event=0199aaaa-0000-7000-8000-000000000014")
        steps = page.locator("#drawer .trace-step")
        expect(steps).to_have_count(5)
        self.assertEqual([step.text_content() for step in steps.locator("b").all()], ["Recorded", "Sent", "Received", "Durable", "Indexed"])
        expect(steps.nth(2)).to_contain_text("formattrackway")
        expect(steps.nth(3)).to_contain_text("ondisk")

    def test_the_filter_is_in_the_url_and_back_undoes_it(self):
        page = self.open("/#name%3Aview_item")
        rows = page.locator("#rows tr:visible")
        expect(rows.first).to_contain_text("view_item")
        expect(rows.filter(has_not_text="view_item")).to_have_count(0)
        page.get_by_role("button", name="Users", exact=True).click()
        expect(page).to_have_url(re.compile(r"\?visitors$"))
        page.go_back()
        expect(page).to_have_url(re.compile("/#name%3Aview_item$"))
        expect(page.locator("#filter")).to_have_value("name:view_item")
        expect(rows.filter(has_not_text="view_item")).to_have_count(0)
        page.go_forward()
        expect(page.locator("#user-list li").first).to_contain_text("All users")

    def test_an_event_has_a_url(self):
        page = self.open("/?event=0199aaaa-0000-7000-8000-000000000014")
        drawer = page.locator("#drawer")
        expect(drawer.get_by_role("heading", name="the_last")).to_be_visible()
        expect(drawer).to_contain_text("needle in the haystack")
        page.get_by_role("button", name="Close").click()
        expect(page).to_have_url(self.collector.url + "/")
        page.go_back()
        expect(drawer.get_by_role("heading", name="the_last")).to_be_visible()

    def test_opening_an_event_changes_the_url_and_back_closes_it(self):
        page = self.open()
        page.locator("#rows").get_by_role("button", name="the_last").click()
        expect(page).to_have_url(re.compile(r"\?event=0199aaaa-0000-7000-8000-000000000014$"))
        page.go_back()
        expect(page.locator("#drawer")).to_be_hidden()
        expect(page).to_have_url(self.collector.url + "/")

    def test_rejected_events_are_listed_with_their_reason(self):
        page = self.open()
        page.get_by_role("tab", name="Rejected").click()
        expect(page).to_have_url(re.compile(r"\?tab=failed$"))
        entry = page.locator("#rejection-list button").filter(has_text=self.collector.rejection_message)
        expect(entry).to_have_count(1)
        entry.click()
        expect(page.locator("#drawer")).to_contain_text(self.collector.rejection_message)
        page.reload()
        expect(page.get_by_role("tab", name="Rejected")).to_have_attribute("aria-selected", "true")
        page.go_back()
        expect(page.locator("#main")).to_have_attribute("data-view", "events")

    def test_hostile_names_and_values_are_shown_as_text(self):
        page = self.open("/#name%3Ahostile")
        rows = page.locator("#rows tr:visible")
        expect(rows).to_have_count(len(HOSTILE))
        self.assertEqual(page.locator("#rows img, #rows script").count(), 0)
        rows.last.get_by_role("button").click()
        expect(page.locator("#drawer")).to_contain_text("onerror=document.title")
        self.assertEqual(page.locator("#drawer img").count(), 0)
        expect(page).to_have_title("Trackway")


class Errors(PageTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of 40[04]")

    def test_an_invalid_url_is_reported(self):
        for path, sentence in [
            ("/?vistors", "unknown parameter “vistors”"), ("/?tab=gone", "“gone” is not a tab"), ("/?questions=trend", "“trend” is not an insight type"),
            ("/?event=%zz", "not percent-encoded"), ("/?visitors&limit=3", "“limit”"), ("/?last=2y", "“2y” is not one of"), ("/?from=2026-11-21", "“” is not a date"),
            ("/?from=2026-11-21&to=2026-11-20", "later end"),
        ]:
            with self.subTest(path):
                expect(self.open(path).locator("#url-error")).to_contain_text(sentence)

    def test_an_invalid_search_is_reported(self):
        page = self.open("/")
        page.locator("#filter").fill("a=1 " * 11)
        expect(page.locator("#empty .error")).to_contain_text("where")
        page.locator("#filter").fill("name:the_last")
        expect(page.locator("#empty")).to_be_hidden()
        expect(page.locator("#rows tr")).to_have_count(1)

    def test_a_failed_page_of_older_events_can_be_retried(self):
        page = self.open("/")
        rows = page.locator("#rows tr")
        expect(rows).to_have_count(200)
        page.route("**/v1/events?*after=*", lambda route: route.fulfill(status=404, json={"error": {"code": "not_found", "message": "Not now."}}))
        page.get_by_role("button", name="Load older events").click()
        expect(page.locator("#table-status")).to_have_text("200 events · Not now.")
        page.unroute("**/v1/events?*after=*")
        page.get_by_role("button", name="Load older events").click()
        expect(rows).to_have_count(400)
        expect(page.locator("#table-status")).to_have_text("400 events")

    def test_a_missing_event_is_reported(self):
        page = self.open("/?event=0199aaaa-0000-7000-8000-00000000ffff")
        expect(page.locator("#drawer .error")).to_be_visible()
        expect(page.locator("#drawer .error")).not_to_be_empty()


if __name__ == "__main__":
    unittest.main()
