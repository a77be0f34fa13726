// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayTesting
internal import TrackwayWire

@Suite("Delivery asks whether events may leave")
struct AdmissionDeliveryTests {
    /// What people decided, by the name in the context.
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

    @Test("held events stay and cost no attempt; a flush returns at once and says what they wait for")
    func held() async throws {
        let decisions = Decisions()
        decisions[Self.key("undecided")] = .hold
        let environment = try DeliveryEnvironment(admission: decisions.rule)
        environment.begin()
        environment.journal.setContext(Self.context("undecided"))
        environment.record(100)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.destinations["collector"]?.pending == 100)
        #expect(report.destinations["collector"]?.obstacle == "Events wait for consent.")
        #expect(environment.collector.attempts == 0)
        #expect(try environment.isBalanced())
        await environment.end()
    }

    @Test("held events travel once consent is given, without a flush and without waiting for the next event")
    func woken() async throws {
        let decisions = Decisions()
        decisions[Self.key("undecided")] = .hold
        let environment = try DeliveryEnvironment(admission: decisions.rule)
        environment.begin()
        environment.journal.setContext(Self.context("undecided"))
        environment.record(100)
        _ = await environment.service.flush(timeout: .seconds(5))
        decisions[Self.key("undecided")] = .send
        environment.service.admissionChanged()
        await environment.collector.untilAsked(1)
        let report = await environment.service.flush(timeout: .seconds(5))
        #expect(report.isComplete)
        #expect(environment.collector.rows == 100)
        #expect(environment.collector.duplicates == 0)
        await environment.end()
    }

    @Test("events of people who refused are counted and told, those of others travel, and no number is missing")
    func dropped() async throws {
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

    @Test("consent withdrawn while a batch is in hand stops the rest of it")
    func withdrawn() async throws {
        let decisions = Decisions()
        let environment = try DeliveryEnvironment(admission: decisions.rule)
        environment.journal.setContext(Self.context("somebody"))
        environment.record(100)
        environment.collector.be(.status(413))
        environment.collector.hang()
        environment.begin()
        let flush = environment.task { await environment.service.flush(timeout: .seconds(5)) }
        await environment.collector.untilAsked(1)
        decisions[Self.key("somebody")] = .drop(.consentDenied)
        // The whole was too large; its halves may not leave any more. Losses are still told.
        environment.collector.be(.well)
        environment.collector.goOn()
        _ = await flush.value
        let account = try environment.account()
        #expect(account.delivered + (account.dropped[.consentDenied] ?? 0) == 100)
        #expect(UInt64(environment.collector.rows) == account.delivered)
        #expect(account.pending == 0)
        await environment.end()
    }

    @Test("what asking for permission finds out counts for the request that asked, although others may be sent")
    func learnedByAsking() async throws {
        let decisions = Decisions()
        // Another process has written a refusal down; it is noticed by whichever request asks first.
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

    @Test("what is not permitted is not sent, and goes once it is")
    func notPermitted() async throws {
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

    @Test("parts of events that a format leaves out are told once, when the events are taken")
    func trimmed() async throws {
        let environment = try DeliveryEnvironment(make: { TrimmingDestination($0, limits: $1) })
        environment.collector.be(.status(503))
        environment.record(30)
        environment.begin()
        await environment.collector.untilAsked(1)
        #expect(environment.trimmed == [])
        environment.collector.be(.well)
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

/// The collector's own format, with a part of the first event left out.
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
