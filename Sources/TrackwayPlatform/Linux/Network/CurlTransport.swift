// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayCore
package import TrackwayDestinationKit

/// Sends requests through the system's libcurl.
///
/// Connections are kept open between requests, HTTP/2 is used if the server offers it, and proxies and certificates
/// come from the environment variables. Redirects are not followed, and no state is kept except connections.
///
/// All requests share one thread, which sleeps while they wait. The thread starts with the first request. It ends, and
/// closes all descriptors, one minute after the last request or when the transport is released.
///
/// A response body is truncated at a limit, which ends the transfer. A back end's response is far shorter, and the rest
/// of a captive portal's page is not needed. A header section beyond 64 KiB is an error.
///
/// If a kept connection turns out to be closed before the first byte of the response, libcurl sends the request once
/// more on a new connection. Otherwise, delivery would retry later, and it too could not know whether the first request
/// was processed.
///
/// A forked child has neither this thread nor Swift's own threads, so it sends nothing.
package final class CurlTransport: Transport {
    private let driver: CurlDriver

    /// Creates a transport.
    ///
    /// This is cheap: libcurl is initialized by the first request.
    ///
    /// - Parameters:
    ///   - longestBody: The maximum number of bytes to keep of a response body.
    ///   - settings: Proxies and certificate authorities.
    package convenience init(
        longestBody: Int = 1_048_576,
        settings: NetworkSettings = NetworkSettings { ProcessEnvironment.value(of: $0) }
    ) {
        self.init(driver: CurlDriver(longestBody: longestBody, settings: settings, clock: SystemClock()))
    }

    // MARK: Shared instance

    private struct Shared: Sendable {
        weak var transport: CurlTransport?
        /// Detects whether the code runs in a fork of the creating process.
        ///
        /// A forked child does not have the transport's thread.
        let process = ForkDetector()
    }

    private static let shared = Locked<[NetworkSettings: Shared]>([:])

    /// Returns the process's shared transport for the current environment variables.
    ///
    /// A transport is created if none is in use. Each transport has a thread, a descriptor to wake it, and connections,
    /// so an app with several `Analytics` instances shares them.
    package static func ofProcess() -> CurlTransport {
        ofProcess(NetworkSettings { ProcessEnvironment.value(of: $0) })
    }

    /// Returns the shared transport with these settings.
    static func ofProcess(_ settings: NetworkSettings) -> CurlTransport {
        shared.withLock { shared in
            if let known = shared[settings], let transport = known.transport, !known.process.isInChild {
                return transport
            }
            let fresh = CurlTransport(settings: settings)
            shared = shared.filter { $0.value.transport != nil }
            shared[settings] = Shared(transport: fresh)
            return fresh
        }
    }

    /// Creates a transport with a given driver.
    init(driver: CurlDriver) {
        self.driver = driver
    }

    deinit {
        driver.close()
    }

    package func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        try await send(try CurlRequest(request), timeout: timeout)
    }

    /// Sends a request and streams the body of a 200 response.
    ///
    /// Any other response is returned as a whole.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time from the call to the end of the response.
    ///   - opened: Called once when the header section of a 200 response has arrived.
    ///   - piece: Called with each chunk of its body, on the network thread.
    package func stream(
        _ request: WireRequest,
        timeout: Duration,
        opened: @escaping @Sendable () -> Void,
        piece: @escaping @Sendable ([UInt8]) -> Void
    ) async throws(TransportError) -> WireResponse {
        var request = try CurlRequest(request)
        request.sink = CurlSink(opened: opened, piece: piece)
        return try await send(request, timeout: timeout)
    }

    private func send(_ request: CurlRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        let driver = driver
        let id = driver.register()
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                driver.start(id, request, timeout: timeout, continuation: continuation)
            }
        } onCancel: {
            driver.cancel(id)
        }
        return try withExtendedLifetime(self) { () throws(TransportError) in try outcome.get() }
    }
}

/// Proxies and trusted certificate authorities, from environment variables.
///
/// The variables are read once, because a host app that changes its environment while another thread reads it would
/// crash that thread.
package struct NetworkSettings: Sendable, Hashable {
    /// The proxy for `http` URLs; nil to connect directly.
    package var httpProxy: String?
    /// The proxy for `https` URLs; nil to connect directly.
    package var httpsProxy: String?
    /// Hosts to connect to directly, separated by commas; `*` means every host.
    package var directHosts = ""
    /// A file of certificate authorities to trust instead of the system's.
    package var authorityFile: String?
    /// A folder of certificate authorities to trust instead of the system's.
    package var authorityFolder: String?

    /// Creates settings that connect directly and trust the system's certificate authorities.
    package init() {}

    /// Reads the usual environment variables.
    ///
    /// These are `http_proxy` (in lowercase only, because servers pass `HTTP_PROXY` to programs from a header that any
    /// client can send), `https_proxy`, `all_proxy`, and `no_proxy` (in either case), `SSL_CERT_FILE`, and
    /// `SSL_CERT_DIR`. Empty variables count as unset.
    package init(environment: [String: String]) {
        self.init { environment[$0] }
    }

    /// Reads the variables through a closure, by name.
    init(_ variable: (String) -> String?) {
        func value(_ names: String...) -> String? {
            for name in names {
                if let value = variable(name), !value.isEmpty { return value }
            }
            return nil
        }
        let any = value("all_proxy", "ALL_PROXY")
        httpProxy = value("http_proxy") ?? any
        httpsProxy = value("https_proxy", "HTTPS_PROXY") ?? any
        directHosts = value("no_proxy", "NO_PROXY") ?? ""
        authorityFile = value("SSL_CERT_FILE")
        authorityFolder = value("SSL_CERT_DIR")
    }
}
#endif
