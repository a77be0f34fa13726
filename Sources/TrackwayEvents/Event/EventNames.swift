// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What makes an event's name usable.
enum EventNames {
    /// The name of an event that was recorded without one.
    static let unnamed = "_unnamed"

    /// True when the name holds characters below U+0020, U+007F, or line separators that break log lines.
    @inline(__always)
    static func hasControlCharacters(_ name: String) -> Bool {
        let found = name.utf8.withContiguousStorageIfAvailable { utf8 in
            hasControlBytes(UnsafeRawBufferPointer(utf8))
        }
        return found ?? name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// The name with each control character replaced by `_`.
    static func replacingControlCharacters(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "_" : $0 }))
    }

    @inline(__always)
    private static func hasControlBytes(_ name: UnsafeRawBufferPointer) -> Bool {
        for byte in name where byte < 0x20 || byte == 0x7F { return true }
        return false
    }
}
