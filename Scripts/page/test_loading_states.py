# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# The page's messages are correct while a response is pending, when it fails, and when it arrives later.
import re
import unittest

import collector
from collector import HOSTILE, PageTest, expect

setUpModule = collector.setUp

URLS = ["/", "/?tab=failed", "/?questions=trends", "/?visitors", "/?devices", "/?boards", "/?alerts", "/?link=twl_none"]
API = re.compile(r"/v1/")


class LoadingTest(PageTest):
    allowed_messages = re.compile("Failed to load resource: (the server responded with a status of (404|503)|net::ERR_FAILED)")

    def open_with_route(self, path, handler, scheme="light"):
        """Opens a page whose requests `act` handles."""
        page = self.open("/icon.svg", scheme=scheme)
        page.route(API, handler)
        page.goto(self.collector.url + path)
        return page


class Loading(LoadingTest):
    def test_loading_is_visible_with_reduced_motion(self):
        for path in URLS:
            with self.subTest(path):
                pending_routes = []
                page = self.open_with_route(path, lambda route: pending_routes.append(route))
                self.wait_until(page, lambda: pending_routes)
                shown = page.locator("main:not([hidden])").last
                places = shown.locator(".skeleton:not([hidden]), .panel-skeleton").or_(shown.get_by_text("Loading…"))
                expect(places.first).to_be_attached()
                seen = places.evaluate_all("(nodes) => nodes.filter((node) => node.getClientRects().length > 0 && node.getBoundingClientRect().width > 2 && getComputedStyle(node).opacity === '1').length")
                self.assertGreater(seen, 0)
                # The page must not state yet that there is no data.
                self.assertNotRegex(page.locator("body").inner_text(), r"\b0 events|No users yet|No alerts|Dashboard not found|Waiting for the first")
                for route in pending_routes:
                    route.abort()
                page.context.close()


class NoResponse(LoadingTest):
    def test_a_failed_request_shows_the_reason_instead_of_an_empty_state(self):
        error = {"error": {"code": "unavailable", "message": "The index is being rebuilt."}}
        for path in URLS:
            for handler, why in [(lambda route: route.fulfill(status=503, json=error), "The index is being rebuilt."), (lambda route: route.abort(), "The collector is not responding.")]:
                with self.subTest(path, why=why):
                    page = self.open_with_route(path, handler)
                    expect(page.locator("main:not([hidden])").last).to_contain_text(why)
                    if path.startswith("/?tab=") or path == "/":
                        expect(page.locator("#ledger-list")).to_have_text(why)
                        expect(page.locator("#rejection-list")).to_have_text(why)
                    self.assertNotRegex(page.locator("body").inner_text(), r"\b0 events|No users yet|No alerts|Dashboard not found|Waiting for the first|Loading…")
                    page.context.close()

    def test_live_events_reload_when_the_collector_responds_again(self):
        is_down = [True]
        page = self.open_with_route("/", lambda route: route.abort() if is_down[0] else route.continue_())
        expect(page.get_by_text("No response")).to_be_visible()
        is_down[0] = False
        expect(page.locator("#rows tr").first).to_be_attached()
        expect(page.locator("#empty")).to_be_hidden()

    def test_a_board_that_failed_to_load_can_be_retried(self):
        is_down = [True]
        page = self.open_with_route("/?boards", lambda route: route.abort() if is_down[0] else route.continue_())
        expect(page.locator("#board-tools")).to_be_hidden()
        is_down[0] = False
        page.locator("#boards").get_by_role("button", name="Try again").click()
        expect(page.locator("#board-title")).to_have_text("First look")
        expect(page.locator("#board-tools")).to_be_visible()


class Alerts(LoadingTest):
    ALERT = {"id": "aaaaaaaaaa", "version": 1, "created": 1, "changed": 1, "title": "Sales", "condition": {"kind": "missing", "query": "", "operator": ">", "threshold": 0.0, "of": "value", "within": "1h", "at_least": 100}, "every": "1m", "for": "0m", "keep_firing_for": "0m", "repeat": None, "paused": False, "webhook": None, "value": None, "link": "/?tab=ledger"}

    def test_the_load_error_of_alerts_is_removed_after_a_response(self):
        is_down = [False]
        alerts = {"alerts": [{**self.ALERT, "state": "ok"}]}
        page = self.open_with_route("/?alerts", lambda route: route.fallback())
        page.route("**/v1/alerts", lambda route: route.fulfill(status=503, json={"error": {"code": "unavailable", "message": "The alerts cannot be read."}}) if is_down[0] else route.fulfill(json=alerts))
        page.goto(self.collector.url + "/?alerts")
        expect(page.locator("#alert-list > li.alert")).to_have_count(1)
        is_down[0] = True
        expect(page.locator("#alert-status")).to_have_text(re.compile(r"^The alerts cannot be read\. Showing data from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.$"))
        is_down[0] = False
        expect(page.locator("#alert-status")).to_have_text("")

    def test_an_alert_in_an_unknown_state_is_counted_separately(self):
        alerts = {"alerts": [{**self.ALERT, "state": "unknown", "since": 1, "evaluated": 1, "trouble": "The query is too large: choose a shorter time range."}, {**self.ALERT, "id": "bbbbbbbbbb", "state": "ok"}]}
        page = self.open("/?alerts", responses={"**/v1/alerts": alerts})
        expect(page.locator("#alert-note")).to_have_text("2 alerts, none firing, 1 unknown")
        expect(page.locator("#alert-list .alert-problem")).to_have_text("The query is too large: choose a shorter time range.")


class Unavailable(LoadingTest):
    def test_an_intake_problem_is_shown_in_every_section(self):
        stats = self.collector.get("/v1/stats")
        stats["intake_trouble"] = "Less than 64 MiB are free; free some space."
        page = self.open("/?questions=trends", responses={"**/v1/stats": stats})
        expect(page.locator("#notice")).to_have_text("Events are not being accepted: Less than 64 MiB are free; free some space. Clients keep their events and retry.")
        page.unroute("**/v1/stats")
        page.context.unroute("**/v1/stats")
        expect(page.locator("#notice")).to_be_hidden()

    def test_a_card_waits_for_other_queries_and_then_loads(self):
        remaining = [8]

        def respond(route):
            remaining[0] -= 1
            if remaining[0] < 0:
                route.continue_()
            else:
                route.fulfill(status=503, json={"error": {"code": "too_many_questions", "message": "The maximum number of queries is already running; try again in a moment."}})

        page = self.open("/icon.svg")
        page.route("**/v1/boards/first-look/cards/c2?*", respond)
        page.route(re.compile(r"/v1/boards/first-look$"), lambda route: route.fulfill(json={"id": "first-look", "title": "One", "ready_made": True, "links": [], "cards": [{"id": "c2", "title": "People", "size": "half", "kind": "trends", "query": "last=7d"}]}))
        page.goto(self.collector.url + "/?boards")
        expect(page.locator(".card-waiting")).to_have_text("Waiting for other queries to finish.")
        expect(page.locator(".card-waiting")).to_have_count(0)
        self.assertLess(remaining[0], 0)


class NotFound(LoadingTest):
    def test_urls_of_missing_items_are_reported(self):
        for path, message in [
            ("/?event=0199aaaa-0000-7000-8000-000000000999", "No event with the id"), ("/?visitors=user:nobody", "No such user"),
            ("/?visitors=installation:01a214ee-2511-7b39-a77f-24b503bf8500", "No such installation"), ("/?devices=01a214ee-2511-7b39-a77f-24b503bf8500", "No such device"),
            ("/?boards=nothere", "“nothere” does not exist or was deleted."), ("/?alerts=nothere", "Alert “nothere” does not exist"),
            ("/?questions=catalogue&name=nothere", "No such event"), ("/?link=twl_nothere", "This link has expired or was revoked"), ("/?questions=nothere", "is not an insight type"),
        ]:
            with self.subTest(path):
                page = self.open(path)
                expect(page.locator("body")).to_contain_text(message)
                if "boards" in path:
                    # Existing dashboards are offered, but not the actions for a dashboard.
                    expect(page.locator("#board-list").get_by_role("link", name=re.compile("First look"))).to_be_visible()
                    expect(page.locator("#board-tools")).to_be_hidden()
                page.context.close()

    def test_back_and_forward_visit_all_sections(self):
        page = self.open()
        places = ["/?visitors=", "/?devices=", "/?boards=", "/?alerts=", "/?questions=trends"]
        for name, place in zip(["Users", "Devices", "Dashboards", "Alerts", "Insights"], places):
            page.locator("#nav-buttons").get_by_role("button", name=name).click()
            expect(page).to_have_url(re.compile(re.escape(place.rstrip("=")) + "=?$"))
        titles = {}
        for place in [*reversed(places[:-1]), "/"]:
            page.go_back()
            expect(page).to_have_url(re.compile(re.escape(place.rstrip("=")) + "=?$"))
            expect(page.locator("main:not([hidden])")).to_have_count(1)
            titles[place] = page.locator("main:not([hidden])").get_attribute("id")
        self.assertEqual(list(titles.values()), ["alerts", "boards", "devices", "users", "main"])
        for place in places:
            page.go_forward()
            expect(page).to_have_url(re.compile(re.escape(place.rstrip("=")) + "=?$"))
        expect(page.locator("#insights")).to_be_visible()

    def test_hostile_names_are_searched_literally(self):
        # The last one is longer than the limit for names.
        for name in HOSTILE[:-1]:
            with self.subTest(name):
                page = self.open()
                expect(page.locator("#rows tr").first).to_be_attached()
                page.locator("#filter").fill("name:" + '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"')
                expect(page.locator("#rows tr")).to_have_count(1)
                self.assertEqual(page.title(), "Trackway")
                self.assertEqual(page.locator("#rows img, #rows script").count(), 0)
                page.reload()
                expect(page.locator("#rows tr")).to_have_count(1)
                page.context.close()

    def test_a_name_with_quotation_marks_is_filtered_literally(self):
        name = HOSTILE[4]
        response = self.collector.get("/v1/rate?minutes=15")
        minute = response["minutes"][-1][0] if response["minutes"] else self.collector.now
        page = self.open(responses={"**/v1/rate?*": {"minutes": [[minute, 1, {name: 1}]]}})
        page.locator("#legend button").click()
        expect(page.locator("#rows tr")).to_have_count(1)
        self.assertEqual(page.locator("#filter").input_value(), 'name:"a=b≠\\"c\\""')


class Times(LoadingTest):
    def test_a_standalone_time_includes_its_time_zone(self):
        for zone, message in [("Europe/Berlin", r"UTC\+[12]"), ("UTC", "UTC"), ("Asia/Kathmandu", r"UTC\+5:45"), ("America/St_Johns", r"UTC−[23]:30")]:
            with self.subTest(zone):
                page = self.open("/?event=0199aaaa-0000-7000-8000-000000000014", zone=zone)
                expect(page.locator("#drawer-time")).to_have_text(re.compile(rf"^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{{3}} {message} on the device$"))
                expect(page.locator(".trace-step time").first).to_have_text(re.compile(rf" {message}$"))
                # A browser may use an older name of the zone.
                expect(page.locator("#zone")).to_have_text(page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone"))
                page.context.close()


if __name__ == "__main__":
    unittest.main()
