// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// One event as a line of NDJSON: `{"name":"purchase","attributes":{"total":12.5},"items":[{"id":"A-1"}]}`.
struct EventLine: Sendable, Hashable {
    /// The event's name.
    var name: String
    /// The event's attributes.
    var attributes: Attributes
    /// The event's items.
    var items: [Item]
    /// Whether the line had an `id`, `time`, or `mono`, which recording replaces.
    var hasOwnIdentity: Bool

    /// Parses a line.
    ///
    /// - Parameters:
    ///   - bytes: The line without its line ending.
    ///   - number: The line's number for error messages, starting at 1.
    /// - Throws: ``CommandFailure`` `malformedInput` with the line, the member, and a suggestion.
    init(_ bytes: [UInt8], number: Int) throws(CommandFailure) {
        let json: JSONValue
        do {
            json = try JSONValue.parse(bytes)
        } catch {
            throw CommandFailure(
                .malformedInput,
                "line \(number) is not JSON: \(error)",
                remedy: "each line is one object, such as {\"name\":\"purchase\",\"attributes\":{\"total\":12.5}}"
            )
        }
        guard case .object(let object) = json else {
            throw CommandFailure(
                .malformedInput,
                "line \(number) is not an object",
                remedy: "each line is one object, such as {\"name\":\"purchase\",\"attributes\":{\"total\":12.5}}"
            )
        }
        // `trackway events --json` wraps the event in the collector's metadata.
        if case .object(let inner) = object["event"], object["name"] == nil {
            try self.init(inner, number: number)
        } else {
            try self.init(object, number: number)
        }
    }

    private init(_ object: JSONValue.Object, number: Int) throws(CommandFailure) {
        var name: String?
        attributes = [:]
        items = []
        hasOwnIdentity = false
        for member in object.members {
            switch (member.key, member.value) {
            case ("name", .string(let value)): name = value
            case ("attributes", .object(let value)): attributes = Attributes(value)
            case ("items", .array(let values)):
                items = []
                for value in values { items.append(try Self.item(value, number: number)) }
            case ("id", _), ("time", _), ("mono", _): hasOwnIdentity = true
            case ("name", _):
                throw Self.inputFailure(number, "“name” is not text", remedy: "write \"name\":\"purchase\"")
            case ("attributes", _):
                throw Self.inputFailure(
                    number,
                    "“attributes” is not an object",
                    remedy: "write \"attributes\":{\"total\":12.5}"
                )
            case ("items", _):
                throw Self.inputFailure(number, "“items” is not an array", remedy: "write \"items\":[{\"id\":\"A-1\"}]")
            default:
                throw Self.inputFailure(
                    number,
                    "an event has no member “\(member.key)”",
                    remedy: "put it into \"attributes\""
                )
            }
        }
        guard let name else {
            throw Self.inputFailure(number, "the event has no “name”", remedy: "write \"name\":\"purchase\"")
        }
        guard !name.isEmpty else {
            throw Self.inputFailure(number, "“name” is empty", remedy: "write \"name\":\"purchase\"")
        }
        self.name = name
    }

    private static func item(_ value: JSONValue, number: Int) throws(CommandFailure) -> Item {
        guard let id = value["id"]?.string else {
            throw inputFailure(number, "an item has no text “id”", remedy: "write \"items\":[{\"id\":\"A-1\"}]")
        }
        var attributes: Attributes = [:]
        if case .object(let object) = value["attributes"] { attributes = Attributes(object) }
        return Item(id: id, name: value["name"]?.string, attributes)
    }

    private static func inputFailure(_ number: Int, _ problem: String, remedy: String) -> CommandFailure {
        CommandFailure(.malformedInput, "line \(number): \(problem)", remedy: remedy)
    }
}
