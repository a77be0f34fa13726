// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayDestinations

@Suite("Spelling of Sift constants")
struct SiftSpellingTests {
    @Test(arguments: [
        ("", ""), ("a", "a"), ("A", "a"), ("aB", "a_b"), ("AB", "ab"), ("ABc", "a_bc"), ("abC", "ab_c"),
        ("ABC", "abc"), ("ABCd", "ab_cd"), ("aBCd", "a_b_cd"), ("lower", "lower"), ("Upper", "upper"),
        ("snake_case", "snake_case"), ("Snake_Case", "snake_case"), ("a1B", "a1b"), ("A1b", "a1b"), ("B2B", "b2b"),
        ("with space And", "with space and"), ("HTTPServerError", "http_server_error"),
        ("UIDeviceBatteryStateFull", "ui_device_battery_state_full"),
        ("UIDeviceBatteryStateUnplugged", "ui_device_battery_state_unplugged"),
        ("UIDeviceOrientationPortraitUpsideDown", "ui_device_orientation_portrait_upside_down"),
        ("UIApplicationStateActive", "ui_application_state_active"),
        (
            "CMMagneticFieldCalibrationAccuracyUncalibrated",
            "cm_magnetic_field_calibration_accuracy_uncalibrated"
        ),
    ])
    func `an underscore precedes the uppercase letters that begin a word`(_ name: String, _ spelling: String) {
        #expect(SiftSpelling.snakeCase(name) == spelling)
    }

    @Test(arguments: ["Größe", "状态", "e\u{301}", "😀"])
    func `a name with non-ASCII characters has no spelling`(_ name: String) {
        #expect(SiftSpelling.snakeCase(name) == nil)
    }

    @Test
    func `a long name is converted completely`() {
        let name = String(repeating: "UIDevice", count: 10_000)
        #expect(SiftSpelling.snakeCase(name) == Array(repeating: "ui_device", count: 10_000).joined(separator: "_"))
    }
}
