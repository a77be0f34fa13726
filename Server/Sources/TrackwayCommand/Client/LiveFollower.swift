// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayEvents
internal import TrackwayWire

/// Follows the live stream over as many connections as it takes.
struct LiveFollower {
    /// The collector.
    let address: CollectorAddress
    /// The filter, and how much of the past to show first.
    let query: [(name: String, value: String)]
    /// Where a lost connection is mentioned.
    let console: Console

    /// The wait before the first new try; it doubles up to ``longestWait``.
    private static let shortestWait = Duration.milliseconds(500)
    private static let longestWait = Duration.seconds(10)

    /// Hands each event's JSON to `body` until that returns false.
    ///
    /// - Throws: ``CommandFailure`` when the very first connection fails, or the collector refuses a later one.
    mutating func run(_ body: ([UInt8]) -> Bool) async throws {
        var stream = ServerSentEvents()
        var wait = Self.shortestWait
        var hasConnected = false
        while true {
            // Whatever ended the connection may have ended it in the middle of a message.
            stream.disconnect()
            do {
                // Resuming goes by id; `last` would show the past again.
                let query = stream.lastID == nil ? query : query.filter { $0.name != "last" }
                for try await update in try LiveStream.open(address, query: query, lastID: stream.lastID) {
                    guard case .bytes(let bytes) = update else {
                        if hasConnected { console.note(console.messageStyle.faint("— connected again")) }
                        hasConnected = true
                        wait = Self.shortestWait
                        continue
                    }
                    for event in stream.feed(bytes) {
                        if event.kind == "skipped" {
                            console.note(console.messageStyle.faint("— too fast to follow: some events were skipped"))
                        } else if !body(event.data) {
                            return
                        }
                    }
                }
            } catch let failure as CommandFailure where hasConnected && failure.isWorthRetrying {
                console.note(console.messageStyle.faint("— \(failure.message)"))
            }
            console.note(console.messageStyle.faint("— connection closed, trying again"))
            try await Task.sleep(for: wait)
            wait = min(wait * 2, Self.longestWait)
        }
    }
}

extension CommandFailure {
    /// Whether the same question may be answered later.
    fileprivate var isWorthRetrying: Bool { status == .unavailable || status == .temporary }
}

/// What a connection to the collector's live stream brings.
private enum LiveUpdate: Sendable {
    /// The collector accepted the question; bytes follow.
    case opened
    /// Some bytes of the stream.
    case bytes([UInt8])
}

/// One connection to the collector's live stream, as the bytes arrive.
private enum LiveStream {
    /// The heartbeat comes every fifteen seconds; silence of a minute means a dead connection.
    static let silence = Duration.seconds(60)
    private static let day = Duration.seconds(86_400)

    /// Opens a connection. The sequence ends when the collector closes it, and throws a ``CommandFailure``; giving up the
    /// sequence closes the connection.
    ///
    /// - Parameters:
    ///   - address: The collector.
    ///   - query: The filter, and how much of the past to show first.
    ///   - lastID: The last message's id of an earlier connection, to go on behind it.
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
        let heard = Locked(ContinuousClock.now)
        let following = Task { [request] in
            do throws(TransportError) {
                let answer = try await SystemTransport.Streaming(longestBody: 65_536).stream(request, timeout: day) {
                    heard.withLock { $0 = .now }
                    output.yield(.opened)
                } piece: { bytes in
                    heard.withLock { $0 = .now }
                    output.yield(.bytes(bytes))
                }
                if answer.status == 200 { return output.finish() }
                // A refusal without JSON is described by its status alone.
                let json = try? JSONValue.parse(answer.body)
                output.finish(throwing: CollectorAnswer.failure(status: answer.status, json: json, address: address))
            } catch {
                output.finish(throwing: CollectorAnswer.unreachable(address, error))
            }
        }
        let watching = Task {
            while heard.withLock({ $0.duration(to: .now) }) < silence {
                // Ends early when the stream does.
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
/// The same over URLSession, which follows the system's authorities.
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

    /// The answer's head: a stream, or a refusal whose sentence follows.
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

    /// More bytes.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isStream = answer.withLock { answer in
            if answer.status != 200, answer.body.count < 65_536 { answer.body += data }
            return answer.status == 200
        }
        if isStream { output.yield(.bytes(Array(data))) }
    }

    /// The end, wanted or not.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let answer = answer.withLock { $0 }
        if let error {
            output.finish(
                throwing: CollectorAnswer.unreachable(address, TransportError(.other, error.localizedDescription))
            )
        } else if answer.status == 200 {
            output.finish()
        } else {
            // A refusal without JSON is described by its status alone.
            let json = try? JSONValue.parse(answer.body)
            output.finish(throwing: CollectorAnswer.failure(status: answer.status, json: json, address: address))
        }
    }
}
#endif
