# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Erasing users, the list of erasures, receipts, and exports.
import io
import json
import re
import unittest
import urllib.error
import zipfile
from urllib.parse import quote

import collector
from collector import HOSTILE, PageTest, create_key, expect, installation

SHARED, OWN = installation(931), installation(932)
NAMES = ["anna", "a/b?c#d%20e", HOSTILE[0], " spaced "]


def seed(server):
    """Sends events of users who are erased: each uses a device alone, and one that is shared with Bob."""
    for number, name in enumerate([*NAMES, "kept", "carl", "dora"]):
        for device in (installation(940 + number), SHARED):
            last = server.send({"batch": {"installation": device}}, {"context": {"user": {"id": name}}}, {"name": "look"}, {"name": "look"})
    server.send({"batch": {"installation": SHARED}}, {"context": {"user": {"id": "bob"}}}, {"name": "look"})
    last = server.send({"batch": {"installation": OWN}}, {"context": {"app": {"id": "shop"}}}, {"name": "look"})
    server.wait(last["position"])


def setUpModule():
    collector.setUp()
    seed(PageTest.collector)


class ErasureTest(PageTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of 40[0134]|status of 50[13]")

    def open_user(self, user, key=None, **options):
        page = self.open("/?visitors", **options)
        if key is not None:
            page.evaluate("(key) => sessionStorage.setItem('trackway.key', key)", key)
        page.goto(f"{self.collector.url}/?visitors={quote(user, safe=':')}")
        expect(page.get_by_role("button", name="Erase…")).to_be_visible()
        return page

    def open_dialog(self, user, key=None, **options):
        page = self.open_user(user, key, **options)
        page.get_by_role("button", name="Erase…").click()
        return page

    def confirm(self, page, text):
        page.get_by_label(re.compile("Type the .* ID to confirm")).fill(text)
        page.get_by_role("button", name="Erase", exact=True).click()

    def is_known(self, user):
        try:
            self.collector.get(f"/v1/users/{quote(user, safe='')}")
            return True
        except urllib.error.HTTPError:
            return False


class Erase(ErasureTest):
    def test_the_dialog_shows_what_would_be_erased_and_a_wrong_id_erases_nothing(self):
        page = self.open_dialog("user:kept", "dev")
        preview = page.locator("#erase-preview")
        expect(preview).to_contain_text("removes 4 events and all attributes")
        expect(preview).to_contain_text(f"{SHARED}: 2 events, shared with other users")
        expect(preview).to_contain_text("2 events, erased completely")
        for wrong in ["", "Kept", "kep", "kept!"]:
            self.confirm(page, wrong)
            expect(page.locator("#erase-error")).to_have_text("The ID does not match. Nothing was erased.")
        page.get_by_role("button", name="Close").click()
        expect(page.locator("#erase-dialog")).not_to_be_visible()
        self.assertTrue(self.is_known("kept"))

    def test_a_user_is_erased_and_the_receipt_can_be_verified(self):
        for name in NAMES:
            with self.subTest(name):
                page = self.open_dialog(f"user:{name}", "dev")
                expect(page.locator("#erase-preview")).to_contain_text("4 events")
                self.confirm(page, name)
                expect(page.locator("#erase-title")).to_have_text("Erased")
                expect(page.locator("#erase-progress")).to_have_text("4 events removed from the log, 4 from the index.")
                result = page.locator("#erase-result")
                result.get_by_role("button", name="Verify").click()
                expect(result.locator(".receipt-verdict.good")).to_be_visible()
                result.get_by_label("User or installation ID (optional)").fill("bob")
                result.get_by_role("button", name="Verify").click()
                expect(result.locator(".receipt-verdict.error")).to_be_visible()
                page.get_by_role("button", name="Close").click()
                expect(page.locator("#user-body")).to_contain_text("No such user")
                self.assertFalse(self.is_known(name))
                self.assertNotEqual(page.title(), "hit")
                page.context.close()
        self.assertTrue(self.is_known("bob"))

    def test_an_installation_is_erased(self):
        page = self.open_dialog(f"installation:{OWN}", "dev")
        expect(page.locator("#erase-title")).to_have_text("Erase this installation?")
        self.confirm(page, OWN)
        expect(page.locator("#erase-title")).to_have_text("Erased")
        expect(page.locator("#erase-result")).to_contain_text("1 completely, 0 in part")

    def test_without_a_key_that_may_write_a_key_is_requested_and_the_erasure_continues(self):
        reader = create_key(self.collector, "officer-reads", ["read"])
        both = create_key(self.collector, "officer", ["read", "write"])
        page = self.open_dialog("user:carl", reader)
        expect(page.locator("#erase-preview")).to_contain_text("4 events")
        self.confirm(page, "carl")
        expect(page.locator("#key-error")).to_have_text("This key has no write access.")
        self.assertTrue(self.is_known("carl"))
        key = page.get_by_label("A key with the scopes “read” and “write”")
        key.fill(both)
        key.press("Enter")
        expect(page.locator("#erase-title")).to_have_text("Erased")
        self.assertFalse(self.is_known("carl"))

    def test_failures_are_shown_in_the_dialog(self):
        page = self.open_user("user:dora", "dev")
        failure = {"error": {"code": "erasure_unavailable", "message": "A collector in a cluster can erase only installations."}}
        page.route("**/v1/users/dora/erasure", lambda route: route.fulfill(status=501, json=failure))
        page.get_by_role("button", name="Erase…").click()
        expect(page.locator("#erase-error")).to_have_text(failure["error"]["message"])
        expect(page.get_by_role("button", name="Erase", exact=True)).not_to_be_visible()
        page.get_by_role("button", name="Close").click()
        page.unroute("**/v1/users/dora/erasure")
        page.route("**/v1/users/dora", lambda route: route.fulfill(status=503, json={"error": {"code": "disk_full", "message": "The disk is full."}}) if route.request.method == "DELETE" else route.continue_())
        page.get_by_role("button", name="Erase…").click()
        expect(page.locator("#erase-preview")).to_contain_text("4 events")
        self.confirm(page, "dora")
        expect(page.locator("#erase-error")).to_have_text("The disk is full.")
        expect(page.get_by_role("button", name="Erase", exact=True)).to_be_enabled()
        self.assertTrue(self.is_known("dora"))

    def test_progress_and_its_absence_are_shown(self):
        page = self.open_user("user:dora", "dev")
        state = {"erasure": "1-a", "subject": "user", "requested": 1, "by": "operator", "key": "dev", "completed": None, "log": {"records": 1, "events": 3, "shared_events": 0, "rejected": 0, "uninspected": 0}}
        page.route("**/v1/users/dora", lambda route: route.fulfill(status=202, json={"erasure": "1-a", "position": "1.16", "durability": "disk"}) if route.request.method == "DELETE" else route.continue_())
        page.route("**/v1/erasures/1-a", lambda route: route.fulfill(status=202, json=state))
        page.route("**/v1/erasures?limit=1", lambda route: route.fulfill(json={"pending": [state], "erasures": [], "problem": "No space left."}))
        page.get_by_role("button", name="Erase…").click()
        expect(page.locator("#erase-preview")).to_contain_text("4 events")
        self.confirm(page, "dora")
        expect(page.locator("#erase-progress")).to_contain_text("3 events removed so far")
        expect(page.locator("#erase-error")).to_have_text("The erasure is not making progress: No space left.")


class List(ErasureTest):
    def test_erasures_are_listed_with_receipts(self):
        page = self.open("/?visitors")
        page.get_by_role("button", name="Erasures", exact=True).click()
        expect(page).to_have_url(re.compile(r"\?visitors=erasures$"))
        expect(page.locator("#user-title")).to_have_text("Erasures")
        page.reload()
        expect(page.locator("#user-title")).to_have_text("Erasures")
        expect(page.get_by_text("Verify a receipt file")).to_be_visible()
        page.go_back()
        expect(page.locator("#user-title")).to_have_text("All users")

    def test_states_a_problem_and_a_receipt_are_shown(self):
        counts = {"records": 1, "events": 3, "shared_events": 0, "rejected": 2, "uninspected": 1}
        pending = {"erasure": "2-b", "subject": "user", "requested": 1_764_500_000_000, "by": "operator", "key": HOSTILE[0], "completed": None, "log": counts}
        done = {"erasure": "1-a", "subject": "installation", "identity_hash": "ab", "requested": 1_764_400_000_000, "by": "installation", "key": "app", "completed": 1_764_400_001_000, "installations": 1, "shared_installations": 0, "log": {"before": "2.40", **counts}, "index": {"events": 3}, "signer": "s", "signature": "t"}
        page = self.open("/?visitors=erasures", responses={"**/v1/erasures?limit=200": {"pending": [pending], "erasures": [done], "problem": "No space left."}})
        expect(page.get_by_role("alert").filter(has_text="No space left")).to_have_text("Erasures are not making progress: No space left.")
        rows = page.locator(".erasure-panel tbody tr")
        expect(rows.nth(0)).to_contain_text("In progress")
        expect(rows.nth(1)).to_contain_text("Complete")
        page.get_by_role("button", name="Receipt").click()
        self.assertEqual(json.loads(page.locator(".receipt-text").text_content()), done)
        page.locator(".receipt-form").first.get_by_role("button", name="Verify").click()
        expect(page.locator(".receipt-verdict.error").first).to_be_visible()
        for width, scheme in ((1440, "light"), (390, "dark")):
            self.resize(page, width)
            page.emulate_media(color_scheme=scheme)
            self.assertEqual(self.violations(page), [])
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_a_file_that_is_no_receipt_is_refused(self):
        page = self.open("/?visitors=erasures")
        page.get_by_text("Verify a receipt file").click()
        form = page.locator(".erasures-file form")
        form.get_by_role("button", name="Verify").click()
        expect(form.locator(".receipt-verdict.error")).to_have_text("Choose a receipt file of at most 16 kB.")
        for content in (b"", b"[]", b"{}", b"x" * 20_000, "☃".encode()):
            form.get_by_label("Receipt").set_input_files({"name": "receipt.json", "mimeType": "application/json", "buffer": content})
            form.get_by_role("button", name="Verify").click()
            expect(form.locator(".receipt-verdict.error")).not_to_have_text("")

    def test_the_dialog_is_accessible(self):
        page = self.open_dialog("user:dora", "dev", width=390, scheme="dark")
        expect(page.locator("#erase-preview")).to_contain_text("4 events")
        self.assertEqual(self.violations(page), [])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)


class Export(ErasureTest):
    def test_the_archive_is_downloaded_with_and_without_a_key(self):
        for key in (None, "dev"):
            with self.subTest(key):
                page = self.open_user("user:kept", key)
                with page.expect_download() as download:
                    page.get_by_role("button", name="Export", exact=True).click()
                self.assertEqual(download.value.suggested_filename, "kept.zip")
                with open(download.value.path(), "rb") as file:
                    archive = zipfile.ZipFile(io.BytesIO(file.read()))
                self.assertIsNone(archive.testzip())
                self.assertEqual(len(json.loads(archive.read("events.json"))), 4)
                page.context.close()

    def test_a_failed_export_is_reported(self):
        page = self.open_user("user:kept", "dev")
        page.route("**/export", lambda route: route.fulfill(status=503, json={"error": {"code": "exports_running", "message": "Two exports are already running; try again in a moment."}}))
        page.get_by_role("button", name="Export", exact=True).click()
        expect(page.locator(".profile-actions [role=status]")).to_have_text("Two exports are already running; try again in a moment.")


if __name__ == "__main__":
    unittest.main()
