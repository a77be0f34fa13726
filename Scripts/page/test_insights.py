# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Insights: the form, the URL and the result agree.
import re
import unittest
from urllib.parse import unquote

import collector
from collector import PageTest, expect

setUpModule = collector.setUp


class Trends(PageTest):
    def test_the_chart_and_the_table_show_the_counts(self):
        page = self.open("/?questions=trends&name=purchase")
        result = self.loaded_result(page)
        expect(result.get_by_role("row", name=re.compile("^Total"))).to_contain_text(f"{self.collector.purchases:,}")
        expect(result.locator("svg path.line")).not_to_have_count(0)
        expect(page.locator("#insight-dates")).to_contain_text("Europe/Berlin")
        expect(result.locator("table.data-table tbody tr")).to_have_count(31)

    def test_each_change_is_in_the_url_and_back_undoes_it(self):
        page = self.open("/?questions=trends&name=purchase")
        self.loaded_result(page)
        page.get_by_label("Group by").fill("currency")
        page.get_by_label("Group by").press("Enter")
        expect(page).to_have_url(re.compile("by=currency"))
        expect(self.loaded_result(page).locator(".series-totals li")).to_have_count(2)
        page.get_by_role("button", name="7 days").click()
        expect(page).to_have_url(re.compile("last=7d"))
        expect(self.loaded_result(page).locator("table.data-table tbody tr")).to_have_count(8)
        page.get_by_role("combobox", name=re.compile("^Measure")).select_option("sum")
        page.get_by_label("Measured attribute").fill("total")
        page.get_by_label("Measured attribute").press("Enter")
        expect(self.loaded_result(page).get_by_role("heading", name="Sum of total")).to_be_visible()
        page.get_by_label("Compare with the previous period").check()
        expect(self.loaded_result(page).locator("path.line.previous")).to_have_count(2)
        address = page.url
        page.go_back()
        expect(page.get_by_label("Compare with the previous period")).not_to_be_checked()
        page.go_back()
        expect(page.get_by_role("combobox", name=re.compile("^Measure"))).to_have_value("events")
        page.go_back()
        expect(page.get_by_role("button", name="30 days")).to_have_attribute("aria-pressed", "true")
        page.go_back()
        expect(page.get_by_label("Group by")).to_have_value("")
        other = self.open(address.removeprefix(self.collector.url))
        expect(other.get_by_label("Group by")).to_have_value("currency")
        expect(self.loaded_result(other).locator("path.line.previous")).to_have_count(2)

    def test_filters_are_added_removed_and_restored_from_the_url(self):
        page = self.open("/?questions=trends&name=view_item")
        self.loaded_result(page)
        page.get_by_role("button", name="Add filter").click()
        page.get_by_label("Attribute", exact=True).fill("total")
        page.locator("#insight-form").get_by_label("Comparison").select_option("≥")
        page.get_by_label("Value", exact=True).fill("100")
        page.get_by_label("Value", exact=True).press("Enter")
        expect(page).to_have_url(re.compile("where="))
        self.assertIn("where=total≥100", unquote(page.url))
        filtered_total = self.loaded_result(page).get_by_role("row", name=re.compile("^Total")).text_content()
        page.get_by_role("button", name="Remove this filter").click()
        expect(self.loaded_result(page).get_by_role("row", name=re.compile("^Total"))).not_to_have_text(filtered_total)
        page.goto(self.collector.url + '/?questions=trends&where="a%3Db"≠"c"&where=coupon≠*&where=zip:%3D0815')
        expect(page.get_by_label("Attribute", exact=True)).to_have_count(3)
        self.assertEqual([node.input_value() for node in page.get_by_label("Attribute", exact=True).all()], ['"a=b"', "coupon", "zip"])
        self.assertEqual([node.input_value() for node in page.locator("#insight-form").get_by_label("Comparison").all()], ["≠", "≠*", ":="])

    def test_conditions_are_lists_parts_of_texts_and_alternatives(self):
        page = self.open("/?questions=trends&name=view_item")
        total = self.loaded_result(page).get_by_role("row", name=re.compile("^Total")).text_content()
        page.get_by_role("button", name="Add filter").click()
        form = page.locator("#insight-form")
        page.get_by_label("Attribute", exact=True).fill("currency")
        form.get_by_label("Comparison").select_option("contains")
        page.get_by_label("Value", exact=True).fill("eu")
        page.get_by_label("Value", exact=True).press("Enter")
        expect(page).to_have_url(re.compile("where="))
        self.assertIn("where=currency~eu", unquote(page.url))
        part = self.loaded_result(page).get_by_role("row", name=re.compile("^Total"))
        expect(part).not_to_have_text(total)
        page.get_by_role("button", name="Or: add an alternative to this filter").click()
        form.get_by_label("Comparison").nth(1).select_option("is any of")
        page.get_by_label("Value", exact=True).nth(1).fill('USD, "x or y"')
        page.get_by_label("Value", exact=True).nth(1).press("Enter")
        # Both currencies together are all events.
        expect(self.loaded_result(page).get_by_role("row", name=re.compile("^Total"))).to_have_text(total)
        self.assertIn('where=currency~eu or currency=[USD, "x or y"]', unquote(page.url))
        other = self.open(page.url.removeprefix(self.collector.url))
        expect(other.get_by_label("Attribute", exact=True)).to_have_count(2)
        self.assertEqual([node.input_value() for node in other.locator("#insight-form").get_by_label("Comparison").all()], ["~", "=[]"])
        other.get_by_role("button", name="Remove this alternative").click()
        expect(self.loaded_result(other).get_by_role("row", name=re.compile("^Total"))).not_to_have_text(total)
        # Text with a special meaning is quoted when it is typed as a value.
        other.locator("#insight-form").get_by_label("Comparison").select_option("=")
        other.get_by_label("Value", exact=True).fill("now or never")
        other.get_by_label("Value", exact=True).press("Enter")
        expect(other.get_by_text("Choose a longer time range or fewer filters.")).to_be_visible()
        self.assertIn('where=currency="now or never"', unquote(other.url))

    def test_an_incomplete_condition_is_explained(self):
        page = self.open("/?questions=trends&where=currency%3DEUR or USD")
        expect(page.locator("#results .error")).to_contain_text("“or” joins two filters")

    def test_a_number_lists_the_people_behind_it(self):
        page = self.open("/?questions=trends&name=view_item&measure=users&interval=week&by=currency")
        result = self.loaded_result(page)
        row = result.get_by_role("row", name=re.compile("^Total"))
        button = row.get_by_role("button").first
        count = int(button.text_content())
        button.click()
        panel = page.locator(".people-panel")
        expect(panel.locator(".panel-note")).to_contain_text(f"{count} people")
        expect(panel.locator("tbody tr")).to_have_count(min(count, 100))
        self.assertIn('point=total&group="', unquote(page.url))
        with page.expect_download() as download:
            panel.get_by_role("button", name="Download CSV").click()
        with open(download.value.path()) as table:
            lines = table.read().splitlines()
        self.assertEqual(lines[0], "user,installation,group,first,last,events")
        self.assertEqual(len(lines), count + 1)
        # The list is part of the link.
        other = self.open(page.url.removeprefix(self.collector.url))
        expect(other.locator(".people-panel .panel-note")).to_contain_text(f"{count} people")
        other.locator(".people-panel tbody a").first.click()
        expect(other.locator("#user-title")).to_be_visible()
        panel.get_by_role("button", name="Close the list of people").click()
        expect(panel).to_have_count(0)
        expect(page).not_to_have_url(re.compile("point="))
        # A changed query has other points.
        button.click()
        page.get_by_label("Group by").fill("")
        page.get_by_label("Group by").press("Enter")
        expect(page).not_to_have_url(re.compile("point="))

    def test_a_click_on_the_chart_lists_the_people_of_the_closest_line(self):
        page = self.open("/?questions=trends&name=view_item&measure=users&interval=week")
        chart = self.loaded_result(page).locator("svg.plot-svg")
        value = self.loaded_result(page).locator("table.data-table tbody tr").nth(1).get_by_role("button").text_content()
        box = chart.bounding_box()
        intervals = self.loaded_result(page).locator("table.data-table tbody tr").count() - 1
        width = (box["width"] - 68) / intervals
        chart.click(position={"x": 54 + 1.5 * width, "y": 120})
        expect(page.locator(".people-panel .panel-note")).to_contain_text(f"{value} people")

    def test_dates_are_converted_in_the_time_zone(self):
        page = self.open("/?questions=trends&from=2026-10-24&to=2026-10-26&zone=Europe/Berlin&interval=hour")
        with page.expect_request(re.compile("/v1/trends")) as request:
            page.reload()
        # Three days, one of them with 25 hours.
        query = dict(part.split("=") for part in request.value.url.split("?")[1].split("&"))
        self.assertEqual(int(query["to"]) - int(query["from"]), 73 * 3_600_000)
        self.assertEqual(query["from"], "1792792800000")

    def test_hostile_groups_are_shown_as_text(self):
        page = self.open("/?questions=trends&name=hostile&by=long")
        result = self.loaded_result(page)
        expect(result.locator(".series-totals li")).not_to_have_count(0)
        self.assertEqual(result.locator("img, script").count(), 0)
        self.assertLess(max(len(text) for text in result.locator(".series-totals li").all_text_contents()), 200)

    def test_an_empty_result_suggests_what_to_change(self):
        page = self.open("/?questions=trends&name=no-such-event")
        expect(page.get_by_text("Choose a longer time range or fewer filters.")).to_be_visible()

    def test_loading_shows_a_skeleton(self):
        page = self.open()
        expect(page.locator("#rows tr").first).to_be_attached()
        held = []
        page.route("**/v1/trends*", lambda route: held.append(route))
        page.keyboard.press("q")
        expect(page.locator("#results[aria-busy] .skeleton").first).to_be_attached()
        expect(page.locator("#results")).to_contain_text("Loading…")
        self.wait_until(page, lambda: held)
        for route in held:
            route.continue_()
        expect(self.loaded_result(page).locator("table.data-table")).to_be_visible()


class Funnel(PageTest):
    def test_a_funnel_is_built_step_by_step(self):
        page = self.open("/?questions=funnel")
        expect(page.get_by_text("Enter the steps, such as view_item and purchase.")).to_be_visible()
        for number, name in [(1, "purchase"), (2, "view_item")]:
            page.get_by_label(f"Step {number}", exact=True).fill(name)
            page.get_by_label(f"Step {number}", exact=True).press("Enter")
        # Purchased before viewed: the wrong order.
        page.get_by_role("button", name="Move up: step 2").click()
        expect(page).to_have_url(re.compile("step=view_item&step=purchase"))
        expect(self.loaded_result(page).locator(".funnel > li").first).to_contain_text(str(self.collector.viewers))
        expect(self.loaded_result(page).locator(".funnel > li").nth(1)).to_contain_text(re.compile(f"{self.collector.buyers}.*median"))
        page.get_by_role("button", name="Add step").click()
        expect(page.get_by_label("Step 3", exact=True)).to_be_focused()
        page.keyboard.type("add_to_cart")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Move up: step 3").click()
        expect(page).to_have_url(re.compile("step=view_item&step=add_to_cart&step=purchase"))
        expect(self.loaded_result(page).locator(".funnel > li")).to_have_count(3)
        conditions = page.get_by_role("group", name="Filters of step 3")
        conditions.get_by_role("button", name="Add filter").click()
        conditions.get_by_label("Attribute", exact=True).fill("total")
        conditions.get_by_label("Comparison").select_option(">")
        conditions.get_by_label("Value", exact=True).fill("1000000")
        conditions.get_by_label("Value", exact=True).press("Enter")
        expect(page).to_have_url(re.compile("where.3=total%3E1000000"))
        expect(self.loaded_result(page).get_by_role("heading", name="0% conversion")).to_be_visible()
        page.get_by_role("button", name="Remove: step 3").click()
        expect(page).to_have_url(re.compile("step=view_item&step=add_to_cart&last"))
        page.go_back()
        expect(page.get_by_label("Value", exact=True)).to_have_value("1000000")

    def test_groups_window_and_drop_off_are_in_the_url(self):
        # Links of earlier versions have the step of a drop-off as `people`.
        page = self.open("/?questions=funnel&step=view_item&step=purchase&by=currency&window=1h&people=1")
        result = self.loaded_result(page)
        expect(result.locator(".funnel > li").first.locator(".funnel-bar")).to_have_count(2)
        expect(page.get_by_label("Conversion window")).to_have_value("1h")
        user = result.locator(".people-panel tbody a").first
        expect(user).to_be_visible()
        name = user.text_content()
        user.click()
        expect(page.locator("#user-title")).to_contain_text(name.removeprefix("Visitor "))
        page.go_back()
        reached = self.loaded_result(page).locator(".funnel > li").nth(1).locator(".funnel-bar").first.get_by_role("button")
        count = reached.text_content()
        reached.click()
        expect(page).to_have_url(re.compile("point=2/reached"))
        expect(page.locator(".people-panel .panel-note")).to_contain_text(re.compile(f"^{count} (people|person)"))


class RetentionAndPaths(PageTest):
    def test_cells_and_bars_list_the_people_behind_them(self):
        for path, table in [("retention&first=view_item&return=view_item&interval=week", "table.cohort-table"), ("lifecycle&interval=week", "table.data-table"), ("stickiness&interval=week", "table.data-table")]:
            with self.subTest(path):
                page = self.open(f"/?questions={path}")
                self.loaded_result(page)
                # The shares of retention are shown as counts.
                if path.startswith("retention"):
                    page.get_by_role("button", name="Counts").click()
                for button in self.loaded_result(page).locator(f"{table} .cell-button").all()[:6]:
                    count = button.text_content()
                    button.click()
                    expect(page.locator(".people-panel .panel-note")).to_contain_text(re.compile(f"^{count} (people|person)"))
                    expect(page.locator(".people-panel tbody tr")).to_have_count(int(count))

    def test_retention_shows_a_triangle_of_cohorts(self):
        page = self.open("/?questions=retention&first=view_item&return=view_item&interval=week")
        rows = self.loaded_result(page).locator("table.cohort-table tbody tr")
        expect(rows).not_to_have_count(0)
        widths = [row.locator("td[class^=heat]:not(.heat-none)").count() for row in rows.all()]
        self.assertEqual(widths[1:], sorted(widths[1:], reverse=True))
        self.assertEqual(widths[1:], list(range(len(widths) - 1, 0, -1)))
        expect(rows.first.locator("td").first).to_have_text(str(self.collector.viewers))
        page.get_by_role("button", name="Counts", exact=True).click()
        expect(rows.nth(1).locator("td").nth(1)).not_to_contain_text("%")

    def test_lifecycle_and_stickiness_count_each_user_once(self):
        page = self.open("/?questions=lifecycle&name=view_item&interval=month")
        cells = self.loaded_result(page).locator("table.data-table tbody tr td:nth-of-type(1)")
        self.assertEqual(sum(int(text) for text in cells.all_text_contents()), self.collector.viewers)
        page.get_by_role("link", name="Stickiness").click()
        expect(page).to_have_url(re.compile("questions=stickiness.*name=view_item"))
        cells = self.loaded_result(page).locator("table.data-table tbody tr td:nth-of-type(1)")
        expect(cells).to_have_count(30)
        self.assertEqual(sum(int(text) for text in cells.all_text_contents()), self.collector.viewers)

    def test_paths_follow_a_start_or_lead_to_an_end(self):
        page = self.open("/?questions=paths&start=Home")
        result = self.loaded_result(page)
        expect(result.locator(".paths-name", has_text="Product")).not_to_have_count(0)
        expect(result.locator(".ribbon")).not_to_have_count(0)
        page.get_by_label("Starting at").fill("")
        page.get_by_label("Or ending at").fill("Cart")
        page.get_by_label("Or ending at").press("Enter")
        expect(page).to_have_url(re.compile("end=Cart"))
        expect(self.loaded_result(page).get_by_role("row", name=re.compile("^end Product Home|^1 before Product Home"))).to_have_count(1)


class Errors(PageTest):
    allowed_messages = re.compile("Failed to load resource")

    def test_an_error_names_the_parameter_and_marks_its_field(self):
        for query, field, sentence in [
            ("interval=decade", "interval", "decade"), ("measure=median", "measure", "median"), ("zone=Nowhere", "zone", "Nowhere"), ("where=total", "where", "not a filter"),
            ("last=2y", "last", "2y"), ("from=2026-02-30&to=2026-03-01", "from", "2026-02-30"), ("from=2026-03-02&to=2026-03-01", "to", "later end"),
            ("limit=5", "limit", "“limit” is not a parameter of this insight"), ("user=" + "x" * 5_000, "user", "5000"),
        ]:
            with self.subTest(query[:40]):
                page = self.open(f"/?questions=trends&{query}")
                expect(page.locator("#insight-error")).to_contain_text(sentence)
                expect(page.locator("#results code")).to_have_text(field)
                marked = page.locator(f"#insight-form [data-field='{field}']")
                if marked.count() > 0:
                    expect(marked.first).to_have_attribute("aria-invalid", "true")

    def test_a_failed_query_can_be_retried(self):
        page = self.open("/?questions=trends&name=purchase")
        self.loaded_result(page)
        page.route("**/v1/trends*", lambda route: route.abort())
        page.get_by_role("button", name="7 days").click()
        expect(page.get_by_text("The collector is not responding.")).to_be_visible()
        page.unroute("**/v1/trends*")
        page.get_by_role("button", name="Refresh").click()
        expect(self.loaded_result(page).locator("table.data-table")).to_be_visible()

    def test_a_query_is_retried_while_others_are_running(self):
        page = self.open("/icon.svg")
        rejected_urls = []

        def reject(route):
            rejected_urls.append(route.request.url)
            if len(rejected_urls) > 1:
                route.continue_()
            else:
                route.fulfill(status=503, json={"error": {"code": "too_many_questions", "message": "Later."}})

        # The route exists before the page, so that no request can bypass it.
        page.route(re.compile(r"/v1/trends\?"), reject)
        page.goto(self.collector.url)
        page.keyboard.press("q")
        expect(self.loaded_result(page).locator("table.data-table")).to_be_visible()
        self.assertEqual(len(rejected_urls), 2)


if __name__ == "__main__":
    unittest.main()
