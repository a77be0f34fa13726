// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// An event of a file to import, as a line of a batch.
struct ImportedEvent: Sendable, Hashable {
    /// The attribute with the id of an event whose id is not a UUID.
    static let foreignIDAttribute = "imported_id"

    /// The line of the file, starting at 1.
    var line: Int
    /// The installation of the event; nil for none.
    var installation: InstallationID?
    /// The context as a JSON object; empty for none.
    var context: [UInt8]
    /// The event as a JSON object.
    var json: [UInt8]

    /// Creates an event from the members of a line.
    ///
    /// The monotonic time is left out, because the collector would correct the time with it again.
    ///
    /// - Parameters:
    ///   - event: The event's members in the collector's format.
    ///   - id: The id in the file; nil or empty to derive one from `content`.
    ///   - time: The time; nil if the file has none.
    ///   - content: What distinguishes the event from all others of the file.
    /// - Throws: ``CommandFailure`` `malformedInput` with the line.
    init(
        line: Int,
        event: JSONValue.Object,
        id: String?,
        time: Int64?,
        installation: String?,
        context: JSONValue?,
        content: [String]
    ) throws(CommandFailure) {
        self.line = line
        guard let name = event["name"]?.string, !name.isEmpty else {
            throw Self.failure(line, "the event has no text “name”", remedy: "write \"name\":\"purchase\"")
        }
        guard let time else {
            throw Self.failure(
                line,
                "the event has no “time”",
                remedy: "write milliseconds since 1970, or a time such as 2026-11-21T06:38:00Z in a CSV file"
            )
        }
        let moment = Timestamp(milliseconds: time)
        var members = event.members.filter { !["id", "name", "time", "mono"].contains($0.key) }
        let stored: EventID
        if let id, !id.isEmpty {
            if let known = EventID(id) {
                stored = known
            } else {
                stored = StableID.event(at: moment, ["imported id", id])
                Self.add(foreignID: id, to: &members)
            }
        } else {
            stored = StableID.event(at: moment, ["imported content"] + content)
        }
        if let installation, !installation.isEmpty {
            self.installation = InstallationID(installation) ?? StableID.installation(["imported", installation])
        }
        if case .object(let object)? = context, !object.members.isEmpty {
            self.context = JSONValue.object(object).json()
        } else {
            self.context = []
        }
        let first: [JSONValue.Object.Member] = [
            .init(key: "id", value: .string(stored.description)), .init(key: "name", value: .string(name)),
            .init(key: "time", value: .integer(time)),
        ]
        json = JSONValue.object(.init(first + members)).json()
    }

    /// Reads a line of an export, or of events in the collector's format.
    ///
    /// - Parameter occurrences: Counts equal lines, so that equal events without ids stay different.
    /// - Throws: ``CommandFailure`` `malformedInput` with the line.
    init(
        ndjson bytes: [UInt8],
        line: Int,
        occurrences: inout RecordOccurrences
    ) throws(CommandFailure) {
        let json: JSONValue
        do {
            json = try JSONValue.parse(bytes)
        } catch {
            throw Self.failure(
                line,
                "not JSON: \(error)",
                remedy: "the file may have been cut off; no event was imported"
            )
        }
        guard case .object(let row) = json else {
            throw Self.failure(line, "not an object", remedy: "write one event on each line")
        }
        // An export has the event in a member, next to what the collector knows about it.
        let isExported = row["event"]?.object != nil && row["name"] == nil
        let event = isExported ? row["event"]?.object ?? row : row
        let own: Set = ["id", "name", "time", "mono", "attributes", "items"]
        if !isExported, let unknown = row.members.first(where: { !own.contains($0.key) }) {
            throw Self.failure(
                line,
                "an event has no member “\(unknown.key.prefix(64))”",
                remedy: "put it into \"attributes\""
            )
        }
        let id = row["id"] ?? event["id"]
        var content: [String] = []
        if id?.string == nil {
            content = [String(decoding: bytes, as: UTF8.self), "\(occurrences.next(bytes))"]
        }
        // The row has the time that the collector corrected.
        try self.init(
            line: line,
            event: event,
            id: id?.string,
            time: (row["time"] ?? event["time"])?.integer,
            installation: isExported ? row["installation"]?.string : nil,
            context: isExported ? row["context"] : nil,
            content: content
        )
    }

    private static func add(foreignID id: String, to members: inout [JSONValue.Object.Member]) {
        let member = JSONValue.Object.Member(key: foreignIDAttribute, value: .string(id))
        guard let index = members.firstIndex(where: { $0.key == "attributes" }),
            case .object(var object) = members[index].value
        else {
            members.append(.init(key: "attributes", value: .object(.init([member]))))
            return
        }
        if object[foreignIDAttribute] == nil { object.members.append(member) }
        members[index].value = .object(object)
    }

    static func failure(_ line: Int, _ problem: String, remedy: String) -> CommandFailure {
        CommandFailure(.malformedInput, "line \(line): \(problem)", remedy: remedy)
    }
}
