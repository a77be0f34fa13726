// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// A server between the SDK and the collector that misbehaves as a test says.
package final class FlakyServer: @unchecked Sendable {
    // `@unchecked`: what follows is touched while `condition` is held only, or set once in `init`.

    /// A request as it came in.
    package struct Request: Sendable {
        /// Its number, from 1.
        package var number: Int
        /// The whole of it.
        package var message: HTTPMessage
    }

    /// What the server does with a request.
    package enum Reply: Sendable {
        /// Answers.
        case answer(Int, type: String = "application/json", headers: [(name: String, value: String)] = [], body: String)
        /// Passes the request on and the answer back.
        case forward
        /// Passes the request on, waits for the answer, and closes the connection without a word.
        case loseAnswer
        /// Closes the connection without reading more or a word.
        case hangUp
        /// Says nothing until the client goes.
        case stall
        /// Sends these bytes, whatever they are, and closes the connection.
        case bytes([UInt8])
        /// Sends these bytes and nothing more until the client goes.
        case bytesThenStall([UInt8])
        /// Passes the request on, and the answer back with these bytes behind it.
        case forwardThenBytes([UInt8])
        /// Waits for `release()`, then passes the request on and the answer back.
        case holdThenForward
        /// Passes the request on and keeps the answer back until `release()`.
        case forwardThenHold
    }

    /// An answer in the collector's own form.
    package static func collectorError(_ status: Int, code: String, retryAfter: Int? = nil) -> Reply {
        .answer(
            status,
            headers: retryAfter.map { [("retry-after", "\($0)")] } ?? [],
            body: #"{"error":{"code":"\#(code)","message":"So it was ordered."}}"#
        )
    }

    private let condition = NSCondition()
    private var reply: @Sendable (Request) -> Reply
    private var requests: [Request] = []
    /// Requests passed on whose answer has come.
    private var forwarded = 0
    private var isReleased = false
    private let collector: UInt16
    private var listener: Listener?

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - collector: the port requests are passed on to.
    ///   - reply: what to do with each request, called on the connection's thread.
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

    /// Where it listens.
    package var url: String { "http://127.0.0.1:\(listener?.port ?? 0)" }

    /// The requests so far, in order of arrival.
    package var received: [Request] { condition.withLock { requests } }

    /// How many requests were passed on and answered by the collector.
    package var forwardedCount: Int { condition.withLock { forwarded } }

    /// Does something else with requests from now on.
    package func change(_ reply: @escaping @Sendable (Request) -> Reply) {
        condition.withLock { self.reply = reply }
    }

    /// Lets go of the requests that are held, and of those to come.
    package func release() {
        condition.withLock {
            isReleased = true
            condition.broadcast()
        }
    }

    /// Waits until so many requests have come.
    package func waitForRequests(_ count: Int) throws {
        try wait("request \(count) at the flaky server") { $0.requests.count >= count }
    }

    /// Waits until so many requests were passed on and answered by the collector.
    package func waitForForwarded(_ count: Int) throws {
        try wait("forwarded request \(count) at the flaky server") { $0.forwarded >= count }
    }

    private func wait(_ expectation: String, _ isReached: (FlakyServer) -> Bool) throws {
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        condition.lock()
        defer { condition.unlock() }
        while !isReached(self) {
            guard condition.wait(until: deadline) else { throw Overdue("\(expectation) did not come") }
        }
    }

    /// False when the connection is to be closed.
    private func serve(_ message: HTTPMessage, _ socket: Socket) -> Bool {
        let (request, reply) = condition.withLock {
            let request = Request(number: requests.count + 1, message: message)
            requests.append(request)
            condition.broadcast()
            return (request, self.reply)
        }
        switch reply(request) {
        case .answer(let status, let type, let headers, let body):
            return socket.send(
                HTTPMessage(
                    startLine: "HTTP/1.1 \(status) Status",
                    headers: [("content-type", type)] + headers,
                    body: Array(body.utf8)
                ).bytes
            )
        case .forward:
            return forward(message).map { socket.send($0.bytes) } ?? false
        case .loseAnswer:
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
            let answer = forward(message)
            waitForRelease()
            return answer.map { socket.send($0.bytes) } ?? false
        }
    }

    private func waitForRelease() {
        condition.lock()
        defer { condition.unlock() }
        // A test that is over lets go of the server, and nobody releases it any more.
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        while !isReleased, condition.wait(until: deadline) {}
    }

    private func forward(_ message: HTTPMessage) -> HTTPMessage? {
        var message = message
        message.headers.removeAll { ["connection", "expect", "transfer-encoding"].contains($0.name) }
        // Nobody there: the client sees a closed connection.
        guard let upstream = try? Socket(port: collector), upstream.send(message.bytes) else { return nil }
        guard var answer = upstream.receive() else { return nil }
        answer.headers.removeAll { ["connection", "transfer-encoding"].contains($0.name) }
        condition.withLock {
            forwarded += 1
            condition.broadcast()
        }
        return answer
    }
}
