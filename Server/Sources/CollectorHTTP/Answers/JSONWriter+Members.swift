// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension JSONWriter {
    /// A member whose value is text, or null.
    mutating func member(_ name: String, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    /// A member whose value is a number, or null.
    mutating func member(_ name: String, _ number: Double?) {
        key(name)
        if let number { double(number) } else { null() }
    }

    /// A member that is a list.
    mutating func list<Row>(_ key: String, _ rows: [Row], _ write: (Row, inout JSONWriter) -> Void) {
        self.key(key)
        beginArray()
        for row in rows {
            element()
            write(row, &self)
        }
        endArray()
    }
}
