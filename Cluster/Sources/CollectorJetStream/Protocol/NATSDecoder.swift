// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decodes a connection's bytes, in chunks of any size, into messages.
///
/// A value type without a socket. The decoder buffers at most one incomplete message. Lines and messages have a maximum
/// length. A longer one, like any other protocol violation, throws an error; every later call throws it again.
package struct NATSDecoder: Sendable {
    /// The maximum length of a server's line, including `INFO`, in bytes.
    package static let maxLineBytes = 64 << 10

    /// The next element to decode.
    private enum Expected: Sendable {
        case line
        /// A message's headers and body, and the line ending after them.
        case content(NATSMessage, headerBytes: Int, bytes: Int)
        case failed(NATSProtocolError)
    }

    private let maxMessageBytes: Int
    private var expected = Expected.line
    private var bytes: [UInt8] = []
    /// The offset up to which bytes have been decoded.
    private var start = 0
    /// The offset up to which no line ending was found.
    private var searched = 0

    /// Creates a decoder for a new connection.
    ///
    /// - Parameter maxMessageBytes: The maximum length of a message, including headers, in bytes.
    package init(maxMessageBytes: Int = 16 << 20) {
        self.maxMessageBytes = maxMessageBytes
    }

    /// The number of buffered bytes of an incomplete message.
    package var pendingBytes: Int { bytes.count - start }

    /// Appends received bytes.
    package mutating func append(_ more: some Collection<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.maxLineBytes)
            (start, searched) = (0, 0)
        } else if start > Self.maxLineBytes {
            bytes.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Returns the next message; nil if it is incomplete.
    ///
    /// - Throws: ``NATSProtocolError``; every later call throws the same error.
    /// - Complexity: O(bytes of the message), regardless of the number of chunks.
    package mutating func next() throws(NATSProtocolError) -> NATSServerMessage? {
        do throws(NATSProtocolError) {
            while true {
                switch expected {
                case .line:
                    guard let line = try takeLine() else { return nil }
                    if let message = try read(line) { return message }
                case .content(let message, let headerBytes, let count):
                    guard bytes.count - start >= count + 2 else { return nil }
                    return .message(try takeContent(of: message, headerBytes, count))
                case .failed(let error):
                    throw error
                }
            }
        } catch {
            expected = .failed(error)
            bytes = []
            (start, searched) = (0, 0)
            throw error
        }
    }

    /// Returns the next line without its line ending.
    ///
    /// Returns nil if the line is incomplete.
    private mutating func takeLine() throws(NATSProtocolError) -> ArraySlice<UInt8>? {
        guard let end = bytes[max(start, searched)...].firstIndex(of: 0x0a) else {
            searched = bytes.count
            if bytes.count - start > Self.maxLineBytes { throw NATSProtocolError(.lineTooLong, bytes[start...]) }
            return nil
        }
        guard end - start <= Self.maxLineBytes else { throw NATSProtocolError(.lineTooLong, bytes[start...]) }
        guard end > start, bytes[end - 1] == 0x0d else { throw NATSProtocolError(.malformedLine, bytes[start...end]) }
        let line = bytes[start..<end - 1]
        start = end + 1
        searched = start
        return line
    }

    /// Decodes a line.
    ///
    /// Returns nil if the line announces a message whose content follows.
    private mutating func read(_ line: ArraySlice<UInt8>) throws(NATSProtocolError) -> NATSServerMessage? {
        let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
        guard let operation = words.first else { throw NATSProtocolError(.unknownOperation, line) }
        switch String(decoding: operation, as: UTF8.self) {
        case "MSG":
            guard (4...5).contains(words.count), let count = Self.number(words[words.count - 1]) else { break }
            try expect(words, headerBytes: 0, count, in: line)
            return nil
        case "HMSG":
            guard (5...6).contains(words.count), let count = Self.number(words[words.count - 1]),
                let headerBytes = Self.number(words[words.count - 2]), headerBytes > 0, headerBytes <= count
            else { break }
            try expect(words, headerBytes: headerBytes, count, in: line)
            return nil
        case "PING" where words.count == 1: return .ping
        case "PONG" where words.count == 1: return .pong
        case "+OK" where words.count == 1: return .ok
        case "-ERR":
            let text = line[operation.endIndex...].drop { $0 == 0x20 }
            return .error(String(decoding: text.filter { $0 != UInt8(ascii: "'") }, as: UTF8.self))
        case "INFO":
            return .info(try NATSServerInfo(json: Array(line[operation.endIndex...])))
        case "PING", "PONG", "+OK": break
        default: throw NATSProtocolError(.unknownOperation, line)
        }
        throw NATSProtocolError(.malformedLine, line)
    }

    private mutating func expect(
        _ words: [ArraySlice<UInt8>],
        headerBytes: Int,
        _ count: Int,
        in line: ArraySlice<UInt8>
    ) throws(NATSProtocolError) {
        guard count <= maxMessageBytes else { throw NATSProtocolError(.messageTooLong, line) }
        guard let subscription = Self.number(words[2]) else { throw NATSProtocolError(.malformedLine, line) }
        let hasReply = words.count == (headerBytes > 0 ? 6 : 5)
        expected = .content(
            NATSMessage(
                subject: String(decoding: words[1], as: UTF8.self),
                subscription: UInt64(subscription),
                reply: hasReply ? String(decoding: words[3], as: UTF8.self) : nil
            ),
            headerBytes: headerBytes,
            bytes: count
        )
    }

    private mutating func takeContent(
        of message: NATSMessage,
        _ headerBytes: Int,
        _ count: Int
    ) throws(NATSProtocolError) -> NATSMessage {
        let end = start + count
        guard bytes[end] == 0x0d, bytes[end + 1] == 0x0a else {
            throw NATSProtocolError(.missingLineEnd, bytes[end...])
        }
        var message = message
        if headerBytes > 0 { message.headers = try NATSHeaders(bytes[start..<start + headerBytes]) }
        message.body = Array(bytes[start + headerBytes..<end])
        start = end + 2
        searched = start
        expected = .line
        return message
    }

    /// Parses at most 15 decimal digits, which is well within the range of `Int`.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count <= 15, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
