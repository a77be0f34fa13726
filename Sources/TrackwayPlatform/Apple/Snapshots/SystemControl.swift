// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin

/// What the kernel tells by name (sysctl).
enum SystemControl {
    /// A text; nil when the kernel does not tell, such as inside of a sandbox.
    static func text(_ name: String) -> String? {
        var length = 0
        guard sysctlbyname(name, nil, &length, nil, 0) == 0, length > 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        guard sysctlbyname(name, &bytes, &length, nil, 0) == 0 else { return nil }
        let text = String(decoding: bytes.prefix(length).prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// A whole number of 32 or 64 bits.
    static func number(_ name: String) -> Int64? {
        var bytes = [UInt8](repeating: 0, count: 8)
        var length = bytes.count
        guard sysctlbyname(name, &bytes, &length, nil, 0) == 0 else { return nil }
        return bytes.withUnsafeBytes { memory in
            switch length {
            case 4: Int64(memory.loadUnaligned(as: Int32.self))
            case 8: memory.loadUnaligned(as: Int64.self)
            default: nil
            }
        }
    }
}
#endif
