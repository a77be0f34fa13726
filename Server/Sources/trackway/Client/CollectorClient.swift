// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Asks a collector and understands its answers.
struct CollectorClient: Sendable {
    /// The collector.
    let address: CollectorAddress
    private let session: URLSession

    /// A client of one collector. Nothing is sent yet.
    init(_ address: CollectorAddress) {
        self.address = address
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
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

    /// The answer to a request without a body, parsed; parameters and errors as with ``get(_:query:timeout:)``.
    func send(
        _ method: String,
        _ path: String,
        query: [(name: String, value: String)] = [],
        timeout: Double = 30
    ) async throws(CommandFailure) -> JSONValue {
        var request = URLRequest(url: try address.url(path, query: query))
        request.httpMethod = method
        request.timeoutInterval = timeout
        request.setValue("application/json", forHTTPHeaderField: "accept")
        if let key = address.key { request.setValue("Bearer \(key)", forHTTPHeaderField: "authorization") }
        let body: Data
        let response: URLResponse
        do {
            (body, response) = try await session.data(for: request)
        } catch {
            throw CollectorAnswer.unreachable(address, error)
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return try CollectorAnswer.value(status: status, body: Array(body), address: address)
    }

    /// Passes a request on as it came, for a middle-man.
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
        var request = URLRequest(url: try address.url(path))
        request.httpMethod = "POST"
        for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
        request.httpBody = Data(body)
        let (data, response) = try await session.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, Array(data))
    }
}
