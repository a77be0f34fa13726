// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// How a journal's record looks as one line in a terminal.
struct RecordLineFormat: Sendable {
    /// Colours.
    var style: Style

    /// The line: place, sequence, and what the record says.
    func line(_ entry: LogEntry, payload: [UInt8], route: [DestinationID]) -> String {
        let place = style.faint("\(entry.start)")
        switch entry.kind {
        case .event:
            let addressed = route.isEmpty ? "" : style.faint("  → " + route.map(\.rawValue).joined(separator: ", "))
            return "\(place)  #\(entry.sequence)  \(event(payload))\(addressed)"
        case .context: return "\(place)  \(style.faint("context \(entry.context)"))  \(text(payload))"
        case .dropped: return "\(place)  \(style.coloured("dropped", .yellow))  \(text(payload))"
        case .origin: return "\(place)  \(style.faint("origin"))  \(text(payload))"
        case .seal: return "\(place)  \(style.faint("seal"))"
        default: return "\(place)  \(style.faint("kind \(entry.kind.rawValue)"))  \(entry.payloadLength) bytes"
        }
    }

    private func event(_ payload: [UInt8]) -> String {
        // A record passed its checksum; if it still is not an event, it is shown as it is.
        guard let event = try? JSONValue.parse(payload), let name = event["name"]?.string else { return text(payload) }
        let attributes = event["attributes"].map { text($0.json()) } ?? ""
        return style.byName(EventLineFormat.plain(name)) + (attributes.isEmpty ? "" : "  " + attributes)
    }

    private func text(_ bytes: [UInt8]) -> String {
        EventLineFormat.plain(String(decoding: bytes, as: UTF8.self))
    }
}
