// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Writes at once and whole: whoever reads the other end of a pipe sees a line as soon as it happened.
enum Output {
    /// A line on standard output.
    static func line(_ text: String) {
        write("\(text)\n", to: STDOUT_FILENO)
    }

    /// A line on standard error.
    static func problem(_ text: String) {
        write("\(text)\n", to: STDERR_FILENO)
    }

    /// Text as it is, control sequences included.
    static func write(_ text: String, to file: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            // Nobody reads any more, or the call was interrupted before it wrote anything.
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// The system's call, whose name this type would hide.
    private static var systemWrite: (Int32, UnsafeRawPointer?, Int) -> Int {
        #if canImport(Darwin)
        Darwin.write
        #elseif canImport(Glibc)
        Glibc.write
        #else
        Musl.write
        #endif
    }
}
