// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The fields of events that the columns of a CSV file have.
struct CSVMapping: Sendable, Hashable {
    /// The field of each column as a path such as `["attributes", "total"]`; nil for an ignored column.
    private(set) var fields: [[String]?]
    /// The names of the ignored columns.
    private(set) var ignored: [String] = []

    private static let simpleFields: Set = ["id", "name", "time", "installation", "user", "items"]
    /// The columns of an export that have no field.
    private static let exportedColumns: Set = ["position", "received", "writer", "sequence", "session"]

    /// Creates a mapping.
    ///
    /// Columns that are not mapped have the field with their name, as in an export.
    ///
    /// - Parameters:
    ///   - heading: The cells of the first record.
    ///   - options: Texts `column=field`.
    /// - Throws: ``CommandFailure`` `usage` for an unknown column or field, `malformedInput` for a repeated column.
    init(heading: [String], options: [String]) throws(CommandFailure) {
        // A byte order mark is not part of the first column's name.
        let heading = heading.enumerated().map { $0 == 0 && $1.hasPrefix("\u{FEFF}") ? String($1.dropFirst()) : $1 }
        fields = Array(repeating: nil, count: heading.count)
        var mapped: Set<Int> = []
        for option in options {
            guard let sign = option.lastIndex(of: "=") else {
                throw CommandFailure(.usage, "“\(option)” has no “=”", remedy: "write --map column=field")
            }
            let (column, text) = (String(option[..<sign]), String(option[option.index(after: sign)...]))
            guard let index = heading.firstIndex(of: column) else {
                throw CommandFailure(
                    .usage,
                    "the file has no column “\(column)”",
                    remedy: "it has: " + heading.prefix(20).joined(separator: ", ")
                )
            }
            guard let path = Self.path(text) else {
                throw CommandFailure(
                    .usage,
                    "“\(text)” is not a field",
                    remedy: "fields are id, name, time, user, installation, items, attributes.NAME, and context.PATH"
                )
            }
            fields[index] = path
            mapped.insert(index)
        }
        for (index, column) in heading.enumerated() where !mapped.contains(index) {
            let path = Self.path(column)
            if let path, !fields.contains(path) {
                fields[index] = path
            } else if path != nil {
                throw CommandFailure(
                    .malformedInput,
                    "the column “\(column)” appears twice, or another column is mapped to it",
                    remedy: "rename the column"
                )
            } else if !Self.exportedColumns.contains(column), column != EventTable.overflowColumn {
                ignored.append(column)
            }
        }
    }

    /// Returns the path of a field; nil if there is no such field.
    private static func path(_ text: String) -> [String]? {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                parts[parts.count - 1].append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "." {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        if parts.count == 1 { return simpleFields.contains(parts[0]) ? parts : nil }
        guard ["attributes", "context"].contains(parts[0]), !parts.contains(""), parts.count <= 32 else { return nil }
        return parts
    }

    /// Returns the event of a record.
    ///
    /// - Parameters:
    ///   - name: The name of events without one; nil if each must have one.
    ///   - occurrences: Counts equal records, so that equal events without ids stay different.
    /// - Throws: ``CommandFailure`` `malformedInput` with the line.
    func event(
        _ record: CSVRecords.Record,
        name: String?,
        occurrences: inout RecordOccurrences
    ) throws(CommandFailure) -> ImportedEvent {
        guard record.cells.count == fields.count else {
            throw ImportedEvent.failure(
                record.line,
                "the record has \(record.cells.count) cells, but the first line has \(fields.count)",
                remedy: "the file may have been cut off; no event was imported"
            )
        }
        var simple: [String: String] = [:]
        var (attributes, context) = (JSONValue.Object([]), JSONValue.Object([]))
        for (cell, field) in zip(record.cells, fields) where !cell.isEmpty {
            guard let field else { continue }
            let text = Self.unprotected(cell)
            switch field[0] {
            case "attributes": Self.insert(Self.value(text), field.dropFirst(), into: &attributes)
            case "context":
                // The version 1.10 is not the number 1.1.
                let isVersion = field.last?.hasSuffix("version") == true
                Self.insert(isVersion ? .string(text) : Self.value(text), field.dropFirst(), into: &context)
            default: simple[field[0]] = text
            }
        }
        if let user = simple["user"], context["user"]?["id"] == nil {
            Self.insert(.string(user), ["user", "id"], into: &context)
        }
        var members: [JSONValue.Object.Member] = []
        if let name = simple["name"] ?? name { members.append(.init(key: "name", value: .string(name))) }
        if !attributes.members.isEmpty { members.append(.init(key: "attributes", value: .object(attributes))) }
        if let items = simple["items"] { members.append(.init(key: "items", value: Self.value(items))) }
        var content: [String] = []
        if simple["id"] == nil {
            let key = Array(record.cells.joined(separator: "\u{1F}").utf8)
            content = record.cells + ["\(occurrences.next(key))"]
        }
        var time: Int64?
        if let text = simple["time"] {
            guard let point = PointInTime.absolute(text) else {
                throw ImportedEvent.failure(
                    record.line,
                    "“\(text.prefix(64))” is not a time",
                    remedy: "write milliseconds since 1970, or a time such as 2026-11-21T06:38:00Z"
                )
            }
            time = point.milliseconds
        }
        return try ImportedEvent(
            line: record.line,
            event: JSONValue.Object(members),
            id: simple["id"],
            time: time,
            installation: simple["installation"],
            context: .object(context),
            content: content
        )
    }

    /// Returns a cell without the apostrophe that an export adds to text that looks like a formula.
    private static func unprotected(_ cell: String) -> String {
        guard cell.hasPrefix("'") else { return cell }
        let rest = String(cell.dropFirst())
        let written = UsageReportRow.quoted(rest)
        return !rest.hasPrefix("'") && (written.hasPrefix("'") || written.hasPrefix("\"'")) ? rest : cell
    }

    /// Returns the value of a cell: a number, true, false, a list or an object if it is written as JSON, or text.
    private static func value(_ text: String) -> JSONValue {
        // Text that is not JSON is text.
        guard let value = try? JSONValue.parse(Array(text.utf8)) else { return .string(text) }
        switch value {
        case .string, .null: return .string(text)
        case .array, .object: return value
        default: return value.json().elementsEqual(text.utf8) ? value : .string(text)
        }
    }

    private static func insert(_ value: JSONValue, _ path: ArraySlice<String>, into object: inout JSONValue.Object) {
        guard let name = path.first else { return }
        let index = object.members.firstIndex { $0.key == name }
        guard path.count > 1 else {
            if let index {
                object.members[index].value = value
            } else {
                object.members.append(.init(key: name, value: value))
            }
            return
        }
        var inner = JSONValue.Object([])
        if let index, case .object(let known) = object.members[index].value { inner = known }
        insert(value, path.dropFirst(), into: &inner)
        if let index {
            object.members[index].value = .object(inner)
        } else {
            object.members.append(.init(key: name, value: .object(inner)))
        }
    }
}
