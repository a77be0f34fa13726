// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HummingbirdCore
internal import TrackwayCore

/// A request's query parameters, with errors that name the invalid parameter.
struct QueryParameters {
    /// The parameters in their original order, percent-decoded.
    let parameters: [(name: String, value: String)]
    private let values: [String: [String]]

    /// Creates a query from a URI.
    init(_ uri: URI) {
        self.init(parameters: uri.queryParameters.map { (name: String($0), value: String($1)) })
    }

    /// Creates a query from parsed parameters.
    init(parameters: [(name: String, value: String)]) {
        self.parameters = parameters
        values = Dictionary(grouping: parameters.filter { !$0.value.isEmpty }, by: \.name).mapValues { $0.map(\.value) }
    }

    /// Returns the string of a parameter that may occur once; nil if absent or empty.
    func text(_ name: String) throws(RequestFailure) -> String? {
        let all = values[name] ?? []
        guard all.count <= 1 else {
            throw .malformed(name, "“\(name)” occurs \(all.count) times; this request takes it once.")
        }
        return all.first
    }

    /// Returns the last string of a parameter; nil if absent or empty.
    ///
    /// Only for requests of other SDKs, whose servers ignore repetitions.
    func lastText(_ name: String) -> String? { values[name]?.last }

    /// Returns the strings of a parameter that may occur several times, without duplicates and empty ones.
    func texts(_ name: String, upTo limit: Int) throws(RequestFailure) -> [String] {
        var texts: [String] = []
        for text in values[name] ?? [] where !texts.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
            texts.append(text)
        }
        guard texts.count <= limit else {
            throw .malformed(name, "“\(name)” has \(texts.count) values; at most \(limit) are allowed.")
        }
        return texts
    }

    /// Returns a value parsed from its text representation; nil if absent.
    func value<Value: LosslessStringConvertible>(
        _ name: String,
        _ expectation: String
    ) throws(RequestFailure) -> Value? {
        guard let text = try text(name) else { return nil }
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
        guard let text = try text(name) else { return nil }
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
        guard let text = try text("order") else { return nil }
        guard let order = EventQuery.Order(rawValue: text) else {
            throw .malformed("order", "“\(text.prefix(64))” is neither “asc” nor “desc”.")
        }
        return order
    }

    /// Parses the event filter shared by lists, counts, and streams.
    func filter(order: EventQuery.Order, limit: Int) throws(RequestFailure) -> EventQuery {
        var query = EventQuery(order: order, limit: limit)
        query.names = try texts("name", upTo: QueryLimits.names)
        query.installation = try value("installation", "an installation id")
        query.user = try text("user")
        query.session = try text("session")
        query.project = try text("project")
        query.run = try text("run")
        query.from = try time("from")
        query.to = try time("to")
        query.after = try value("after", "a position such as 3.88213.7")
        return query
    }
}
