// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A server between the SDK and the collector that misbehaves as a test specifies.
package final class FlakyServer: @unchecked Sendable {
    // `@unchecked`: the following properties are set once in `init` or accessed only while `condition` is held.

    /// A received request.
    package struct Request: Sendable {
        /// The request's number, starting at 1.
        package var number: Int
        /// The complete message.
        package var message: HTTPMessage
    }

    /// What the server does with a request.
    package enum Reply: Sendable {
        /// Sends a response.
        case respond(
            Int,
            type: String = "application/json",
            headers: [(name: String, value: String)] = [],
            body: String
        )
        /// Forwards the request and returns the collector's response.
        case forward
        /// Forwards the request, waits for the response, and closes the connection without sending it.
        case loseResponse
        /// Closes the connection without reading or sending more.
        case hangUp
        /// Sends nothing until the client disconnects.
        case stall
        /// Sends these bytes, whether valid or not, and closes the connection.
        case bytes([UInt8])
        /// Sends these bytes and then nothing until the client disconnects.
        case bytesThenStall([UInt8])
        /// Forwards the request and returns the response with these bytes appended.
        case forwardThenBytes([UInt8])
        /// Waits for `release()`, then forwards the request and returns the response.
        case holdThenForward
        /// Forwards the request and holds the response until `release()`.
        case forwardThenHold
    }

    /// Returns a reply with an error in the collector's format.
    package static func collectorError(_ status: Int, code: String, retryAfter: Int? = nil) -> Reply {
        .respond(
            status,
            headers: retryAfter.map { [("retry-after", "\($0)")] } ?? [],
            body: #"{"error":{"code":"\#(code)","message":"Requested by the test."}}"#
        )
    }

    private let condition = NSCondition()
    private var reply: @Sendable (Request) -> Reply
    private var requests: [Request] = []
    /// Number of forwarded requests whose response has arrived.
    private var forwarded = 0
    private var isReleased = false
    private let collector: UInt16
    private var listener: Listener?

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - collector: The port that requests are forwarded to.
    ///   - reply: Decides what to do with each request. Called on the connection's thread.
    package init(before collector: UInt16, _ reply: @escaping @Sendable (Request) -> Reply) throws {
        self.collector = collector
        self.reply = reply
        listener = try Listener { [weak self] socket in
            while let message = socket.receive() {
                guard let self else { return }
                guard self.serve(message, socket), message[header: "connection"] != "close" else { return }
            }
        }
    }

    /// The server's base URL.
    package var url: String { "http://127.0.0.1:\(listener?.port ?? 0)" }

    /// The requests so far, in order of arrival.
    package var received: [Request] { condition.withLock { requests } }

    /// The number of requests that were forwarded and answered by the collector.
    package var forwardedCount: Int { condition.withLock { forwarded } }

    /// Replaces the reply for all later requests.
    package func setReply(_ reply: @escaping @Sendable (Request) -> Reply) {
        condition.withLock { self.reply = reply }
    }

    /// Releases the held requests.
    ///
    /// Later requests are not held.
    package func release() {
        condition.withLock {
            isReleased = true
            condition.broadcast()
        }
    }

    /// Waits until `count` requests have arrived.
    package func waitForRequests(_ count: Int) throws {
        try wait("request \(count) at the flaky server") { $0.requests.count >= count }
    }

    /// Waits until `count` requests have been forwarded and answered by the collector.
    package func waitForForwarded(_ count: Int) throws {
        try wait("forwarded request \(count) at the flaky server") { $0.forwarded >= count }
    }

    private func wait(_ expectation: String, _ isReached: (FlakyServer) -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        condition.lock()
        defer { condition.unlock() }
        while !isReached(self) {
            guard condition.wait(until: deadline) else { throw TimeoutError("\(expectation) did not arrive") }
        }
    }

    /// Returns false if the connection is to be closed.
    private func serve(_ message: HTTPMessage, _ socket: Socket) -> Bool {
        let (request, reply) = condition.withLock {
            let request = Request(number: requests.count + 1, message: message)
            requests.append(request)
            condition.broadcast()
            return (request, self.reply)
        }
        switch reply(request) {
        case .respond(let status, let type, let headers, let body):
            return socket.send(
                HTTPMessage(
                    startLine: "HTTP/1.1 \(status) Status",
                    headers: [("content-type", type)] + headers,
                    body: Array(body.utf8)
                ).bytes
            )
        case .forward:
            return forward(message).map { socket.send($0.bytes) } ?? false
        case .loseResponse:
            _ = forward(message)
            return false
        case .hangUp:
            return false
        case .stall:
            return socket.receive() != nil
        case .bytes(let bytes):
            socket.send(bytes)
            return false
        case .bytesThenStall(let bytes):
            socket.send(bytes)
            return socket.receive() != nil
        case .forwardThenBytes(let bytes):
            return forward(message).map { socket.send($0.bytes + bytes) } ?? false
        case .holdThenForward:
            waitForRelease()
            return forward(message).map { socket.send($0.bytes) } ?? false
        case .forwardThenHold:
            let response = forward(message)
            waitForRelease()
            return response.map { socket.send($0.bytes) } ?? false
        }
    }

    private func waitForRelease() {
        condition.lock()
        defer { condition.unlock() }
        // After a test has finished, no call releases the request, so the wait has a timeout.
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while !isReleased, condition.wait(until: deadline) {}
    }

    private func forward(_ message: HTTPMessage) -> HTTPMessage? {
        var message = message
        message.headers.removeAll { ["connection", "expect", "transfer-encoding"].contains($0.name) }
        // If the collector is not running, the client sees a closed connection.
        guard let upstream = try? Socket(port: collector), upstream.send(message.bytes) else { return nil }
        guard var response = upstream.receive() else { return nil }
        response.headers.removeAll { ["connection", "transfer-encoding"].contains($0.name) }
        condition.withLock {
            forwarded += 1
            condition.broadcast()
        }
        return response
    }
}
