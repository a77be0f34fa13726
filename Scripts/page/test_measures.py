# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Measures: events without a number or a person, and groups with equal names, are reported and never skipped silently.
import re

import collector
from collector import PageTest, expect


def setUpModule():
    collector.setUp()
    now = PageTest.collector.now - 3_600_000
    values = [5, -5, "12.50", "EUR", True, None]
    names = ["no q", "2 more", "all", '"x"', "x", "x"]
    events = [{"name": "measured", "time": now + index, "attributes": {"amount": value, "q": name}} for index, (value, name) in enumerate(zip(values, names))]
    events += [{"name": "measured_text", "time": now, "attributes": {"amount": text}} for text in ["12.50", "-2.5", "EUR"]]
    events.append({"name": "measured", "time": now, "attributes": {"amount": 0}})
    events += [{"name": "mixed", "time": now, "attributes": {"q": value}} for value in [1, "1", "1", True, "true", "\u00e1", "a\u0301", "no q", None]]
    PageTest.collector.wait(PageTest.collector.send(*events)["position"])


class Measures(PageTest):
    def test_a_sum_of_zero_is_a_result_and_reports_excluded_values(self):
        page = self.open("/?questions=trends&name=measured&measure=sum:amount")
        result = self.loaded_result(page)
        expect(result.locator("svg path.line")).not_to_have_count(0)
        expect(result.locator(".excluded-note")).to_contain_text("Excluded: ")
        expect(result.locator(".excluded-note")).to_contain_text("2 text values, 1 value of another type, 1 without the attribute")

    def test_text_values_are_reported_and_can_be_parsed_as_numbers(self):
        page = self.open("/?questions=trends&name=measured_text&measure=sum:amount")
        result = self.loaded_result(page)
        expect(result).to_contain_text("No numeric values")
        expect(result).to_contain_text("none with a number in “amount”: 3 text values.")
        expect(result).not_to_contain_text("No event")
        page.get_by_role("button", name="Parse text as numbers").click()
        expect(page).to_have_url(re.compile("texts=numbers"))
        expect(self.loaded_result(page).get_by_role("row", name=re.compile("^Total"))).to_contain_text("10")
        expect(page.locator(".excluded-note")).to_contain_text("Excluded: 1 of 3 events")
        expect(page.get_by_label("Parse text such as")).to_be_checked()

    def test_a_user_measure_without_users_does_not_report_missing_events(self):
        page = self.open("/?questions=trends&name=measured&measure=users")
        result = self.loaded_result(page)
        expect(result).to_contain_text("No users in this time range")
        expect(result).not_to_contain_text("No event")

    def test_similar_groups_have_distinct_names(self):
        page = self.open("/?questions=trends&name=measured&by=q")
        names = self.loaded_result(page).locator(".series-name").all_text_contents()
        self.assertEqual(sorted(names), sorted(["x", '"no q"', '"2 more"', '"all"', r'"\"x\""', "no q"]))

    def test_values_with_the_same_text_can_be_grouped(self):
        page = self.open("/?questions=trends&name=mixed&by=q")
        names = self.loaded_result(page).locator(".series-name").all_text_contents()
        self.assertEqual(sorted(names), sorted(["1", '"1"', "true", '"true"', "\u00e1", "a\u0301", '"no q"', "no q"]))
        page.get_by_label("Group values with the same text").check()
        expect(page).to_have_url(re.compile("by=q&values=texts"))
        expect(self.loaded_result(page).locator(".series-totals li")).to_have_text(["13", "true2", "\u00e12", "no q1", '"no q"1'])
        page.get_by_label("Group by").fill("")
        page.get_by_label("Group by").press("Enter")
        expect(page).not_to_have_url(re.compile("values="))
        expect(page.get_by_label("Group values with the same text")).to_be_hidden()

    def test_a_funnel_can_group_by_text(self):
        page = self.open("/?questions=funnel&step=mixed&by=q&values=texts")
        self.loaded_result(page)
        expect(page.get_by_label("Group values with the same text")).to_be_checked()

    def test_results_do_not_show_how_many_events_were_read(self):
        for insight in ("trends&name=purchase&last=30d", "funnel&step=view_item&step=purchase", "lifecycle"):
            with self.subTest(insight):
                page = self.open(f"/?questions={insight}")
                self.assertNotIn("read", self.loaded_result(page).inner_text().split())


class InvalidParameters(PageTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of 400")

    def test_an_invalid_grouping_is_reported(self):
        page = self.open("/?questions=trends&by=q&values=numbers")
        expect(page.get_by_text("is not “texts”")).to_be_visible()
