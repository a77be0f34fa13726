// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import TrackwayCore

/// A connection of the loopback server.
///
/// Reads requests one after another and performs the specified reply for each.
struct Connection: Sendable {
    let socket: Int32
    let number: Int

    func serve(
        _ received: Locked<[LoopbackServer.Received]>,
        _ reply: @Sendable (LoopbackServer.Received) -> LoopbackServer.Reply
    ) {
        defer { close(socket) }
        var buffer: [UInt8] = []
        while let request = read(&buffer) {
            received.withLock { $0.append(request) }
            switch reply(request) {
            case .answer(let status, let headers, let body):
                var head = "HTTP/1.1 \(status) Status\r\ncontent-length: \(body.count)\r\n"
                for (name, value) in headers {
                    head += "\(name): \(value)\r\n"
                }
                guard write(Array("\(head)\r\n".utf8) + body) else { return }
            case .stall(let text):
                guard write(Array(text.utf8)) else { return }
                while receiveMore(&buffer) {}
                return
            case .bytes(let pieces, let end):
                for piece in pieces {
                    guard write(piece) else { return }
                }
                switch end {
                case .keep: continue
                case .close: return
                case .reset:
                    var linger = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
                    return
                case .stall:
                    while receiveMore(&buffer) {}
                    return
                }
            case .hangUp:
                return
            }
        }
    }

    private func read(_ buffer: inout [UInt8]) -> LoopbackServer.Received? {
        let blankLine = Array("\r\n\r\n".utf8)
        var end = buffer.firstRange(of: blankLine)
        while end == nil {
            guard receiveMore(&buffer) else { return nil }
            end = buffer.firstRange(of: blankLine)
        }
        guard let end else { return nil }
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let count = headers["content-length"].flatMap { Int($0) } ?? 0
        while buffer.count < end.upperBound + count {
            guard receiveMore(&buffer) else { return nil }
        }
        let body = Array(buffer[end.upperBound..<end.upperBound + count])
        buffer.removeFirst(end.upperBound + count)
        return LoopbackServer.Received(
            connection: number,
            method: String(words[0]),
            path: words.count > 1 ? String(words[1]) : "",
            headers: headers,
            body: body
        )
    }

    private func receiveMore(_ buffer: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk.prefix(count)
        return true
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
