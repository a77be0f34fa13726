// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayCore
public import TrackwayDestinationKit

/// A client that checks which events a collector received, for UI tests.
///
/// ```swift
/// let collector = TestCollector("http://127.0.0.1:8787")
/// let purchase = try await collector.expect("purchase", where: ["total=12.5"], .exactly(1), within: .seconds(10))
/// precondition(purchase.holds, "\(purchase)")
/// ```
/// Start a collector with `trackway serve --ephemeral`, and let the app under test send its events to it with a short
/// `flushInterval`.
public struct TestCollector: Sendable {
    /// The number of events that a test expects.
    public enum Count: Sendable, Hashable {
        /// At least this many events.
        ///
        /// `expect` returns as soon as they have arrived.
        case atLeast(Int)
        /// At most this many events.
        ///
        /// `expect` waits for the whole timeout, because another event may arrive.
        case atMost(Int)
        /// Exactly this many events.
        ///
        /// `expect` waits for the whole timeout, because another event may arrive.
        case exactly(Int)

        var parameter: (name: String, value: String) {
            switch self {
            case .atLeast(let count): ("at_least", "\(count)")
            case .atMost(let count): ("at_most", "\(count)")
            case .exactly(let count): ("count", "\(count)")
            }
        }
    }

    private let url: String
    private let key: String?
    private let transport: any Transport

    /// Creates a client for a collector.
    ///
    /// Creating a client sends no request.
    ///
    /// - Parameters:
    ///   - url: The address of the collector, the same as in the app's destination.
    ///   - key: A key with the scope `read`; nil if the collector requires none, for example on the same machine.
    ///   - transport: The transport that sends requests; the system's by default.
    public init(_ url: String, key: String? = nil, transport: any Transport = SystemTransport.make()) {
        self.url = url
        self.key = key
        self.transport = transport
    }

    /// Waits until the collector has a verdict on an expectation.
    ///
    /// - Parameters:
    ///   - names: The event names to match, 1 to 10. An event must have one of them.
    ///   - conditions: Attribute conditions such as `total=12.5`, in the syntax of the collector's queries. At most
    ///     ten.
    ///   - count: The expected number of events; one or more by default.
    ///   - run: The value of the attribute `_run`, which distinguishes test runs; nil for events of every run.
    ///   - timeout: The maximum wait, at most 5 minutes; 5 seconds by default.
    /// - Returns: The verdict. If the expectation does not hold, the verdict describes what arrived instead.
    /// - Throws: ``TestCollectorError`` when the collector returns no verdict.
    public func expect(
        _ names: String...,
        where conditions: [String] = [],
        _ count: Count = .atLeast(1),
        run: String? = nil,
        within timeout: Duration = .seconds(5)
    ) async throws -> TestExpectation {
        try await expect(names, where: conditions, count, run: run, within: timeout)
    }

    /// Waits until the collector has a verdict on the count of one event.
    ///
    /// For example, `expect("purchase", .exactly(0))`. A parameter without a label cannot follow a variadic one, so this
    /// form takes one name; the form with an array takes several.
    ///
    /// - Parameters:
    ///   - name: The event name to match.
    ///   - count: The expected number of events.
    ///   - run: The value of the attribute `_run`, which distinguishes test runs; nil for events of every run.
    ///   - timeout: The maximum wait, at most 5 minutes; 5 seconds by default.
    /// - Returns: The verdict. If the expectation does not hold, the verdict describes what arrived instead.
    /// - Throws: ``TestCollectorError`` when the collector returns no verdict.
    public func expect(
        _ name: String,
        _ count: Count,
        run: String? = nil,
        within timeout: Duration = .seconds(5)
    ) async throws -> TestExpectation {
        try await expect([name], count, run: run, within: timeout)
    }

    /// Waits until the collector has a verdict on any of several events.
    ///
    /// - Parameters:
    ///   - names: The event names to match, 1 to 10. An event must have one of them.
    ///   - conditions: Attribute conditions such as `total=12.5`, in the syntax of the collector's queries. At most
    ///     ten.
    ///   - count: The expected number of events; one or more by default.
    ///   - run: The value of the attribute `_run`, which distinguishes test runs; nil for events of every run.
    ///   - timeout: The maximum wait, at most 5 minutes; 5 seconds by default.
    /// - Returns: The verdict. If the expectation does not hold, the verdict describes what arrived instead.
    /// - Throws: ``TestCollectorError`` when the collector returns no verdict.
    public func expect(
        _ names: [String],
        where conditions: [String] = [],
        _ count: Count = .atLeast(1),
        run: String? = nil,
        within timeout: Duration = .seconds(5)
    ) async throws -> TestExpectation {
        // The collector rejects timeouts of more than 5 minutes.
        let timeout = min(max(timeout, .zero), .seconds(86_400))
        let milliseconds = timeout.components.seconds * 1_000 + timeout.components.attoseconds / 1_000_000_000_000_000
        var query = names.map { (name: "name", value: $0) }
        query += conditions.map { (name: "where", value: $0) }
        query.append(count.parameter)
        if let run { query.append((name: "run", value: run)) }
        query.append((name: "within", value: "\(milliseconds)ms"))
        let parameters = query.map { "\($0.name)=\($0.value.percentEncoded())" }.joined(separator: "&")
        var request = WireRequest(
            method: "GET",
            url: "\(url.hasSuffix("/") ? url : url + "/")v1/expect?\(parameters)"
        )
        request.headers.append(name: "accept", value: "application/json")
        if let key { request.headers.append(name: "authorization", value: "Bearer \(key)") }
        let response: WireResponse
        do throws(TransportError) {
            // The collector may need another 10 seconds to index events that were received in time.
            response = try await transport.send(request, timeout: timeout + .seconds(30))
        } catch {
            throw TestCollectorError(message: "The collector at \(url) cannot be reached (\(error)).")
        }
        let text = String(decoding: response.body, as: UTF8.self)
        // A body that is not JSON contains no verdict; the error quotes it.
        guard response.status == 200, let answer = try? JSONValue.parse(response.body),
            let holds = answer["holds"]?.boolean
        else {
            throw TestCollectorError(
                message: "The collector at \(url) returned no verdict: status \(response.status), \(text)"
            )
        }
        return TestExpectation(holds: holds, found: Int(clamping: answer["found"]?.integer ?? 0), description: text)
    }
}

/// The collector's verdict on an expectation.
public struct TestExpectation: Sendable, Hashable, CustomStringConvertible {
    /// Whether the expectation holds.
    public let holds: Bool
    /// The number of matching events.
    public let found: Int
    /// The collector's response as JSON: matching, closest, and rejected events.
    public let description: String
}

/// The error thrown when the collector returns no verdict.
public struct TestCollectorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened, in a sentence.
    public let message: String

    /// What happened, in a sentence.
    public var description: String { message }
}
