// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension JSONWriter {
    /// Writes a string in quotes.
    ///
    /// Escapes only what JSON requires: `"`, `\`, and the characters below U+0020.
    @inline(__always)
    public mutating func string(_ text: String) {
        let done: Void? = text.utf8.withContiguousStorageIfAvailable { string(utf8: UnsafeRawBufferPointer($0)) }
        if done == nil { nonNativeString(text) }
    }

    /// Writes a string that is not stored as native UTF-8.
    @inline(never)
    private mutating func nonNativeString(_ text: String) {
        var native = text
        native.withUTF8 { string(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Writes valid UTF-8 in quotes, escaped where required.
    @inline(__always)
    mutating func string(utf8 text: UnsafeRawBufferPointer) {
        // Reserve space for the quotes, and for storing whole words.
        guard reserve(text.count &+ 16) else { return }
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
        count &+= 1
        if let source = text.baseAddress, text.count > 0 {
            copy(source, text.count)
        }
        start.storeBytes(of: UInt8(ascii: "\""), toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    /// Copies words of eight bytes until one needs an escape.
    @inline(__always)
    private mutating func copy(_ source: UnsafeRawPointer, _ length: Int) {
        let target = start + count
        if length >= 8 {
            var at = 0
            while at &+ 8 <= length {
                let word = ByteWord.load(source + at)
                target.storeBytes(of: word.littleEndian, toByteOffset: at, as: UInt64.self)
                if ByteWord.bytesNeedingEscape(word) != 0 { return copyEscaping(source, length, from: at) }
                at &+= 8
            }
            if at < length {
                // Copy the last eight bytes again, overlapping bytes that are known to need no escape.
                let last = length &- 8
                let word = ByteWord.load(source + last)
                target.storeBytes(of: word.littleEndian, toByteOffset: last, as: UInt64.self)
                if ByteWord.bytesNeedingEscape(word) != 0 { return copyEscaping(source, length, from: at) }
            }
        } else if length >= 4 {
            let first = source.loadUnaligned(as: UInt32.self)
            let last = source.loadUnaligned(fromByteOffset: length &- 4, as: UInt32.self)
            let word = UInt64(first) | UInt64(last) << 32
            target.storeBytes(of: first, as: UInt32.self)
            target.storeBytes(of: last, toByteOffset: length &- 4, as: UInt32.self)
            if ByteWord.bytesNeedingEscape(word) != 0 { return copyEscaping(source, length, from: 0) }
        } else {
            // The text has one to three bytes: first, middle and last cover them all.
            let first = source.load(as: UInt8.self)
            let middle = source.load(fromByteOffset: length >> 1, as: UInt8.self)
            let last = source.load(fromByteOffset: length &- 1, as: UInt8.self)
            target.storeBytes(of: first, as: UInt8.self)
            target.storeBytes(of: middle, toByteOffset: length >> 1, as: UInt8.self)
            target.storeBytes(of: last, toByteOffset: length &- 1, as: UInt8.self)
            // The other bytes are spaces, which need no escape.
            let word = 0x2020_2020_2000_0000 | UInt64(first) | UInt64(middle) << 8 | UInt64(last) << 16
            if ByteWord.bytesNeedingEscape(word) != 0 { return copyEscaping(source, length, from: 0) }
        }
        count &+= length
    }

    /// Copies a string that needs escapes, starting at offset `clean`.
    ///
    /// The rest is copied byte by byte.
    @inline(never)
    private mutating func copyEscaping(_ source: UnsafeRawPointer, _ length: Int, from clean: Int) {
        count &+= clean
        // A byte becomes at most six; the closing quote and the word-wise store of the next string fit, too.
        guard reserve((length &- clean) &* 6 &+ 16) else { return }
        for at in clean..<length {
            let byte = source.load(fromByteOffset: at, as: UInt8.self)
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escape(byte)
            case 0x08: escape(UInt8(ascii: "b"))
            case 0x09: escape(UInt8(ascii: "t"))
            case 0x0A: escape(UInt8(ascii: "n"))
            case 0x0C: escape(UInt8(ascii: "f"))
            case 0x0D: escape(UInt8(ascii: "r"))
            case 0x00..<0x20:
                literal("\\u00")
                self.byte(UInt8(ascii: "0") + byte >> 4)
                let low = byte & 0x0F
                self.byte(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
            default: self.byte(byte)
            }
        }
    }

    private mutating func escape(_ letter: UInt8) {
        byte(UInt8(ascii: "\\"))
        byte(letter)
    }
}
