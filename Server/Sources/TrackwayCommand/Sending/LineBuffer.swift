// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Cuts a stream of bytes into lines. A value: pieces in, lines out.
struct LineBuffer: Sendable, Hashable {
    /// The longest line, in bytes; a longer one is an error.
    static let longest = 8 * 1024 * 1024

    /// How many lines have come out, empty ones included.
    private(set) var number = 0
    private var rest: [UInt8] = []

    /// Takes the next bytes and returns the lines they complete, with their numbers from 1. Empty lines are left out.
    ///
    /// - Throws: ``CommandFailure`` `malformedInput` for a line that does not end.
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

    /// What follows the last line's end, when that is a line.
    mutating func finish() -> (number: Int, bytes: [UInt8])? { rest.isEmpty ? nil : take() }

    private mutating func take() -> (number: Int, bytes: [UInt8])? {
        number += 1
        defer { rest.removeAll(keepingCapacity: true) }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        return rest.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ? nil : (number, rest)
    }
}
