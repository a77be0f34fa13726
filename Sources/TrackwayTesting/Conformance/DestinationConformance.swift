// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
public import TrackwayDestinationKit

/// Checks that an implementation of `Destination` follows the delivery rules.
///
/// The most important rule: only a response from the back end itself may settle an event.
///
/// The check does not depend on a test framework: it returns its findings.
/// ```swift
/// @Test("my destination follows the delivery rules")
/// func conforms() {
///     let findings = DestinationConformance.findings(answeredBy: .collector) {
///         CollectorDestination(url: "http://127.0.0.1:8787", writeKey: "test")
///     }
///     #expect(findings.isEmpty, "\(findings)")
/// }
/// ```
public enum DestinationConformance {
    /// Returns all violations; empty if the destination conforms.
    ///
    /// - Parameters:
    ///   - backEnd: The responses of the destination's back end.
    ///   - makeDestination: Creates the destination, with the same settings every time.
    public static func findings(
        answeredBy backEnd: ConformanceBackEnd,
        _ makeDestination: () -> any Destination
    ) -> [ConformanceFinding] {
        var run = DestinationConformanceRun(
            destination: makeDestination(),
            secondInstance: makeDestination(),
            backEnd: backEnd
        )
        run.checkSettings()
        for (name, batch) in ConformanceBatches.all {
            run.checkRequest(batch, name)
            run.checkVerdicts(batch, name)
        }
        return run.findings
    }
}

/// The responses of the back end that ``DestinationConformance`` simulates.
public struct ConformanceBackEnd: Sendable {
    /// Returns the response that accepts everything in a request.
    public var accept: @Sendable (WireRequest) -> WireResponse
    /// Returns the back end's own response with an error status.
    public var refuse: @Sendable (_ status: Int, _ headers: WireHeaders) -> WireResponse

    /// Creates a description of a back end.
    public init(
        accept: @escaping @Sendable (WireRequest) -> WireResponse,
        refuse: @escaping @Sendable (_ status: Int, _ headers: WireHeaders) -> WireResponse
    ) {
        self.accept = accept
        self.refuse = refuse
    }

    /// The responses of Trackway's collector.
    public static let collector = ConformanceBackEnd(
        accept: { request in
            CollectorBody(request)?.answer(refusing: [:]) ?? WireResponse(status: 400)
        },
        refuse: { status, headers in
            guard case .respond(let response) = ScriptedResponse.status(status, headers: headers) else {
                return WireResponse(status: status)
            }
            return response
        }
    )
}

/// One violated rule.
public struct ConformanceFinding: Sendable, Hashable, CustomStringConvertible {
    /// The rule's stable name, for example `replace-is-whole`.
    public let rule: String
    /// The expected and the actual behavior, as a sentence.
    public let detail: String

    init(_ rule: String, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }

    /// The rule's name and the detail.
    public var description: String { "\(rule): \(detail)" }
}

/// One run of ``DestinationConformance``, with one function per group of rules.
private struct DestinationConformanceRun {
    let destination: any Destination
    /// A second instance of the destination, as created after a restart.
    let secondInstance: any Destination
    let backEnd: ConformanceBackEnd
    private(set) var findings: [ConformanceFinding] = []

    private static let sent = Timestamp(milliseconds: 1_700_000_001_000)

    init(destination: any Destination, secondInstance: any Destination, backEnd: ConformanceBackEnd) {
        self.destination = destination
        self.secondInstance = secondInstance
        self.backEnd = backEnd
    }

    private mutating func require(_ condition: Bool, _ rule: String, _ detail: String) {
        if !condition { findings.append(ConformanceFinding(rule, detail)) }
    }

    // MARK: Rules

    mutating func checkSettings() {
        require(
            destination.id == secondInstance.id,
            "id-is-stable",
            "two instances have ids \(destination.id) and \(secondInstance.id)"
        )
        require(
            destination.limits.events >= 1 && destination.limits.bytes >= 1,
            "limits-positive",
            "limits must allow at least one event; they are \(destination.limits)"
        )
    }

    mutating func checkRequest(_ batch: EventBatch, _ name: String) {
        do throws(WireEncodingError) {
            let request = try destination.request(for: batch, sentAt: Self.sent)
            let repeated = try secondInstance.request(for: batch, sentAt: Self.sent)
            require(
                request.url == repeated.url && request.headers == repeated.headers && request.body == repeated.body,
                "request-is-stable",
                "\(name): the same batch at the same time must give the same request, so the back end recognizes it"
            )
            require(
                request.url.hasPrefix("http://") || request.url.hasPrefix("https://"),
                "url-is-absolute",
                "\(name): the address is \(request.url)"
            )
            require(
                !request.method.isEmpty && request.method == request.method.uppercased(),
                "method-is-upper-case",
                "\(name): the method is \(request.method)"
            )
            checkIndices(request.omitted, batch, "left-out-in-range", name)
        } catch {
            switch error.code {
            case .nothingToSend:
                checkIndices(error.omitted, batch, "left-out-in-range", name)
                require(
                    Set(error.omitted.map(\.index)).count == batch.records.count,
                    "nothing-to-send-names-all",
                    "\(name): a nothing-to-send error must give a reason for every event"
                )
            case .tooLarge:
                require(
                    batch.records.count > 1,
                    "small-batches-fit",
                    "\(name): a single event of ordinary size must fit into a request"
                )
            case .misconfigured:
                require(false, "request-is-made", "\(name): \(error)")
            }
        }
    }

    mutating func checkVerdicts(_ batch: EventBatch, _ name: String) {
        // A batch that cannot be sent gets no response; `checkRequest` has already checked this batch.
        guard let request = try? destination.request(for: batch, sentAt: Self.sent) else { return }
        let accepted = backEnd.accept(request)
        let verdict = destination.verdict(on: accepted, for: batch)
        require(verdict == .accepted, "acceptance-is-accepted", "\(name): accepted, but the verdict is \(verdict)")
        for status in [401, 403] { check(status, batch, name, ["unauthorized"]) }
        check(413, batch, name, ["too_large"])
        for status in [408, 429, 500, 502, 503, 504] { check(status, batch, name, ["retry"]) }
        for status in [404, 405] { check(status, batch, name, ["misconfigured", "not_the_back_end"]) }
        for status in [400, 422] { check(status, batch, name, ["rejected", "misconfigured"]) }
        for status in [301, 302, 307] { check(status, batch, name, ["not_the_back_end", "retry"]) }
        for status in [Int.min, -1, 0, 99, 600, 999, Int.max] {
            check(status, batch, name, ["not_the_back_end", "retry", "rejected", "misconfigured"])
        }
        checkRetryAfter(batch, name)
        checkIntermediaries(batch, name)
        checkDamage(accepted, batch, name)
    }

    private mutating func check(_ status: Int, _ batch: EventBatch, _ name: String, _ allowed: Set<String>) {
        let verdict = destination.verdict(on: backEnd.refuse(status, [:]), for: batch)
        require(
            allowed.contains(verdict.label),
            "status-is-understood",
            "\(name): \(status) must mean \(allowed.sorted().joined(separator: " or ")); it is \(verdict)"
        )
    }

    private mutating func checkRetryAfter(_ batch: EventBatch, _ name: String) {
        for status in [429, 503] {
            let verdict = destination.verdict(on: backEnd.refuse(status, ["retry-after": "120"]), for: batch)
            var after: Duration?
            if case .retry(let delay, _) = verdict { after = delay }
            require(
                after == .seconds(120),
                "retry-after-is-heard",
                "\(name): \(status) with Retry-After: 120 must mean a retry after 120 s; it is \(verdict)"
            )
        }
    }

    /// Checks that responses of intermediaries neither settle nor reject events.
    private mutating func checkIntermediaries(_ batch: EventBatch, _ name: String) {
        let page = Array("<!doctype html><html><body>Welcome to the hotel</body></html>".utf8)
        for status in [200, 201, 302, 400, 401, 403, 404, 511] {
            let answer = WireResponse(status: status, headers: ["content-type": "text/html"], body: page)
            let verdict = destination.verdict(on: answer, for: batch)
            require(
                ["not_the_back_end", "retry"].contains(verdict.label),
                "stranger-is-no-verdict",
                "\(name): an HTML page with status \(status) was treated as the back end's response: \(verdict)"
            )
        }
    }

    /// Checks that damaged responses neither trap nor reject nonexistent events.
    private mutating func checkDamage(_ answer: WireResponse, _ batch: EventBatch, _ name: String) {
        var random = SeededGenerator(seed: UInt64(batch.records.count))
        for _ in 0..<50 where !answer.body.isEmpty {
            var damaged = answer
            if random.nextBool() {
                damaged.body.removeLast(random.next(below: damaged.body.count))
            } else {
                damaged.body[random.next(below: damaged.body.count)] ^= UInt8(1 << random.next(below: 8))
            }
            if case .acceptedExcept(let rejections) = destination.verdict(on: damaged, for: batch) {
                require(!rejections.isEmpty, "exceptions-are-named", "\(name): a partial acceptance names no event")
                checkIndices(rejections, batch, "rejection-in-range", name)
            }
        }
    }

    private mutating func checkIndices(_ rejections: [Rejection], _ batch: EventBatch, _ rule: String, _ name: String) {
        let places = rejections.map(\.index)
        require(
            places.allSatisfy(batch.records.indices.contains) && Set(places).count == places.count,
            rule,
            "\(name): the indices \(places) must be distinct and in 0..<\(batch.records.count)"
        )
    }
}
