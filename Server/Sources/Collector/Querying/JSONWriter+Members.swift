// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

extension JSONWriter {
    /// A member whose value is text, or null.
    public mutating func member(_ name: String, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    /// A member whose value is a number, or null.
    public mutating func member(_ name: String, _ number: Double?) {
        key(name)
        if let number { double(number) } else { null() }
    }

    /// A member whose value is a whole number.
    public mutating func member(_ name: String, _ number: Int64) {
        key(name)
        integer(number)
    }

    /// A member whose value is a whole number.
    public mutating func member(_ name: String, _ number: UInt64) {
        key(name)
        integer(number)
    }

    /// A member whose value is a moment, in milliseconds since 1970.
    public mutating func member(_ name: String, _ moment: Timestamp) {
        key(name)
        integer(moment.milliseconds)
    }

    /// A member whose value is true or false.
    public mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        boolean(flag)
    }

    /// A member whose value is an id.
    public mutating func member(_ name: String, _ id: some UniqueID) {
        key(name)
        self.id(id)
    }

    /// A member that is a list.
    public mutating func list<Row>(_ name: String, _ rows: [Row], _ write: (Row, inout JSONWriter) -> Void) {
        key(name)
        beginArray()
        for row in rows {
            element()
            write(row, &self)
        }
        endArray()
    }

    /// A member that is an object, with what `write` puts into it.
    public mutating func object(_ name: String, _ write: (inout JSONWriter) -> Void) {
        key(name)
        beginObject()
        write(&self)
        endObject()
    }
}
