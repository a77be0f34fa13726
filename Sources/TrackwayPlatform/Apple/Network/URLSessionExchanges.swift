// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
internal import TrackwayEvents

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
