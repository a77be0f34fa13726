// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayEvents
internal import TrackwayWire

/// Asks a collector and understands its answers.
struct CollectorClient: Sendable {
    /// The collector.
    let address: CollectorAddress
    private let transport: any Transport
    /// What was said last about answers that lack events.
    private let warned = Locked<String?>(nil)

    /// A client of one collector. Nothing is sent yet.
    init(_ address: CollectorAddress) {
        self.init(address, transport: Self.transport())
    }

    /// The same, over another transport.
    init(_ address: CollectorAddress, transport: any Transport) {
        self.address = address
        self.transport = transport
    }

    /// The longest answer: a list may hold large events.
    static let longestAnswer = 256 << 20

    /// Whether the authorities to trust can be named: elsewhere the system's are trusted.
    static var canNameAuthorities: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    /// The SDK's way to send, so that proxies and authorities are those of the environment in both.
    private static func transport() -> any Transport {
        #if os(Linux)
        SystemTransport.Streaming(longestBody: longestAnswer)
        #else
        SystemTransport.make()
        #endif
    }

    /// The answer to `GET path`, parsed.
    ///
    /// - Parameters:
    ///   - path: The path, beginning with a slash.
    ///   - query: Names and values of the query.
    ///   - timeout: How long to wait for the answer, in seconds.
    /// - Throws: ``CommandFailure`` that says what the collector said, and what helps.
    func get(
        _ path: String,
        query: [(name: String, value: String)] = [],
        timeout: Double = 30
    ) async throws(CommandFailure) -> JSONValue {
        try await send("GET", path, query: query, timeout: timeout)
    }

    /// The answer to a request, parsed; parameters and errors as with ``get(_:query:timeout:)``.
    ///
    /// - Parameter body: What is sent as JSON; nil for nothing.
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

    /// Says on standard error, once, that an answer may lack events.
    private func warn(_ partial: String) {
        let isNews = warned.withLock { warned in
            defer { warned = partial }
            return warned == nil
        }
        if isNews { Console.standard.note("Events may be missing: \(partial)") }
    }

    /// Passes a request on as it came, for a proxy.
    ///
    /// - Parameters:
    ///   - path: The path, beginning with a slash.
    ///   - headers: Every header but the length.
    ///   - body: The body as it came, compressed or not.
    /// - Returns: The answer's status and body, whatever they are.
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
    /// The collector's ledger once the index has caught up: what was just delivered is in the intake log, and may be a moment
    /// away from the index that answers.
    ///
    /// - Parameter installation: only this one; nil for all.
    /// - Returns: the answer as it came, all pages as one, and as it is read.
    func settledLedger(installation: String? = nil) async throws(CommandFailure) -> (JSONValue, CollectorLedger) {
        let query = installation.map { [(name: "installation", value: $0)] } ?? []
        let answer = try await get("/v1/ledger", query: query + [("limit", "1")])
        guard let end = answer["end"]?.string, var indexed = answer["indexed"]?.string else {
            return (answer, CollectorLedger(answer))
        }
        while true {
            let wait = try await get("/v1/wait", query: [("position", end), ("timeout", "1")])
            // An index that stands still has read all there is: a segment that was just begun holds nothing yet.
            guard wait["done"]?.boolean != true, let reached = wait["indexed"]?.string, reached != indexed else {
                break
            }
            indexed = reached
        }
        let settled = try await wholeLedger(query)
        return (settled, CollectorLedger(settled))
    }

    /// All pages as one answer.
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

/// What an answer means, for plain requests and for streams.
enum CollectorAnswer {
    /// The JSON of a good answer.
    ///
    /// - Throws: ``CommandFailure`` for every status but 2xx, and for a body that is not a collector's.
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

    /// The failure when no answer came.
    static func unreachable(_ address: CollectorAddress, _ error: TransportError) -> CommandFailure {
        let remedy: String
        switch error.code {
        case .refused:
            remedy = "is the collector running? Start one with `trackway serve`, or say where it is with --url"
        case .offline: remedy = "check the name in --url or TRACKWAY_URL, and this machine's network"
        case .timedOut: remedy = "check --url, and any firewall or proxy between here and the collector; or try again"
        case .tls:
            remedy =
                "if an authority of your own signed the certificate, name its file with --ca or in SSL_CERT_FILE; check that the address has the certificate's name"
        case .invalidRequest: remedy = "check the address in --url or TRACKWAY_URL and the key"
        default: remedy = "check --url, and any proxy (http_proxy, https_proxy) between here and the collector"
        }
        return CommandFailure(.unavailable, "no answer from \(address.root): \(reason(error))", remedy: remedy)
    }

    /// Why the answer is not a good one.
    static func failure(status: Int, json: JSONValue?, address: CollectorAddress) -> CommandFailure {
        guard let error = json?["error"], let message = error["message"]?.string else {
            return CommandFailure(
                .unavailable,
                "\(address.root) answered \(status), but not as a Trackway collector does",
                remedy: (300..<400).contains(status)
                    ? "it sends on to another address: give that one, perhaps with https, with --url"
                    : "check the address: another server or a proxy seems to live there"
            )
        }
        let code = error["code"]?.string ?? "\(status)"
        let said = "the collector says: \(message) (\(status) \(code))"
        switch status {
        case 401, 403:
            return CommandFailure(
                .refused,
                said,
                remedy: "give a valid key with --key or in TRACKWAY_KEY; `trackway keys create` makes one"
            )
        case 404: return CommandFailure(.negative, said)
        case 408, 429, 500...: return CommandFailure(.temporary, said, remedy: "try again in a moment")
        default: return CommandFailure(.usage, said)
        }
    }

    private static func reason(_ error: TransportError) -> String {
        switch error.code {
        case .refused: "connection refused or closed"
        case .offline: "no way to this host"
        case .timedOut: "timed out"
        case .tls: "no secure connection: \(error.message)"
        default: error.message.isEmpty ? error.code.rawValue : error.message
        }
    }
}
