// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

extension JSONWriter {
    /// Writes a member whose value is text or null.
    public mutating func member(_ name: String, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    /// Writes a member whose value is a number or null.
    public mutating func member(_ name: String, _ number: Double?) {
        key(name)
        if let number { double(number) } else { null() }
    }

    /// Writes a member whose value is an integer.
    public mutating func member(_ name: String, _ number: Int64) {
        key(name)
        integer(number)
    }

    /// Writes a member whose value is an integer.
    public mutating func member(_ name: String, _ number: UInt64) {
        key(name)
        integer(number)
    }

    /// Writes a member whose value is a time in milliseconds since 1970.
    public mutating func member(_ name: String, _ moment: Timestamp) {
        key(name)
        integer(moment.milliseconds)
    }

    /// Writes a member whose value is true or false.
    public mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        boolean(flag)
    }

    /// Writes a member whose value is an id.
    public mutating func member(_ name: String, _ id: some UniqueID) {
        key(name)
        self.id(id)
    }

    /// Writes a member that is a list.
    public mutating func list<Row>(_ name: String, _ rows: [Row], _ write: (Row, inout JSONWriter) -> Void) {
        key(name)
        beginArray()
        for row in rows {
            element()
            write(row, &self)
        }
        endArray()
    }

    /// Writes a member that is an object; `write` adds its members.
    public mutating func object(_ name: String, _ write: (inout JSONWriter) -> Void) {
        key(name)
        beginObject()
        write(&self)
        endObject()
    }
}
