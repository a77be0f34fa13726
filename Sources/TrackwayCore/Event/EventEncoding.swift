// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The state of encoding one event: its limits, the maximum size of the writer, and the problems found.
struct EventEncoding {
    let nameBytes: Int
    let keyBytes: Int
    let stringBytes: Int
    let idBytes: Int
    let maximumAttributes: Int
    let maximumItems: Int
    let maximumDepth: Int
    /// The maximum size of the writer after attributes and items.
    ///
    /// It reserves space for the report of problems.
    let end: Int
    var problems = EventProblems()

    /// Begins an event at the writer's current position.
    @inline(__always)
    init(limits: EventLimits, start: Int) {
        let size = max(limits.eventBytes, EventLimits.minimumEventBytes)
        nameBytes = max(1, min(limits.nameBytes, size / 16))
        keyBytes = limits.keyBytes
        stringBytes = limits.stringBytes
        idBytes = limits.itemIDBytes
        maximumAttributes = max(0, limits.attributes)
        maximumItems = max(0, limits.items)
        maximumDepth = min(limits.depth, EventLimits.maximumDepth)
        end = start + size - EventProblems.reservedBytes
    }

    /// Writes the id, the name and the times.
    @inline(__always)
    mutating func header(id: EventID, name: String, moment: DualTimestamp, into writer: inout JSONWriter) {
        writer.literal("{\"id\":")
        writer.id(id)
        writer.literal(",\"name\":")
        let before = writer.count
        writer.string(name)
        // Subtract two for the quotes. Escapes only lengthen the name, so a name that is short enough here is valid.
        let written = writer.count - before - 2
        if written == 0 || written > nameBytes || EventNames.hasControlCharacters(name) {
            repairName(name, from: before, into: &writer)
        }
        writer.literal(",\"time\":")
        writer.integer(moment.wall.milliseconds)
        writer.literal(",\"mono\":")
        writer.integer(moment.monotonic.milliseconds)
    }

    @inline(never)
    private mutating func repairName(_ name: String, from before: Int, into writer: inout JSONWriter) {
        writer.truncate(to: before)
        var repaired = name
        if name.isEmpty {
            repaired = EventNames.unnamed
            problems.add(
                .nameEmpty,
                field: "name",
                value: "",
                "The event has no name and was recorded as \(EventNames.unnamed)",
                recoverySuggestion: "Give the event a name."
            )
        } else {
            if EventNames.hasControlCharacters(name) {
                repaired = EventNames.replacingControlCharacters(name)
                problems.add(
                    .nameInvalid,
                    field: "name",
                    value: repaired,
                    "Control characters in the event's name were replaced by _",
                    recoverySuggestion: "Use a name without control characters."
                )
            }
            if repaired.utf8.count > nameBytes {
                repaired = repaired.truncated(toUTF8Count: nameBytes)
                // If the limit is shorter than the name's first character, the truncated name is empty.
                if repaired.isEmpty { repaired = EventNames.unnamed }
                problems.add(
                    .nameTooLong,
                    field: "name",
                    value: name,
                    "The event's name was truncated because it has \(name.utf8.count) bytes of UTF-8 and the limit is "
                        + "\(nameBytes)",
                    recoverySuggestion: "Use at most \(nameBytes) bytes."
                )
            }
        }
        writer.string(repaired)
    }

    /// Writes the member `items` with the items that are valid and fit.
    mutating func items(_ items: [Item], into writer: inout JSONWriter) {
        let before = writer.count
        writer.literal(",\"items\":[")
        var written = 0
        if items.count > maximumItems {
            problems.add(
                .tooManyItems,
                field: "items",
                value: "\(items.count) items",
                showsValue: false,
                "The last items were left out because the event has \(items.count) and the limit is \(maximumItems)",
                recoverySuggestion: "Record at most \(maximumItems) items in one event."
            )
        }
        for (index, item) in items.prefix(maximumItems).enumerated() {
            let mark = writer.count
            if written > 0 { writer.byte(UInt8(ascii: ",")) }
            let known = problems.count
            if self.item(item, into: &writer) {
                written += 1
            } else {
                writer.truncate(to: mark)
            }
            problems.prefix("items[\(index)]", since: known)
        }
        writer.byte(UInt8(ascii: "]"))
        if written == 0 { writer.truncate(to: before) }
    }

    /// Writes one item; returns false if it must be left out.
    private mutating func item(_ item: Item, into writer: inout JSONWriter) -> Bool {
        let length = item.id.utf8.count
        guard length > 0, length <= idBytes else {
            problems.add(
                .itemInvalid,
                field: "id",
                value: item.id,
                length == 0
                    ? "The item was left out because its id is empty"
                    : "The item was left out because its id has \(length) bytes of UTF-8 and the limit is \(idBytes)",
                recoverySuggestion: "Give every item an id of 1 to \(idBytes) bytes."
            )
            return false
        }
        writer.literal("{\"id\":")
        writer.string(item.id)
        if let name = item.name {
            if name.utf8.count <= stringBytes {
                writer.literal(",\"name\":")
                writer.string(name)
            } else {
                addTooLong(name, field: "name", value: name)
            }
        }
        if item.attributes.mayHavePairs || item.attributes.unsupported != nil {
            let mark = writer.count
            let known = problems.count
            writer.literal(",\"attributes\":")
            if attributes(item.attributes, depth: 1, into: &writer) == 0 { writer.truncate(to: mark) }
            if problems.count > known { problems.prefix("attributes", since: known) }
        }
        writer.byte(UInt8(ascii: "}"))
        guard writer.count <= end else {
            addTooLarge(field: "", value: item.id)
            return false
        }
        return true
    }

    /// Adds the problem of a part that exceeds the maximum event size.
    mutating func addTooLarge(field: String, value: String) {
        problems.add(
            .eventTooLarge,
            field: field,
            value: value,
            "This part was left out because the event would be larger than its limit",
            recoverySuggestion: "Record less data in one event, or raise EventLimits.eventBytes."
        )
    }

    /// Adds the problem of a string that is too long.
    mutating func addTooLong(_ text: String, field: String, value: String) {
        problems.add(
            .valueTooLong,
            field: field,
            value: value,
            "The string was left out because it has \(text.utf8.count) bytes of UTF-8 and the limit is \(stringBytes)",
            recoverySuggestion: "Use at most \(stringBytes) bytes."
        )
    }
}
