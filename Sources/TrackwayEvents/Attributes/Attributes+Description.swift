// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension Attributes: CustomStringConvertible {
    /// The attributes as one would write them down: `["sku": "A-1", "price": 12.5]`. For people who read tests and logs; not
    /// a format.
    public var description: String {
        isEmpty ? "[:]" : "[\(map { "\(Self.quoted($0.key)): \(Self.text($0.value))" }.joined(separator: ", "))]"
    }

    private static func text(_ value: AttributeValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let number): number.description
        case .double(let number): number.description
        case .boolean(let truth): truth.description
        case .date(let date): date.description
        case .array(let values): "[\(values.map(text).joined(separator: ", "))]"
        case .object(let attributes): attributes.description
        }
    }

    private static func quoted(_ text: String) -> String { text.debugDescription }
}
