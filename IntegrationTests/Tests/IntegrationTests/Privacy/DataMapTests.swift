// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing

/// Compares `Scripts/data-map` with every byte that an app sends on its first day.
@Suite("Data map", .timeLimit(.minutes(10)))
struct DataMapTests {
    private let map = Result { try DataMap() }

    @Test
    func `before the user decides, an app sends no byte and opens no connection`() throws {
        let day = try RecordedDay()
        try day.live(.undecided)
        #expect(day.proxy.received.isEmpty)
        #expect(day.machine.refused == [])
    }

    @Test
    func `every byte of a first day is in the map, and every row for Linux is sent`() throws {
        let map = try map.get()
        var sent: Set<SentField> = []
        for without in [[], ["isCompressed", "userAttributes"]] {
            let day = try RecordedDay(without: without)
            try day.live(.undecided, .morning)
            try day.live(.evening)
            #expect(day.machine.refused == [], "connections past the proxy")
            sent.formUnion(try day.fields())
        }
        let copied = try RecordedDay()
        try copied.live(.quiet)
        try copied.liveInCopy()
        sent.formUnion(try copied.fields())
        map.expectAll(sent)
        map.expectRowsSent(sent, for: ["all", "linux"])
    }

    @Test(arguments: [
        "capture.launches", "capture.sessions", "capture.engagement", "capture.updates",
        "capture.crashes", "snapshots", "snapshots.allowsMotion", "snapshots.allowsLocation",
        "snapshots.allowsDeviceRecognition", "privacy.omittedContext", "privacy.anonymousEventPolicy", "isCompressed",
        "cookie", "headers", "namesDevice", "namesSession",
    ])
    func `a setting removes exactly the fields that the map names`(_ setting: String) throws {
        let map = try map.get()
        let day = try RecordedDay(without: [setting])
        try day.live(.morning, .evening)
        let sent = try day.fields()
        map.expectAll(sent)
        let removed = DataMap.Format.allCases.flatMap { format in
            map.rows(of: format).filter { $0.removedBy == setting }.map { "\(format.rawValue) \($0.path)" }
        }
        #expect(!removed.isEmpty, "no row names the setting")
        let paths = Set(sent.map { "\($0.format.rawValue) \($0.path)" })
        #expect(paths.intersection(removed).sorted() == [])
    }

    @Test
    func `an app that only calls record sends nothing that other calls enable`() throws {
        let map = try map.get()
        let day = try RecordedDay(without: ["privacy.anonymousEventPolicy"])
        try day.live(.quiet)
        let sent = try day.fields()
        map.expectAll(sent)
        #expect(!sent.isEmpty)
        let recorded: Set = [
            "event.name", "event.attributes.*", "fields.*", "attributes.*", "properties.*",
            "sessions.events.others.*",
        ]
        let called = sent.filter { field in
            guard let row = map.row(field.path, in: field.format), !recorded.contains(field.path) else { return false }
            return ["call", "screens"].contains(row.removedBy)
        }
        #expect(called.map { "\($0.format.rawValue) \($0.path)" }.sorted() == [])
    }

    // MARK: Two apps

    @Test
    func `two apps on one machine have no identifier in common`() throws {
        let map = try map.get()
        let days = try ["own-shop", "own-news"].map { app in
            let day = try RecordedDay(
                app: app,
                without: ["snapshots.allowsDeviceRecognition", "snapshots.allowsLocation"]
            )
            try day.live(.morning, .evening)
            return try day.fields()
        }
        let values = days.map { Dictionary(grouping: $0) { $0.value } }
        for (value, fields) in values[0] where value.utf8.count > 7 && values[1][value] != nil {
            // The test app gives both apps the same values.
            guard !value.contains("own"), !value.hasPrefix("anonymous-"), let field = fields.first else { continue }
            let personal = fields.filter {
                map.row($0.path, in: $0.format)?.personal == "yes" && !$0.path.contains("*")
            }
            #expect(personal.isEmpty, "\(value) is in \(personal.map(\.path))")
            #expect(!Self.looksLikeIdentifier(value), "\(value) is in \(field.path)")
        }
        // The same app on the same machine is recognized, so the comparison can fail.
        let again = try RecordedDay(app: "own-shop")
        try again.live(.quiet)
        let common = Set(try again.fields().map(\.value)).intersection(values[0].keys)
        #expect(common.contains(where: Self.looksLikeIdentifier))
    }

    /// Whether a value has the form of an id or a hash: a UUID, or 16 and more hexadecimal digits with letters.
    private static func looksLikeIdentifier(_ value: String) -> Bool {
        let bare = value.replacingOccurrences(of: "-", with: "")
        return bare.utf8.count >= 16 && bare.allSatisfy(\.isHexDigit) && bare.contains(where: \.isLetter)
    }
}
