# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Rules for every view: axe's rules, no horizontal scrolling, a name and a visible focus for each control, and full
# keyboard operation.
import re
import time
import unittest

import collector
from collector import TIMEOUT, PageTest, expect

setUpModule = collector.setUp

INSIGHTS = [
    "/?questions=trends", "/?questions=trends&name=purchase&name=view_item&measure=sum:total&by=currency&compare=before&where=total%3E=3",
    "/?questions=trends&by=long&name=hostile&values=texts", "/?questions=trends&name=no-such-event", "/?questions=trends&top=3",
    "/?questions=trends&last=all&by=currency&chart=bars", "/?questions=trends&last=this-month&by=currency&measure=users&chart=number&point=total", "/?questions=trends&last=last-week&chart=table",
    "/?questions=funnel",
    "/?questions=funnel&step=view_item&step=purchase&where.2=total%3E=3 or currency~e&by=currency&point=1/dropped", "/?questions=retention&first=view_item&interval=week",
    "/?questions=lifecycle", "/?questions=stickiness&last=7d", "/?questions=paths&start=Home",
    "/?questions=catalogue", "/?questions=catalogue&name=purchase", "/?questions=catalogue&name=hostile", "/?questions=catalogue&name=no-such-event", "/?questions=plan",
]
VIEWS = ["/", "/?tab=ledger", "/?tab=failed", "/?event=0199aaaa-0000-7000-8000-000000000014", "/?visitors", "/?visitors=user:user-1", "/?visitors=erasures", "/?devices", *INSIGHTS]


class Accessibility(PageTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of 40[04]")

    # One time limit for all views together; with a limit for each view, a view that never settles would delay the
    # run once per view.
    time_limit = 15 * TIMEOUT / 1000

    def open_loaded(self, path, **options):
        page = self.open(path, few_events=True, **options)
        expect(page.locator("#connection-text")).to_have_text("Live")
        if "questions" in path:
            self.loaded_result(page)
        elif "visitors" in path:
            expect(page.locator("#user-body > :not([hidden])").first).to_be_visible()
        elif "devices" in path:
            expect(page.locator("#device-body > *").first).to_be_visible()
        else:
            expect(page.locator("#rows tr").first).to_be_attached()
        return page

    def each_view(self):
        """Yields every view in a separate page.

        Each page is closed before the next opens, because it has a live stream.
        """
        started_at = time.monotonic()
        for path in VIEWS:
            self.assertLess(time.monotonic() - started_at, self.time_limit, f"the views before {path} took too long")
            with self.subTest(path):
                page = self.open_loaded(path)
                try:
                    yield path, page
                finally:
                    page.context.close()

    def test_each_view_is_accessible_without_horizontal_scrolling_or_duplicate_ids(self):
        for path, page in self.each_view():
            with self.subTest(path, of="ids"):
                self.assertEqual(page.evaluate("(() => { const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id); return ids.filter((id, at) => ids.indexOf(id) !== at); })()"), [])
            for width in (1440, 1280, 1180, 1024, 700, 390):
                self.resize(page, width)
                with self.subTest(path, width=width):
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    # On a wide page, the parts scroll and the page does not.
                    if width > 900:
                        self.assertLessEqual(page.evaluate("document.documentElement.scrollHeight"), 900)
                # Checking axe's rules takes longest, so each color scheme is checked at only one width.
                scheme = {1440: "light", 390: "dark"}.get(width)
                if scheme is not None:
                    page.emulate_media(color_scheme=scheme)
                    with self.subTest(path, width=width, scheme=scheme):
                        self.assertEqual(self.violations(page), [])

    def test_every_control_has_a_visible_focus(self):
        page = self.open_loaded(INSIGHTS[1])
        focused = []
        for _ in range(80):
            page.keyboard.press("Tab")
            state = page.evaluate("""() => {
                const node = document.activeElement, style = getComputedStyle(node);
                return [node.tagName, node.outerHTML.slice(0, 90), style.outlineStyle, parseFloat(style.outlineWidth) || 0];
            }""")
            if state[0] == "BODY":
                break
            focused.append(state[1])
            self.assertFalse(state[2] == "none" or state[3] == 0, f"no visible focus on {state[1]}")
        self.assertGreater(len(focused), 25)


class Keyboard(PageTest):
    def test_a_query_is_created_by_keyboard(self):
        page = self.open()
        expect(page.locator("#rows tr").first).to_be_attached()
        page.keyboard.press("q")
        expect(page).to_have_url(re.compile(r"\?questions=trends$"))
        page.get_by_role("button", name="Add event").focus()
        page.keyboard.press("Enter")
        page.keyboard.type("purchase")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("name=purchase"))
        expect(self.loaded_result(page).get_by_role("row", name=re.compile("^Total"))).to_contain_text(f"{self.collector.purchases:,}")
        page.locator("#results svg.plot-svg").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#results .tooltip")).to_contain_text("so far")
        page.keyboard.press("q")
        expect(page.locator("#main")).to_be_visible()

    def test_an_event_is_opened_and_closed_by_keyboard(self):
        page = self.open()
        expect(page.locator("#rows tr").first).to_be_attached()
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        expect(page.locator("#drawer")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#drawer")).to_be_hidden()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
