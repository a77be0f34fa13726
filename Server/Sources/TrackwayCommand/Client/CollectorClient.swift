// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit

/// A client of the collector's HTTP API.
struct CollectorClient: Sendable {
    /// The collector's address.
    let address: CollectorAddress
    private let transport: any Transport
    /// The latest reason why a response may be incomplete; nil if there was none.
    private let lastWarning = Locked<String?>(nil)

    /// Creates a client without sending anything.
    init(_ address: CollectorAddress) {
        self.init(address, transport: Self.transport())
    }

    /// Creates a client that uses the given transport.
    init(_ address: CollectorAddress, transport: any Transport) {
        self.address = address
        self.transport = transport
    }

    /// The maximum size of a response in bytes.
    ///
    /// A list may contain large events.
    static let longestAnswer = 256 << 20

    /// Whether custom certificate authorities are supported.
    ///
    /// Platforms without this support trust the system's authorities.
    static var supportsCustomAuthorities: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    /// Returns the SDK's transport.
    ///
    /// The command and the SDK therefore use the same proxies and certificate authorities from the environment.
    private static func transport() -> any Transport {
        #if os(Linux)
        SystemTransport.Streaming(longestBody: longestAnswer)
        #else
        SystemTransport.make()
        #endif
    }

    /// Returns the parsed response to `GET path`.
    ///
    /// - Parameters:
    ///   - path: The path, beginning with a slash.
    ///   - query: The query parameters.
    ///   - timeout: The maximum time to wait for the response, in seconds.
    /// - Throws: ``CommandFailure`` with the collector's message and a suggestion.
    func get(
        _ path: String,
        query: [(name: String, value: String)] = [],
        timeout: Double = 30
    ) async throws(CommandFailure) -> JSONValue {
        try await send("GET", path, query: query, timeout: timeout)
    }

    /// Returns the parsed response to a request.
    ///
    /// The other parameters and the errors are the same as those of ``get(_:query:timeout:)``.
    ///
    /// - Parameter body: The JSON body, or nil for none.
    func send(
        _ method: String,
        _ path: String,
        query: [(name: String, value: String)] = [],
        body: JSONValue? = nil,
        timeout: Double = 30
    ) async throws(CommandFailure) -> JSONValue {
        var request = WireRequest(method: method, url: try address.url(path, query: query).absoluteString)
        request.headers.append(name: "accept", value: "application/json")
        if let key = address.key { request.headers.append(name: "authorization", value: "Bearer \(key)") }
        if let body {
            request.body = body.json()
            request.headers.append(name: "content-type", value: "application/json")
        }
        let answer: WireResponse
        do throws(TransportError) {
            answer = try await transport.send(request, timeout: .seconds(timeout))
        } catch {
            throw CollectorAnswer.unreachable(address, error)
        }
        let value = try CollectorAnswer.value(status: answer.status, body: answer.body, address: address)
        if let partial = value["partial"]?.string { warn(partial) }
        return value
    }

    /// Returns the response to a request as it arrived, regardless of its status and format.
    func exchange(
        _ method: String,
        _ path: String,
        body: [UInt8] = [],
        timeout: Double = 10
    ) async throws(TransportError) -> WireResponse {
        var request = WireRequest(method: method, url: address.root + path)
        request.headers.append(name: "accept", value: "application/json")
        if let key = address.key { request.headers.append(name: "authorization", value: "Bearer \(key)") }
        if !body.isEmpty {
            request.body = body
            request.headers.append(name: "content-type", value: "application/octet-stream")
        }
        return try await transport.send(request, timeout: .seconds(timeout))
    }

    /// Warns on standard error, at most once, that responses may be incomplete.
    private func warn(_ partial: String) {
        let isFirst = lastWarning.withLock { lastWarning in
            defer { lastWarning = partial }
            return lastWarning == nil
        }
        if isFirst { Console.standard.note("Events may be missing: \(partial)") }
    }

    /// Forwards a proxied request unchanged.
    ///
    /// - Parameters:
    ///   - path: The path, beginning with a slash.
    ///   - headers: All headers except Content-Length.
    ///   - body: The body as received, whether or not it is compressed.
    /// - Returns: The status and body of the response, regardless of the status.
    func relay(
        _ path: String,
        headers: [(name: String, value: String)],
        body: [UInt8]
    ) async throws -> (status: Int, body: [UInt8]) {
        var request = WireRequest(url: try address.url(path).absoluteString, body: body)
        for header in headers { request.headers.append(name: header.name, value: header.value) }
        let answer = try await transport.send(request, timeout: .seconds(60))
        return (answer.status, answer.body)
    }
}

extension CollectorClient {
    /// Returns the collector's ledger after the index has caught up.
    ///
    /// Recently delivered events are in the intake log, but the index, which answers queries, may lag slightly.
    ///
    /// - Parameter installation: The installation to include, or nil for all.
    /// - Returns: All pages as one JSON response, and the decoded ledger.
    func settledLedger(installation: String? = nil) async throws(CommandFailure) -> (JSONValue, CollectorLedger) {
        let query = installation.map { [(name: "installation", value: $0)] } ?? []
        let answer = try await get("/v1/ledger", query: query + [("limit", "1")])
        guard let end = answer["end"]?.string, var indexed = answer["indexed"]?.string else {
            return (answer, CollectorLedger(answer))
        }
        while true {
            let wait = try await get("/v1/wait", query: [("position", end), ("timeout", "1")])
            // Stop when the index no longer advances: it has read all records, and the next segment is still empty.
            guard wait["done"]?.boolean != true, let reached = wait["indexed"]?.string, reached != indexed else {
                break
            }
            indexed = reached
        }
        let settled = try await wholeLedger(query)
        return (settled, CollectorLedger(settled))
    }

    /// Returns all pages of the ledger as one response.
    private func wholeLedger(_ query: [(name: String, value: String)]) async throws(CommandFailure) -> JSONValue {
        let first = try await get("/v1/ledger", query: query)
        guard var answer = first.object else { return first }
        var writers = first["writers"]?.array ?? []
        var next = first["next"]?.string
        while let after = next {
            let page = try await get("/v1/ledger", query: query + [("after", after)])
            writers += page["writers"]?.array ?? []
            next = page["next"]?.string
        }
        answer.members.removeAll { $0.key == "next" }
        for index in answer.members.indices where answer.members[index].key == "writers" {
            answer.members[index].value = .array(writers)
        }
        return .object(answer)
    }
}

/// Interprets the responses to requests and streams.
enum CollectorAnswer {
    /// Returns the JSON of a successful response.
    ///
    /// - Throws: ``CommandFailure`` for any status other than 2xx, and for a body that is not JSON.
    static func value(status: Int, body: [UInt8], address: CollectorAddress) throws(CommandFailure) -> JSONValue {
        let json: JSONValue?
        do {
            json = try JSONValue.parse(body, limits: JSONLimits(bytes: 256 * 1024 * 1024))
        } catch {
            json = nil
        }
        if (200..<300).contains(status), let json { return json }
        throw failure(status: status, json: json, address: address)
    }

    /// Returns the failure for a request without a response.
    static func unreachable(_ address: CollectorAddress, _ error: TransportError) -> CommandFailure {
        let remedy: String
        switch error.code {
        case .refused:
            remedy = "start a collector with `trackway serve`, or pass the address of a running one with --url"
        case .offline: remedy = "check the name in --url or TRACKWAY_URL, and this machine's network"
        case .timedOut: remedy = "check --url, and any firewall or proxy between here and the collector; or try again"
        case .tls:
            remedy =
                "for a private authority, pass its file with --ca or SSL_CERT_FILE; also check the certificate's name"
        case .invalidRequest: remedy = "check the address in --url or TRACKWAY_URL, and the key"
        default: remedy = "check --url, and any proxy (http_proxy, https_proxy) between here and the collector"
        }
        return CommandFailure(.unavailable, "no response from \(address.root): \(reason(error))", remedy: remedy)
    }

    /// Returns the failure for an unsuccessful response.
    static func failure(status: Int, json: JSONValue?, address: CollectorAddress) -> CommandFailure {
        guard let error = json?["error"], let message = error["message"]?.string else {
            return CommandFailure(
                .unavailable,
                "\(address.root) responded with \(status), but not in the format of a Trackway collector",
                remedy: (300..<400).contains(status)
                    ? "it redirects to another address; pass that address with --url, perhaps with https"
                    : "check the address; another server or a proxy seems to be running there"
            )
        }
        let code = error["code"]?.string ?? "\(status)"
        let report = "the collector reported: \(message) (\(status) \(code))"
        switch status {
        case 401, 403:
            return CommandFailure(
                .refused,
                report,
                remedy: "pass a valid key with --key or TRACKWAY_KEY; `trackway keys create` creates one"
            )
        case 404: return CommandFailure(.negative, report)
        case 408, 429, 500...: return CommandFailure(.temporary, report, remedy: "try again in a moment")
        default: return CommandFailure(.usage, report)
        }
    }

    private static func reason(_ error: TransportError) -> String {
        switch error.code {
        case .refused: "connection refused or closed"
        case .offline: "host not reachable"
        case .timedOut: "timed out"
        case .tls: "TLS connection failed: \(error.message)"
        default: error.message.isEmpty ? error.code.rawValue : error.message
        }
    }
}
