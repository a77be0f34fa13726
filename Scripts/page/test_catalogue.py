# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# The catalog of events and their attributes, also when a client sends more names than the collector tracks.
import re
import unittest

import collector
from collector import HOSTILE, PageTest, expect

# The number of names that the collector tracks; see Documentation/Catalogue.md.
TOLD_APART = 10_000


def setUpModule():
    collector.setUp()
    there = PageTest.collector
    # A name that no format recommends, a value of several types, and a global attribute.
    for total in (5, "5", 2.5, None):
        there.send({"context": {"global": {"plan": "pro"}, "app": {"id": "shop", "version": "2.0"}}}, {"name": "_own name", "time": there.now - 30_000, "attributes": {"total": total, "looks": "12"}})
    last = None
    # The names of the other events were first, so only some of these names are tracked.
    for start in range(0, TOLD_APART + 1_000, 1_000):
        last = there.send(*({"name": f"flood_{number:05}", "time": there.now - 40_000} for number in range(start, start + 1_000)))
    there.wait(last["position"])


class Catalogue(PageTest):
    def rows(self, page):
        return self.answered(page).locator("table.figures tbody tr")

    def test_names_are_listed_and_lead_to_what_they_look_like(self):
        page = self.open("/?questions=catalogue")
        row = self.rows(page).filter(has=page.get_by_role("link", name="purchase", exact=True))
        expect(row.locator("td").first).to_have_text(f"{self.collector.purchases:,}")
        row.get_by_role("link", name="purchase", exact=True).click()
        expect(page).to_have_url(re.compile(r"\?questions=catalogue&name=purchase"))
        answer = self.answered(page)
        expect(answer.get_by_role("heading", name="purchase", exact=True)).to_be_visible()
        expect(answer.locator(".attributes > li")).to_have_count(2)
        expect(answer.locator(".attributes > li").filter(has_text="currency")).to_contain_text(re.compile("100 %.*EUR.*USD"))
        expect(answer).to_contain_text(f"Based on the latest {self.collector.purchases:,} events")
        expect(page.locator("#question-dates")).not_to_contain_text("read")
        page.go_back()
        expect(page).to_have_url(re.compile(r"\?questions=catalogue$"))
        expect(self.rows(page)).to_have_count(50)
        page.go_forward()
        expect(answer.get_by_role("heading", name="purchase", exact=True)).to_be_visible()

    def test_it_is_searched_ordered_and_leafed_through_and_each_has_an_address(self):
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
        page.get_by_role("button", name="More names").click()
        expect(page).to_have_url(re.compile("after="))
        expect(self.rows(page).first.locator("th")).not_to_have_text(first)
        page.go_back()
        expect(self.rows(page).first.locator("th")).to_have_text(first)
        page.get_by_label("Name contains").fill("no such name anywhere")
        page.get_by_label("Name contains").press("Enter")
        expect(page.get_by_text("No event names match.")).to_be_visible()

    def test_a_flood_of_names_is_bounded_and_said(self):
        page = self.open("/?questions=catalogue")
        self.rows(page)
        expect(page.locator(".answer-foot")).to_contain_text(f"{TOLD_APART:,} names are tracked")
        expect(page.locator(".answer-foot")).to_contain_text(re.compile(r"1,\d\d\d events with other names are not listed"))
        page.get_by_label("Event details").fill(f"flood_{TOLD_APART + 999}")
        page.get_by_label("Event details").press("Enter")
        answer = self.answered(page)
        expect(answer.get_by_role("heading", name=f"flood_{TOLD_APART + 999}")).to_be_visible()
        # The name is not tracked, so its events are not counted, but their attributes can be shown.
        expect(answer.locator(".catalogued-facts")).not_to_contain_text("Today")
        expect(answer).to_contain_text("Based on the latest 1 event,")

    def test_remarks_types_and_scopes_are_said(self):
        page = self.open("/?questions=catalogue&search=own%20name")
        expect(self.rows(page)).to_contain_text("warning")
        self.rows(page).get_by_role("link", name="_own name").click()
        answer = self.answered(page)
        expect(answer.locator(".catalogued .remarks li").filter(has_text="trackway")).to_contain_text("_")
        total = answer.locator(".attributes > li").filter(has_text="total")
        for text in ("string 1", "integer 1", "double 1", "null 1", "2.5 to 5", "75 %"):
            expect(total).to_contain_text(text)
        expect(total.locator(".badge.bad")).not_to_have_count(0)
        expect(total.locator(".remarks")).not_to_be_empty()
        # A string that looks like a number is shown in quotation marks.
        expect(answer.locator(".attributes > li").filter(has_text="looks").locator(".top-values")).to_contain_text('"12"')
        expect(answer.locator("section[aria-label='Global attributes'] .attributes > li")).to_contain_text("pro")

    def test_hostile_names_and_values_stay_text(self):
        # The last name is too long, and was rejected.
        for name in HOSTILE[:-1]:
            with self.subTest(name[:30]):
                page = self.open("/?questions=catalogue")
                self.rows(page)
                page.get_by_label("Event details").fill(name)
                page.get_by_label("Event details").press("Enter")
                answer = self.answered(page)
                expect(answer.locator("h3 bdi").first).to_be_visible()
                self.assertEqual(answer.locator("img, script").count(), 0)
                # The URL shows the same event again.
                page.reload()
                expect(self.answered(page).locator(".catalogued h3")).not_to_be_empty()
                expect(page.get_by_label("Event details")).to_have_value(name)
                expect(page).to_have_title("Catalog – Trackway")
                page.context.close()
        page = self.open("/?questions=catalogue&name=hostile")
        answer = self.answered(page)
        expect(answer.locator(".attributes > li").filter(has_text="onerror")).not_to_have_count(0)
        self.assertEqual(answer.locator("img, script").count(), 0)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 1440)

    def test_it_is_used_without_a_pointer(self):
        page = self.open("/?questions=trends")
        self.answered(page)
        page.get_by_role("link", name="Catalog").focus()
        page.keyboard.press("Enter")
        expect(page.get_by_label("Name contains")).to_be_visible()
        page.get_by_label("Name contains").focus()
        page.keyboard.type("purchase")
        page.keyboard.press("Enter")
        expect(self.rows(page)).to_have_count(1)
        self.rows(page).get_by_role("link", name="purchase").focus()
        page.keyboard.press("Enter")
        expect(self.answered(page).locator(".attributes")).not_to_have_count(0)
        self.answered(page).get_by_role("link", name="All events").focus()
        page.keyboard.press("Enter")
        expect(self.rows(page)).to_have_count(50)


class Kept(PageTest):
    """Choices are kept while other views are shown."""

    def test_the_time_waits_while_a_kind_has_none(self):
        page = self.open("/?questions=trends&name=purchase&last=7d&where=total%3E=3")
        self.answered(page)
        page.get_by_role("link", name="Catalog").click()
        expect(page).to_have_url(re.compile(r"\?questions=catalogue$"))
        self.answered(page)
        page.get_by_role("link", name="Lifecycle").click()
        expect(page).to_have_url(re.compile("questions=lifecycle&"))
        for part in ("last=7d", "name=purchase", "where=total"):
            expect(page).to_have_url(re.compile(part))
        self.answered(page)
        expect(page.get_by_role("button", name="7 days")).to_have_attribute("aria-pressed", "true")

    def test_an_events_trends_are_of_the_time_that_was_chosen(self):
        page = self.open("/?questions=trends&from=2026-01-01&to=2026-01-31")
        self.answered(page)
        page.get_by_role("link", name="Catalog").click()
        self.answered(page).get_by_role("row").filter(has=page.get_by_role("link", name="purchase", exact=True)).get_by_role("link", name="Trends").click()
        expect(page).to_have_url(re.compile("questions=trends&name=purchase&from=2026-01-01&to=2026-01-31"))

    def test_a_kind_is_a_link_to_the_same_time(self):
        page = self.open("/?questions=trends&last=90d")
        self.answered(page)
        expect(page.get_by_role("link", name="Retention")).to_have_attribute("href", re.compile("last=90d"))
        page.get_by_role("button", name="7 days").click()
        expect(page.get_by_role("link", name="Retention")).to_have_attribute("href", re.compile("last=7d"))

    def test_the_time_stays_while_the_rest_of_the_page_is_looked_at(self):
        page = self.open("/?questions=trends&name=purchase&last=90d")
        self.answered(page)
        for part in ("Users", "Devices", "Live"):
            page.get_by_role("button", name=part, exact=True).click()
            expect(page).not_to_have_url(re.compile("questions"))
            page.get_by_role("button", name="Insights", exact=True).click()
            expect(page).to_have_url(re.compile(r"\?questions=trends&name=purchase&last=90d$"))
        self.answered(page)
        expect(page.get_by_role("button", name="90 days")).to_have_attribute("aria-pressed", "true")


class Mistaken(PageTest):
    forgiven = re.compile("Failed to load resource")

    def test_a_name_that_is_not_there_is_said_to_be_absent(self):
        page = self.open("/?questions=catalogue&name=no_such_event")
        expect(self.answered(page)).to_contain_text("No such event")

    def test_while_it_waits_it_says_so_and_a_collector_that_is_away_is_asked_again(self):
        page = self.open("/?questions=trends")
        self.answered(page)
        held = []
        page.route("**/v1/catalogue?*", lambda route: held.append(route))
        page.get_by_role("link", name="Catalog").click()
        expect(page.locator("#answer")).to_contain_text("Loading…")
        self.until(page, lambda: held)
        for route in held:
            route.abort()
        expect(page.get_by_text("The collector is not responding.")).to_be_visible()
        page.unroute("**/v1/catalogue?*")
        page.get_by_role("button", name="Refresh").click()
        expect(self.answered(page).locator("table.figures")).to_be_visible()

    def test_a_time_is_no_part_of_it(self):
        page = self.open("/?questions=catalogue&last=7d")
        expect(page.locator("#question-wrong")).to_contain_text("“last” is not a parameter of this insight")


if __name__ == "__main__":
    unittest.main()
