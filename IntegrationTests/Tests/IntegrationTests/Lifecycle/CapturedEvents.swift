// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import TrackwayCore

/// The captured events of an app, in a few words each.
///
/// Durations are omitted because they vary.
struct CapturedEvents {
    /// The events in the collector's order.
    let rows: [CollectedRow]

    /// Reads all events of an installation from the collector.
    init(_ collector: Collector, _ installation: String) throws {
        try collector.waitForIndex()
        rows = try collector.rows(of: installation)
    }

    /// One line for each event.
    var lines: [String] { rows.map(Self.line) }

    /// Returns the events with this name.
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
