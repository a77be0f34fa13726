# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
#
# On a phone, every control is large enough for a finger, and controls do not overlap.
import re
import unittest

import collector
from collector import PageTest, expect
from test_accessibility import VIEWS

setUpModule = collector.setUp

# Measures, for each control that is not part of a sentence, the height of the area in which a touch reaches the control
# or its label.
SMALL_CONTROLS = """() => {
    const controls = [...document.querySelectorAll("button, a[href], input, select, summary, [role=tab]")];
    // The drawer covers everything else.
    const drawer = document.querySelector("#drawer:not([hidden])");
    const isShown = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length > 0 && !node.matches(".skip") && (drawer === null || drawer.contains(node));
    const isOfASentence = (node) => getComputedStyle(node).display === "inline" && node.closest("p, li, dd, small");
    const small = [];
    for (const node of controls.filter((node) => isShown(node) && !isOfASentence(node))) {
        node.scrollIntoView({ block: "center", inline: "nearest" });
        const own = node.getBoundingClientRect();
        if (own.width <= 1) continue;
        const label = node.closest("label") ?? (node.id ? document.querySelector(`label[for="${node.id}"]`) : null);
        const meets = (x, y) => {
            const found = document.elementFromPoint(x, y);
            return found !== null && (node.contains(found) || (label !== null && label.contains(found)) || found === node.parentElement && node.matches(".row-name, .device-open"));
        };
        const x = Math.min(innerWidth - 2, Math.max(1, own.x + Math.min(own.width / 2, 20))), middle = own.y + own.height / 2;
        let up = 0, down = 0;
        while (up < 60 && meets(x, middle - up)) up += 1;
        while (down < 60 && meets(x, middle + down)) down += 1;
        if (up + down < 43) small.push(`${node.tagName.toLowerCase()} “${(node.getAttribute("aria-label") || node.textContent || node.placeholder || node.type).trim().slice(0, 30)}”: ${up + down} px`);
    }
    return small;
}"""


class TouchTargets(PageTest):
    allowed_messages = re.compile("Failed to load resource: the server responded with a status of 40[04]")

    def open_loaded(self, path):
        page = self.open(path, width=390, height=844, few_events=True)
        expect(page.locator("#connection-text")).to_have_text("Live")
        expect(page.locator("main:not([hidden]) [aria-busy=true], main:not([hidden]) .skeleton:not([hidden])")).to_have_count(0)
        return page

    def test_each_control_of_each_view_is_a_touch_target(self):
        for path in [*VIEWS, "/?boards", "/?alerts"]:
            with self.subTest(path):
                page = self.open_loaded(path)
                try:
                    self.assertEqual(page.evaluate(SMALL_CONTROLS), [])
                finally:
                    page.context.close()

    def test_controls_of_dialogs_and_of_a_board_being_edited_are_touch_targets(self):
        page = self.open_loaded("/?boards")
        page.locator("#board-duplicate").click()
        expect(page.locator("#board-form")).to_be_visible()
        expect(page.locator("#board-cards [aria-busy]")).to_have_count(0)
        self.assertEqual(page.evaluate(SMALL_CONTROLS), [])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        page.get_by_role("button", name="Alerts").click()
        page.get_by_role("button", name="New alert").click()
        dialog = page.get_by_role("dialog", name="New alert")
        heights = {control.get_attribute("id"): control.bounding_box()["height"] for control in dialog.locator("input:visible, select:visible, button:visible").all()}
        self.assertGreater(len(heights), 8)
        self.assertEqual({name: height for name, height in heights.items() if height < 43.5}, {})

    def test_a_row_opens_wherever_it_is_touched(self):
        page = self.open_loaded("/")
        row = page.locator("#rows tr").first.bounding_box()
        page.mouse.click(row["x"] + row["width"] - 4, row["y"] + row["height"] - 3)
        expect(page.locator("#drawer")).to_be_visible()

    def test_a_long_connection_state_stays_next_to_the_name(self):
        page = self.open_loaded("/")
        page.evaluate("document.getElementById('connection-text').textContent = 'Key required'")
        name, state = page.locator(".brand").bounding_box(), page.locator("#connection").bounding_box()
        self.assertLess(abs(name["y"] + name["height"] / 2 - state["y"] - state["height"] / 2), 8)
        self.assertEqual(page.locator("#zone").text_content(), "Europe/Berlin")


class Layout(PageTest):
    """Drawn elements stay within their charts, and do not overlap."""

    def test_axis_labels_stay_within_the_chart(self):
        for width in (1440, 390):
            page = self.open("/?questions=trends&name=purchase", width=width)
            self.loaded_result(page)
            overflow = page.locator("#results .plot-svg").evaluate("(svg) => { const { right } = svg.getBoundingClientRect(); return [...svg.querySelectorAll('text.label')].map((node) => node.getBoundingClientRect().right - right).filter((more) => more > 0); }")
            self.assertEqual(overflow, [], width)
            boxes = page.locator("#results .plot-svg").evaluate("(svg) => { const low = [...svg.querySelectorAll('text.label')].map((node) => node.getBoundingClientRect()); const bottom = Math.max(...low.map(({ bottom }) => bottom)); return low.filter((box) => box.bottom > bottom - 2).map(({ left, right }) => [left, right]).sort((a, b) => a[0] - b[0]); }")
            self.assertGreater(len(boxes), 2)
            for (_, right), (left, _) in zip(boxes, boxes[1:]):
                self.assertGreater(left - right, 4, width)

    def test_names_of_thin_path_nodes_do_not_overlap(self):
        steps = [{"names": [{"name": f"screen {number}", "sessions": 1000 if number == 0 else 1} for number in range(8)], "other": 1, "ended": 0}]
        page = self.open("/?questions=paths", responses={"**/v1/paths?*": {"of": "screens", "sessions": 1008, "steps": steps, "links": [], "read": 1}})
        expect(page.locator(".paths-name")).to_have_count(9)
        tops = page.locator(".paths-name").evaluate_all("(nodes) => nodes.map((node) => node.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])")
        for (_, bottom), (top, _) in zip(tops, tops[1:]):
            self.assertGreaterEqual(top, bottom - 2)

    def test_profile_values_are_next_to_their_names(self):
        page = self.open("/?visitors=user:user-1")
        facts = page.locator(".profile dl > div")
        expect(facts.first).to_be_visible()
        for fact in facts.all():
            name, value = fact.locator("dt").bounding_box(), fact.locator("dd").bounding_box()
            self.assertGreaterEqual(value["x"], name["x"] + name["width"])
            self.assertLess(abs(value["y"] - name["y"]), 6)


class Devices(PageTest):
    def test_a_few_seconds_of_states_fill_the_chart(self):
        device_id = collector.installation(4711)
        start = self.collector.now - 60_000
        states = [{"name": "_app_state", "time": start + 200 * number, "attributes": {"application_state": "active", "window_root_view_controller_titles": ["Home"]}} for number in range(10)]
        last = self.collector.send({"batch": {"installation": device_id}}, {"context": {"app": {"id": "shop", "version": "1"}}}, *states)
        self.collector.wait(last["position"])
        page = self.open(f"/?devices={device_id}")
        svg = page.locator(".state-timeline-svg")
        expect(svg.locator("path.rug")).to_be_attached()
        share = svg.evaluate("(svg) => { const rug = svg.querySelector('path.rug').getBBox(); return rug.width / svg.viewBox.baseVal.width; }")
        self.assertGreater(share, 0.6)

    def test_older_devices_are_loaded_on_request(self):
        page = self.open("/?devices")
        rows = page.locator(".device-table tbody tr")
        expect(rows).to_have_count(50)
        expect(page.locator("#device-note")).to_have_text("the 50 most recent")
        page.get_by_role("button", name="Load older").click()
        expect(page.locator("#device-note")).to_have_text(re.compile(r"^\d+ devices$"))
        self.assertGreaterEqual(rows.count(), 60)
        self.assertEqual(len(set(rows.locator("code").evaluate_all("(nodes) => nodes.map(({ title }) => title)"))), rows.count())
        # The loaded devices remain after the next refresh.
        with page.expect_response(re.compile(r"/v1/devices\?limit=50$")):
            pass
        expect(page.locator("#device-note")).to_have_text(re.compile(r"^\d+ devices$"))


if __name__ == "__main__":
    unittest.main()
