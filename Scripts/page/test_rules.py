# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# Rules for every view: axe's rules, no horizontal scrolling, a name and a visible focus for each control, full keyboard
# operation.
import re
import time
import unittest

import collector
from collector import PATIENCE, PageTest, expect

setUpModule = collector.setUp

QUESTIONS = [
    "/?questions=trends", "/?questions=trends&name=purchase&name=view_item&measure=sum:total&by=currency&compare=before&where=total%3E=3",
    "/?questions=trends&by=long&name=hostile&values=texts", "/?questions=trends&name=no-such-event", "/?questions=trends&top=3", "/?questions=funnel",
    "/?questions=funnel&step=view_item&step=purchase&where.2=total%3E=3&by=currency&people=1", "/?questions=retention&first=view_item&interval=week",
    "/?questions=lifecycle", "/?questions=stickiness&last=7d", "/?questions=paths&start=Home",
    "/?questions=catalogue", "/?questions=catalogue&name=purchase", "/?questions=catalogue&name=hostile", "/?questions=catalogue&name=no-such-event", "/?questions=plan",
]
VIEWS = ["/", "/?tab=ledger", "/?tab=failed", "/?event=0199aaaa-0000-7000-8000-000000000014", "/?visitors", "/?visitors=user:user-1", "/?devices", *QUESTIONS]


class Rules(PageTest):
    forgiven = re.compile("Failed to load resource: the server responded with a status of 40[04]")

    # The time limit for all views together, so that a view that never settles does not delay the run by one timeout for
    # each view.
    longest = 15 * PATIENCE / 1000

    def settled(self, path, **options):
        page = self.open(path, few=True, **options)
        expect(page.locator("#state-text")).to_have_text("Live")
        if "questions" in path:
            self.answered(page)
        elif "visitors" in path:
            expect(page.locator("#visitor-body > :not([hidden])").first).to_be_visible()
        elif "devices" in path:
            expect(page.locator("#device-body > *").first).to_be_visible()
        else:
            expect(page.locator("#rows tr").first).to_be_attached()
        return page

    def each_view(self):
        """Yields every view in a separate page.

        Each page is closed before the next opens, because it has a live stream.
        """
        began = time.monotonic()
        for path in VIEWS:
            self.assertLess(time.monotonic() - began, self.longest, f"the views before {path} took too long")
            with self.subTest(path):
                page = self.settled(path)
                try:
                    yield path, page
                finally:
                    page.context.close()

    def test_each_view_keeps_the_rules_scrolls_no_way_sideways_and_has_each_id_once(self):
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

    def test_everything_that_can_be_chosen_shows_the_focus(self):
        page = self.settled(QUESTIONS[1])
        seen = []
        for _ in range(80):
            page.keyboard.press("Tab")
            state = page.evaluate("""() => {
                const node = document.activeElement, look = getComputedStyle(node);
                return [node.tagName, node.outerHTML.slice(0, 90), look.outlineStyle, parseFloat(look.outlineWidth) || 0];
            }""")
            if state[0] == "BODY":
                break
            seen.append(state[1])
            self.assertFalse(state[2] == "none" or state[3] == 0, f"no visible focus on {state[1]}")
        self.assertGreater(len(seen), 25)


class Keyboard(PageTest):
    def test_a_question_is_asked_without_a_pointer(self):
        page = self.open()
        expect(page.locator("#rows tr").first).to_be_attached()
        page.keyboard.press("q")
        expect(page).to_have_url(re.compile(r"\?questions=trends$"))
        page.get_by_role("button", name="Add event").focus()
        page.keyboard.press("Enter")
        page.keyboard.type("purchase")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("name=purchase"))
        expect(self.answered(page).get_by_role("row", name=re.compile("^Total"))).to_contain_text(f"{self.collector.purchases:,}")
        page.locator("#answer svg.plot-svg").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#answer .tip")).to_contain_text("so far")
        page.keyboard.press("q")
        expect(page.locator("#main")).to_be_visible()

    def test_an_event_is_opened_and_closed_without_a_pointer(self):
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
