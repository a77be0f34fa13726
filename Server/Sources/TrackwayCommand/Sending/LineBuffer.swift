// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Splits a stream of bytes into lines.
struct LineBuffer: Sendable, Hashable {
    /// The maximum length of a line in bytes.
    ///
    /// A longer line is an error.
    static let longest = 8 * 1024 * 1024

    /// The number of lines read so far, including empty lines.
    private(set) var number = 0
    private var rest: [UInt8] = []

    /// Adds bytes and returns the lines that they complete.
    ///
    /// Lines are numbered from 1; empty lines are omitted.
    ///
    /// - Throws: ``CommandFailure`` `malformedInput` for a line that is too long.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(CommandFailure) -> [(number: Int, bytes: [UInt8])] {
        var lines: [(number: Int, bytes: [UInt8])] = []
        var from = bytes.startIndex
        while let end = bytes[from...].firstIndex(of: UInt8(ascii: "\n")) {
            rest += bytes[from..<end]
            from = bytes.index(after: end)
            if let line = take() { lines.append(line) }
        }
        rest += bytes[from...]
        guard rest.count <= Self.longest else {
            throw CommandFailure(
                .malformedInput,
                "line \(number + 1) is longer than \(Self.longest.grouped) bytes",
                remedy: "write one event on each line"
            )
        }
        return lines
    }

    /// Returns the text after the last line ending, if it is not empty.
    mutating func finish() -> (number: Int, bytes: [UInt8])? { rest.isEmpty ? nil : take() }

    private mutating func take() -> (number: Int, bytes: [UInt8])? {
        number += 1
        defer { rest.removeAll(keepingCapacity: true) }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        return rest.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ? nil : (number, rest)
    }
}
