// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension AttributeValue {
    /// The text a value has in this dialect, which knows text, numbers and truth only: a date is its ISO 8601 form, lists
    /// and objects their JSON. nil for numbers and truth.
    var clickstreamText: String? {
        switch self {
        case .string(let text): text
        case .date(let date): date.iso8601
        case .array, .object: String(decoding: json.json(), as: UTF8.self)
        case .integer, .double, .boolean: nil
        }
    }

    /// Writes the value as this dialect has it.
    func writeClickstream(into writer: inout JSONWriter) {
        switch self {
        case .integer(let number): writer.integer(number)
        case .double(let number): writer.double(number)
        case .boolean(let truth): writer.boolean(truth)
        case .string(let text): writer.string(text)
        case .date, .array, .object: writer.string(clickstreamText ?? "")
        }
    }
}

extension JSONWriter {
    /// Writes members in the order of their keys' bytes.
    mutating func clickstreamObject(_ members: some Sequence<(key: String, value: AttributeValue)>) {
        beginObject()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            key(name)
            value.writeClickstream(into: &self)
        }
        endObject()
    }
}
