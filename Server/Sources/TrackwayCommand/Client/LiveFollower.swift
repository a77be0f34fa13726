// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit

/// Follows the live stream, reconnecting whenever the connection is lost.
struct LiveFollower {
    /// The collector.
    let address: CollectorAddress
    /// The filter, and the number of past events to show first.
    let query: [(name: String, value: String)]
    /// The console for messages about lost connections.
    let console: Console

    /// The delay before the first reconnection attempt.
    ///
    /// The delay doubles with each attempt, up to ``longestWait``.
    private static let shortestWait = Duration.milliseconds(500)
    private static let longestWait = Duration.seconds(10)

    /// Passes each event's JSON to `body` until it returns false.
    ///
    /// - Throws: ``CommandFailure`` if the first connection fails or the collector rejects a later one.
    mutating func run(_ body: ([UInt8]) -> Bool) async throws {
        var stream = ServerSentEvents()
        var wait = Self.shortestWait
        var hasConnected = false
        while true {
            // The previous connection may have ended in the middle of a message.
            stream.disconnect()
            do {
                // Resume by id; the `last` parameter would show past events again.
                let query = stream.lastID == nil ? query : query.filter { $0.name != "last" }
                for try await update in try LiveStream.open(address, query: query, lastID: stream.lastID) {
                    guard case .bytes(let bytes) = update else {
                        if hasConnected { console.note(console.messageStyle.faint("— reconnected")) }
                        hasConnected = true
                        wait = Self.shortestWait
                        continue
                    }
                    for event in stream.feed(bytes) {
                        if event.kind == "skipped" {
                            console.note(console.messageStyle.faint("— events arrived too fast; some were skipped"))
                        } else if !body(event.data) {
                            return
                        }
                    }
                }
            } catch let failure as CommandFailure where hasConnected && failure.isWorthRetrying {
                console.note(console.messageStyle.faint("— \(failure.message)"))
            }
            console.note(console.messageStyle.faint("— connection closed, reconnecting"))
            try await Task.sleep(for: wait)
            wait = min(wait * 2, Self.longestWait)
        }
    }
}

extension CommandFailure {
    /// Whether the same request may succeed later.
    fileprivate var isWorthRetrying: Bool { status == .unavailable || status == .temporary }
}

/// An update from the collector's live stream.
private enum LiveUpdate: Sendable {
    /// The collector accepted the request; bytes follow.
    case opened
    /// The next bytes of the stream.
    case bytes([UInt8])
}

/// One connection to the collector's live stream.
private enum LiveStream {
    /// The time without data after which a connection is considered lost.
    ///
    /// The collector sends a heartbeat every 15 seconds.
    static let silence = Duration.seconds(60)
    private static let day = Duration.seconds(86_400)

    /// Opens a connection.
    ///
    /// The sequence ends when the collector closes the connection, and throws ``CommandFailure`` on an error.
    /// Terminating the sequence closes the connection.
    ///
    /// - Parameters:
    ///   - address: The collector's address.
    ///   - query: The filter, and the number of past events to show first.
    ///   - lastID: The id of the message to resume after, from an earlier connection.
    static func open(
        _ address: CollectorAddress,
        query: [(name: String, value: String)],
        lastID: String?
    ) throws(CommandFailure) -> AsyncThrowingStream<LiveUpdate, any Error> {
        var request = WireRequest(
            method: "GET",
            url: try address.url("/v1/live", query: query).absoluteString,
            headers: ["accept": "text/event-stream"]
        )
        if let key = address.key { request.headers.append(name: "authorization", value: "Bearer \(key)") }
        if let lastID { request.headers.append(name: "last-event-id", value: lastID) }
        let (stream, output) = AsyncThrowingStream.makeStream(of: LiveUpdate.self)
        #if os(Linux)
        let lastActivity = Locked(ContinuousClock.now)
        let following = Task { [request] in
            do throws(TransportError) {
                let answer = try await SystemTransport.Streaming(longestBody: 65_536).stream(request, timeout: day) {
                    lastActivity.withLock { $0 = .now }
                    output.yield(.opened)
                } piece: { bytes in
                    lastActivity.withLock { $0 = .now }
                    output.yield(.bytes(bytes))
                }
                if answer.status == 200 { return output.finish() }
                // An error response without JSON is described by its status alone.
                let json = try? JSONValue.parse(answer.body)
                output.finish(throwing: CollectorAnswer.failure(status: answer.status, json: json, address: address))
            } catch {
                output.finish(throwing: CollectorAnswer.unreachable(address, error))
            }
        }
        let watching = Task {
            while lastActivity.withLock({ $0.duration(to: .now) }) < silence {
                // The sleep is canceled when the stream ends.
                try await Task.sleep(for: .seconds(5))
            }
            output.finish(throwing: CollectorAnswer.unreachable(address, TransportError(.timedOut)))
        }
        output.onTermination = { _ in
            following.cancel()
            watching.cancel()
        }
        #else
        URLSessionStream(address, output: output).start(request)
        #endif
        return stream
    }
}

#if !os(Linux)
/// A live stream over URLSession, which trusts the system's certificate authorities.
private final class URLSessionStream: NSObject, URLSessionDataDelegate {
    private let address: CollectorAddress
    private let output: AsyncThrowingStream<LiveUpdate, any Error>.Continuation
    private let answer = Locked(Answer())

    private struct Answer: Sendable {
        var status = 200
        var body: [UInt8] = []
    }

    init(_ address: CollectorAddress, output: AsyncThrowingStream<LiveUpdate, any Error>.Continuation) {
        self.address = address
        self.output = output
    }

    func start(_ wanted: WireRequest) {
        guard let url = URL(string: wanted.url) else {
            return output.finish(throwing: CollectorAnswer.unreachable(address, TransportError(.invalidRequest)))
        }
        var request = URLRequest(url: url)
        request.timeoutInterval = 60
        for field in wanted.headers { request.setValue(field.value, forHTTPHeaderField: field.name) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        output.onTermination = { _ in session.invalidateAndCancel() }
        session.dataTask(with: request).resume()
    }

    /// Receives the response head, which is followed by a stream or an error message.
    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        answer.withLock { $0.status = status }
        if status == 200 { output.yield(.opened) }
        completionHandler(.allow)
    }

    /// Receives the next bytes of the response.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isStream = answer.withLock { answer in
            if answer.status != 200, answer.body.count < 65_536 { answer.body += data }
            return answer.status == 200
        }
        if isStream { output.yield(.bytes(Array(data))) }
    }

    /// Ends the stream, with or without an error.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let answer = answer.withLock { $0 }
        if let error {
            output.finish(
                throwing: CollectorAnswer.unreachable(address, TransportError(.other, error.localizedDescription))
            )
        } else if answer.status == 200 {
            output.finish()
        } else {
            // An error response without JSON is described by its status alone.
            let json = try? JSONValue.parse(answer.body)
            output.finish(throwing: CollectorAnswer.failure(status: answer.status, json: json, address: address))
        }
    }
}
#endif
