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
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of (401|403|404|409|422|503)")

    def setUp(self):
        self.receiver = Receiver()
        self.addCleanup(self.receiver.server_close)
        self.addCleanup(self.receiver.shutdown)
        self.addCleanup(self.delete_alerts)

    def request(self, method, path, value=None):
        request = urllib.request.Request(self.collector.url + path, None if value is None else json.dumps(value).encode(), {"authorization": "Bearer dev"}, method=method)
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def delete_alerts(self):
        for alert in self.request("GET", "/v1/alerts")["alerts"]:
            self.request("DELETE", f"/v1/alerts/{alert['id']}?version={alert['version']}")

    def create_alert(self, title="Sales", threshold=0, **options):
        condition = {"kind": "trends", "query": "name=purchase&last=30d", "operator": ">", "threshold": threshold}
        return self.request("POST", "/v1/alerts", {"title": title, "condition": condition, "webhook": self.receiver.url, **options})

    def wait_for_messages(self, count=1):
        for _ in range(600):
            if len(self.receiver.messages) >= count:
                return
            threading.Event().wait(0.1)
        self.fail("no message was received")

    def open_with_key(self, path, **options):
        """Opens the page as a user who has already entered the key."""
        page = self.open("/icon.svg", **options)
        page.evaluate("sessionStorage.setItem('trackway.key', 'dev')")
        page.goto(self.collector.url + path)
        return page


class CreateAlerts(AlertTest):
    def test_an_alert_created_from_an_insight_notifies_its_webhook(self):
        page = self.open_with_key("/?questions=trends&name=purchase&last=30d")
        self.loaded_result(page)
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
        self.wait_for_messages()
        self.assertEqual(self.receiver.messages[0][1]["data"]["value"], self.collector.purchases)
        page.get_by_role("button", name="Alerts", exact=True).click()
        alert = page.locator("#alert-list > li")
        expect(alert.locator(".alert-state")).to_have_text("firing")
        expect(alert).to_contain_text("events of purchase within 30d > 3")
        expect(alert.locator("tbody tr")).to_contain_text("delivered")
        self.assertNotIn("/hook", alert.inner_text())

    def test_an_invalid_field_is_marked_with_its_error(self):
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

    def test_a_disk_alert_has_a_unit_and_a_default_threshold(self):
        page = self.open_with_key("/?alerts")
        page.get_by_role("button", name="New alert").click()
        dialog = page.get_by_role("dialog", name="New alert")
        dialog.get_by_label("Title", exact=True).fill("Disk")
        dialog.get_by_label("Alert when").select_option("disk")
        expect(dialog.get_by_label("Threshold, in %")).to_have_value("10")
        expect(dialog.get_by_role("combobox", name="Compare", exact=True)).to_have_value("share")
        expect(dialog.get_by_text("Fires when: less than 10% of the disk free.")).to_be_visible()
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

    def test_saving_without_a_key_requests_one_and_then_saves(self):
        read_key = collector.create_key(self.collector, "alerts-read", ["read"])
        page = self.open("/?alerts")
        expect(page.locator("#alert-list")).to_contain_text("No alerts yet")
        page.get_by_role("button", name="New alert").click()
        dialog = page.get_by_role("dialog", name="New alert")
        dialog.get_by_label("Title", exact=True).fill("Mine")
        dialog.get_by_label("Alert when").select_option("missing")
        dialog.get_by_role("button", name="Save").click()
        key_dialog = page.get_by_role("dialog", name="This collector requires a key")
        key_input = key_dialog.get_by_label("A key with the scopes “read” and “write”")
        expect(key_dialog.locator(".error")).to_be_hidden()
        key_input.fill(read_key)
        key_input.press("Enter")
        expect(key_dialog.get_by_text("This key has no write access.")).to_be_visible()
        self.assertEqual(self.request("GET", "/v1/alerts")["alerts"], [])
        key_input.fill("dev")
        key_input.press("Enter")
        expect(key_dialog).to_be_hidden()
        expect(dialog.get_by_label("The secret")).to_be_visible()
        self.assertEqual([alert["title"] for alert in self.request("GET", "/v1/alerts")["alerts"]], ["Mine"])

    def test_canceling_the_key_dialog_keeps_the_form(self):
        page = self.open("/?alerts")
        page.get_by_role("button", name="New alert").click()
        dialog = page.get_by_role("dialog", name="New alert")
        dialog.get_by_label("Title", exact=True).fill("Mine")
        dialog.get_by_label("Alert when").select_option("missing")
        dialog.get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog", name="This collector requires a key")).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog.get_by_label("Title", exact=True)).to_have_value("Mine")
        self.assertEqual(self.request("GET", "/v1/alerts")["alerts"], [])


class ChangeAlerts(AlertTest):
    def test_an_alert_is_tested_paused_edited_and_deleted_by_keyboard(self):
        self.create_alert("Calm", 1_000_000)
        page = self.open_with_key("/?alerts")
        alert = page.locator("#alert-list > li")
        expect(alert.locator(".alert-state")).to_have_text("ok")
        self.receiver.status = 503
        alert.get_by_role("button", name="Test: Calm").press("Enter")
        expect(page.locator("#alert-status")).to_contain_text("Not delivered: status 503")
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
        self.wait_for_messages(2)
        self.assertEqual(self.receiver.messages[-1][1]["type"], "alert.firing")
        expect(alert).to_contain_text("Loud")
        alert.get_by_role("button", name="Delete: Loud").press("Enter")
        page.get_by_role("dialog").get_by_role("button", name="Delete").press("Enter")
        expect(page.locator("#alert-list")).to_contain_text("No alerts yet")

    def test_a_conflicting_edit_is_reported(self):
        alert = self.create_alert("Two", 1_000_000)
        page = self.open_with_key("/?alerts")
        page.get_by_role("button", name="Edit: Two").click()
        self.request("PUT", f"/v1/alerts/{alert['id']}", {"title": "Other", "condition": alert["condition"], "version": 1})
        page.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Another user has just changed")

    def test_an_undelivered_notification_is_shown(self):
        self.receiver.status = 500
        self.create_alert("Late")
        self.wait_for_messages()
        page = self.open("/?alerts")
        expect(page.locator("#alert-list > li")).to_contain_text("The “firing” notification has not been delivered yet: 1 attempt failed")


class ShowAlerts(AlertTest):
    def test_hostile_titles_are_shown_as_text(self):
        for title in HOSTILE:
            self.create_alert(title, 1_000_000)
        page = self.open("/?alerts")
        expect(page.locator("#alert-list > li")).to_have_count(len(HOSTILE))
        self.assertEqual(page.locator("#alert-list img, #alert-list script").count(), 0)
        self.assertEqual(page.title(), "Alerts – Trackway")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)

    def test_alerts_are_accessible(self):
        alert = self.create_alert()
        self.create_alert("Calm", 1_000_000)
        self.wait_for_messages()
        for width, scheme in [(1440, "light"), (390, "dark")]:
            with self.subTest(scheme=scheme, width=width):
                page = self.open(f"/?alerts={alert['id']}", width=width, scheme=scheme)
                expect(page.locator("#alert-list tbody tr").first).to_be_visible()
                self.assertEqual(self.violations(page, without=["region"]), [])
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)
                page.get_by_role("button", name="New alert").click()
                self.assertEqual(self.violations(page, without=["region"]), [])
                page.context.close()


if __name__ == "__main__":
    unittest.main()
