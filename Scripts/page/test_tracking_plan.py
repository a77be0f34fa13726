# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# The tracking plan: planned events, unplanned events, and violations.
import json
import os
import re
import tempfile
import unittest

import collector
from collector import HOSTILE, PageTest, expect

PLAN = {
    "version": 1, "title": "Shop <b>", "events": {
        "purchase": {"owner": "checkout", "description": "A purchase was paid.", "attributes": {"required": ["total"], "properties": {
            "total": {"type": "number", "maximum": 150}, "currency": {"enum": ["EUR"]}}}},
        "view_item": {}, "add_to_cart": {"deprecated": True}, "never_came": {},
    },
}


def setUpModule():
    folder = tempfile.TemporaryDirectory(prefix="trackway-plan-")
    unittest.addModuleCleanup(folder.cleanup)
    path = os.path.join(folder.name, "plan.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(PLAN, file)
    collector.setUp("--plan", path)


class TrackingPlan(PageTest):
    def rows(self, page):
        return self.loaded_result(page).locator("table.data-table tbody tr")

    def row(self, page, name):
        return self.rows(page).filter(has=page.get_by_role("rowheader", name=name, exact=True))

    def test_planned_and_unplanned_events_are_listed_with_their_counts(self):
        page = self.open("/?questions=plan")
        result = self.loaded_result(page)
        expect(result.get_by_role("heading", name="Shop <b>")).to_be_visible()
        expect(result.locator(".summary-facts")).to_contain_text(re.compile("In the plan4Received3"))
        purchase = self.row(page, "purchase")
        expect(purchase.locator("td").nth(0)).to_have_text("planned")
        expect(purchase.locator("td").nth(1)).to_have_text(f"{self.collector.purchases:,}")
        expect(purchase.locator("td").nth(4)).to_have_text("checkout")
        expect(self.row(page, "add_to_cart").locator("td").first).to_have_text("deprecated")
        expect(self.row(page, "never_came").locator("td").nth(1)).to_have_text("0")
        expect(self.row(page, "the_last").locator("td").first).to_have_text("not planned")
        # Any event name is shown as text.
        expect(self.row(page, HOSTILE[0]).locator("td").first).to_have_text("not planned")
        expect(page).to_have_title("Tracking plan – Trackway")
        expect(page.locator("#insight-save")).to_be_hidden()

    def test_filters_are_in_the_url_and_back_undoes_them(self):
        page = self.open("/?questions=plan")
        self.rows(page)
        page.get_by_role("combobox", name="Status").select_option("missing")
        expect(page).to_have_url(re.compile("show=missing"))
        expect(self.rows(page)).to_have_count(1)
        page.get_by_label("Name contains").fill("no such")
        page.get_by_label("Name contains").press("Enter")
        expect(self.loaded_result(page)).to_contain_text("No such event")
        page.go_back()
        expect(self.rows(page)).to_have_count(1)

    def test_a_violation_links_to_an_event(self):
        page = self.open("/?questions=plan")
        self.row(page, "purchase").get_by_role("link", name="purchase").click()
        expect(page).to_have_url(re.compile("questions=plan&name=purchase"))
        expect(self.loaded_result(page).locator("table.data-table")).to_contain_text("attributes.total")
        too_large = self.rows(page).filter(has_text="too large")
        expect(too_large.first).to_contain_text("number, at most 150")
        expect(self.rows(page).filter(has_text="value not allowed").first).to_contain_text('one of "EUR"')
        too_large.first.get_by_role("link", name="Event").click()
        expect(page).to_have_url(re.compile(r"\?event=[0-9a-f-]{36}"))
        expect(page.locator("body")).to_contain_text("total")
        page.go_back()
        expect(self.loaded_result(page).locator("table.data-table")).to_contain_text("attributes.total")

    def test_violations_of_the_last_days_are_listed(self):
        page = self.open("/?questions=plan&view=violations&days=7d")
        expect(self.rows(page).filter(has_text="not planned").first).to_be_visible()
        expect(page.locator("#insight-dates")).to_contain_text("Last 7 days (UTC)")
        expect(page.get_by_role("img", name=re.compile("of the last 30")).first).to_be_attached()

    def test_a_missing_plan_is_reported_with_instructions(self):
        page = self.open("/?questions=plan", responses={"**/v1/plan?*": {"plan": None, "counted": None, "former": [], "from": None, "events": []}})
        expect(self.loaded_result(page)).to_contain_text("trackway serve --plan plan.json")

    def test_an_invalid_url_is_reported(self):
        type(self).allowed_messages = re.compile("status of 400")
        page = self.open("/?questions=plan&show=some")
        expect(self.loaded_result(page).get_by_role("alert")).to_contain_text("“some” is not one of")

    def test_nothing_scrolls_horizontally_on_narrow_screens(self):
        for scheme in ("light", "dark"):
            for query in ("", "&view=violations"):
                page = self.open(f"/?questions=plan{query}", width=390, height=844, scheme=scheme)
                self.rows(page)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
