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

    /// Begins a member of an object: a comma where one is due, the key, a colon.
    public mutating func key(_ key: String) {
        separate()
        string(key)
        byte(UInt8(ascii: ":"))
    }

    /// Begins an element of an array: a comma where one is due.
    public mutating func element() {
        separate()
    }

    /// True or false.
    public mutating func boolean(_ value: Bool) {
        if value { literal("true") } else { literal("false") }
    }

    /// Null.
    public mutating func null() {
        literal("null")
    }

    /// A point in time as text such as `"2026-11-21T06:38:00.000Z"`. Points outside ``Timestamp/expressible`` are
    /// written as its nearest end.
    public mutating func date(_ value: Timestamp) {
        guard reserve(Timestamp.textLength + 2) else { return }
        let clamped = min(max(value, Timestamp.expressible.lowerBound), Timestamp.expressible.upperBound)
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
        clamped.writeText(to: start + count + 1)
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count + 1 + Timestamp.textLength, as: UInt8.self)
        count += Timestamp.textLength + 2
    }

    /// An identity as text of 36 characters.
    public mutating func id(_ value: some UniqueID) {
        guard reserve(UUIDText.length + 2) else { return }
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
        UUIDText.write(high: value.high, low: value.low, to: start + count + 1)
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count + 1 + UUIDText.length, as: UInt8.self)
        count += UUIDText.length + 2
    }

    /// Bytes as they are: JSON that was written before.
    public mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, reserve(bytes.count) else { return }
        (start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    /// Bytes as they are: JSON that was written before.
    public mutating func raw(_ bytes: some Collection<UInt8>) {
        let done: Void? = bytes.withContiguousStorageIfAvailable { raw(UnsafeRawBufferPointer($0)) }
        if done == nil { for byte in bytes { self.byte(byte) } }
    }

    /// One byte as it is.
    @inline(__always)
    public mutating func byte(_ value: UInt8) {
        guard reserve(1) else { return }
        start.storeBytes(of: value, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    /// ASCII text as it is.
    @inline(__always)
    mutating func literal(_ text: StaticString) {
        guard reserve(text.utf8CodeUnitCount) else { return }
        (start + count).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
        count &+= text.utf8CodeUnitCount
    }

    /// Sets a comma unless the text ends where a member or element may begin without one.
    private mutating func separate() {
        guard count > 0 else { return }
        switch (start + count - 1).load(as: UInt8.self) {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: byte(UInt8(ascii: ","))
        }
    }
}
