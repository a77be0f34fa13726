// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import GRDB
internal import TrackwayEvents

/// Reading what snapshots say from their events.
struct SnapshotEvents {
    private let body: RawStatement

    init(_ db: Database) throws {
        body = try RawStatement(db, "SELECT body FROM events WHERE position = ?")
    }

    /// The attributes of the event at a position; none when it is not there.
    func attributes(at position: Int64) throws -> JSONValue.Object {
        body.bind(1, position)
        guard try body.step() else { return .init() }
        defer { body.reset() }
        // Admission has checked the text.
        return (try? JSONValue.parse(body.bytes(0)))?["attributes"]?.object ?? .init()
    }

    /// The device properties that the event at a position tells.
    func properties(at position: Int64) throws -> JSONValue.Object { Self.properties(try attributes(at: position)) }

    /// The device properties among attributes, in the order of names. What stands beside them, such as `_path`, says
    /// something about the event.
    static func properties(_ attributes: JSONValue.Object) -> JSONValue.Object {
        .init(attributes.members.filter { !$0.key.hasPrefix("_") }.sorted { $0.key < $1.key })
    }
}
