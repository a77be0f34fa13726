// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import TrackwayCore

/// A web server on 127.0.0.1 with scripted replies.
///
/// Uses plain sockets and one thread per connection.
final class LoopbackServer: Sendable {
    /// A received request.
    struct Received: Sendable {
        var connection: Int
        var method: String
        var path: String
        var headers: [String: String]
        var body: [UInt8]
    }

    /// The server's reaction to a request.
    enum Reply: Sendable {
        /// Sends a complete response and keeps the connection open.
        case answer(Int, headers: [String: String] = [:], body: [UInt8] = [])
        /// Sends the beginning of a response, then nothing until the client closes the connection.
        case stall(sent: String)
        /// Sends raw bytes, chunk by chunk.
        case bytes([[UInt8]], then: End)
        /// Closes the connection without a response.
        case hangUp
    }

    /// The action on a connection after raw bytes are sent.
    enum End: Sendable, Hashable {
        /// Closes it normally.
        case close
        /// Resets it.
        case reset
        /// Keeps it open for the next request.
        case keep
        /// Keeps it open without a response.
        case stall
    }

    let port: UInt16
    var url: String { "http://127.0.0.1:\(port)" }
    /// All requests so far, in order of arrival.
    var requests: [Received] { received.withLock { $0 } }

    private let listener: Int32
    private let received = Locked<[Received]>([])

    init(_ reply: @escaping @Sendable (Received) -> Reply) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard listener >= 0, isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        let received = received
        Thread.detachNewThread {
            var number = 0
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
                guard connection >= 0 else {
                    // Close the listener only here: otherwise another server could get the same descriptor while this
                    // thread still accepts on it.
                    close(listener)
                    return
                }
                // Programs that another test starts later must not inherit the connection, because it ends only when
                // its last holder closes it.
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                number += 1
                let serving = number
                Thread.detachNewThread {
                    Connection(socket: connection, number: serving).serve(received, reply)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Returns a port on 127.0.0.1 without a listener.
    static func closedPort() throws -> UInt16 {
        try LoopbackServer { _ in .hangUp }.port
    }
}
