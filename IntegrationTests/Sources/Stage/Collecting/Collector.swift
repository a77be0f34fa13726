// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
package import TrackwayEvents

/// A collector in a process of its own, with its own folder, on a port that stays the same when it is started again.
package final class Collector: Sendable {
    /// The write key it knows.
    package static let key = "dev"

    /// The port it listens on.
    package let port: UInt16
    /// Its folder.
    package let data: String

    private let folder: TemporaryFolder
    private let running: Locked<Program?>
    private let options: [String]

    /// Starts a collector and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - data: its folder; one of its own when nil.
    ///   - wrapper: what runs the program: words put before its own, such as those of strace.
    ///   - options: options of `trackway serve` beside folder and port.
    package init(data: String? = nil, wrapper: [String] = [], options: [String] = ["--dev-key", Collector.key]) throws {
        folder = try TemporaryFolder()
        self.data = data ?? folder.path("collector")
        port = try Listener.freePort()
        running = Locked(nil)
        self.options = options
        try start(wrapper: wrapper)
    }

    /// Where it listens.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Its process.
    package var program: Program? { running.withLock { $0 } }

    // MARK: Life and death

    /// Starts it in its folder, on its port.
    package func start(wrapper: [String] = []) throws {
        let words =
            wrapper + [
                try CollectorBinary.path(), "serve", "--data", data, "--port", "\(port)",
            ] + options
        let program = try Program(words[0], Array(words.dropFirst()))
        running.withLock { $0 = program }
        try program.waitForText("127.0.0.1:\(port)")
    }

    /// Kills it, as a crash of the machine's process would, and waits until it is gone.
    package func kill() throws {
        program?.send(SIGKILL)
        try program?.status()
    }

    /// Asks it to end and waits until it has.
    @discardableResult
    package func stop() throws -> ExitStatus? {
        program?.send(SIGTERM)
        return try program?.status()
    }

    // MARK: Asking

    /// Sends a request on a connection of its own.
    package func ask(_ message: HTTPMessage) throws -> HTTPMessage {
        let socket = try Socket(port: port)
        var message = message
        if message[header: "host"] == nil { message.headers.append(("host", "127.0.0.1:\(port)")) }
        message.headers.append(("connection", "close"))
        socket.send(message.bytes)
        guard let answer = socket.receive() else {
            throw StageError("no answer to \(message.startLine):\n\(program?.tail ?? "")")
        }
        return answer
    }

    /// Gets a JSON document. After a start this waits until the index has what the log has: before, nothing is answered.
    package func get(_ path: String) throws -> JSONValue {
        let request = HTTPMessage(startLine: "GET \(path) HTTP/1.1")
        var answer = try ask(request)
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        while answer.status == 503, answer.text.contains("\"index_behind\""), Date() < deadline {
            pause()
            answer = try ask(request)
        }
        guard answer.status == 200 else {
            throw StageError("GET \(path): \(answer.status) \(answer.text.prefix(500))")
        }
        return try JSONValue.parse(answer.body, limits: JSONLimits(bytes: 64 << 20, depth: 64))
    }

    /// Posts events: the body of `POST /v1/events`.
    package func post(
        _ body: [UInt8],
        headers: [(name: String, value: String)] = [("content-type", "application/x-ndjson")],
        key: String = Collector.key
    ) throws -> HTTPMessage {
        try ask(
            HTTPMessage(
                startLine: "POST /v1/events HTTP/1.1",
                headers: headers + [("authorization", "Bearer \(key)")],
                body: body
            )
        )
    }
}
