// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
package import TrackwayCore

/// A collector process with its own folder and a port that survives restarts.
package final class Collector: Sendable {
    /// The write key that the collector accepts.
    package static let key = "dev"

    /// The port that the collector listens on.
    package let port: UInt16
    /// The collector's data folder.
    package let data: String

    private let folder: TemporaryFolder
    private let running: Locked<Program?>
    private let options: [String]

    /// Starts a collector and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - data: The data folder; nil for a new temporary folder.
    ///   - wrapper: A command prefix that runs the program, such as strace and its options.
    ///   - options: Options of `trackway serve` in addition to the folder and the port.
    package init(data: String? = nil, wrapper: [String] = [], options: [String] = ["--dev-key", Collector.key]) throws {
        folder = try TemporaryFolder()
        self.data = data ?? folder.path("collector")
        port = try Listener.freePort()
        running = Locked(nil)
        self.options = options
        try start(wrapper: wrapper)
    }

    /// The collector's base URL.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// The collector's process.
    package var program: Program? { running.withLock { $0 } }

    // MARK: Starting and stopping

    /// Starts the collector with its folder and port.
    package func start(wrapper: [String] = []) throws {
        let words =
            wrapper + [
                try CollectorBinary.path(), "serve", "--data", data, "--port", "\(port)",
            ] + options
        let program = try Program(words[0], Array(words.dropFirst()))
        running.withLock { $0 = program }
        try program.waitForText("127.0.0.1:\(port)")
    }

    /// Kills the collector as a crash would, and waits until the process has ended.
    package func kill() throws {
        program?.send(SIGKILL)
        try program?.status()
    }

    /// Asks the collector to end and waits until the process has ended.
    @discardableResult
    package func stop() throws -> ExitStatus? {
        program?.send(SIGTERM)
        return try program?.status()
    }

    // MARK: Requests

    /// Sends a request on a new connection.
    ///
    /// - Parameter source: The last three numbers of the own address 127.x.y.z; nil to let the system choose one.
    package func send(_ message: HTTPMessage, from source: (UInt8, UInt8, UInt8)? = nil) throws -> HTTPMessage {
        let socket = try Socket(port: port, from: source)
        var message = message
        if message[header: "host"] == nil { message.headers.append(("host", "127.0.0.1:\(port)")) }
        message.headers.append(("connection", "close"))
        socket.send(message.bytes)
        guard let response = socket.receive() else {
            throw TestSupportError("no response to \(message.startLine):\n\(program?.tail ?? "")")
        }
        return response
    }

    /// Gets a JSON document.
    ///
    /// After a start, waits until the index has caught up with the log; earlier queries return 503.
    package func get(_ path: String) throws -> JSONValue {
        let request = HTTPMessage(startLine: "GET \(path) HTTP/1.1")
        var response = try send(request)
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while response.status == 503, response.text.contains("\"index_behind\""), Date() < deadline {
            pause()
            response = try send(request)
        }
        guard response.status == 200 else {
            throw TestSupportError("GET \(path): \(response.status) \(response.text.prefix(500))")
        }
        return try JSONValue.parse(response.body, limits: JSONLimits(bytes: 64 << 20, depth: 64))
    }

    /// Posts a body to `POST /v1/events`.
    package func post(
        _ body: [UInt8],
        headers: [(name: String, value: String)] = [("content-type", "application/x-ndjson")],
        key: String = Collector.key
    ) throws -> HTTPMessage {
        try send(
            HTTPMessage(
                startLine: "POST /v1/events HTTP/1.1",
                headers: headers + [("authorization", "Bearer \(key)")],
                body: body
            )
        )
    }
}
