# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Rejected events in groups, and replaying them.
import pathlib
import re
import unittest
import zlib

import collector
from collector import HOSTILE, PageTest, expect

LONG_NAME = "checkout_" + "x" * 300
INVALID = b'"' + LONG_NAME.encode() + b'"'
VALID = b'"checkout"' + b" " * (len(LONG_NAME) - len("checkout"))


def setUpModule():
    collector.setUp()
    server = PageTest.collector
    for number in range(3):
        # The batch also has a valid event, because the rejected event is stored with its batch.
        send(server, number, LONG_NAME)
    send(server, 3, HOSTILE[0] + "<script>alert(1)</script>" * 20)
    server.wait(send(server, 4, "still_" + "y" * 300)["position"])


def send(server, number, name):
    lines = [
        {"batch": {"installation": collector.installation(number + 1)}}, {"context": {"app": {"id": "shop", "version": "3.1"}}},
        {"name": "good", "time": server.now - 5_000}, {"name": name, "time": server.now - 4_000, "attributes": {"total": number}},
    ]
    return server.send(*lines)


def make_names_valid(server):
    """Changes the names in the intake log in place to make them valid.

    This simulates a newer collector with other rules. Returns the number of changed records.
    """
    found = 0
    for path in sorted(pathlib.Path(server.folder.name).rglob("*")):
        if not path.is_file() or "intake" not in str(path.relative_to(server.folder.name)):
            continue
        data = bytearray(path.read_bytes())
        at = 0
        while (at := data.find(INVALID, at)) >= 0:
            # The frame around the name begins with its length, a checksum, and 16 bytes, followed by the payload. The
            # checksum covers the payload first, then the 16 bytes.
            start = next(start for start in range(at // 8 * 8, -1, -8) if start + int.from_bytes(data[start:start + 4], "little") > at + len(INVALID) and data[start + 8] in (16, 17) and int.from_bytes(data[start:start + 4], "little") < 1 << 20)
            end = start + int.from_bytes(data[start:start + 4], "little")
            checksum = lambda: zlib.crc32(data[start + 8:start + 24], zlib.crc32(data[start + 24:end]))
            before = checksum()
            data[at:at + len(INVALID)] = VALID
            # The salt cancels out.
            data[start + 4:start + 8] = (int.from_bytes(data[start + 4:start + 8], "little") ^ before ^ checksum()).to_bytes(4, "little")
            found += 1
        with path.open("r+b") as file:
            file.write(data)
    return found


class OlderRejections(PageTest):
    def test_older_rejections_are_loaded_page_by_page(self):
        rejection = lambda index: {"position": f"1.{1000 - index}.0", "received": self.collector.now, "code": "name_too_long", "field": "name", "message": f"refused {index}", "content": "{}", "bytes": 2, "total_bytes": 2, "name": None, "version": None}

        def respond(route):
            before = re.search(r"before=1\.(\d+)", route.request.url)
            start = 1001 - int(before.group(1)) if before else 0
            route.fulfill(json={"failed": [rejection(index) for index in range(start, min(start + 50, 120))], **({"next": f"1.{1000 - start - 49}.0"} if start + 50 < 120 else {})})

        page = self.open("/icon.svg")
        page.route("**/v1/failed?*", respond)
        page.goto(self.collector.url + "/?tab=failed")
        rows = page.locator("#rejection-list button")
        for count in (50, 100):
            expect(rows).to_have_count(count)
            page.locator("#rejections-older").click()
        expect(rows).to_have_count(120)
        expect(page.locator("#rejections-older")).to_be_hidden()
        expect(rows.last).to_contain_text("refused 119")
        # The next regular refresh keeps the loaded rows.
        with page.expect_response(re.compile(r"/v1/failed\?limit=50$")):
            pass
        expect(rows).to_have_count(120)


class Rejections(PageTest):
    # 404: a group is requested again while its last event is being accepted.
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of 40[134]")

    def group(self, page, text):
        return page.locator("#rejection-groups button").filter(has_text=text)

    def create_key(self, *scopes):
        return collector.create_key(self.collector, "-".join(scopes) + "-" + str(len(self.id())), scopes)

    def start_dry_run(self, page, text):
        self.group(page, text).click()
        expect(self.group(page, text)).to_have_attribute("aria-pressed", "true")
        page.locator("#replay").get_by_role("button", name="Try again").click()

    def test_rejections_are_grouped_and_a_group_lists_its_events(self):
        page = self.open("/?tab=failed")
        group = self.group(page, "checkout_xxx")
        expect(group).to_contain_text("name_too_long")
        expect(group).to_contain_text("app 3.1")
        expect(page.locator("#rejection-groups-note")).to_contain_text("Last 30 days")
        listed = page.locator("#rejection-list > li")
        rejection_count = self.collector.get("/v1/stats")["failed"]
        expect(listed).to_have_count(rejection_count)
        self.group(page, "still_yyy").click()
        expect(page.locator("#rejection-list-title")).to_have_text("In this group")
        expect(listed).to_have_count(1)
        expect(listed).to_contain_text("still_yyy")
        self.group(page, "still_yyy").click()
        expect(page.locator("#rejection-list-title")).to_have_text("Latest")
        expect(listed).to_have_count(rejection_count)
        expect(page.locator("#replay")).to_be_hidden()

    def test_hostile_names_are_shown_as_text(self):
        page = self.open("/?tab=failed")
        expect(self.group(page, "onerror=document.title")).to_have_count(1)
        self.group(page, "onerror=document.title").click()
        expect(page.locator("#rejection-list")).to_contain_text("onerror")
        self.assertEqual(page.locator("#rejections img, #rejections script").count(), 0)
        self.assertLess(len(self.group(page, "onerror").locator(".rejection-group-name").text_content()), 100)
        expect(page).to_have_title("Trackway")

    def test_a_replay_requires_a_key_with_write_access(self):
        page = self.open("/?tab=failed")
        self.start_dry_run(page, "still_yyy")
        panel = page.locator("#replay")
        expect(panel).to_contain_text("requires a key with the scopes “write” and “read”")
        panel.get_by_label("A key with the scopes").fill(self.create_key("read"))
        panel.get_by_role("button", name="Use this key").click()
        expect(panel.locator(".error")).to_contain_text("The key in this tab was rejected")
        panel.get_by_label("A key with the scopes").fill(self.create_key("read", "write"))
        panel.get_by_role("button", name="Use this key").click()
        expect(panel).to_contain_text("Nothing would be accepted. 1 event would still be rejected for the same reason.")
        panel.get_by_role("button", name="Close").click()
        expect(panel.get_by_role("button", name="Try again")).to_be_visible()

    def test_valid_events_are_accepted_after_confirmation_by_keyboard(self):
        rejection_count = self.collector.get("/v1/stats")["failed"]
        page = self.open("/?tab=failed")
        self.group(page, "checkout_xxx").focus()
        page.keyboard.press("Enter")
        panel = page.locator("#replay")
        panel.get_by_role("button", name="Try again").focus()
        page.keyboard.press("Enter")
        expect(panel.get_by_label("A key with the scopes")).to_be_focused()
        page.keyboard.type(self.create_key("write", "read"))
        page.keyboard.press("Enter")
        expect(panel).to_contain_text("Nothing would be accepted. 3 events would still be rejected for the same reason.")
        self.assertEqual(make_names_valid(self.collector), 3)
        expect(panel.get_by_role("button", name="Close")).to_be_focused()
        page.keyboard.press("Enter")
        panel.get_by_role("button", name="Try again").focus()
        page.keyboard.press("Enter")
        expect(panel).to_contain_text("3 events would be accepted. This cannot be undone.")
        # Nothing has changed yet, and the dialog can be closed.
        self.assertEqual(self.collector.get("/v1/events?name=checkout")["events"], [])
        panel.get_by_role("button", name="Cancel").focus()
        page.keyboard.press("Enter")
        panel.get_by_role("button", name="Try again").focus()
        page.keyboard.press("Enter")
        expect(panel.get_by_role("button", name="Accept 3 events")).to_be_focused()
        page.keyboard.press("Enter")
        expect(panel.locator(".replay-result")).to_have_text("3 events were accepted.")
        expect(page.locator("#rejection-list")).to_contain_text("No rejected events are left in this group.")
        expect(page.locator("#rejections-count")).to_have_text(str(rejection_count - 3))
        expect(self.group(page, "checkout_xxx")).to_have_count(0)
        stored = self.collector.get("/v1/events?name=checkout")["events"]
        self.assertEqual(len(stored), 3)
        self.assertTrue(all(event["replayed"]["key"] for event in stored))
        page.goto(self.collector.url + "/#name%3Acheckout")
        expect(page.locator("#rows tr:visible")).to_have_count(3)


class Failures(PageTest):
    allowed_messages = re.compile("Failed to load resource")

    def test_a_failed_replay_reports_the_events_accepted_before(self):
        page = self.open("/?tab=failed")
        answers = [{"admitted": 2, "refused": 0, "unchanged": 0, "not_kept": [], "dry_run": True}, {"admitted": 1, "refused": 0, "unchanged": 0, "not_kept": [{"position": "1", "reason": "cut"}], "dry_run": False, "next": "1.16.2"}]
        page.route("**/v1/failed/replay?*", lambda route: route.fulfill(json=answers.pop(0)) if answers else route.abort())
        page.locator("#rejection-groups button").filter(has_text="still_yyy").click()
        panel = page.locator("#replay")
        panel.get_by_role("button", name="Try again").click()
        panel.get_by_role("button", name="Accept 2 events").click()
        expect(panel.locator(".error")).to_have_text("1 event was accepted. Cannot be checked again: 1 stored only partially. There are more events: repeat the replay for the rest. Then the replay stopped: The collector is not responding.")
        expect(panel.get_by_role("button", name="Try again")).to_be_visible()

    def test_a_replay_waits_while_another_one_is_running(self):
        page = self.open("/?tab=failed")
        refusals = [{"error": {"code": "replay_running", "message": "A replay is already running; try again in a moment."}}] * 2
        page.route("**/v1/failed/replay?*", lambda route: route.fulfill(status=503, json=refusals.pop()) if refusals else route.fulfill(json={"admitted": 0, "refused": 0, "unchanged": 1, "not_kept": [], "dry_run": True}))
        page.locator("#rejection-groups button").filter(has_text="still_yyy").click()
        page.locator("#replay").get_by_role("button", name="Try again").click()
        expect(page.locator("#replay")).to_contain_text("1 event would still be rejected for the same reason.")
        self.assertEqual(refusals, [])

    def test_the_list_is_shown_when_groups_fail_to_load(self):
        page = self.open("/")
        page.route("**/v1/failed/groups?*", lambda route: route.abort())
        page.get_by_role("tab", name="Rejected").click()
        expect(page.locator("#rejection-list button").first).to_be_visible()


class NoRejections(PageTest):
    def test_no_rejections_is_reported(self):
        page = self.open("/", responses={"**/v1/failed?*": {"failed": []}, "**/v1/failed/groups?*": {"edges": [], "groups": [], "others": 0, "count": 0, "lost": [], "reports": []}})
        page.get_by_role("tab", name="Rejected").click()
        expect(page.locator("#rejection-list")).to_contain_text("No rejected events.")
        expect(page.locator("#rejection-groups")).to_be_hidden()
        expect(page.locator("#rejection-groups-note")).to_be_hidden()


if __name__ == "__main__":
    unittest.main()
