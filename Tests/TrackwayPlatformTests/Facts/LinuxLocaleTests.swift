// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Locale and time zone")
struct LinuxLocaleTests {
    @Test(
        arguments: [
            ([:], nil),
            (["LANG": "de_DE.UTF-8"], "de_DE"),
            (["LANG": "de_DE.UTF-8", "LC_ALL": "", "LC_MESSAGES": "fr_CA"], "fr_CA"),
            (["LANG": "de_DE.UTF-8", "LC_ALL": "sr_RS@latin"], "sr_RS"),
            (["LANG": "C.UTF-8"], nil),
            (["LANG": "POSIX"], nil),
            (["LC_ALL": "C", "LANG": "de_DE"], nil),
            (["LANG": "../../etc/passwd"], nil),
            (["LANG": String(repeating: "x", count: 99)], nil),
        ] as [([String: String], String?)]
    )
    func `the locale follows the precedence of its variables`(_ environment: [String: String], _ expected: String?) {
        #expect(LinuxLocale.locale(environment: environment) == expected)
    }

    struct Zone: Sendable, CustomTestStringConvertible {
        var name: String
        var setting: String?
        var files: [String: String] = [:]
        var expected: String?
        var testDescription: String { name }
    }

    static let zones = [
        Zone(name: "nothing known", expected: nil),
        Zone(
            name: "the link's target",
            files: ["/etc/localtime": "-> ../usr/share/zoneinfo/Europe/Berlin", "/etc/timezone": "Asia/Tokyo\n"],
            expected: "Europe/Berlin"
        ),
        Zone(
            name: "a copied file and its name",
            files: ["/etc/localtime": "TZif2", "/etc/timezone": "America/Argentina/Buenos_Aires\n"],
            expected: "America/Argentina/Buenos_Aires"
        ),
        Zone(
            name: "the variable takes precedence",
            setting: ":Asia/Kolkata",
            files: ["/etc/timezone": "UTC"],
            expected: "Asia/Kolkata"
        ),
        Zone(name: "a path in the variable", setting: "/usr/share/zoneinfo/Etc/GMT+5", expected: "Etc/GMT+5"),
        Zone(
            name: "a rule without a place name",
            setting: "CET-1CEST,M3.5.0,M10.5.0/3",
            files: ["/etc/timezone": "UTC"],
            expected: nil
        ),
        Zone(name: "an unrelated file", setting: "/tmp/evil", expected: nil),
        Zone(name: "plain UTC", setting: "UTC", expected: "UTC"),
    ]

    @Test(arguments: zones)
    func `the zone is reported only if its name is known`(_ sample: Zone) throws {
        let recorded = try RecordedTree(sample.files)
        let environment = sample.setting.map { ["TZ": $0] } ?? [:]
        #expect(LinuxLocale.zone(environment: environment, tree: recorded.tree) == sample.expected)
    }
}
