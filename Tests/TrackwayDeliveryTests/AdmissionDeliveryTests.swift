// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@Suite("Admission of events in delivery")
struct AdmissionDeliveryTests {
    /// Consent decisions by the user name in the context.
    private final class Decisions: Sendable {
        private let decisions = Locked<[String: Admission]>([:])

        subscript(_ name: String) -> Admission? {
            get { decisions.withLock { $0[name] } }
            set { decisions.withLock { $0[name] = newValue } }
        }

        var rule: Admission.Rule {
            { context in self[String(decoding: context, as: UTF8.self)] ?? .send }
        }
    }

    private static func context(_ name: String) -> [UInt8] { Array("{\"user\":{\"subject\":\"\(name)\"}}".utf8) }
    private static func key(_ name: String) -> String { String(decoding: context(name), as: UTF8.self) }

    @Test
    func `held events stay pending and cost no attempt, and a flush immediately returns why they wait`()
        async throws
    {
        let decisions = Decisions()
        decisions[Self.key("undecided")] = .hold
        let environment = try DeliveryEnvironment(admission: decisions.rule)
        environment.begin()
        environment.journal.setContext(Self.context("undecided"))
        environment.record(100)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.destinations["collector"]?.pending == 100)
        #expect(report.destinations["collector"]?.pendingReason == DeliveryService.consentPendingReason)
        #expect(environment.collector.attempts == 0)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `held events are sent once consent is given, without a flush or another event`() async throws {
        let decisions = Decisions()
        decisions[Self.key("undecided")] = .hold
        let environment = try DeliveryEnvironment(admission: decisions.rule)
        environment.begin()
        environment.journal.setContext(Self.context("undecided"))
        environment.record(100)
        _ = await environment.service.flush(timeout: .seconds(5))
        decisions[Self.key("undecided")] = .send
        environment.service.admissionChanged()
        await environment.collector.waitForAttempts(1)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(environment.collector.rows == 100)
        #expect(environment.collector.duplicates == 0)
        await environment.end()
    }

    @Test
    func `events of users who denied consent are counted and reported, others are sent, and no number is missing`()
        async throws
    {
        let decisions = Decisions()
        decisions[Self.key("refused")] = .drop(.consentDenied)
        let environment = try DeliveryEnvironment(admission: decisions.rule)
        for name in ["willing", "refused", "willing", "refused"] {
            environment.journal.setContext(Self.context(name))
            environment.record(10)
        }
        environment.begin()
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(environment.collector.rows == 20)
        #expect(environment.collector.faults == [])
        #expect(try environment.account().dropped == [.consentDenied: 20])
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `withdrawing consent during a request stops the rest of its batch`() async throws {
        let decisions = Decisions()
        let environment = try DeliveryEnvironment(admission: decisions.rule)
        environment.journal.setContext(Self.context("somebody"))
        environment.record(100)
        environment.collector.setBehavior(.status(413))
        environment.collector.hang()
        environment.begin()
        let flush = environment.task { await environment.service.flush(timeout: .seconds(5)) }
        await environment.collector.waitForAttempts(1)
        decisions[Self.key("somebody")] = .drop(.consentDenied)
        // The whole batch was too large, and its halves must no longer be sent. Losses are still reported.
        environment.collector.setBehavior(.healthy)
        environment.collector.resume()
        _ = await flush.value
        let account = try environment.account()
        #expect(account.delivered + (account.dropped[.consentDenied] ?? 0) == 100)
        #expect(UInt64(environment.collector.rows) == account.delivered)
        #expect(account.pending == 0)
        await environment.end()
    }

    @Test
    func `a denial found by the permission check applies to that request, even if the check permits sending`()
        async throws
    {
        let decisions = Decisions()
        // Another process has stored a denial, which the first permission check finds.
        let environment = try DeliveryEnvironment(
            admission: decisions.rule,
            isPermitted: {
                decisions[Self.key("refused")] = .drop(.consentDenied)
                return true
            }
        )
        for name in ["refused", "willing"] {
            environment.journal.setContext(Self.context(name))
            environment.record(10)
        }
        environment.begin()
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(environment.collector.rows == 10)
        #expect(try environment.account().dropped == [.consentDenied: 10])
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test
    func `events are not sent while sending is not permitted, and are sent once it is`() async throws {
        let asked = Locked(0)
        let environment = try DeliveryEnvironment(
            isPermitted: {
                asked.withLock { asked in
                    asked += 1
                    return asked > 1
                }
            }
        )
        environment.record(10)
        environment.begin()
        let report = await environment.flush(timeout: .seconds(600))
        #expect(report.isComplete)
        #expect(environment.collector.rows == 10)
        #expect(environment.collector.attempts == 1)
        #expect(asked.withLock { $0 } == 2)
        await environment.end()
    }

    @Test
    func `event parts that a format omits are reported once, when the events are accepted`() async throws {
        let environment = try DeliveryEnvironment(make: { TrimmingDestination($0, limits: $1) })
        environment.collector.setBehavior(.status(503))
        environment.record(30)
        environment.begin()
        await environment.collector.waitForAttempts(1)
        #expect(environment.trimmed == [])
        environment.collector.setBehavior(.healthy)
        await environment.pass(.seconds(3_600)) { environment.collector.rows == 30 }
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(environment.trimmed == [Rejection(index: 0, code: "too_long", message: "The name is too long.")])
        await environment.end()
    }
}

extension DeliveryEnvironment {
    fileprivate var trimmed: [Rejection] {
        notices.withLock { notices in
            notices.flatMap { notice -> [Rejection] in
                if case .trimmed(_, let parts) = notice { parts } else { [] }
            }
        }
    }
}

/// The collector's format with a part of the first event omitted.
private struct TrimmingDestination: Destination {
    private let collector: CollectorDestination

    init(_ id: DestinationID, limits: BatchLimits) {
        collector = DeliveryEnvironment.destination(id, limits: limits)
    }

    var id: DestinationID { collector.id }
    var limits: BatchLimits { collector.limits }

    func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        var request = try collector.request(for: batch, sentAt: sentAt)
        request.trimmed = [Rejection(index: 0, code: "too_long", message: "The name is too long.")]
        return request
    }

    func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict {
        collector.verdict(on: response, for: batch)
    }
}
