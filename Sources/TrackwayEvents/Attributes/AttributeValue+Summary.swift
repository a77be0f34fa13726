// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension AttributeValue {
    /// The value in a few words, for messages.
    var summary: String {
        switch self {
        case .string(let text): text.cut(toBytes: Diagnostic.maximumValueBytes)
        case .integer(let number): String(number)
        case .double(let number): number.description
        case .boolean(let truth): String(truth)
        case .date(let date):
            Timestamp.expressible.contains(date) ? date.iso8601 : "\(date.milliseconds) ms since 1970"
        case .array(let values): "an array of \(values.count)"
        case .object(let attributes): "an object of \(attributes.count)"
        }
    }
}
