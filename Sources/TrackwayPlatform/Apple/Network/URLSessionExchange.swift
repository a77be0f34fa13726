// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Dispatch
internal import Foundation
internal import TrackwayCore
internal import TrackwayDestinationKit

/// A request in progress.
///
/// The exchange collects the response and resumes the caller exactly once. The first of these events ends the exchange:
/// the end of the response, its size limit, an error, the deadline, or a cancellation.
final class URLSessionExchange: Sendable {
    typealias Outcome = Result<WireResponse, TransportError>

    private struct State {
        var continuation: UnsafeContinuation<Outcome, Never>?
        /// The outcome, if the exchange ended before the caller waited.
        var outcome: Outcome?
        var isEnded = false
        var response: WireResponse?
        var deadline: (any DispatchSourceTimer)?
    }

    private let task: URLSessionDataTask
    private let state = Locked(State())

    init(task: URLSessionDataTask) {
        self.task = task
    }

    /// Starts the transfer.
    ///
    /// The continuation is resumed once, when the exchange ends.
    func begin(timeout: Duration, continuation: UnsafeContinuation<Outcome, Never>) {
        let early = state.withLock { state -> Outcome? in
            guard !state.isEnded else { return state.outcome }
            state.continuation = continuation
            return nil
        }
        if let early {
            task.cancel()
            continuation.resume(returning: early)
            return
        }
        state.withLock { state in
            guard !state.isEnded else { return }
            let deadline = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
            deadline.schedule(deadline: .now() + timeout.dispatchInterval)
            deadline.setEventHandler { [weak self] in
                self?.end(.failure(TransportError(.timedOut, "no complete response within \(timeout)")))
            }
            deadline.resume()
            state.deadline = deadline
        }
        task.resume()
    }

    /// Stores the response's status and headers.
    func receiveHead(_ answer: HTTPURLResponse) {
        var headers = WireHeaders()
        for (name, value) in answer.allHeaderFields {
            if let name = name as? String, let value = value as? String {
                headers.append(name: name, value: value)
            }
        }
        let response = WireResponse(status: answer.statusCode, headers: headers, url: answer.url?.absoluteString)
        state.withLock { $0.response = response }
    }

    /// Appends a chunk of the body.
    ///
    /// Ends the exchange at the size limit.
    func receiveBody(_ piece: Data, longestBody: Int) {
        let whole = state.withLock { state -> WireResponse? in
            guard !state.isEnded, state.response != nil else { return nil }
            let room = longestBody - (state.response?.body.count ?? 0)
            state.response?.body.append(contentsOf: piece.prefix(room))
            return piece.count > room ? state.response : nil
        }
        if let whole {
            end(.success(whole))
        }
    }

    /// Handles the end of the transfer.
    func complete(_ error: (any Error)?) {
        if let error {
            end(.failure(TransportError(error)))
        } else if let response = state.withLock({ $0.response }) {
            end(.success(response))
        } else {
            end(.failure(TransportError(.other, "the response is not an HTTP response")))
        }
    }

    /// Ends the exchange unless it has already ended.
    ///
    /// Cancels a running transfer.
    func end(_ outcome: Outcome) {
        let continuation = state.withLock { state -> UnsafeContinuation<Outcome, Never>? in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            state.outcome = outcome
            state.response = nil
            state.deadline?.cancel()
            state.deadline = nil
            defer { state.continuation = nil }
            return state.continuation
        }
        guard let continuation else { return }
        if task.state != .completed { task.cancel() }
        continuation.resume(returning: outcome)
    }
}

/// The session's delegate, which passes each callback to its exchange.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let longestBody: Int
    private let active = Locked<[Int: URLSessionExchange]>([:])

    init(longestBody: Int) {
        self.longestBody = longestBody
    }

    func add(_ exchange: URLSessionExchange, number: Int) {
        active.withLock { $0[number] = exchange }
    }

    func remove(number: Int) {
        active.withLock { _ = $0.removeValue(forKey: number) }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        active.withLock { $0[task.taskIdentifier] }
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The redirect is returned as the response, because it may come from a captive portal, and events must reach
        // only the configured host.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // Without credentials, the system returns the response that requested them.
        completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let answer = response as? HTTPURLResponse {
            exchange(of: dataTask)?.receiveHead(answer)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receiveBody(data, longestBody: longestBody)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange(of: task)?.complete(error)
    }
}
#endif
