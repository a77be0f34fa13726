// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing

@Suite("Format warnings about names and values")
struct FormatWarningTests {
    private static func codes(_ warnings: [FormatWarning]) -> [String] {
        warnings.map { "\($0.format.rawValue) \($0.code)" }
    }

    @Test(
        arguments: [
            ("purchase", []), ("_screen_view", []), ("$AppViewScreen", ["clickstream name_invalid"]),
            ("_mine", ["trackway name_reserved"]),
            ("$mine", ["clickstream name_invalid", "sensors_analytics name_reserved"]),
            ("add to cart", ["clickstream name_invalid", "sensors_analytics name_invalid"]),
            ("3d", ["clickstream name_invalid", "sensors_analytics name_invalid"]),
            ("kaufen_ü", ["clickstream name_invalid", "sensors_analytics name_invalid"]),
            ("Time", ["sensors_analytics name_reserved"]), ("user_tagged", ["sensors_analytics name_reserved"]),
            (String(repeating: "a", count: 50), []),
            (String(repeating: "a", count: 51), ["clickstream name_too_long"]),
            (String(repeating: "a", count: 101), ["clickstream name_too_long", "sensors_analytics name_too_long"]),
        ] as [(String, [String])]
    )
    func `only a name that a format would not accept gets a warning`(_ name: String, _ codes: [String]) {
        #expect(Self.codes(FormatWarning.warnings(forEvent: name)) == codes)
    }

    @Test
    func `captured attributes may use reserved names, but custom attributes must not`() {
        #expect(FormatWarning.warnings(forAttribute: "_anything", of: "_screen_view").isEmpty)
        #expect(FormatWarning.warnings(forAttribute: "_session_id", of: "purchase").isEmpty)
        #expect(Self.codes(FormatWarning.warnings(forAttribute: "_mine", of: "purchase")) == ["trackway name_reserved"])
    }

    @Test
    func `texts and counts get a warning once they exceed the limit by one`() {
        #expect(FormatWarning.warnings(forTextBytes: 1_024, units: 1_024).isEmpty)
        #expect(Self.codes(FormatWarning.warnings(forTextBytes: 1_025, units: 1_025)) == ["clickstream value_too_long"])
        #expect(FormatWarning.warnings(forTextBytes: 8_192, units: 8_192).count == 2)
        #expect(FormatWarning.warnings(attributes: 500, items: 100).isEmpty)
        #expect(
            Self.codes(FormatWarning.warnings(attributes: 501, items: 101))
                == ["clickstream too_many_attributes", "clickstream too_many_items"]
        )
    }
}
