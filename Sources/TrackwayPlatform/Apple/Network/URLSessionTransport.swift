// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Dispatch
internal import Foundation
package import TrackwayWire

/// Sends requests through URLSession: one session of its own, connections kept open between requests, nothing kept
/// beyond them (no cookies, no cache, no credentials), no redirect followed.
///
/// An answer's body is cut at a bound. Cutting ends the transfer: a back-end's answer is far shorter, and what a captive
/// portal sends need not be read to its end.
package final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges: URLSessionExchanges

    /// Makes a transport with a session of its own.
    ///
    /// - Parameters:
    ///   - longestBody: The most bytes kept of an answer's body.
    ///   - allowsConstrainedNetworks: Whether requests are sent in low-data mode, too.
    package init(longestBody: Int = 1_048_576, allowsConstrainedNetworks: Bool = false) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // An offline device is delivery's business: it waits in its own way and says so.
        configuration.waitsForConnectivity = false
        // What waits can wait until the person is on a network where it costs them nothing.
        configuration.allowsConstrainedNetworkAccess = allowsConstrainedNetworks
        let exchanges = URLSessionExchanges(longestBody: longestBody)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        self.exchanges = exchanges
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    deinit {
        // The session holds its delegate until it is told to let go.
        session.finishTasksAndInvalidate()
    }

    package func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        let urlRequest = try Self.urlRequest(for: request, timeout: timeout)
        let task = session.dataTask(with: urlRequest)
        let exchange = URLSessionExchange(task: task)
        exchanges.add(exchange, number: task.taskIdentifier)
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                exchange.begin(timeout: timeout, continuation: continuation)
            }
        } onCancel: {
            exchange.end(.failure(TransportError(.cancelled, "the task that sent was cancelled")))
        }
        exchanges.remove(number: task.taskIdentifier)
        return try result.get()
    }

    private static func urlRequest(
        for request: WireRequest,
        timeout: Duration
    ) throws(TransportError) -> URLRequest {
        guard let url = URL(string: request.url), let scheme = url.scheme?.lowercased(), url.host != nil,
            scheme == "http" || scheme == "https"
        else {
            throw TransportError(.invalidRequest, "\"\(request.url)\" is no http or https address")
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method
        urlRequest.timeoutInterval = max(1, Double(timeout.components.seconds) + 1)
        urlRequest.httpShouldHandleCookies = false
        for field in request.headers {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
        }
        if !request.body.isEmpty {
            urlRequest.httpBody = Data(request.body)
        }
        return urlRequest
    }
}

extension TransportError {
    /// Says in the room's own words what the loading system met.
    init(_ error: any Error) {
        guard let error = error as? URLError else {
            self.init(.other, "\(error)")
            return
        }
        self.init(Self.code(of: error.code), "\(error.localizedDescription) (URLError \(error.code.rawValue))")
    }

    private static func code(of code: URLError.Code) -> Code {
        switch code {
        case .notConnectedToInternet, .cannotFindHost, .dnsLookupFailed, .internationalRoamingOff, .dataNotAllowed,
            .callIsActive:
            .offline
        case .timedOut:
            .timedOut
        case .cannotConnectToHost, .networkConnectionLost:
            .refused
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            .tls
        case .cancelled:
            .cancelled
        case .badURL, .unsupportedURL:
            .invalidRequest
        default:
            .other
        }
    }
}
#endif
