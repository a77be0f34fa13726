// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
internal import TrackwayEvents
package import TrackwayWire

/// Sends requests through the system's libcurl: connections kept open between requests, HTTP/2 where a server offers it,
/// proxies and certificates as the system's variables say; no redirect followed, nothing remembered beyond connections.
///
/// All requests share one thread, which sleeps while they wait. It begins with the first request, and ends, with all
/// descriptors, a minute after the last one or when the transport is let go.
///
/// An answer's body is cut at a bound, which ends the transfer: a back-end's answer is far shorter, and what a captive portal
/// sends need not be read to its end. A head beyond 64 KiB is no answer.
///
/// When a kept connection turns out to be closed before a byte of the answer came, libcurl sends the request once more on a
/// fresh one. That is what delivery would do, only sooner: it too cannot know what became of the first.
///
/// In a forked child neither the thread nor Swift's own threads exist: a child does not send.
package final class CurlTransport: Transport {
    private let driver: CurlDriver

    /// Makes a transport. Costs next to nothing: libcurl begins with the first request.
    ///
    /// - Parameters:
    ///   - longestBody: The most bytes kept of an answer's body.
    ///   - settings: Proxies and authorities.
    package convenience init(
        longestBody: Int = 1_048_576,
        settings: NetworkSettings = NetworkSettings { ProcessEnvironment.value(of: $0) }
    ) {
        self.init(driver: CurlDriver(longestBody: longestBody, settings: settings, clock: SystemClock()))
    }

    // MARK: The one that a process shares

    private struct Shared: Sendable {
        weak var transport: CurlTransport?
        /// The process that made it: its thread is not there in a forked child.
        let process = ForkMark()
    }

    private static let shared = Locked<[NetworkSettings: Shared]>([:])

    /// The transport that is in use in this process with the variables as they are now; a new one when there is none.
    ///
    /// Each transport has a thread, a descriptor to wake it and connections: an app with several analytics has these once.
    package static func ofProcess() -> CurlTransport {
        ofProcess(NetworkSettings { ProcessEnvironment.value(of: $0) })
    }

    /// The same with these settings.
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

    /// Makes a transport of parts.
    init(driver: CurlDriver) {
        self.driver = driver
    }

    deinit {
        driver.close()
    }

    package func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        try await send(try CurlRequest(request), timeout: timeout)
    }

    /// Sends a request and hands on the body of a 200 as it comes. Any other answer is returned whole.
    ///
    /// - Parameters:
    ///   - timeout: The longest time from call to the end of the answer.
    ///   - opened: Called once when the head of a 200 has arrived.
    ///   - piece: Called with each piece of its body, on the network's thread.
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
        let id = driver.announce()
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                driver.ask(id, request, timeout: timeout, continuation: continuation)
            }
        } onCancel: {
            driver.cancel(id)
        }
        return try withExtendedLifetime(self) { () throws(TransportError) in try outcome.get() }
    }
}

/// Which way requests go and whom they trust, as the system's variables say. A value: the variables are read once, because a
/// host that changes its environment while another thread reads it breaks that thread.
package struct NetworkSettings: Sendable, Hashable {
    /// Proxy for `http` addresses; nil goes directly.
    package var httpProxy: String?
    /// Proxy for `https` addresses; nil goes directly.
    package var httpsProxy: String?
    /// Hosts that are asked directly, separated by commas; `*` is every host.
    package var directHosts = ""
    /// A file of the authorities that are trusted instead of the system's.
    package var authorityFile: String?
    /// A folder of such authorities.
    package var authorityFolder: String?

    /// Goes directly, and trusts whom the system trusts.
    package init() {}

    /// Reads the customary variables: `http_proxy` (in lower case only, because servers hand `HTTP_PROXY` to programs as
    /// a header that anybody can send), `https_proxy`, `all_proxy` and `no_proxy` (either case), `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR`. Empty ones count as absent.
    package init(environment: [String: String]) {
        self.init { environment[$0] }
    }

    /// The same, of variables whose values are asked for by their names.
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
