# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# “How many people bought yesterday, by country?”, from the front page to the people, an alert, a shared dashboard and
# tables in files.
import csv
import datetime
import re
import unittest
import zoneinfo
from urllib.parse import unquote

import collector
from collector import PageTest, expect, installation

ZONE = "Europe/Berlin"
ANSWER = {"DE": 4, "FR": 2, "BR": 1}
PEOPLE = sum(ANSWER.values())


def yesterday(hour):
    """Returns a time of yesterday in the browser's zone, in milliseconds."""
    zone = zoneinfo.ZoneInfo(ZONE)
    date = datetime.datetime.now(zone).date() - datetime.timedelta(days=1)
    return int(datetime.datetime.combine(date, datetime.time(hour), zone).timestamp() * 1000)


def setUpModule():
    """Sends orders from yesterday: two from one visitor who signed in between them, and some of the day before."""
    collector.setUp()
    server = PageTest.collector
    countries = [country for country, count in ANSWER.items() for _ in range(count)]
    for number, country in enumerate(countries):
        context = {"app": {"id": "shop", "version": "2.0"}, "device": {"country": country, "platform": "iOS"}}
        order = {"name": "order", "attributes": {"total": 10 + number, "currency": "EUR"}}
        last = server.send(
            {"batch": {"installation": installation(500 + number)}}, {"context": context}, {**order, "time": yesterday(9) + number}, {**order, "time": yesterday(9) - collector.DAY},
            *([{"context": {**context, "user": {"id": "ada"}}}, {**order, "time": yesterday(11)}] if number == 0 else []),
        )
    server.wait(last["position"])


class Story(PageTest):
    def open_with_key(self, **options):
        page = self.open("/icon.svg", zone=ZONE, **options)
        page.evaluate("sessionStorage.setItem('trackway.key', 'dev')")
        page.goto(self.collector.url)
        return page

    def download(self, page, button):
        with page.expect_download() as download:
            button.click()
        with open(download.value.path(), newline="", encoding="utf-8") as table:
            return list(csv.reader(table))

    def ask(self, page):
        """Enters the question, as a new user who does not know the names of fields."""
        page.get_by_role("button", name="Insights").click()
        page.get_by_label("Event", exact=True).fill("order")
        page.get_by_label("Event", exact=True).press("Enter")
        page.get_by_role("combobox", name=re.compile("^Measure")).select_option("users")
        page.get_by_role("button", name="Yesterday").click()
        page.get_by_label("Group by").fill("country")
        page.get_by_label("Group by").press("Enter")
        page.get_by_role("button", name="context.device.country").click()
        page.get_by_role("group", name="Chart type").get_by_role("button", name="Number").click()
        expect(page.locator(".big-number b")).to_have_text(str(PEOPLE))

    def answer_question(self, **options):
        page = self.open_with_key(**options)
        self.ask(page)
        self.assertEqual([text.split() for text in page.locator(".group-bars li").all_inner_texts()], [[country, str(count)] for country, count in ANSWER.items()])
        for part in ["last=yesterday", "by=context.device.country", "measure=users", "chart=number", "zone=Europe/Berlin"]:
            self.assertIn(part, unquote(page.url))
        table = self.download(page, page.get_by_role("region", name="Data, table").locator("..").get_by_role("button", name="Download CSV"))
        self.assertEqual((table[0], table[-1]), (["Hour", *ANSWER], ["Total", *map(str, ANSWER.values())]))
        # The people, and their events.
        page.locator(".big-number").get_by_role("button").click()
        panel = page.locator(".people-panel")
        expect(panel.locator("tbody tr")).to_have_count(PEOPLE)
        people = self.download(page, panel.get_by_role("button", name="Download CSV"))
        self.assertEqual(len(people), PEOPLE + 1)
        self.assertIn("ada", [row[0] for row in people])
        panel.get_by_role("button", name="Events").click()
        expect(panel.locator("tbody tr")).to_have_count(PEOPLE + 1)
        self.assertIn("list=events", page.url)
        # The link keeps the query, the chart and the list.
        other = self.open(page.url.removeprefix(self.collector.url), zone=ZONE, **options)
        expect(other.locator(".big-number b")).to_have_text(str(PEOPLE))
        expect(other.locator(".people-panel tbody tr")).to_have_count(PEOPLE + 1)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), options["width"])
        self.create_alert(page)
        self.share(page, options)
        panel.get_by_role("link", name="ada").first.click()
        expect(page.get_by_role("heading", name="ada")).to_be_visible()

    def create_alert(self, page):
        page.get_by_role("button", name="Create alert").click()
        dialog = page.get_by_role("dialog", name="New alert")
        expect(dialog.get_by_label("Query (URL parameters)")).to_have_value("name=order&measure=users&last=24h")
        dialog.get_by_label("Title", exact=True).fill("Few buyers")
        expect(dialog.get_by_text("Fires when: users of order within 24h < 1.")).to_be_visible()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_label("The secret")).to_be_visible()
        dialog.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Alerts", exact=True).click()
        expect(page.locator("#alert-list")).to_contain_text("Few buyers")
        page.go_back()

    def share(self, page, options):
        page.get_by_role("button", name="Add to dashboard").click()
        dialog = page.get_by_role("dialog", name="Add to dashboard")
        dialog.get_by_role("combobox", name="Dashboard", exact=True).select_option(label="New dashboard")
        dialog.get_by_label("Card title").fill("Buyers by country")
        dialog.get_by_role("button", name="Save").click()
        address = page.url
        dialog.get_by_role("link").click()
        page.get_by_role("button", name="Share", exact=True).click()
        page.get_by_role("button", name="Create link").click()
        link = page.locator("#link-created input").input_value()
        shared = self.open(link.removeprefix(self.collector.url), zone=ZONE, **options)
        card = shared.locator("#board-cards > article")
        expect(card).to_contain_text("Buyers by country")
        for country, count in ANSWER.items():
            expect(card.locator(".group-bars li", has_text=country)).to_contain_text(str(count))
        expect(card.locator(".cell-button")).to_have_count(0)
        page.goto(address)
        self.loaded_result(page)

    def test_how_many_people_bought_yesterday_by_country(self):
        self.answer_question(width=1440, scheme="light")

    def test_how_many_people_bought_yesterday_by_country_on_a_phone(self):
        self.answer_question(width=390, height=844, scheme="dark")


if __name__ == "__main__":
    unittest.main()
