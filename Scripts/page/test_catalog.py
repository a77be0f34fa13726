# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# The catalog of events and their attributes, including when a client sends more names than the collector tracks.
import re
import unittest

import collector
from collector import HOSTILE, PageTest, expect

# The number of names that the collector tracks; see Documentation/Catalog.md.
TRACKED_NAMES = 10_000


def setUpModule():
    collector.setUp()
    server = PageTest.collector
    # A name that no format recommends, values of several types, and a global attribute.
    for total in (5, "5", 2.5, None):
        server.send({"context": {"global": {"plan": "pro"}, "app": {"id": "shop", "version": "2.0"}}}, {"name": "_own name", "time": server.now - 30_000, "attributes": {"total": total, "looks": "12"}})
    last = None
    # The other events were sent first, so only some of these names are tracked.
    for start in range(0, TRACKED_NAMES + 1_000, 1_000):
        last = server.send(*({"name": f"flood_{number:05}", "time": server.now - 40_000} for number in range(start, start + 1_000)))
    server.wait(last["position"])


class Catalog(PageTest):
    def rows(self, page):
        return self.loaded_result(page).locator("table.data-table tbody tr")

    def test_names_are_listed_and_link_to_their_details(self):
        page = self.open("/?questions=catalogue")
        row = self.rows(page).filter(has=page.get_by_role("link", name="purchase", exact=True))
        expect(row.locator("td").first).to_have_text(f"{self.collector.purchases:,}")
        row.get_by_role("link", name="purchase", exact=True).click()
        expect(page).to_have_url(re.compile(r"\?questions=catalogue&name=purchase"))
        result = self.loaded_result(page)
        expect(result.get_by_role("heading", name="purchase", exact=True)).to_be_visible()
        expect(result.locator(".attributes > li")).to_have_count(2)
        expect(result.locator(".attributes > li").filter(has_text="currency")).to_contain_text(re.compile("100%.*EUR.*USD"))
        expect(result).to_contain_text(f"Based on the latest {self.collector.purchases:,} events")
        expect(page.locator("#insight-dates")).not_to_contain_text("read")
        page.go_back()
        expect(page).to_have_url(re.compile(r"\?questions=catalogue$"))
        expect(self.rows(page)).to_have_count(50)
        page.go_forward()
        expect(result.get_by_role("heading", name="purchase", exact=True)).to_be_visible()

    def test_search_order_and_pages_are_in_the_url(self):
        page = self.open("/?questions=catalogue")
        self.rows(page)
        page.get_by_label("Name contains").fill("FLOOD_0000")
        page.get_by_label("Name contains").press("Enter")
        expect(page).to_have_url(re.compile("search=FLOOD_0000"))
        expect(self.rows(page)).to_have_count(10)
        page.get_by_role("combobox", name="Sort by").select_option("name")
        expect(page).to_have_url(re.compile("order=name"))
        expect(self.rows(page).first.locator("th")).to_have_text("flood_00000")
        page.get_by_label("Name contains").fill("")
        page.get_by_label("Name contains").press("Enter")
        expect(self.rows(page)).to_have_count(50)
        first = self.rows(page).first.locator("th").text_content()
        page.get_by_role("button", name="Load more names").click()
        expect(page).to_have_url(re.compile("after="))
        expect(self.rows(page).first.locator("th")).not_to_have_text(first)
        page.go_back()
        expect(self.rows(page).first.locator("th")).to_have_text(first)
        page.get_by_label("Name contains").fill("no such name anywhere")
        page.get_by_label("Name contains").press("Enter")
        expect(page.get_by_text("No event names match.")).to_be_visible()

    def test_untracked_names_are_reported(self):
        page = self.open("/?questions=catalogue")
        self.rows(page)
        expect(page.locator(".results-footer")).to_contain_text(f"{TRACKED_NAMES:,} names are tracked")
        expect(page.locator(".results-footer")).to_contain_text(re.compile(r"1,\d\d\d events with other names are not listed"))
        page.get_by_label("Event details").fill(f"flood_{TRACKED_NAMES + 999}")
        page.get_by_label("Event details").press("Enter")
        result = self.loaded_result(page)
        expect(result.get_by_role("heading", name=f"flood_{TRACKED_NAMES + 999}")).to_be_visible()
        # The name is not tracked, so its events are not counted, but their attributes can be shown.
        expect(result.locator(".summary-facts")).not_to_contain_text("Today")
        expect(result).to_contain_text("Based on the latest 1 event,")

    def test_warnings_types_and_scopes_are_shown(self):
        page = self.open("/?questions=catalogue&search=own%20name")
        expect(self.rows(page)).to_contain_text("warning")
        self.rows(page).get_by_role("link", name="_own name").click()
        result = self.loaded_result(page)
        expect(result.locator(".summary-panel .warnings li").filter(has_text="trackway")).to_contain_text("_")
        total = result.locator(".attributes > li").filter(has_text="total")
        for text in ("string 1", "integer 1", "double 1", "null 1", "2.5 to 5", "75%"):
            expect(total).to_contain_text(text)
        expect(total.locator(".badge.bad")).not_to_have_count(0)
        expect(total.locator(".warnings")).not_to_be_empty()
        # A string that looks like a number is shown in quotation marks.
        expect(result.locator(".attributes > li").filter(has_text="looks").locator(".top-values")).to_contain_text('"12"')
        expect(result.locator("section[aria-label='Global attributes'] .attributes > li")).to_contain_text("pro")

    def test_hostile_names_and_values_are_shown_as_text(self):
        # The last of the names is too long and was rejected.
        for name in HOSTILE[:-1]:
            with self.subTest(name[:30]):
                page = self.open("/?questions=catalogue")
                self.rows(page)
                page.get_by_label("Event details").fill(name)
                page.get_by_label("Event details").press("Enter")
                result = self.loaded_result(page)
                expect(result.locator("h3 bdi").first).to_be_visible()
                self.assertEqual(result.locator("img, script").count(), 0)
                # The URL shows the same event again.
                page.reload()
                expect(self.loaded_result(page).locator(".summary-panel h3")).not_to_be_empty()
                expect(page.get_by_label("Event details")).to_have_value(name)
                expect(page).to_have_title("Catalog – Trackway")
                page.context.close()
        page = self.open("/?questions=catalogue&name=hostile")
        result = self.loaded_result(page)
        expect(result.locator(".attributes > li").filter(has_text="onerror")).not_to_have_count(0)
        self.assertEqual(result.locator("img, script").count(), 0)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 1440)

    def test_the_catalog_works_with_the_keyboard(self):
        page = self.open("/?questions=trends")
        self.loaded_result(page)
        page.get_by_role("link", name="Catalog").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Name contains")).to_be_visible()
        page.get_by_label("Name contains").focus()
        page.keyboard.type("purchase")
        page.keyboard.press("Enter")
        expect(self.rows(page)).to_have_count(1)
        self.rows(page).get_by_role("link", name="purchase").focus()
        page.keyboard.press("Enter")
        expect(self.loaded_result(page).locator(".attributes")).not_to_have_count(0)
        self.loaded_result(page).get_by_role("link", name="All events").focus()
        page.keyboard.press("Enter")
        expect(self.rows(page)).to_have_count(50)


class KeptParameters(PageTest):
    """Choices are kept while other views are shown."""

    def test_the_time_range_is_kept_while_a_type_has_none(self):
        page = self.open("/?questions=trends&name=purchase&last=7d&where=total%3E=3")
        self.loaded_result(page)
        page.get_by_role("link", name="Catalog").click()
        expect(page).to_have_url(re.compile(r"\?questions=catalogue$"))
        self.loaded_result(page)
        page.get_by_role("link", name="Lifecycle").click()
        expect(page).to_have_url(re.compile("questions=lifecycle&"))
        for part in ("last=7d", "name=purchase", "where=total"):
            expect(page).to_have_url(re.compile(part))
        self.loaded_result(page)
        expect(page.get_by_role("button", name="7 days")).to_have_attribute("aria-pressed", "true")

    def test_the_trends_of_an_event_use_the_selected_time_range(self):
        page = self.open("/?questions=trends&from=2026-01-01&to=2026-01-31")
        self.loaded_result(page)
        page.get_by_role("link", name="Catalog").click()
        self.loaded_result(page).get_by_role("row").filter(has=page.get_by_role("link", name="purchase", exact=True)).get_by_role("link", name="Trends").click()
        expect(page).to_have_url(re.compile("questions=trends&name=purchase&from=2026-01-01&to=2026-01-31"))

    def test_links_to_types_include_the_time_range(self):
        page = self.open("/?questions=trends&last=90d")
        self.loaded_result(page)
        expect(page.get_by_role("link", name="Retention")).to_have_attribute("href", re.compile("last=90d"))
        page.get_by_role("button", name="7 days").click()
        expect(page.get_by_role("link", name="Retention")).to_have_attribute("href", re.compile("last=7d"))

    def test_the_time_range_is_kept_while_other_sections_are_shown(self):
        page = self.open("/?questions=trends&name=purchase&last=90d")
        self.loaded_result(page)
        for part in ("Users", "Devices", "Live"):
            page.get_by_role("button", name=part, exact=True).click()
            expect(page).not_to_have_url(re.compile("questions"))
            page.get_by_role("button", name="Insights", exact=True).click()
            expect(page).to_have_url(re.compile(r"\?questions=trends&name=purchase&last=90d$"))
        self.loaded_result(page)
        expect(page.get_by_role("button", name="90 days")).to_have_attribute("aria-pressed", "true")


class Errors(PageTest):
    allowed_messages = re.compile("Failed to load resource")

    def test_an_unknown_name_is_reported(self):
        page = self.open("/?questions=catalogue&name=no_such_event")
        expect(self.loaded_result(page)).to_contain_text("No such event")

    def test_loading_is_shown_and_a_failed_query_can_be_retried(self):
        page = self.open("/?questions=trends")
        self.loaded_result(page)
        held = []
        page.route("**/v1/catalogue?*", lambda route: held.append(route))
        page.get_by_role("link", name="Catalog").click()
        expect(page.locator("#results")).to_contain_text("Loading…")
        self.wait_until(page, lambda: held)
        for route in held:
            route.abort()
        expect(page.get_by_text("The collector is not responding.")).to_be_visible()
        page.unroute("**/v1/catalogue?*")
        page.get_by_role("button", name="Refresh").click()
        expect(self.loaded_result(page).locator("table.data-table")).to_be_visible()

    def test_a_time_range_is_rejected(self):
        page = self.open("/?questions=catalogue&last=7d")
        expect(page.locator("#insight-error")).to_contain_text("“last” is not a parameter of this insight")


if __name__ == "__main__":
    unittest.main()
