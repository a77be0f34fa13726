// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Events as rows of a CSV table, with one column for each attribute.
///
/// Nested objects become columns with dotted names, such as `context.app.version`; lists are JSON. A dot or backslash
/// in a name is preceded by a backslash.
struct EventTable: Sendable {
    /// The maximum number of columns for attributes, items and contexts.
    ///
    /// Values of further columns are a JSON object in the last column, ``overflowColumn``.
    static let maximumColumns = 2_000
    /// The column for values without a column of their own.
    static let overflowColumn = "more"
    /// The columns that every table begins with.
    static let fixedColumns = [
        "position", "id", "name", "time", "received", "installation", "writer", "sequence", "user", "session",
    ]
    /// The maximum depth of objects that become columns; deeper ones are JSON.
    private static let maximumDepth = 16

    private var found: Set<String> = []
    private var hasOverflow = false
    private let maximumColumns: Int
    private var order: [String: Int] = [:]

    /// Creates a table without columns.
    init(maximumColumns: Int = maximumColumns) { self.maximumColumns = maximumColumns }

    /// Adds the columns of an event.
    mutating func addColumns(of event: JSONValue) {
        Self.visit(event) { name, _ in
            if found.contains(name) { return }
            if found.count < maximumColumns { found.insert(name) } else { hasOverflow = true }
        }
    }

    /// The names of all columns, in order.
    var heading: [String] { Self.fixedColumns + found.sorted() + (hasOverflow ? [Self.overflowColumn] : []) }

    /// The first line of the table, without a line ending.
    mutating func headingLine() -> String {
        order = Dictionary(heading.enumerated().map { ($1, $0) }) { first, _ in first }
        return heading.map(UsageReportRow.quoted).joined(separator: ",")
    }

    /// Returns an event's line, without a line ending.
    ///
    /// Call ``headingLine()`` first.
    func line(_ event: JSONValue) -> String {
        var cells = [String](repeating: "", count: order.count)
        for (index, name) in Self.fixedColumns.enumerated() {
            guard let value = event[name] ?? event["event"]?[name] else { continue }
            let isTime = name == "time" || name == "received"
            cells[index] =
                isTime ? value.integer.map { Timestamp(milliseconds: $0).iso8601 } ?? "" : Self.text(value)
        }
        var more: [JSONValue.Object.Member] = []
        Self.visit(event) { name, value in
            if let index = order[name] {
                cells[index] = Self.text(value)
            } else {
                more.append(.init(key: name, value: value))
            }
        }
        if !more.isEmpty, let index = order[Self.overflowColumn] {
            cells[index] = Self.text(.object(.init(more)))
        }
        return cells.map(UsageReportRow.quoted).joined(separator: ",")
    }

    /// Calls `body` with the column and value of each attribute, of the items, and of each member of the context.
    private static func visit(_ event: JSONValue, _ body: (String, JSONValue) -> Void) {
        if let attributes = event["event"]?["attributes"] { flatten(attributes, "attributes", 1, body) }
        if let items = event["event"]?["items"] { body("items", items) }
        if let context = event["context"] { flatten(context, "context", 1, body) }
    }

    private static func flatten(_ value: JSONValue, _ path: String, _ depth: Int, _ body: (String, JSONValue) -> Void) {
        guard case .object(let object) = value, depth <= maximumDepth else { return body(path, value) }
        for member in object.members { flatten(member.value, path + "." + escaped(member.key), depth + 1, body) }
    }

    /// Returns a name with its dots and backslashes marked.
    static func escaped(_ name: String) -> String {
        guard name.contains(where: { $0 == "." || $0 == "\\" }) else { return name }
        return name.replacing("\\", with: "\\\\").replacing(".", with: "\\.")
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .string(let text): text
        case .null: ""
        default: String(decoding: value.json(), as: UTF8.self)
        }
    }
}
