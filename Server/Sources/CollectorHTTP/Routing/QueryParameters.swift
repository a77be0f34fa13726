// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HummingbirdCore
internal import TrackwayCore

/// A request's query parameters, with errors that name the invalid parameter.
struct QueryParameters {
    /// The parameters in their original order, percent-decoded.
    let parameters: [(name: String, value: String)]
    private let values: [String: String]

    /// Creates a query from a URI; the last of duplicate parameters applies.
    init(_ uri: URI) {
        self.init(parameters: uri.queryParameters.map { (name: String($0), value: String($1)) })
    }

    /// Creates a query from parsed parameters.
    init(parameters: [(name: String, value: String)]) {
        self.parameters = parameters
        values = Dictionary(parameters.map { ($0.name, $0.value) }) { $1 }
    }

    /// Returns a string; nil if absent or empty.
    func text(_ name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns a value parsed from its text representation; nil if absent.
    func value<Value: LosslessStringConvertible>(
        _ name: String,
        _ expectation: String
    ) throws(RequestFailure) -> Value? {
        guard let text = text(name) else { return nil }
        guard let value = Value(text) else {
            throw .malformed(name, "“\(text.prefix(64))” is not \(expectation).")
        }
        return value
    }

    /// Returns a whole number within bounds; nil if absent.
    func number(_ name: String, in bounds: ClosedRange<Int>) throws(RequestFailure) -> Int? {
        guard let number: Int = try value(name, "a whole number") else { return nil }
        guard bounds.contains(number) else {
            throw .malformed(name, "\(number) is not between \(bounds.lowerBound) and \(bounds.upperBound).")
        }
        return number
    }

    /// Returns a time: Unix milliseconds, or text such as `2026-11-21T06:38:00.000Z`.
    ///
    /// Nil if absent.
    func time(_ name: String) throws(RequestFailure) -> Timestamp? {
        guard let text = text(name) else { return nil }
        if let milliseconds = Int64(text) { return Timestamp(milliseconds: milliseconds) }
        guard let time = Timestamp(iso8601: text) else {
            throw .malformed(
                name,
                "“\(text.prefix(64))” is not a time: write Unix milliseconds or 2026-11-21T06:38:00.000Z."
            )
        }
        return time
    }

    /// Returns the requested order of a response; nil if absent.
    func order() throws(RequestFailure) -> EventQuery.Order? {
        guard let text = text("order") else { return nil }
        guard let order = EventQuery.Order(rawValue: text) else {
            throw .malformed("order", "“\(text.prefix(64))” is neither “asc” nor “desc”.")
        }
        return order
    }

    /// Parses the event filter shared by lists, counts, and streams.
    func filter(order: EventQuery.Order, limit: Int) throws(RequestFailure) -> EventQuery {
        var query = EventQuery(order: order, limit: limit)
        query.name = text("name")
        query.installation = try value("installation", "an installation id")
        query.user = text("user")
        query.session = text("session")
        query.project = text("project")
        query.run = text("run")
        query.from = try time("from")
        query.to = try time("to")
        query.after = try value("after", "a position such as 3.88213.7")
        return query
    }
}
