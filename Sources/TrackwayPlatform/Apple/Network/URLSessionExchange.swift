// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Dispatch
internal import Foundation
internal import TrackwayEvents
internal import TrackwayWire

/// One request under way: collects the answer and resumes whoever waits, exactly once, whatever comes first: the end of
/// the answer, its bound, an error, the deadline or a cancellation.
final class URLSessionExchange: Sendable {
    typealias Outcome = Result<WireResponse, TransportError>

    private struct State {
        var continuation: UnsafeContinuation<Outcome, Never>?
        /// Set when the end came before the wait began.
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

    /// Starts the transfer; the continuation is resumed by the first end.
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
                self?.end(.failure(TransportError(.timedOut, "no complete answer within \(timeout)")))
            }
            deadline.resume()
            state.deadline = deadline
        }
        task.resume()
    }

    /// The answer's status and headers arrived.
    func answered(_ answer: HTTPURLResponse) {
        var headers = WireHeaders()
        for (name, value) in answer.allHeaderFields {
            if let name = name as? String, let value = value as? String {
                headers.append(name: name, value: value)
            }
        }
        let response = WireResponse(status: answer.statusCode, headers: headers, url: answer.url?.absoluteString)
        state.withLock { $0.response = response }
    }

    /// A piece of the body arrived; at the bound the answer ends.
    func received(_ piece: Data, longestBody: Int) {
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

    /// The transfer ended by itself.
    func completed(_ error: (any Error)?) {
        if let error {
            end(.failure(TransportError(error)))
        } else if let response = state.withLock({ $0.response }) {
            end(.success(response))
        } else {
            end(.failure(TransportError(.other, "the answer was no HTTP answer")))
        }
    }

    /// Ends the exchange unless it has ended; a transfer still under way is cancelled.
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

/// The session's delegate: hands every callback to the exchange it belongs to.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let longestBody: Int
    private let underWay = Locked<[Int: URLSessionExchange]>([:])

    init(longestBody: Int) {
        self.longestBody = longestBody
    }

    func add(_ exchange: URLSessionExchange, number: Int) {
        underWay.withLock { $0[number] = exchange }
    }

    func remove(number: Int) {
        underWay.withLock { _ = $0.removeValue(forKey: number) }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        underWay.withLock { $0[task.taskIdentifier] }
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The redirect itself is the answer: it may come from a captive portal, and events go where they were meant to.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // With nobody to ask for a password, the system hands over the answer that demanded one.
        completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let answer = response as? HTTPURLResponse {
            exchange(of: dataTask)?.answered(answer)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data, longestBody: longestBody)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange(of: task)?.completed(error)
    }
}
#endif
