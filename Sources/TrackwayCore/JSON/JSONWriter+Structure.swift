// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONWriter {
    /// Begins an object.
    public mutating func beginObject() { byte(UInt8(ascii: "{")) }

    /// Ends an object.
    public mutating func endObject() { byte(UInt8(ascii: "}")) }

    /// Begins an array.
    public mutating func beginArray() { byte(UInt8(ascii: "[")) }

    /// Ends an array.
    public mutating func endArray() { byte(UInt8(ascii: "]")) }

    /// Begins a member of an object.
    ///
    /// Writes a comma if required, the key, and a colon.
    public mutating func key(_ key: String) {
        writeSeparator()
        string(key)
        byte(UInt8(ascii: ":"))
    }

    /// Begins an element of an array, writing a comma if required.
    public mutating func element() {
        writeSeparator()
    }

    /// Writes true or false.
    public mutating func boolean(_ value: Bool) {
        if value { literal("true") } else { literal("false") }
    }

    /// Writes null.
    public mutating func null() {
        literal("null")
    }

    /// Writes a date as a string such as `"2026-11-21T06:38:00.000Z"`.
    ///
    /// A date outside ``Timestamp/representableRange`` is clamped to that range.
    public mutating func date(_ value: Timestamp) {
        guard reserve(Timestamp.textLength + 2) else { return }
        let clamped = min(max(value, Timestamp.representableRange.lowerBound), Timestamp.representableRange.upperBound)
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
        clamped.writeText(to: start + count + 1)
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count + 1 + Timestamp.textLength, as: UInt8.self)
        count += Timestamp.textLength + 2
    }

    /// Writes an id as a string of 36 characters.
    public mutating func id(_ value: some UniqueID) {
        guard reserve(UUIDText.length + 2) else { return }
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
        UUIDText.write(high: value.high, low: value.low, to: start + count + 1)
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count + 1 + UUIDText.length, as: UInt8.self)
        count += UUIDText.length + 2
    }

    /// Writes bytes unchanged: JSON that was encoded before.
    public mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, reserve(bytes.count) else { return }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Writes bytes unchanged: JSON that was encoded before.
    public mutating func raw(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { raw(UnsafeRawBufferPointer($0)) }
        if done == nil { for byte in bytes { self.byte(byte) } }
    }

    /// Writes one byte unchanged.
    @inline(__always)
    public mutating func byte(_ value: UInt8) {
        guard reserve(1) else { return }
        start.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    /// Writes ASCII text unchanged.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        guard reserve(text.utf8CodeUnitCount) else { return }
        (start + count).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        count &+= text.utf8CodeUnitCount
    }

    /// Writes a comma if required before a member or element.
    private mutating func writeSeparator() {
        guard count > 0 else { return }
        switch (start + count - 1).load(as: UInt8.self) {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: byte(UInt8(ascii: ","))
        }
    }
}
