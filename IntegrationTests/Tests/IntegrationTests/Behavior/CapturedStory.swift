// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Stage
internal import TrackwayEvents

/// What the collector knows of an app's life, in a few words per event. Real time passes here, so durations are left out.
struct CapturedStory {
    /// The events in the collector's order.
    let rows: [CollectedRow]

    /// Everything that has arrived of an installation.
    init(_ collector: Collector, _ installation: String) throws {
        try collector.settle()
        rows = try collector.rows(of: installation)
    }

    /// The story.
    var lines: [String] { rows.map(Self.line) }

    /// The events with this name.
    func rows(named name: String) -> [CollectedRow] { rows.filter { $0.name == name } }

    private static func line(_ row: CollectedRow) -> String {
        var words = [row.name]
        switch row.name {
        case CapturedName.appStart: words.append(row.text(CapturedKey.startKind) ?? "?")
        case CapturedName.sessionStart: words.append(row.number(CapturedKey.sessionNumber).map { "\($0)" } ?? "?")
        case CapturedName.screenView: words.append(row.text(CapturedKey.screenName) ?? "?")
        default: break
        }
        if row.event["attributes"]?[CapturedKey.isRecovered]?.boolean == true { words.append("recovered") }
        return words.joined(separator: " ")
    }
}
