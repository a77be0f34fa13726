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
    def test_a_sum_of_zero_is_an_answer_and_says_what_it_left_out(self):
        page = self.open("/?questions=trends&name=measured&measure=sum:amount")
        answer = self.answered(page)
        expect(answer.locator("svg path.line")).not_to_have_count(0)
        expect(answer.locator(".left-out")).to_contain_text("Excluded: ")
        expect(answer.locator(".left-out")).to_contain_text("2 text values, 1 value of another type, 1 without the attribute")

    def test_texts_are_told_and_read_as_numbers_when_asked(self):
        page = self.open("/?questions=trends&name=measured_text&measure=sum:amount")
        answer = self.answered(page)
        expect(answer).to_contain_text("No numeric values")
        expect(answer).to_contain_text("none with a number in “amount”: 3 text values.")
        expect(answer).not_to_contain_text("No event")
        page.get_by_role("button", name="Parse text as numbers").click()
        expect(page).to_have_url(re.compile("texts=numbers"))
        expect(self.answered(page).get_by_role("row", name=re.compile("^Total"))).to_contain_text("10")
        expect(page.locator(".left-out")).to_contain_text("Excluded: 1 of 3 events")
        expect(page.get_by_label("Parse text such as")).to_be_checked()

    def test_a_question_about_people_never_says_that_there_was_no_event(self):
        page = self.open("/?questions=trends&name=measured&measure=users")
        answer = self.answered(page)
        expect(answer).to_contain_text("No users in this time range")
        expect(answer).not_to_contain_text("No event")

    def test_groups_that_look_alike_have_names_of_their_own(self):
        page = self.open("/?questions=trends&name=measured&by=q")
        names = self.answered(page).locator(".sums-name").all_text_contents()
        self.assertEqual(sorted(names), sorted(["x", '"no q"', '"2 more"', '"all"', r'"\"x\""', "no q"]))

    def test_values_with_the_same_text_are_one_group_when_asked(self):
        page = self.open("/?questions=trends&name=mixed&by=q")
        names = self.answered(page).locator(".sums-name").all_text_contents()
        self.assertEqual(sorted(names), sorted(["1", '"1"', "true", '"true"', "\u00e1", "a\u0301", '"no q"', "no q"]))
        page.get_by_label("Group values with the same text").check()
        expect(page).to_have_url(re.compile("by=q&values=texts"))
        expect(self.answered(page).locator(".sums li")).to_have_text(["13", "true2", "\u00e12", "no q1", '"no q"1'])
        page.get_by_label("Group by").fill("")
        page.get_by_label("Group by").press("Enter")
        expect(page).not_to_have_url(re.compile("values="))
        expect(page.get_by_label("Group values with the same text")).to_be_hidden()

    def test_a_funnel_groups_by_text_too(self):
        page = self.open("/?questions=funnel&step=mixed&by=q&values=texts")
        self.answered(page)
        expect(page.get_by_label("Group values with the same text")).to_be_checked()

    def test_an_answer_does_not_say_how_much_was_read_for_it(self):
        for question in ("trends&name=purchase&last=30d", "funnel&step=view_item&step=purchase", "lifecycle"):
            with self.subTest(question):
                page = self.open(f"/?questions={question}")
                self.assertNotIn("read", self.answered(page).inner_text().split())


class WrongParameters(PageTest):
    forgiven = re.compile("Failed to load resource: the server responded with a status of 400")

    def test_a_wrong_way_to_group_is_named(self):
        page = self.open("/?questions=trends&by=q&values=numbers")
        expect(page.get_by_text("is not “texts”")).to_be_visible()
