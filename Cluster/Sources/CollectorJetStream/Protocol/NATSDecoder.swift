// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Makes messages of the bytes of a connection, in whatever pieces they come.
///
/// A value without a socket. It holds at most one message that is not whole yet: lines and messages have bounds, and beyond
/// them, as for any other byte that is not the protocol's, it gives an error and from then on nothing else.
package struct NATSDecoder: Sendable {
    /// The longest line of a server, `INFO` included, in bytes.
    package static let longestLine = 64 << 10

    /// What is read next.
    private enum Expected: Sendable {
        case line
        /// The headers and the body of a message, and the line end behind them.
        case content(NATSMessage, headerBytes: Int, bytes: Int)
        case nothing(NATSProtocolError)
    }

    private let longestMessage: Int
    private var expected = Expected.line
    private var bytes: [UInt8] = []
    /// Up to here they are decoded.
    private var start = 0
    /// Up to here no line end was found.
    private var searched = 0

    /// A decoder at the beginning of a connection.
    ///
    /// - Parameter longestMessage: The longest message it takes, headers included, in bytes.
    package init(longestMessage: Int = 16 << 20) {
        self.longestMessage = longestMessage
    }

    /// How many bytes it holds of a message that is not whole yet.
    package var pendingBytes: Int { bytes.count - start }

    /// Bytes have come.
    package mutating func append(_ more: some Collection<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.longestLine)
            (start, searched) = (0, 0)
        } else if start > Self.longestLine {
            bytes.removeSubrange(..<start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// The next message; nil when it is not whole yet.
    ///
    /// - Throws: ``NATSProtocolError``, and the same from then on.
    /// - Complexity: O(bytes of the message), however many pieces it came in.
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
                case .nothing(let error):
                    throw error
                }
            }
        } catch {
            expected = .nothing(error)
            bytes = []
            (start, searched) = (0, 0)
            throw error
        }
    }

    /// The next line without its end; nil when it is not whole yet.
    private mutating func takeLine() throws(NATSProtocolError) -> ArraySlice<UInt8>? {
        guard let end = bytes[max(start, searched)...].firstIndex(of: 0x0a) else {
            searched = bytes.count
            if bytes.count - start > Self.longestLine { throw NATSProtocolError(.lineTooLong, bytes[start...]) }
            return nil
        }
        guard end - start <= Self.longestLine else { throw NATSProtocolError(.lineTooLong, bytes[start...]) }
        guard end > start, bytes[end - 1] == 0x0d else { throw NATSProtocolError(.malformedLine, bytes[start...end]) }
        let line = bytes[start..<end - 1]
        start = end + 1
        searched = start
        return line
    }

    /// What a line says; nil when a content follows that belongs to it.
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
        guard count <= longestMessage else { throw NATSProtocolError(.messageTooLong, line) }
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

    /// A number of decimal digits that is far from the bounds of an `Int`.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count <= 15, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
