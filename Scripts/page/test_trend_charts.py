# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Trends: calendar periods, the charts, suggested values, and the events behind a point.
import datetime
import re
import unittest
from urllib.parse import parse_qs, unquote, urlsplit

import collector
from collector import DAY, PageTest, expect, installation, respond_with

COLORS = ["red", 7, "7", True, "a=b", "[x]", "*"]
# The day after clocks changed in Berlin: the Sunday had 23 hours.
NOW = datetime.datetime(2026, 3, 30, 8, 30, tzinfo=datetime.timezone.utc)
# UTC times of the ranges on that Monday in Berlin. An end of None is the current time.
RANGES = {
    "today": ("2026-03-29T22:00", None, "hour"), "yesterday": ("2026-03-28T23:00", "2026-03-29T22:00", "hour"),
    "this-week": ("2026-03-29T22:00", None, "hour"), "last-week": ("2026-03-22T23:00", "2026-03-29T22:00", "day"),
    "this-month": ("2026-02-28T23:00", None, "day"), "last-month": ("2026-01-31T23:00", "2026-02-28T23:00", "day"),
    "14d": ("2026-03-16T23:00", None, "day"), "6h": ("2026-03-30T03:00", None, "hour"),
}
CALENDAR = [last for last in RANGES if "-" in last or last.endswith("day")]
# The range that the page displays.
DATES = {
    "today": "Mar 30, 2026", "yesterday": "Mar 29, 2026", "this-week": "Mar 30, 2026", "last-week": "Mar 23, 2026 – Mar 29, 2026",
    "this-month": "Mar 1, 2026 – Mar 30, 2026", "last-month": "Feb 1, 2026 – Feb 28, 2026", "14d": "Mar 17, 2026 – Mar 30, 2026", "6h": "Mar 30, 2026",
}


def setUpModule():
    """Sends paints of each color, three of the first, from one person each and one without a color."""
    collector.setUp()
    server = PageTest.collector
    for number, color in enumerate([*COLORS, COLORS[0], COLORS[0], None]):
        attributes = {"shade": number} if color is None else {"color": color, "shade": number}
        last = server.send({"batch": {"installation": installation(600 + number)}}, {"context": {"device": {"country": "DE" if number < 4 else "FR"}}}, {"name": "paint", "time": server.now - 2 * DAY + number, "attributes": attributes})
    for number in range(60):
        last = server.send({"batch": {"installation": installation(700)}}, {"name": "stroke", "time": server.now - DAY + number, "attributes": {"number": number}})
    server.wait(last["position"])


class TimeRanges(PageTest):
    def test_calendar_periods_begin_at_midnight_in_the_zone(self):
        page = self.open("/icon.svg", zone="America/New_York")
        page.clock.set_fixed_time(NOW)
        queries = []
        result = {"interval": "day", "zone": "UTC", "edges": [0, 1], "series": [{"values": [1], "total": 1}], "read": 1}

        def answer(route):
            queries.append({key: values[0] for key, values in parse_qs(urlsplit(route.request.url).query).items()})
            respond_with(result)(route)

        page.route("**/v1/trends?*", answer)
        for last, (start, end, interval) in RANGES.items():
            with self.subTest(last):
                page.goto(f"{self.collector.url}/?questions=trends&zone=Europe/Berlin&last={last}")
                self.loaded_result(page)
                if last in CALENDAR:
                    # The collector calculates these ranges.
                    self.assertEqual({key: queries[-1].get(key) for key in ("last", "from", "to", "zone")}, {"last": last, "from": None, "to": None, "zone": "Europe/Berlin"})
                else:
                    expected = [int((datetime.datetime.fromisoformat(text + "+00:00") if text else NOW).timestamp() * 1000) for text in (start, end)]
                    self.assertEqual([int(queries[-1][key]) for key in ("from", "to")], expected)
                expect(page.locator("#insight-dates")).to_contain_text(DATES[last])
                self.assertEqual(queries[-1]["interval"], interval)

    def test_all_time_begins_with_the_first_event(self):
        first = min(self.collector.get("/v1/events?order=asc&limit=1000")["events"], key=lambda event: event["time"])["time"]
        page = self.open("/?questions=trends&name=view_item&zone=UTC", zone="UTC")
        self.loaded_result(page)
        page.get_by_role("button", name="All time").click()
        expect(page).to_have_url(re.compile("last=all"))
        day = datetime.datetime.fromtimestamp(first / 1000, datetime.timezone.utc)
        expect(page.locator("#insight-dates")).to_contain_text(day.strftime("%b {}, %Y – ").format(day.day))
        expect(self.loaded_result(page).locator("table.data-table tbody tr").first).to_contain_text(day.strftime("%b {}, %Y").format(day.day))

    def test_an_unknown_range_is_explained(self):
        page = self.open("/?questions=trends&last=tomorrow")
        expect(page.locator("#results .error")).to_contain_text("write today, yesterday, this-week")
        page = self.open("/?questions=trends&last=3661d")
        expect(page.locator("#results .error")).to_contain_text("at most 3660 days")

    def test_live_events_have_calendar_periods(self):
        page = self.open("/")
        page.get_by_label("Time range of the events").select_option("yesterday")
        expect(page).to_have_url(re.compile("last=yesterday"))
        expect(page.locator("#rows")).to_contain_text("stroke")
        expect(page.locator("#rows")).not_to_contain_text("paint")

    def test_a_query_that_was_left_runs_again(self):
        page = self.open("/?questions=trends&name=paint")
        held = []
        page.route("**/v1/trends?*", lambda route: held.append(route))
        page.get_by_role("button", name="7 days").click()
        self.wait_until(page, lambda: held)
        page.get_by_role("button", name="Live", exact=True).click()
        page.unroute("**/v1/trends?*")
        page.get_by_role("button", name="Insights").click()
        expect(self.loaded_result(page).get_by_role("row", name=re.compile("^Total"))).to_contain_text("10")


class Charts(PageTest):
    allowed_messages = re.compile("status of 503")

    def test_the_chart_type_is_in_the_url_and_survives_changes(self):
        page = self.open("/?questions=trends&name=paint&by=color&last=7d")
        charts = page.get_by_role("group", name="Chart type")
        expect(self.loaded_result(page).locator("path.line")).not_to_have_count(0)
        charts.get_by_role("button", name="Bars").click()
        expect(self.loaded_result(page).locator("rect.fill")).not_to_have_count(0)
        expect(page.locator("#results path.line")).to_have_count(0)
        charts.get_by_role("button", name="Table").click()
        expect(page.get_by_role("heading", name="Events", exact=True)).to_be_visible()
        expect(page.locator("#results svg.plot-svg")).to_have_count(0)
        page.get_by_role("button", name="30 days").click()
        expect(page).to_have_url(re.compile("chart=table"))
        page.go_back()
        page.go_back()
        expect(charts.get_by_role("button", name="Bars")).to_have_attribute("aria-pressed", "true")
        page = self.open("/?questions=trends&chart=pie")
        expect(page.locator("#results .error")).to_contain_text("is not one of line, bars, number, table")

    def test_bars_of_people_are_next_to_each_other_and_bars_of_events_are_stacked(self):
        for measure, is_stacked in [("users", False), ("events", True)]:
            page = self.open(f"/?questions=trends&name=paint&by=context.device.country&chart=bars&last=7d&measure={measure}")
            bars = [bar.bounding_box() for bar in self.loaded_result(page).locator("rect.fill").all()]
            self.assertEqual(len(bars), 2)
            self.assertEqual(abs(bars[0]["x"] - bars[1]["x"]) < 1, is_stacked, measure)
        # A click selects the bar below the pointer.
        page = self.open("/?questions=trends&name=paint&by=context.device.country&chart=bars&last=7d&measure=users")
        bars = [bar.bounding_box() for bar in self.loaded_result(page).locator("rect.fill").all()]
        page.mouse.click(bars[1]["x"] + bars[1]["width"] / 2, bars[1]["y"] + bars[1]["height"] - 3)
        expect(page.locator(".people-panel h3")).to_contain_text("DE")
        expect(page.locator(".people-panel tbody tr")).to_have_count(4)

    def test_incomplete_intervals_are_marked(self):
        page = self.open("/?questions=trends&name=paint&interval=week&last=30d&chart=bars")
        result = self.loaded_result(page)
        expect(result).to_contain_text("faded: incomplete week")
        expect(result.locator("g.bar.current")).not_to_have_count(0)
        expect(result.get_by_role("row", name=re.compile("so far"))).to_have_count(1)
        page = self.open("/?questions=trends&name=paint&from=2026-01-01&to=2026-01-02&interval=week&zone=UTC&name=stroke")
        expect(page.locator("#results")).not_to_contain_text("incomplete")

    def test_a_number_has_the_total_over_all_groups(self):
        page = self.open("/?questions=trends&name=paint&by=color&top=2&last=7d&chart=number&compare=before&measure=users")
        expect(page.locator(".big-number b")).to_have_text("10")
        expect(page.locator(".big-number small")).to_have_text("previously 0")
        expect(page.locator(".group-bars li")).to_have_count(3)
        page = self.open("/?questions=trends&name=stroke&last=7d&chart=number")
        expect(page.locator(".big-number b")).to_have_text("60")
        expect(page.locator(".group-bars")).to_have_count(0)

    def test_several_attributes_and_buckets_form_groups(self):
        page = self.open("/?questions=trends&name=paint&by=shade&by=context.device.country&buckets=2,8&last=7d&chart=number")
        expect(page.locator(".group-bars li")).to_have_count(4)
        for text in ["2 to < 8 · FR", "2 to < 8 · DE", "< 2 · DE", "≥ 8 · FR"]:
            expect(page.locator(".group-bars")).to_contain_text(text)
        expect(page.locator(".big-number b")).to_have_text("10")
        self.assertEqual([page.locator(f"[data-field={field}]").input_value() for field in ("by", "by-2", "by-3", "buckets")], ["shade", "context.device.country", "", "2,8"])
        page.locator("[data-field=by-2]").fill("color")
        page.locator("[data-field=by-2]").press("Enter")
        expect(page).to_have_url(re.compile("by=shade&by=color&buckets=2"))
        expect(page.locator(".group-bars")).to_contain_text("2 to < 8 · \"7\"")
        page.locator("[data-field=by]").fill("")
        page.locator("[data-field=by]").press("Enter")
        expect(page).to_have_url(re.compile("by=color"))

    def test_a_field_that_no_event_has_suggests_others(self):
        page = self.open("/?questions=trends&name=paint&by=country&last=7d")
        page.get_by_role("button", name="context.device.country").click()
        expect(self.loaded_result(page).locator(".series-totals li")).to_have_count(2)
        page = self.open("/?questions=trends&name=paint&by=nonsense&last=7d")
        expect(page.locator(".excluded-note")).to_have_text("No matching event has “nonsense”.")

    def test_a_table_is_saved_as_csv_without_formulas(self):
        page = self.open("/?questions=trends&name=stroke&by=number&top=2&last=7d", responses={"**/v1/trends?*": {"interval": "day", "zone": "UTC", "edges": [0, DAY], "series": [{"group": "=1+1", "values": [1234567], "total": 1234567}, {"group": 'a,"b"', "values": [-2.5], "total": None}]}})
        with page.expect_download() as download:
            page.get_by_role("button", name="Download CSV").click()
        self.assertEqual(download.value.suggested_filename, "data.csv")
        with open(download.value.path(), newline="", encoding="utf-8") as table:
            lines = table.read().split("\r\n")
        self.assertEqual(lines[0], "Day,'=1+1,\"a,\"\"b\"\"\"")
        self.assertEqual(lines[1:], ['"Thu, Jan 1, 1970, so far",1234567,-2.5', "Total,1234567,", ""])


class Cards(PageTest):
    def test_a_card_keeps_calendar_periods_and_the_chart(self):
        for query, parts, chart in [("last=today", ["last=today"], None), ("last=all&interval=hour&chart=bars", ["last=all", "interval=day"], "bars"), ("last=yesterday&chart=number", ["last=yesterday"], "number"), ("last=7d&chart=table", ["last=7d"], "table"), ("last=14d", ["last=14d"], None)]:
            with self.subTest(query):
                page = self.open("/icon.svg")
                page.evaluate("sessionStorage.setItem('trackway.key', 'dev')")
                page.goto(f"{self.collector.url}/?questions=trends&name=stroke&{query}")
                self.loaded_result(page)
                page.get_by_role("button", name="Add to dashboard").click()
                dialog = page.get_by_role("dialog", name="Add to dashboard")
                expect(dialog.locator("#save-note")).to_be_empty()
                dialog.get_by_role("combobox", name="Dashboard", exact=True).select_option(label="New dashboard")
                with page.expect_response(lambda response: response.request.method == "POST") as response:
                    dialog.get_by_role("button", name="Save").click()
                board = response.value.json()
                stored = unquote(board["cards"][0]["query"])
                for part in [*parts, "name=stroke"]:
                    self.assertIn(part, stored)
                self.assertNotIn("chart", stored)
                self.assertEqual(board["cards"][0].get("chart"), chart)
                # The collector can run the card, and the card's link opens the insight.
                dialog.get_by_role("link").click()
                expect(page.locator("#board-cards [aria-busy]")).to_have_count(0)
                card = page.locator("#board-cards > article")
                expect(card).to_contain_text("60" if query != "last=today" else "stroke")


class Values(PageTest):
    def options(self, page, count):
        expect(page.locator("#field-values option")).to_have_count(count)
        return page.locator("#field-values option").evaluate_all("nodes => nodes.map(({ value }) => value)")

    def test_values_of_the_attribute_are_suggested(self):
        page = self.open("/?questions=trends&name=paint&where=color%3Dred")
        self.loaded_result(page)
        page.get_by_label("Value", exact=True).focus()
        self.assertEqual(self.options(page, 6)[0], "red")
        expect(page.locator("#field-values option").first).to_have_attribute("label", "3 events")
        # Fields of the context have the values of recent events.
        page.get_by_label("Attribute", exact=True).fill("context.device.country")
        page.get_by_label("Value", exact=True).focus()
        self.assertEqual(sorted(self.options(page, 2)), ["DE", "FR"])
        expect(page.locator('#attributes option[value="context.device.country"]')).to_have_attribute("label", "Country")


class PointEvents(PageTest):
    allowed_messages = re.compile("status of 503")

    def open_point(self, query):
        page = self.open(f"/?questions=trends&last=7d&{query}&list=events")
        panel = page.locator(".people-panel")
        expect(panel.get_by_role("status")).to_have_text(re.compile("event"))
        return page, panel

    def shades(self, panel):
        return sorted(int(re.search(r"shade (\d+)", text).group(1)) for text in panel.locator("tbody tr").all_text_contents())

    def test_a_group_lists_exactly_its_events(self):
        for group, shades in [('"red"', [0, 7, 8]), ("7", [1]), ('"7"', [2]), ("true", [3]), ('"a%3Db"', [4]), ('"[x]"', [5]), ('"*"', [6]), ("null", [9])]:
            with self.subTest(group):
                _, panel = self.open_point(f"name=paint&by=color&top=25&point=total&group={group}")
                self.assertEqual(self.shades(panel), shades)
        _, panel = self.open_point("name=paint&by=color&top=1&point=total&group=other")
        self.assertEqual(self.shades(panel), [1, 2, 3, 4, 5, 6, 9])
        _, panel = self.open_point("name=paint&by=color&values=texts&top=25&point=total&group=\"7\"")
        self.assertEqual(self.shades(panel), [1, 2])
        _, panel = self.open_point("name=paint&by=color&values=texts&top=2&point=total&group=other")
        self.assertEqual(self.shades(panel), [3, 4, 5, 6, 9])

    def test_a_combination_or_bucket_lists_exactly_its_events(self):
        for group, shades in [('[{"from":2,"to":8},"FR"]', [4, 5, 6, 7]), ('[{"to":2},"DE"]', [0, 1]), ('[{"from":8},"FR"]', [8, 9])]:
            with self.subTest(group):
                _, panel = self.open_point(f"name=paint&by=shade&by=context.device.country&buckets=2,8&point=total&group={group}")
                self.assertEqual(self.shades(panel), shades)
        _, panel = self.open_point('name=paint&by=color&by=context.device.country&point=total&group=[null,"FR"]')
        self.assertEqual(self.shades(panel), [9])
        for rest in ["by=shade&buckets=2&point=total&group=null", "by=shade&by=color&top=1&point=total&group=other", "by=shade&by=color&point=total&group=[1]"]:
            with self.subTest(rest):
                page = self.open(f"/?questions=trends&last=7d&name=paint&{rest}&list=events")
                expect(page.locator(".people-panel").get_by_role("status")).to_contain_text("cannot be listed")

    def test_a_point_without_events_of_its_own_is_explained(self):
        for rest, reason in [("by=color&point=total&group={", "cannot be listed"), ("point=99999999999999", "not in the time range"), ("point=abc", "not in the time range"), ("point=total&period=before", "not in the time range")]:
            with self.subTest(rest):
                page = self.open(f"/?questions=trends&last=7d&name=paint&{rest}&list=events")
                expect(page.locator(".people-panel").get_by_role("status")).to_contain_text(reason)

    def test_an_interval_lists_its_events_page_by_page(self):
        page = self.open("/?questions=trends&name=stroke&name=paint&last=7d&zone=UTC", zone="UTC")
        row = self.loaded_result(page).get_by_role("row").filter(has=page.get_by_role("button", name="60", exact=True))
        row.get_by_role("button").click()
        panel = page.locator(".people-panel")
        panel.get_by_role("button", name="Events").click()
        expect(panel.locator("tbody tr")).to_have_count(50)
        expect(panel.get_by_role("status")).to_have_text("latest 50 events, last received first")
        panel.get_by_role("button", name="Show more").click()
        expect(panel.locator("tbody tr")).to_have_count(60)
        expect(panel.get_by_role("button", name="Show more")).to_be_hidden()
        self.assertNotIn("paint", panel.locator("tbody").text_content())
        expect(page).to_have_url(re.compile("list=events"))
        panel.get_by_role("button", name="stroke").first.click()
        expect(page.locator("#drawer")).to_contain_text("stroke")
        page.keyboard.press("Escape")
        expect(panel.get_by_role("button", name="stroke").first).to_be_focused()
        panel.get_by_role("button", name="People", exact=True).click()
        expect(panel.locator("tbody tr")).to_have_count(1)

    def test_several_names_are_merged_in_the_order_of_arrival(self):
        _, panel = self.open_point("name=stroke&name=paint&point=total&zone=UTC")
        expect(panel.locator("tbody tr")).to_have_count(50)
        panel.get_by_role("button", name="Show more").click()
        expect(panel.locator("tbody tr")).to_have_count(70)
        names = panel.locator("tbody tr .link").all_text_contents()
        self.assertEqual(names, ["stroke"] * 60 + ["paint"] * 10)

    def test_the_list_is_accessible(self):
        for width, scheme in [(1440, "light"), (390, "dark")]:
            page = self.open("/?questions=trends&last=7d&name=paint&by=color&chart=number&point=total&list=events", width=width, scheme=scheme)
            expect(page.locator(".people-panel tbody tr")).to_have_count(10)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            self.assertEqual(self.violations(page), [])


if __name__ == "__main__":
    unittest.main()
