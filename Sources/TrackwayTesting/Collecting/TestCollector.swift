// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Trackway
internal import TrackwayEvents
public import TrackwayWire

/// A running collector that a UI test asks which events arrived.
///
/// ```swift
/// let collector = TestCollector("http://127.0.0.1:8787")
/// let purchase = try await collector.expect("purchase", where: ["total=12.5"], .exactly(1), within: .seconds(10))
/// precondition(purchase.holds, "\(purchase)")
/// ```
/// Start one with `trackway serve --ephemeral`. The app under test sends its events there with a short `flushInterval`.
public struct TestCollector: Sendable {
    /// How many events a test expects.
    public enum Count: Sendable, Hashable {
        /// So many or more. The answer comes as soon as they are there.
        case atLeast(Int)
        /// So many or fewer. The answer takes the whole time, because one more may come.
        case atMost(Int)
        /// Exactly so many. The answer takes the whole time, because one more may come.
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

    /// Makes a client of a collector. Nothing is sent yet.
    ///
    /// - Parameters:
    ///   - url: the address of the collector, as the app's destination has it.
    ///   - key: a key with the scope `read`; nil where the collector needs none, as on the same machine.
    ///   - transport: what carries requests; the system's by default.
    public init(_ url: String, key: String? = nil, transport: any Transport = SystemTransport.make()) {
        self.url = url
        self.key = key
        self.transport = transport
    }

    /// Waits until an expectation is decided.
    ///
    /// - Parameters:
    ///   - names: event names; an event with one of them counts. One to ten.
    ///   - conditions: conditions on attributes such as `total=12.5`, as in the collector's questions. At most ten.
    ///   - count: how many events are expected; one or more by default.
    ///   - run: the value of the attribute `_run`, which distinguishes test runs; nil for events of every run.
    ///   - timeout: the longest wait, at most 5 minutes; 5 seconds by default.
    /// - Returns: the verdict. One that does not hold describes what arrived instead.
    /// - Throws: ``TestCollectorError`` when the collector gives no verdict.
    public func expect(
        _ names: String...,
        where conditions: [String] = [],
        _ count: Count = .atLeast(1),
        run: String? = nil,
        within timeout: Duration = .seconds(5)
    ) async throws -> TestExpectation {
        // The collector refuses more than 5 minutes itself.
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
            // The collector may need 10 seconds more until its index has what it received in time.
            response = try await transport.send(request, timeout: timeout + .seconds(30))
        } catch {
            throw TestCollectorError(message: "The collector at \(url) cannot be reached (\(error)).")
        }
        let text = String(decoding: response.body, as: UTF8.self)
        // A body that is no JSON is no verdict, and stands in the error.
        guard response.status == 200, let answer = try? JSONValue.parse(response.body),
            let holds = answer["holds"]?.boolean
        else {
            throw TestCollectorError(
                message: "The collector at \(url) gave no verdict: status \(response.status), \(text)"
            )
        }
        return TestExpectation(holds: holds, found: Int(clamping: answer["found"]?.integer ?? 0), description: text)
    }
}

/// The collector's verdict on what a test expects.
public struct TestExpectation: Sendable, Hashable, CustomStringConvertible {
    /// Whether the expectation holds.
    public let holds: Bool
    /// How many events match.
    public let found: Int
    /// The collector's answer as JSON: the events that match, the closest ones, and refused ones.
    public let description: String
}

/// An error of ``TestCollector``: the collector gave no verdict.
public struct TestCollectorError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened, in a sentence.
    public let message: String

    /// What happened, in a sentence.
    public var description: String { message }
}
