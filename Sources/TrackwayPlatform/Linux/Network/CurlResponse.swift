// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayDestinationKit

/// A response as it arrives, with size limits.
///
/// The response arrives as header lines and chunks of the body.
struct CurlResponse {
    /// The reason why the transfer was stopped before the response ended.
    enum Truncation {
        /// The body reached the limit.
        ///
        /// The response consists of the bytes received so far.
        case body
        /// The header section exceeds the limit.
        case head
    }

    /// The maximum size of all header sections together, in bytes.
    ///
    /// Servers limit theirs to 8 or 16 KiB.
    static let longestHead = 65_536

    private let longestBody: Int
    private var headBytes = 0
    private var isInHead = true
    private(set) var headers = WireHeaders()
    private(set) var body: [UInt8] = []
    private(set) var truncation: Truncation?
    /// Whether a header section has ended with its empty line.
    ///
    /// A transfer that is cut off before that line has no response.
    private(set) var hasHead = false

    init(longestBody: Int) {
        self.longestBody = longestBody
    }

    /// Handles a header line.
    ///
    /// The line is a status line, a field, or the empty line that ends the section. Returns false to stop the transfer.
    mutating func receiveLine(_ line: some Collection<UInt8>) -> Bool {
        headBytes += line.count
        guard headBytes <= Self.longestHead else {
            truncation = .head
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // An interim header section (100, 103) does not belong to the final response, so it is discarded.
            headers = WireHeaders()
            hasHead = false
            isInHead = true
        } else if text.allSatisfy({ $0 == "\r" || $0 == "\n" || $0 == "\r\n" }) {
            hasHead = true
            isInHead = false
        } else if isInHead, let colon = text.firstIndex(of: ":") {
            // Trailer fields after a body are ignored, because they arrive too late to describe it.
            headers.append(
                name: String(text[..<colon]),
                value: Self.trimmed(text[text.index(after: colon)...])
            )
        }
        return true
    }

    /// Appends a chunk to the body.
    ///
    /// Returns false to stop the transfer.
    mutating func receiveChunk(_ piece: some Collection<UInt8>) -> Bool {
        let room = longestBody - body.count
        body.append(contentsOf: piece.prefix(room))
        guard piece.count > room else { return true }
        truncation = .body
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
