// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

extension TrendQuery.Grouping {
    /// All fields, in the order of the values in a combination.
    public var fields: [QueryField] { [field] + furtherFields }

    /// Returns the value that identifies an event's group.
    ///
    /// - With one field and no buckets, this is the field's value.
    /// - A bucket is an object such as `{"from":10,"to":50}`; the first has no `from`, the last no `to`.
    ///   All values that are not numbers are in one group, that of events without the field.
    /// - With several fields, it is a list such as `["DE","iOS"]`, with null for an absent value.
    ///
    /// - Parameter value: a function that returns the value of the field at an index of ``fields``.
    public func value(_ value: (Int) -> QueryValue?) -> QueryValue? {
        let first = buckets.isEmpty ? value(0) : bucket(of: value(0))
        guard !furtherFields.isEmpty else { return first }
        var parts = [first] + (1...furtherFields.count).map(value)
        if readsValuesAsTexts {
            // Values with equal text are one group only if they are equal in the list as well.
            for index in parts.indices where index > 0 || buckets.isEmpty {
                parts[index] = parts[index].map { .text($0.text) }
            }
        }
        let json = JSONWriter.withThreadBuffer { writer in
            writer.beginArray()
            for part in parts {
                writer.element()
                if let part { part.write(to: &writer) } else { writer.null() }
            }
            writer.endArray()
            return writer.array()
        }
        return .structure(json)
    }

    private func bucket(of value: QueryValue?) -> QueryValue? {
        guard let number = value?.number else { return nil }
        let next = buckets.firstIndex { number.isLess(than: $0) } ?? buckets.count
        let json = JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            if next > 0 {
                writer.key("from")
                buckets[next - 1].write(to: &writer)
            }
            if next < buckets.count {
                writer.key("to")
                buckets[next].write(to: &writer)
            }
            writer.endObject()
            return writer.array()
        }
        return .structure(json)
    }
}

extension QueryParameterReader {
    /// Parses the fields of a grouping; empty for none.
    func groupingFields() throws(InvalidQueryError) -> [QueryField] {
        var fields: [QueryField] = []
        for text in all("by") {
            let field = try QueryField(text, parameter: "by")
            guard !fields.contains(field) else {
                throw InvalidQueryError("by", "“\(text.prefix(64))” occurs twice in “by”; leave one out.")
            }
            fields.append(field)
        }
        try checkCount(fields.count, "by", QueryLimits.groupingFields)
        return fields
    }

    /// Parses the limits between buckets, such as `10,50,100`; empty for none.
    func buckets() throws(InvalidQueryError) -> [JSONNumber] {
        guard let text = try text("buckets") else { return [] }
        var limits: [JSONNumber] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let limit = QueryValue.text(Array(part.utf8)).spelledNumber else {
                throw InvalidQueryError(
                    "buckets",
                    "“\(part.prefix(64))” is not a number: write the limits between buckets, such as 10,50,100."
                )
            }
            if let last = limits.last, !last.isLess(than: limit) {
                throw InvalidQueryError(
                    "buckets",
                    "“\(part.prefix(64))” is not greater than the limit before it: write ascending limits, such as "
                        + "10,50,100."
                )
            }
            limits.append(limit)
        }
        guard limits.count <= QueryLimits.bucketLimits else {
            throw InvalidQueryError(
                "buckets",
                "“buckets” has \(limits.count) limits; at most \(QueryLimits.bucketLimits) are allowed."
            )
        }
        return limits
    }
}
