// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Unbuffered output of whole lines: a reader at the other end of a pipe sees each line immediately.
enum Output {
    /// Writes a line to standard output.
    static func line(_ text: String) {
        write("\(text)\n", to: STDOUT_FILENO)
    }

    /// Writes a line to standard error.
    static func error(_ text: String) {
        write("\(text)\n", to: STDERR_FILENO)
    }

    /// Writes the text unchanged, including control sequences.
    static func write(_ text: String, to file: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
            // The reader has closed its end, or the call was interrupted before it wrote anything.
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// The system call, whose name is shadowed by this type.
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
