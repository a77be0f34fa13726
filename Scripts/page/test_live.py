# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# The live events, the ledger and what was refused; and that all of it has an address.
import re
import unittest

import collector
from collector import HOSTILE, PageTest, expect

setUpModule = collector.setUp


class Live(PageTest):
    def test_words_and_terms_find_events(self):
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
        expect(page.get_by_text("No event matches")).to_be_visible()
        page.get_by_role("button", name="Clear the filter").click()
        expect(rows.filter(has_text="the_last")).to_have_count(1)
        self.assertEqual(page.url, self.collector.url + "/")

    def test_a_filter_is_a_link_and_back_undoes_it(self):
        page = self.open("/#name%3Aview_item")
        rows = page.locator("#rows tr:visible")
        expect(rows.first).to_contain_text("view_item")
        expect(rows.filter(has_not_text="view_item")).to_have_count(0)
        page.get_by_role("button", name="Visitors", exact=True).click()
        expect(page).to_have_url(re.compile(r"\?visitors$"))
        page.go_back()
        expect(page).to_have_url(re.compile("/#name%3Aview_item$"))
        expect(page.locator("#filter")).to_have_value("name:view_item")
        expect(rows.filter(has_not_text="view_item")).to_have_count(0)
        page.go_forward()
        expect(page.locator("#people li").first).to_contain_text("Everybody")

    def test_an_event_has_an_address(self):
        page = self.open("/?event=0199aaaa-0000-7000-8000-000000000014")
        drawer = page.locator("#drawer")
        expect(drawer.get_by_role("heading", name="the_last")).to_be_visible()
        expect(drawer).to_contain_text("needle in the haystack")
        page.get_by_role("button", name="Close").click()
        expect(page).to_have_url(self.collector.url + "/")
        page.go_back()
        expect(drawer.get_by_role("heading", name="the_last")).to_be_visible()

    def test_an_event_that_is_opened_comes_into_the_address_and_back_closes_it(self):
        page = self.open()
        page.locator("#rows").get_by_role("button", name="the_last").click()
        expect(page).to_have_url(re.compile(r"\?event=0199aaaa-0000-7000-8000-000000000014$"))
        page.go_back()
        expect(page.locator("#drawer")).to_be_hidden()
        expect(page).to_have_url(self.collector.url + "/")

    def test_the_refused_are_listed_with_their_reason(self):
        page = self.open()
        page.get_by_role("tab", name="Failed").click()
        expect(page).to_have_url(re.compile(r"\?tab=failed$"))
        entry = page.locator("#failures button").filter(has_text=self.collector.refused)
        expect(entry).to_have_count(1)
        entry.click()
        expect(page.locator("#drawer")).to_contain_text(self.collector.refused)
        page.reload()
        expect(page.get_by_role("tab", name="Failed")).to_have_attribute("aria-selected", "true")
        page.go_back()
        expect(page.locator("#main")).to_have_attribute("data-view", "events")

    def test_hostile_names_and_values_stay_text(self):
        page = self.open("/#name%3Ahostile")
        rows = page.locator("#rows tr:visible")
        expect(rows).to_have_count(len(HOSTILE))
        self.assertEqual(page.locator("#rows img, #rows script").count(), 0)
        rows.last.get_by_role("button").click()
        expect(page.locator("#drawer")).to_contain_text("onerror=document.title")
        self.assertEqual(page.locator("#drawer img").count(), 0)
        expect(page).to_have_title("Trackway")


class Mistaken(PageTest):
    forgiven = re.compile("Failed to load resource: the server responded with a status of 40[04]")

    def test_a_wrong_address_says_what_is_wrong(self):
        for path, sentence in [
            ("/?vistors", "“vistors”, which this page does not know"), ("/?tab=gone", "“gone” is no tab"), ("/?questions=trend", "“trend” is no kind of question"),
            ("/?event=%zz", "not percent-encoded"), ("/?visitors&limit=3", "“limit”"),
        ]:
            with self.subTest(path):
                expect(self.open(path).locator("#wrong-address")).to_contain_text(sentence)

    def test_an_event_that_is_not_there_is_said_to_be_absent(self):
        page = self.open("/?event=0199aaaa-0000-7000-8000-00000000ffff")
        expect(page.locator("#drawer .wrong")).to_be_visible()
        expect(page.locator("#drawer .wrong")).not_to_be_empty()


if __name__ == "__main__":
    unittest.main()
