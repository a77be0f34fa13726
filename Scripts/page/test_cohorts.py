# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Cohorts that are created, used, replaced and deleted in the dialog.
import json
import re
import unittest
import urllib.request
from urllib.parse import unquote

import collector
from collector import PageTest, expect

setUpModule = collector.setUp


class Cohorts(PageTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of (401|403|422|503)")

    def setUp(self):
        self.addCleanup(self.delete_cohorts)

    def request(self, method, path, value=None):
        request = urllib.request.Request(self.collector.url + path, None if value is None else json.dumps(value).encode(), {"authorization": "Bearer dev"}, method=method)
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def delete_cohorts(self):
        for cohort in self.request("GET", "/v1/cohorts")["cohorts"]:
            self.request("DELETE", f"/v1/cohorts/{cohort['name']}")

    def open_dialog(self, query="trends&name=view_item&measure=users", **options):
        page = self.open("/icon.svg", **options)
        page.evaluate("sessionStorage.setItem('trackway.key', 'dev')")
        page.goto(f"{self.collector.url}/?questions={query}")
        self.loaded_result(page)
        page.get_by_role("button", name="Cohorts").click()
        return page, page.get_by_role("dialog", name="Cohorts")

    def total(self, page):
        return self.loaded_result(page).get_by_role("row", name=re.compile("^Total")).get_by_role("cell").text_content()

    def test_a_cohort_is_created_and_used_as_a_filter(self):
        page, dialog = self.open_dialog()
        expect(dialog).to_contain_text("No cohorts yet.")
        expect(dialog.get_by_label("Name", exact=True)).to_be_visible()
        dialog.get_by_label("Name", exact=True).fill("buyers")
        did = dialog.get_by_role("group", name="Who did")
        did.get_by_label("Event").fill("purchase")
        did.get_by_label("With").fill("total>=1")
        did.get_by_label("In the last").fill("90d")
        did.get_by_label("In the last").press("Enter")
        item = dialog.get_by_role("listitem")
        expect(item).to_contain_text("did purchase with total>=1 in the last 90d")
        expect(dialog.get_by_role("status")).to_have_text("Saved “buyers”.")
        self.assertEqual(self.request("GET", "/v1/cohorts/buyers")["did"][0]["where"], ["total>=1"])
        dialog.get_by_role("button", name="Filter by the cohort buyers").click()
        expect(dialog).to_be_hidden()
        expect(page).to_have_url(re.compile("where="))
        self.assertIn("where=cohort=buyers", unquote(page.url))
        expect(page.get_by_label("Value", exact=True)).to_have_value("buyers")
        self.assertLess(0, int(self.total(page)))
        self.assertLessEqual(int(self.total(page)), self.collector.buyers)
        # The filter is offered with its values.
        expect(page.locator("#cohort-names option")).to_have_attribute("value", "buyers")

    def test_an_invalid_condition_is_explained_at_its_field(self):
        page, dialog = self.open_dialog()
        dialog.get_by_label("Name", exact=True).fill("wrong")
        dialog.get_by_label("Users with").fill("plan=pro")
        dialog.get_by_role("button", name="Save cohort").click()
        expect(dialog.get_by_role("alert")).to_contain_text("write person.plan=pro")
        expect(dialog.get_by_label("Users with")).to_be_focused()
        expect(dialog.get_by_label("Users with")).to_have_attribute("aria-invalid", "true")
        dialog.get_by_label("Users with").fill("")
        did_not = dialog.get_by_role("group", name="And did not do")
        did_not.get_by_label("In the last").fill("soon")
        dialog.get_by_role("button", name="Save cohort").click()
        expect(did_not.get_by_label("Event")).to_have_attribute("aria-invalid", "true")
        did_not.get_by_label("Event").fill("refund")
        dialog.get_by_role("button", name="Save cohort").click()
        expect(did_not.get_by_role("alert")).to_contain_text("“soon” is not a time range")
        expect(did_not.get_by_label("In the last")).to_have_attribute("aria-invalid", "true")
        self.assertEqual(self.request("GET", "/v1/cohorts")["cohorts"], [])

    def test_replacing_and_deleting_need_a_second_press(self):
        self.request("PUT", "/v1/cohorts/pros", {"where": ["person.plan=pro"]})
        page, dialog = self.open_dialog()
        expect(dialog.get_by_label("Name", exact=True)).to_be_hidden()
        dialog.get_by_text("New cohort").click()
        dialog.get_by_label("Name", exact=True).fill("pros")
        dialog.get_by_label("Users with").fill("person.plan=team")
        dialog.get_by_role("button", name="Save cohort").click()
        expect(dialog.get_by_role("status")).to_contain_text("The cohort “pros” exists.")
        self.assertEqual(self.request("GET", "/v1/cohorts/pros")["where"], ["person.plan=pro"])
        dialog.get_by_role("button", name="Replace cohort").click()
        expect(dialog.get_by_role("listitem")).to_contain_text("person.plan=team")
        delete = dialog.get_by_role("button", name="Delete the cohort pros")
        delete.click()
        expect(delete).to_have_text("Delete permanently")
        # Moving on withdraws the question.
        dialog.get_by_role("button", name="Close").focus()
        expect(delete).to_have_text("Delete")
        delete.click()
        delete.click()
        expect(dialog).to_contain_text("No cohorts yet.")
        expect(dialog.get_by_role("status")).to_contain_text("The cohort “pros” was deleted.")
        page.goto(f"{self.collector.url}/?questions=trends&where=cohort%3Dpros")
        expect(page.locator("#results .error")).to_contain_text("pros")

    def test_a_key_is_requested_before_a_cohort_is_saved(self):
        page, dialog = self.open_dialog()
        page.evaluate("sessionStorage.removeItem('trackway.key')")
        page.route("**/v1/cohorts/*", lambda route: route.continue_() if "authorization" in route.request.headers else route.fulfill(status=401, json={"error": {"code": "unauthorized", "message": "no key"}}))
        dialog.get_by_label("Name", exact=True).fill("late")
        dialog.get_by_label("Users with").fill("person.plan=pro")
        dialog.get_by_role("button", name="Save cohort").click()
        page.locator("#key-text").fill("dev")
        page.get_by_role("button", name="Continue").click()
        expect(dialog.get_by_role("listitem")).to_contain_text("late")

    def test_long_and_many_cohorts_fit_the_dialog(self):
        for number in range(12):
            self.request("PUT", f"/v1/cohorts/{number}-{'long-' * (1 + number % 3)}{'x' * 40}", {"where": ["person.plan=pro or person.first_seen>=2026-11-01"] * 5, "did": [{"event": "purchase" * 8, "times": 3, "last": "90d"}]})
        for width, scheme in [(1440, "light"), (390, "dark")]:
            page, dialog = self.open_dialog(width=width, scheme=scheme)
            expect(dialog.get_by_role("listitem")).to_have_count(12)
            with self.subTest(width=width):
                self.assertLessEqual(dialog.evaluate("node => node.scrollWidth - node.clientWidth"), 0)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                self.assertEqual(self.violations(page), [])
                dialog.get_by_text("New cohort").click()
                self.assertEqual(self.violations(page), [])

    def test_an_insight_without_filters_offers_none(self):
        self.request("PUT", "/v1/cohorts/pros", {"where": ["person.plan=pro"]})
        _, dialog = self.open_dialog("paths")
        expect(dialog.get_by_role("button", name="Delete the cohort pros")).to_be_visible()
        expect(dialog.get_by_role("button", name=re.compile("^Filter by"))).to_have_count(0)

    def test_a_collector_that_does_not_respond_is_reported(self):
        page = self.open("/?questions=trends", responses={})
        self.loaded_result(page)
        page.route("**/v1/cohorts", lambda route: route.fulfill(status=503, json={"error": {"code": "cohorts_unavailable", "message": "The cohorts cannot be read."}}))
        page.get_by_role("button", name="Cohorts").click()
        expect(page.get_by_role("dialog", name="Cohorts").get_by_role("alert")).to_have_text("The cohorts cannot be read.")


if __name__ == "__main__":
    unittest.main()
