// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayWire

/// An answer as it comes in, line by line and piece by piece, within bounds.
struct CurlAnswer {
    /// Why the answer was ended before its end.
    enum Cut {
        /// Its body reached the bound: what is there is the answer.
        case body
        /// Its head never ends.
        case head
    }

    /// The most bytes of all heads together. Servers bound theirs to 8 or 16 KiB.
    static let longestHead = 65_536

    private let longestBody: Int
    private var headBytes = 0
    private var isInHead = true
    private(set) var headers = WireHeaders()
    private(set) var body: [UInt8] = []
    private(set) var cut: Cut?
    /// Whether a head has ended with its empty line: what was cut before is no answer.
    private(set) var hasHead = false

    init(longestBody: Int) {
        self.longestBody = longestBody
    }

    /// Takes a line of a head: its status line, a field or the empty line behind. False ends the transfer.
    mutating func takeLine(_ line: some Collection<UInt8>) -> Bool {
        headBytes += line.count
        guard headBytes <= Self.longestHead else {
            cut = .head
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // A head that only announces the next one (100, 103) is not the answer's.
            headers = WireHeaders()
            hasHead = false
            isInHead = true
        } else if text.allSatisfy({ $0 == "\r" || $0 == "\n" || $0 == "\r\n" }) {
            hasHead = true
            isInHead = false
        } else if isInHead, let colon = text.firstIndex(of: ":") {
            // Fields behind a body come too late to say anything about it.
            headers.append(
                name: String(text[..<colon]),
                value: Self.trimmed(text[text.index(after: colon)...])
            )
        }
        return true
    }

    /// Takes a piece of the body. False ends the transfer.
    mutating func takePiece(_ piece: some Collection<UInt8>) -> Bool {
        let room = longestBody - body.count
        body.append(contentsOf: piece.prefix(room))
        guard piece.count > room else { return true }
        cut = .body
        return false
    }

    private static func trimmed(_ text: Substring) -> String {
        var bytes = Substring(text).utf8
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || ($0 >= 9 && $0 <= 13) }
        while let first = bytes.first, isSpace(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, isSpace(last) { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}
#endif
