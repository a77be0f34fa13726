// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Dispatch
internal import Foundation
package import TrackwayDestinationKit

/// Sends requests through `URLSession`.
///
/// The transport uses its own session and keeps connections open between requests, but stores nothing else (no cookies,
/// cache, or credentials). It does not follow redirects.
///
/// A response body is truncated at a limit, which ends the transfer. A back end's response is far shorter, and the rest
/// of a captive portal's page is not needed.
package final class URLSessionTransport: Transport {
    private let session: URLSession
    private let exchanges: URLSessionExchanges

    /// Creates a transport with its own session.
    ///
    /// - Parameters:
    ///   - longestBody: The maximum number of bytes to keep of a response body.
    ///   - allowsConstrainedNetworks: Whether requests are also sent in Low Data Mode.
    package init(longestBody: Int = 1_048_576, allowsConstrainedNetworks: Bool = false) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // Delivery handles an offline device itself: it waits according to its own rules and reports the reason.
        configuration.waitsForConnectivity = false
        // Pending events can wait for an unconstrained network.
        configuration.allowsConstrainedNetworkAccess = allowsConstrainedNetworks
        let exchanges = URLSessionExchanges(longestBody: longestBody)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        self.exchanges = exchanges
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    deinit {
        // The session retains its delegate until the session is invalidated.
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
            exchange.end(.failure(TransportError(.cancelled, "the sending task was canceled")))
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
            throw TransportError(.invalidRequest, "\"\(request.url)\" is not an http or https URL")
        }
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method
        urlRequest.timeoutInterval = max(1, Double(timeout.components.seconds) + 1)
        urlRequest.httpShouldHandleCookies = false
        for field in request.headers {
            urlRequest.addValue(field.value, forHTTPHeaderField: field.name)
        }
        // The system would add the user's languages, and the app's name with the versions of the system.
        if request.headers["accept-language"] == nil { urlRequest.addValue("*", forHTTPHeaderField: "Accept-Language") }
        if request.headers["user-agent"] == nil { urlRequest.addValue("Trackway", forHTTPHeaderField: "User-Agent") }
        if !request.body.isEmpty {
            urlRequest.httpBody = Data(request.body)
        }
        return urlRequest
    }
}

extension TransportError {
    /// Converts an error of the URL loading system.
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
