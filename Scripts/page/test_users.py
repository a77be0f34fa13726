# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Users: search, profiles, and live timelines.
import re
import unittest
from urllib.parse import quote

import collector
from collector import HOSTILE, PageTest, expect, installation

PHONE, TABLET, STREAMING_PHONE, CONSENT_PHONE = (installation(number) for number in range(901, 905))
LONG_ID = "long-" + "x" * 900
USER_COUNT = 230


def context(user=None, session="visit", number=1, version="3.0", model="iPhone15,2", **attributes):
    traits = {"id": user, "attributes": {name: {"value": value, "set": 1_700_000_000_000} for name, value in attributes.items()}} if user else {}
    return {"context": {"app": {"id": "shop", "version": version}, "device": {"model": model, "platform": "iOS", "os_version": "18.2"}, "session": {"id": session, "number": number}, **({"user": traits} if traits else {})}}


def seed(server):
    """Sends events from Grace and many other people, and events with hostile names and values.

    Grace views items on a phone, signs in, and continues on a tablet.
    """
    start = server.now - 3_000_000
    server.send({"batch": {"installation": PHONE}}, context(), {"name": "before", "time": start}, context("grace", plan="pro", city="Göttingen", orders=12),
                *({"name": "look", "time": start + 1_000 * step, "attributes": {"step": step}} for step in range(1, 151)), {"name": "buy", "time": start + 200_000, "attributes": {"total": 12.5}})
    server.send({"batch": {"installation": TABLET}}, context("grace", "tablet", 7, "4.0", "iPad14,1"), {"name": "look", "time": start + 150_500, "attributes": {"step": 1000}}, {"name": "read", "time": start + 400_000})
    for number in range(USER_COUNT):
        last = server.send({"batch": {"installation": installation(1_000 + number)}}, context(f"crowd-{number}", plan="free"), {"name": "came", "time": start - 1_000 * number})
    for number, name in enumerate([*HOSTILE, "a/b?c#d%20e", LONG_ID]):
        last = server.send({"batch": {"installation": installation(2_000 + number)}}, context(name, **{name: name}), {"name": name[:60], "time": start})
    seed_consent(server, start)
    values = {f"attribute-{number:05}": number for number in range(250)}
    for part in range(40):
        last = server.send({"batch": {"installation": installation(3_000)}}, context("many"), {"name": "_profile_set", "time": start + part, "attributes": {f"{name}-{part:02}": value for name, value in values.items()}})
    server.wait(last["position"])


def seed_consent(server, start):
    """Sends the decisions of Dana: one as a visitor, one about marketing, and twelve more."""
    def decision(at, choice, **details):
        return {"name": "_consent", "time": start + at, "attributes": {"_consent_decision": choice, **{f"_consent_{key}": value for key, value in details.items()}}}

    server.send({"batch": {"installation": CONSENT_PHONE}}, context(), decision(0, "granted", scope="device", source="banner", version="privacy-1"), context("dana"),
                decision(1_000, "denied", scope="person", category="marketing", source=HOSTILE[0], version="v" * 200),
                *(decision(2_000 + number, "granted", scope="person", category="analytics", version=f"v{number}") for number in range(12)))


def setUpModule():
    collector.setUp()
    seed(PageTest.collector)


class UserTest(PageTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of 40[04]|Failed to load resource: net::ERR_FAILED")

    def open_user(self, user, rest="", **options):
        page = self.open(f"/?visitors=user:{quote(user, safe='')}{rest}", **options)
        expect(page.locator(".user-timeline-groups")).to_have_attribute("aria-busy", "false")
        return page

    def load_older_button(self, page):
        return page.locator(".user-timeline-footer").get_by_role("button", name="Load older")

    def names(self, page):
        return [text.strip() for text in page.locator(".user-timeline-row .row-name").all_text_contents()]


class Search(UserTest):
    def test_a_search_by_attribute_text_or_installation_is_in_the_url(self):
        page = self.open("/?visitors")
        search = page.get_by_label("Search users")
        for line, found in [("plan=pro", ["grace"]), ("göttingen orders>=12", ["grace"]), (PHONE, ["grace"]), ("plan=pro orders<12", [])]:
            with self.subTest(line):
                search.fill(line)
                expect(page.locator("#user-list b")).to_have_text(found)
        expect(page.locator("#user-search-note")).to_have_text("No matching users.")
        search.fill("plan=pro")
        expect(page).to_have_url(re.compile("search=plan%3Dpro"))
        page.locator("#user-list").get_by_role("button", name="grace").click()
        expect(page.locator("#user-title")).to_have_text("grace")
        expect(page).to_have_url(re.compile(r"\?visitors=user:grace&search=plan%3Dpro$"))
        page.go_back()
        expect(page.locator("#user-title")).to_have_text("All users")
        expect(search).to_have_value("plan=pro")
        page.reload()
        expect(page.locator("#user-list button")).to_have_count(1)

    def test_older_users_are_loaded_page_by_page(self):
        page = self.open("/?visitors&search=crowd-")
        load_older_button = page.locator("#user-list-older")
        for count in (100, 200, USER_COUNT):
            expect(page.locator("#user-list button")).to_have_count(count)
            if count < USER_COUNT:
                load_older_button.click()
        expect(load_older_button).to_be_hidden()
        expect(page.locator("#user-search-note")).to_have_text(f"{USER_COUNT} users.")

    def test_an_incomplete_search_reports_its_progress(self):
        response = {"users": [], "searched": 200_000, "of": 5_000_000, "next": "1.2"}
        page = self.open("/?visitors&search=rare", responses={"**/v1/users?*text=rare*": response})
        expect(page.locator("#user-search-note")).to_have_text("Searched 200,000 of 5,000,000 users. No matches so far.")
        page.get_by_role("button", name="Load older", exact=True).click()
        expect(page.locator("#user-search-note")).to_contain_text("Searched 400,000 of")

    def test_an_invalid_condition_is_reported(self):
        page = self.open("/?visitors&search=context.app.version=2")
        expect(page.locator("#user-search-note")).to_contain_text("users have only attributes")

    def test_users_work_with_the_keyboard(self):
        page = self.open("/?visitors")
        expect(page.locator("#user-list button").nth(1)).to_be_visible()
        page.keyboard.press("/")
        expect(page.get_by_label("Search users")).to_be_focused()
        page.keyboard.type("plan=pro")
        page.keyboard.press("Enter")
        expect(page.locator("#user-list button")).to_have_count(1)
        page.locator("#user-list button").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator(".user-timeline-row").first).to_be_visible()
        expect(page.locator("#user-list button").first).to_be_focused()
        page.locator(".user-timeline-row .row-name").first.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#drawer-title")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".user-timeline-row .row-name").first).to_be_focused()


class Profile(UserTest):
    def test_a_profile_shows_devices_and_attributes_with_their_source(self):
        page = self.open_user("grace")
        devices = page.get_by_role("group", name="Devices").locator("tbody tr")
        expect(devices).to_have_count(2)
        expect(devices.first).to_contain_text("iPad14,1")
        expect(devices.first).to_contain_text("shop 4.0")
        expect(devices.last).to_contain_text("iOS 18.2")
        attribute = page.get_by_role("group", name="Attributes").locator("tr", has_text="plan")
        expect(attribute).to_contain_text("pro")
        expect(attribute).to_contain_text(f"…{PHONE[-8:]}")
        expect(attribute).to_contain_text(re.compile("2023-11-1[45]"))

    def test_an_unknown_user_differs_from_a_user_without_sessions(self):
        page = self.open("/?visitors=user:never-heard-of")
        expect(page.get_by_text("No such user")).to_be_visible()
        expect(page.locator(".unknown")).to_contain_text("No user has the id “never-heard-of”")
        expect(page.locator(".sessions")).to_be_hidden()
        expect(page.locator(".user-timeline")).to_be_hidden()
        empty = self.open_user("many", responses={"**/v1/sessions?user=many*": {"sessions": []}})
        expect(empty.locator("#user-title")).to_have_text("many")
        expect(empty.locator(".sessions")).to_contain_text("No sessions yet.")
        gone = self.open(f"/?visitors=installation:{installation(77_777)}")
        expect(gone.get_by_text("No such installation")).to_be_visible()

    def test_further_attributes_are_loaded_on_request(self):
        page = self.open_user("many")
        rows = page.get_by_role("group", name="Attributes").locator("tbody tr")
        expect(rows).to_have_count(200)
        page.get_by_role("button", name="Load more attributes").click()
        expect(rows).to_have_count(1_200)
        expect(page.get_by_role("button", name="Load more attributes")).to_be_visible()

    def test_hostile_ids_and_attributes_are_shown_as_text(self):
        page = self.open("/?visitors", width=390)
        for user in [*HOSTILE, "a/b?c#d%20e", LONG_ID]:
            with self.subTest(user[:20]):
                page.goto(f"{self.collector.url}/?visitors=user:{quote(user, safe='')}")
                expect(page.locator("#user-title")).not_to_have_text("All users")
                expect(page.locator(".user-timeline-row")).to_have_count(1)
                self.assertEqual(page.locator("#users img, #users script").count(), 0)
                self.assertNotEqual(page.title(), "hit")
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)

    def test_an_installation_lists_its_signed_in_users(self):
        page = self.open(f"/?visitors=installation:{PHONE}")
        page.locator(".installation-users").get_by_role("button", name="grace").click()
        expect(page.locator("#user-title")).to_have_text("grace")

    def test_a_failed_part_shows_the_error_and_can_be_retried(self):
        page = self.open("/icon.svg")
        page.route("**/v1/users/grace/events*", lambda route: route.abort())
        page.route("**/v1/sessions*", lambda route: route.fulfill(status=400, json={"error": {"code": "x", "field": "", "message": "Not today."}}))
        page.goto(f"{self.collector.url}/?visitors=user:grace")
        expect(page.locator(".user-timeline-footer")).to_contain_text("The collector is not responding.")
        expect(page.get_by_text("Not today.")).to_be_visible()
        expect(page.get_by_role("group", name="Devices")).to_be_visible()
        page.unroute("**/v1/sessions*")
        page.get_by_role("button", name="Try again", exact=True).last.click()
        expect(page.locator(".session").first).to_be_visible()


class Timeline(UserTest):
    def test_the_timeline_merges_devices_and_sessions_by_device_time(self):
        page = self.open_user("grace")
        expect(page.locator(".user-timeline-row")).to_have_count(100)
        self.assertEqual(self.names(page)[:2], ["read", "buy"])
        heads = page.locator(".user-timeline-heading").all_text_contents()
        self.assertIn("Session 7", heads[0])
        self.assertIn("iPad14,1", heads[0])
        self.assertRegex(heads[0], r"\d{4}-\d\d-\d\d")
        self.assertTrue(any("Session 1" in head and "shop 3.0" in head for head in heads))
        self.load_older_button(page).click()
        expect(page.locator(".user-timeline-row")).to_have_count(154)
        expect(self.load_older_button(page)).to_have_count(0)

    def test_events_before_the_sign_in_are_included_and_marked(self):
        page = self.open_user("grace", "&events=name:before")
        expect(page.locator(".user-timeline-row")).to_have_count(1)
        expect(page.locator(".user-timeline-anonymous")).to_have_text("not signed in yet")

    def test_the_filter_is_in_the_url(self):
        page = self.open_user("grace")
        line = page.get_by_label("Filter this user's events")
        line.fill("total>=10")
        expect(page.locator(".user-timeline-row")).to_have_count(1)
        self.assertEqual(self.names(page), ["buy"])
        expect(page).to_have_url(re.compile("events=total%3E%3D10"))
        line.fill("name:look step>149")
        expect(page.locator(".user-timeline-row")).to_have_count(2)
        page.reload()
        expect(page.locator(".user-timeline-row")).to_have_count(2)

    def test_an_open_profile_streams_pauses_and_limits_its_rows(self):
        def send(first, count, name="live"):
            response = self.collector.send({"batch": {"installation": STREAMING_PHONE}}, context("heidi"), *({"name": name, "time": self.collector.now + step} for step in range(first, first + count)))
            self.assertEqual(response.get("accepted"), count, response)
            return response
        # A user for this test alone, because other tests compare timelines.
        self.collector.wait(send(0, 1, "sign_up")["position"])
        page = self.open_user("heidi", "&events=name:live")
        note = page.locator(".user-timeline-status")
        expect(note).to_contain_text("live")
        send(0, 1)
        expect(page.locator(".user-timeline-row")).to_have_count(1)
        page.get_by_role("button", name="Pause", exact=True).last.click()
        send(1, 2)
        pending = page.get_by_role("button", name="2 new events")
        expect(pending).to_be_visible()
        expect(page.locator(".user-timeline-row")).to_have_count(1)
        pending.click()
        expect(page.locator(".user-timeline-row")).to_have_count(3)
        # Events arrive faster than they are drawn: the latest are shown, and the others are on older pages.
        for part in range(8):
            send(10 + 100 * part, 100)
        expect(note).to_contain_text("804 events")
        expect(page.locator(".user-timeline-rows .cell-attributes").first).to_be_attached()
        for count in (200, 300, 400, 500):
            self.load_older_button(page).click()
            expect(page.locator(".user-timeline-row")).to_have_count(count)
        self.load_older_button(page).click()
        expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
        expect(page.locator(".user-timeline-row")).to_have_count(500)
        page.get_by_role("button", name="Jump to latest").click()
        expect(page.locator(".user-timeline-row")).to_have_count(100)

    def test_the_stream_stops_when_the_section_is_left(self):
        page = self.open_user("grace")
        expect(page.locator(".user-timeline-status")).to_contain_text("live")
        page.get_by_role("button", name="Live", exact=True).click()
        # Only the stream of live events remains, and nothing requests the person's data anymore.
        requested_urls = []
        page.on("request", lambda request: requested_urls.append(request.url))
        page.wait_for_timeout(2_500)
        self.assertEqual([url for url in requested_urls if "user=grace" in url or "/users/grace" in url], [])


class Accessibility(UserTest):
    def test_users_and_devices_are_accessible_and_do_not_scroll_horizontally(self):
        for path in ["/?visitors=user:grace", f"/?visitors=user:{quote(HOSTILE[0], safe='')}", "/?visitors=user:nobody", f"/?visitors=installation:{PHONE}", "/?visitors&search=nothing-at-all", "/?devices"]:
            page = self.open(path)
            expect(page.locator("#user-body .panel:visible, #device-body .panel:visible").first).to_be_visible()
            expect(page.locator("[aria-busy=true]:visible")).to_have_count(0)
            for width, scheme in [(1440, "light"), (390, "dark")]:
                with self.subTest(path, width=width, scheme=scheme):
                    page.emulate_media(color_scheme=scheme)
                    page.set_viewport_size({"width": width, "height": 900})
                    self.assertEqual(self.violations(page, without=["region"]), [])
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
            page.context.close()

    def test_devices_without_snapshots_show_data_of_event_contexts(self):
        page = self.open(f"/?devices={TABLET}")
        expect(page.locator("#device-title")).to_have_text("iPad14,1")
        expect(page.locator(".device-card")).to_contain_text("grace")
        expect(page.locator(".device-card")).to_contain_text("shop 4.0")
        expect(page.locator(".device-card")).to_contain_text("iOS 18.2")


class Consent(UserTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of (404|501|503)")

    def test_the_latest_decisions_are_listed_and_earlier_ones_are_loaded(self):
        page = self.open_user("dana")
        panel = page.get_by_role("region", name="Consent")
        rows = panel.locator("tbody tr")
        expect(rows).to_have_count(5)
        expect(rows.first).to_contain_text("v11")
        expect(panel.get_by_role("status")).to_have_text("latest 5 decisions, latest first")
        panel.get_by_role("button", name="Load more").click()
        expect(rows).to_have_count(14)
        expect(panel.get_by_role("status")).to_have_text("14 decisions, latest first")
        expect(panel.get_by_role("button", name="Load more")).to_be_hidden()
        self.assertEqual(re.sub(r"\s+", " ", rows.nth(13).inner_text()).split(" 20")[0], "granted before sign-in all categories on the device banner privacy-1")
        expect(rows.nth(12)).to_contain_text(f"deniedmarketing for the person{HOSTILE[0]}")
        expect(rows.nth(12).locator("bdi").last).to_have_text("v" * 119 + "…")
        expect(rows.first).not_to_contain_text("before sign-in")
        # Polling keeps the loaded decisions.
        with page.expect_response(re.compile(r"/consent\?limit=5$")):
            pass
        expect(rows).to_have_count(14)
        rows.last.get_by_role("button").click()
        expect(page).to_have_url(re.compile(f"visitors=installation:{CONSENT_PHONE}"))

    def test_a_person_without_decisions_has_one_line(self):
        page = self.open_user("grace")
        panel = page.get_by_role("region", name="Consent")
        expect(panel.get_by_role("status")).to_have_text("No decisions recorded.")
        expect(panel.locator("table")).to_be_hidden()
        self.assertLess(panel.bounding_box()["height"], 60)

    def test_an_empty_page_of_a_long_search_has_more(self):
        page = self.open_user("dana", responses={re.compile(r"/consent\?limit=5$"): {"decisions": [], "searched": 5000, "of": 90000, "next": "1.2.3"}, re.compile("/consent.*after=1.2.3"): {"decisions": [], "searched": 85000, "of": 90000}})
        panel = page.get_by_role("region", name="Consent")
        expect(panel.get_by_role("status")).to_have_text("No decisions in the latest 5,000 of 90,000 events.")
        panel.get_by_role("button", name="Load more").click()
        expect(panel.get_by_role("status")).to_have_text("No decisions recorded.")

    def test_a_cluster_without_decisions_says_so(self):
        page = self.open("/?visitors")
        page.route(re.compile(r"/consent\?"), lambda route: route.fulfill(status=501, json={"error": {"code": "query_unsupported", "message": "Not in clusters."}}))
        page.goto(self.collector.url + "/?visitors=user:dana")
        expect(page.get_by_role("region", name="Consent").get_by_role("status")).to_have_text("Decisions are not available in this cluster.")
        expect(page.get_by_role("region", name="Profile")).to_be_visible()

    def test_decisions_are_readable_on_a_phone(self):
        page = self.open_user("dana", width=390, height=844, scheme="dark")
        panel = page.get_by_role("region", name="Consent")
        panel.get_by_role("button", name="Load more").click()
        expect(panel.locator("tbody tr")).to_have_count(14)
        self.assertLessEqual(panel.evaluate("node => Math.max(...[...node.querySelectorAll('*')].map((child) => child.getBoundingClientRect().right))"), 390)
        self.assertEqual(self.violations(page), [])

    def test_decisions_of_another_person_are_not_mixed(self):
        page = self.open_user("dana")
        panel = page.get_by_role("region", name="Consent")
        expect(panel.locator("tbody tr")).to_have_count(5)
        page.goto(self.collector.url + "/?visitors=user:grace")
        expect(panel.get_by_role("status")).to_have_text("No decisions recorded.")
        page.go_back()
        expect(panel.locator("tbody tr")).to_have_count(5)


if __name__ == "__main__":
    unittest.main()
