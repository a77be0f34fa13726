# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Alerts that are created, tested, changed and deleted in the browser, with a webhook receiver.
import http.server
import json
import re
import threading
import unittest
import urllib.error
import urllib.request

import collector
from collector import HOSTILE, PageTest, expect

setUpModule = collector.setUp


class Receiver(http.server.ThreadingHTTPServer):
    """Receives messages, and responds with `status`."""

    def __init__(self):
        self.status, self.messages = 204, []
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.messages.append((dict(self.headers), json.loads(self.rfile.read(int(self.headers["content-length"])))))
                self.send_response(receiver.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/hook"


class AlertTest(PageTest):
    forgiven = re.compile("Failed to load resource: the server responded with a status of (401|403|404|409|422|503)")

    def setUp(self):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.server_close)
        self.addCleanup(self.receiver.shutdown)
        self.addCleanup(self.clear)

    def ask(self, method, path, value=None):
        request = urllib.request.Request(self.collector.url + path, None if value is None else json.dumps(value).encode(), {"authorization": "Bearer dev"}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def clear(self):
        for alert in self.ask("GET", "/v1/alerts")["alerts"]:
            self.ask("DELETE", f"/v1/alerts/{alert['id']}?version={alert['version']}")

    def make(self, title="Sales", threshold=0, **more):
        condition = {"kind": "trends", "query": "name=purchase&last=30d", "operator": ">", "threshold": threshold}
        return self.ask("POST", "/v1/alerts", {"title": title, "condition": condition, "webhook": self.receiver.url, **more})

    def until_told(self, count=1):
        for _ in range(600):
            if len(self.receiver.messages) >= count:
                return
            threading.Event().wait(0.1)
        self.fail("no message was received")

    def open_with_key(self, path, **more):
        """Opens the page as a user who has already entered the key."""
        page = self.open("/icon.svg", **more)
        page.evaluate("sessionStorage.setItem('trackway.key', 'dev')")
        page.goto(self.collector.url + path)
        return page


class Making(AlertTest):
    def test_an_alert_is_made_from_a_question_and_told(self):
        page = self.open_with_key("/?questions=trends&name=purchase&last=30d")
        self.answered(page)
        page.get_by_role("button", name="Create alert").click()
        dialog = page.get_by_role("dialog", name="New alert")
        expect(dialog.get_by_label("Query (URL parameters)")).to_have_value("name=purchase&last=24h")
        dialog.get_by_label("Query (URL parameters)").fill("name=purchase&last=30d")
        dialog.get_by_label("Comparison").select_option(">")
        dialog.get_by_label("Threshold").fill("3")
        expect(dialog.get_by_text(f"Fires when: events of purchase within 30d > 3. Now: {self.collector.purchases}.")).to_be_visible()
        dialog.get_by_label("Webhook URL").fill(self.receiver.url)
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_label("The secret")).to_have_value(re.compile("^whsec_"))
        expect(dialog.get_by_label("The secret")).to_be_focused()
        dialog.get_by_role("button", name="Close").click()
        self.until_told()
        self.assertEqual(self.receiver.messages[0][1]["data"]["value"], self.collector.purchases)
        page.get_by_role("button", name="Alerts", exact=True).click()
        alert = page.locator("#alert-list > li")
        expect(alert.locator(".alert-state")).to_have_text("firing")
        expect(alert).to_contain_text("events of purchase within 30d > 3")
        expect(alert.locator("tbody tr")).to_contain_text("delivered")
        self.assertNotIn("/hook", alert.inner_text())

    def test_what_is_wrong_is_said_at_its_field(self):
        page = self.open_with_key("/?alerts")
        page.get_by_role("button", name="New alert").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Title", exact=True).fill("Wrong")
        dialog.get_by_label("Query (URL parameters)").fill("name=a&last=7d&by=currency")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_role("alert")).to_contain_text("leave out “by”")
        expect(dialog.get_by_label("Query (URL parameters)")).to_be_focused()
        dialog.get_by_label("Query (URL parameters)").fill("name=a&last=7d")
        dialog.get_by_label("Webhook URL").fill("http://10.0.0.1/")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_label("Webhook URL")).to_have_attribute("aria-invalid", "true")
        dialog.get_by_label("Alert when").select_option("silence")
        expect(dialog.get_by_label("Query (URL parameters)")).to_be_hidden()
        expect(dialog.get_by_label("Within")).to_be_visible()

    def test_an_alert_on_the_disk_has_a_unit_and_a_default(self):
        page = self.open_with_key("/?alerts")
        page.get_by_role("button", name="New alert").click()
        dialog = page.get_by_role("dialog", name="New alert")
        dialog.get_by_label("Title", exact=True).fill("Disk")
        dialog.get_by_label("Alert when").select_option("disk")
        expect(dialog.get_by_label("Threshold, in %")).to_have_value("10")
        expect(dialog.get_by_role("combobox", name="Compare", exact=True)).to_have_value("share")
        expect(dialog.get_by_text("Fires when: less than 10 % of the disk free.")).to_be_visible()
        dialog.get_by_role("combobox", name="Compare", exact=True).select_option("bytes")
        dialog.get_by_label("Threshold, in bytes").fill("1")
        expect(dialog.get_by_text("Fires when: less than 1 bytes of the disk free.")).to_be_visible()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_label("The secret")).to_be_visible()
        dialog.get_by_role("button", name="Close").click()
        alert = page.locator("#alert-list > li")
        expect(alert.locator(".alert-state")).to_have_text("ok")
        expect(alert.locator(".alert-value")).to_contain_text("bytes")
        alert.get_by_role("button", name="Edit: Disk").click()
        dialog = page.get_by_role("dialog", name="Edit alert")
        expect(dialog.get_by_role("combobox", name="Compare", exact=True)).to_have_value("bytes")
        dialog.get_by_label("Alert when").select_option("lag")
        expect(dialog.get_by_role("combobox", name="Compare", exact=True)).to_have_count(0)
        dialog.get_by_label("Threshold, in seconds").fill("300")
        expect(dialog.get_by_text("Fires when: index more than 300 s behind.")).to_be_visible()
        dialog.get_by_role("button", name="Save").click()
        expect(alert).to_contain_text("index more than 300 s behind")

    def test_without_a_key_one_is_asked_for_and_the_alert_is_saved_with_it(self):
        reading = collector.make_key(self.collector, "alerts-read", ["read"])
        page = self.open("/?alerts")
        expect(page.locator("#alert-list")).to_contain_text("No alerts yet")
        page.get_by_role("button", name="New alert").click()
        form = page.get_by_role("dialog", name="New alert")
        form.get_by_label("Title", exact=True).fill("Mine")
        form.get_by_label("Alert when").select_option("missing")
        form.get_by_role("button", name="Save").click()
        asking = page.get_by_role("dialog", name="This collector requires a key")
        given = asking.get_by_label("A key with the scopes “read” and “write”")
        expect(asking.locator(".wrong")).to_be_hidden()
        given.fill(reading)
        given.press("Enter")
        expect(asking.get_by_text("This key has no write access.")).to_be_visible()
        self.assertEqual(self.ask("GET", "/v1/alerts")["alerts"], [])
        given.fill("dev")
        given.press("Enter")
        expect(asking).to_be_hidden()
        expect(form.get_by_label("The secret")).to_be_visible()
        self.assertEqual([alert["title"] for alert in self.ask("GET", "/v1/alerts")["alerts"]], ["Mine"])

    def test_a_form_that_wanted_a_key_keeps_what_was_typed_when_none_is_given(self):
        page = self.open("/?alerts")
        page.get_by_role("button", name="New alert").click()
        form = page.get_by_role("dialog", name="New alert")
        form.get_by_label("Title", exact=True).fill("Mine")
        form.get_by_label("Alert when").select_option("missing")
        form.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog", name="This collector requires a key")).to_be_visible()
        page.keyboard.press("Escape")
        expect(form.get_by_label("Title", exact=True)).to_have_value("Mine")
        self.assertEqual(self.ask("GET", "/v1/alerts")["alerts"], [])


class Changing(AlertTest):
    def test_it_is_tried_paused_changed_and_deleted_by_keyboard(self):
        self.make("Calm", 1_000_000)
        page = self.open_with_key("/?alerts")
        alert = page.locator("#alert-list > li")
        expect(alert.locator(".alert-state")).to_have_text("ok")
        self.receiver.status = 503
        alert.get_by_role("button", name="Test: Calm").press("Enter")
        expect(page.locator("#alert-told")).to_contain_text("Not delivered: status 503")
        expect(alert.locator("tbody tr")).to_contain_text("given up")
        alert.get_by_role("button", name="Pause: Calm").press("Enter")
        expect(alert.locator(".alert-state")).to_have_text("ok, paused")
        alert.get_by_role("button", name="Resume: Calm").press("Enter")
        expect(alert.locator(".alert-state")).to_have_text("ok")
        alert.get_by_role("button", name="Edit: Calm").press("Enter")
        dialog = page.get_by_role("dialog", name="Edit alert")
        dialog.get_by_label("Threshold").fill("1")
        dialog.get_by_label("Title", exact=True).fill("Loud")
        self.receiver.status = 204
        dialog.get_by_role("button", name="Save").press("Enter")
        expect(dialog).to_be_hidden()
        self.until_told(2)
        self.assertEqual(self.receiver.messages[-1][1]["type"], "alert.firing")
        expect(alert).to_contain_text("Loud")
        alert.get_by_role("button", name="Delete: Loud").press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Delete").press("Enter")
        expect(page.locator("#alert-list")).to_contain_text("No alerts yet")

    def test_who_was_slower_hears_of_it(self):
        made = self.make("Two", 1_000_000)
        page = self.open_with_key("/?alerts")
        page.get_by_role("button", name="Edit: Two").click()
        self.ask("PUT", f"/v1/alerts/{made['id']}", {"title": "Other", "condition": made["condition"], "version": 1})
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Another user has just changed")

    def test_what_is_not_delivered_stands_there(self):
        self.receiver.status = 500
        self.make("Late")
        self.until_told()
        page = self.open("/?alerts")
        expect(page.locator("#alert-list > li")).to_contain_text("The “firing” notification is not delivered yet: 1 attempt failed")


class Looking(AlertTest):
    def test_hostile_titles_are_text(self):
        for title in HOSTILE:
            self.make(title, 1_000_000)
        page = self.open("/?alerts")
        expect(page.locator("#alert-list > li")).to_have_count(len(HOSTILE))
        self.assertEqual(page.locator("#alert-list img, #alert-list script").count(), 0)
        self.assertEqual(page.title(), "Alerts – Trackway")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)

    def test_rules_of_accessibility_hold(self):
        made = self.make()
        self.make("Calm", 1_000_000)
        self.until_told()
        for width, scheme in [(1440, "light"), (390, "dark")]:
            with self.subTest(scheme=scheme, width=width):
                page = self.open(f"/?alerts={made['id']}", width=width, scheme=scheme)
                expect(page.locator("#alert-list tbody tr").first).to_be_visible()
                self.assertEqual(self.violations(page, without=["region"]), [])
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
                page.get_by_role("button", name="New alert").click()
                self.assertEqual(self.violations(page, without=["region"]), [])
                page.context.close()


if __name__ == "__main__":
    unittest.main()
