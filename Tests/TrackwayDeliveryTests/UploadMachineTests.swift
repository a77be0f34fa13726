// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal

private typealias Action = UploadMachine.Action

/// One transition: a situation, an input and the expected actions.
private struct Transition: CustomTestStringConvertible {
    var from: MachineSituation
    var name: String
    var input: @Sendable (inout UploadMachine) -> [Action]
    var orders: [Action]

    var testDescription: String { "\(from): \(name)" }

    init(
        _ from: MachineSituation,
        _ name: String,
        _ orders: [Action],
        _ input: @escaping @Sendable (inout UploadMachine) -> [Action]
    ) {
        self.from = from
        self.name = name
        self.input = input
        self.orders = orders
    }
}

private let now = MachineSituation.now
private let whole = Action.read(MachineSituation.limits)
private let probe = Action.read(BatchLimits(events: 1, bytes: 1_000))

private func later(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(milliseconds: now.milliseconds + Int64(seconds * 1_000))
}

private func wait(_ seconds: Double, failures: Int) -> [Action] {
    [
        .release,
        .remember(
            RetryState(failures: failures, notBefore: later(seconds), since: MachineSituation.now)
        ),
        .wake(at: later(seconds)),
    ]
}

private func refusal(_ index: Int, _ reason: DropReason, _ code: String, _ message: String) -> DeadLetter {
    DeadLetter(index: index, reason: reason, code: code, message: message)
}

private func answer(_ verdict: Verdict) -> @Sendable (inout UploadMachine) -> [Action] {
    { $0.responseReceived(verdict, at: now, jitter: 0.5) }
}

@Suite("The upload machine")
struct UploadMachineTests {
    fileprivate static let waiting: [Transition] = [
        Transition(.idle, "no pending events", []) { $0.eventsPending(pending: 0, at: now) },
        Transition(.idle, "one pending event", [.wake(at: later(10))]) { $0.eventsPending(pending: 1, at: now) },
        Transition(.idle, "enough pending events", [whole]) { $0.eventsPending(pending: 30, at: now) },
        Transition(.idle, "a flush without events", []) { $0.flushRequested(pending: 0, at: now) },
        Transition(.idle, "a flush with one event", [whole]) { $0.flushRequested(pending: 1, at: now) },
        Transition(.idle, "a late wake-up", []) { $0.timerFired(pending: 9, at: later(99)) },
        Transition(.gathering, "more, but not enough", [.wake(at: later(10))]) {
            $0.eventsPending(pending: 29, at: later(3))
        },
        Transition(.gathering, "enough", [whole]) { $0.eventsPending(pending: 30, at: later(3)) },
        Transition(.gathering, "too early", [.wake(at: later(10))]) { $0.timerFired(pending: 5, at: later(9.999)) },
        Transition(.gathering, "time is up", [whole]) { $0.timerFired(pending: 5, at: later(10)) },
        Transition(.gathering, "the events were delivered elsewhere", []) { $0.timerFired(pending: 0, at: later(10)) },
        Transition(.gathering, "a flush", [whole]) { $0.flushRequested(pending: 5, at: now) },
        Transition(.waiting, "events", []) { $0.eventsPending(pending: 99, at: now) },
        Transition(.waiting, "a flush tries once more", [whole]) { $0.flushRequested(pending: 9, at: now) },
        Transition(.waiting, "too early", [.wake(at: later(0.5))]) { $0.timerFired(pending: 9, at: later(0.499)) },
        Transition(.waiting, "time is up", [whole]) { $0.timerFired(pending: 9, at: later(0.5)) },
        Transition(.strict, "a flush does not shorten the delay that the back end set", []) {
            $0.flushRequested(pending: 9, at: now)
        },
        Transition(.strict, "too early", [.wake(at: later(60))]) { $0.timerFired(pending: 9, at: later(59)) },
        Transition(.strict, "time is up", [whole]) { $0.timerFired(pending: 9, at: later(60)) },
        Transition(.journalWait, "a flush tries again", [whole]) { $0.flushRequested(pending: 9, at: now) },
        Transition(.journalWait, "time is up", [whole]) { $0.timerFired(pending: 9, at: later(16)) },
        Transition(.parked, "events", []) { $0.eventsPending(pending: 99, at: now) },
        Transition(.parked, "a flush", []) { $0.flushRequested(pending: 9, at: now) },
        Transition(.parked, "time is up: one event as a probe", [probe]) { $0.timerFired(pending: 9, at: later(150)) },
        Transition(.parked, "woken just after the response: probed after the pause", [.wake(at: later(1))]) {
            $0.probeRequested(after: .seconds(1), at: now)
        },
        Transition(.parked, "woken after the pause: one event as a probe", [probe]) {
            $0.probeRequested(after: .seconds(1), at: later(1))
        },
        Transition(.parked, "woken, but for a time after the next probe", []) {
            $0.probeRequested(after: .seconds(60), at: now)
        },
        Transition(.strict, "woken: the settings are not in doubt", []) { $0.probeRequested(after: .zero, at: now) },
        Transition(.waiting, "woken: the settings are not in doubt", []) { $0.probeRequested(after: .zero, at: now) },
        Transition(.journalWait, "woken: the settings are not in doubt", []) {
            $0.probeRequested(after: .zero, at: now)
        },
        Transition(.sending, "woken: the settings are not in doubt", []) { $0.probeRequested(after: .zero, at: now) },
        Transition(.stopped, "events", []) { $0.eventsPending(pending: 99, at: now) },
        Transition(.stopped, "a flush", []) { $0.flushRequested(pending: 9, at: now) },
        Transition(.stopped, "time is up", []) { $0.timerFired(pending: 9, at: later(999)) },
    ]

    fileprivate static let journal: [Transition] = [
        Transition(.reading, "more events", []) { $0.eventsPending(pending: 99, at: now) },
        Transition(.reading, "a batch", [.send(records: 0..<7)]) { $0.batchRead(count: 7) },
        Transition(.reading, "only gaps", [.send(records: 0..<0)]) { $0.batchRead(count: 0) },
        Transition(.reading, "nothing", []) { $0.noEventsRead(pending: 0, at: now) },
        Transition(.reading, "nothing readable: does not spin", [.wake(at: later(1))]) {
            $0.noEventsRead(pending: 3, at: now)
        },
        Transition(.reading, "a failure", [.report(.journalFailed("EIO")), .wake(at: later(24))]) {
            $0.readFailed("EIO", at: now, jitter: 0.5)
        },
        Transition(.idle, "an unrequested batch", [.release]) { $0.batchRead(count: 7) },
        Transition(.stopped, "an unrequested batch", [.release]) { $0.batchRead(count: 7) },
        Transition(.settling, "settled, nothing left", []) { $0.settlementFinished(pending: 0, at: now, jitter: 0.5) },
        Transition(.settling, "settled, a few left", [.wake(at: later(10))]) {
            $0.settlementFinished(pending: 29, at: now, jitter: 0.5)
        },
        Transition(.settling, "settled, many left", [whole]) {
            $0.settlementFinished(pending: 30, at: now, jitter: 0.5)
        },
        Transition(.settling, "settling failed", [.release, .report(.journalFailed("EIO")), .wake(at: later(24))]) {
            $0.settlementFailed("EIO", at: now, jitter: 0.5)
        },
        Transition(.idle, "unexpectedly settled", []) { $0.settlementFinished(pending: 9, at: now, jitter: 0.5) },
        Transition(.sending, "unexpectedly settled", []) { $0.settlementFinished(pending: 9, at: now, jitter: 0.5) },
    ]

    fileprivate static let answers: [Transition] = [
        Transition(.sending, "accepted", [.settle(Settlement(records: 0..<4))], answer(.accepted)),
        Transition(
            .sending,
            "accepted except one",
            [.settle(Settlement(records: 0..<4, deadLetters: [refusal(2, .rejected, "bad", "is bad")]))],
            answer(.acceptedExcept([Rejection(index: 2, code: "bad", message: "is bad")]))
        ),
        Transition(
            .sending,
            "a response about an event that was not sent is invalid",
            wait(0.5, failures: 1),
            answer(.acceptedExcept([Rejection(index: 4, code: "bad", message: "is bad")]))
        ),
        Transition(
            .sending,
            "accepted, one not expressible in the format",
            [.settle(Settlement(records: 0..<4, deadLetters: [refusal(1, .notExpressible, "deep", "too deep")]))]
        ) {
            $0.responseReceived(
                .accepted,
                omitted: [Rejection(index: 1, code: "deep", message: "too deep")],
                at: now,
                jitter: 0.5
            )
        },
        Transition(.sending, "too large: half", [.send(records: 0..<2)], answer(.tooLarge)),
        Transition(
            .sendingOne,
            "too large by itself: dead letter",
            [
                .settle(
                    Settlement(
                        records: 0..<1,
                        deadLetters: [refusal(0, .tooLarge, "too_large", "The back end considers the event too large.")]
                    )
                )
            ],
            answer(.tooLarge)
        ),
        Transition(.sending, "rejected: half", [.send(records: 0..<2)], answer(.rejected(reason: "bad"))),
        Transition(
            .sendingOne,
            "rejected alone: dead letter",
            [.settle(Settlement(records: 0..<1, deadLetters: [refusal(0, .rejected, "rejected", "bad")]))],
            answer(.rejected(reason: "bad"))
        ),
        Transition(.sending, "busy", wait(0.5, failures: 1), answer(.retry(after: nil, reason: "busy"))),
        Transition(
            .sending,
            "busy for a minute",
            wait(60, failures: 1),
            answer(.retry(after: .seconds(60), reason: ""))
        ),
        Transition(
            .sending,
            "busy for a year: retried within the hour",
            wait(3_600, failures: 1),
            answer(.retry(after: .seconds(31_000_000), reason: ""))
        ),
        Transition(
            .sending,
            "a captive portal counts as a network failure",
            wait(0.5, failures: 1),
            answer(.unrecognizedResponse(reason: "login"))
        ),
        Transition(
            .sending,
            "unauthorized: parked",
            [.release, .report(.parked(.unauthorized(reason: "no"))), .wake(at: later(24))],
            answer(.unauthorized(reason: "no"))
        ),
        Transition(
            .sending,
            "misconfigured: parked",
            [.release, .report(.parked(.misconfigured(reason: "no"))), .wake(at: later(24))],
            answer(.misconfigured(reason: "no"))
        ),
        Transition(.sending, "no network", wait(0.5, failures: 1)) {
            $0.transportFailed(TransportError(.offline), at: now, jitter: 0.5)
        },
        Transition(
            .sending,
            "an invalid address: parked",
            [
                .release, .report(.parked(.misconfigured(reason: "invalid_request: no host"))), .wake(at: later(16)),
            ]
        ) {
            $0.transportFailed(TransportError(.invalidRequest, "no host"), at: now, jitter: 0)
        },
        Transition(
            .sending,
            "no event is expressible in the format",
            [
                .settle(
                    Settlement(
                        records: 0..<4,
                        deadLetters: (0..<4).map {
                            $0 == 3
                                ? refusal(3, .notExpressible, "deep", "too deep")
                                : refusal($0, .notExpressible, "not_expressible", "none fits")
                        }
                    )
                )
            ]
        ) {
            let omitted = [Rejection(index: 3, code: "deep", message: "too deep")]
            return $0.encodingFailed(
                WireEncodingError(.nothingToSend, "none fits", omitted: omitted),
                at: now,
                jitter: 0
            )
        },
        Transition(.sending, "a request that would be too large: split without sending", [.send(records: 0..<2)]) {
            $0.encodingFailed(WireEncodingError(.tooLarge, "too large"), at: now, jitter: 0)
        },
        Transition(
            .sending,
            "settings that allow no request: parked",
            [.release, .report(.parked(.misconfigured(reason: "no key"))), .wake(at: later(16))]
        ) {
            $0.encodingFailed(WireEncodingError(.misconfigured, "no key"), at: now, jitter: 0)
        },
        Transition(.sending, "consent withdrawn after reading: admitted events are read", [.release, whole]) {
            $0.admissionWithdrawn()
        },
        Transition(.idle, "consent withdrawn without a batch", []) { $0.admissionWithdrawn() },
        Transition(.settling, "consent withdrawn after the response: the batch is settled", []) {
            $0.admissionWithdrawn()
        },
        Transition(.idle, "a response without a request", [], answer(.accepted)),
        Transition(.waiting, "a response without a request", [], answer(.accepted)),
        Transition(.settling, "a second response", [], answer(.rejected(reason: "bad"))),
        Transition(.stopped, "a late response after the end", [], answer(.accepted)),
    ]

    fileprivate static let settings: [Transition] = [
        Transition(.parked, "new credentials: one event as a probe", [.remember(nil), probe]) {
            $0.destinationReplaced(limits: MachineSituation.limits, at: now)
        },
        Transition(.strict, "a new address does not wait for the old one", [.remember(nil), whole]) {
            $0.destinationReplaced(limits: MachineSituation.limits, at: now)
        },
        Transition(.journalWait, "new settings do not repair the journal", []) {
            $0.destinationReplaced(limits: MachineSituation.limits, at: now)
        },
        Transition(.sending, "the old request's 401 does not park the new settings", [.release, whole]) {
            _ = $0.destinationReplaced(limits: MachineSituation.limits, at: now)
            return $0.responseReceived(.unauthorized(reason: "old key"), at: now, jitter: 0)
        },
        Transition(.sending, "the old request's failure does not count", [.release, whole]) {
            _ = $0.destinationReplaced(limits: MachineSituation.limits, at: now)
            return $0.responseReceived(.retry(after: .seconds(60), reason: "old"), at: now, jitter: 0)
        },
        Transition(.idle, "end", []) { $0.stopRequested() },
        Transition(.waiting, "end", []) { $0.stopRequested() },
        Transition(.parked, "end", []) { $0.stopRequested() },
        Transition(.reading, "end, then a batch", [.release]) {
            _ = $0.stopRequested()
            return $0.batchRead(count: 3)
        },
        Transition(.sending, "end, then accepted", [.settle(Settlement(records: 0..<4))]) {
            _ = $0.stopRequested()
            return $0.responseReceived(.accepted, at: now, jitter: 0)
        },
        Transition(.sending, "end, then rejected: nothing new is sent", [.release]) {
            _ = $0.stopRequested()
            return $0.responseReceived(.rejected(reason: "bad"), at: now, jitter: 0)
        },
        Transition(.sending, "end, then canceled", [.release]) {
            _ = $0.stopRequested()
            return $0.transportFailed(TransportError(.cancelled), at: now, jitter: 0)
        },
        Transition(.settling, "end, then settled", []) {
            _ = $0.stopRequested()
            return $0.settlementFinished(pending: 99, at: now, jitter: 0)
        },
        Transition(.waiting, "ended and resumed: the wait continues", [.wake(at: later(0.5))]) {
            _ = $0.stopRequested()
            $0.resumeRequested()
            return $0.eventsPending(pending: 9, at: now)
        },
    ]

    @Test(arguments: waiting)
    fileprivate func `pending events, flushes and time produce the expected actions`(_ transition: Transition) {
        check(transition)
    }

    @Test(arguments: journal)
    fileprivate func `journal results produce the expected actions`(_ transition: Transition) { check(transition) }

    @Test(arguments: answers)
    fileprivate func `responses produce the expected actions`(_ transition: Transition) { check(transition) }

    @Test(arguments: settings)
    fileprivate func `settings changes and the end produce the expected actions`(_ transition: Transition) {
        check(transition)
    }

    private func check(_ transition: Transition) {
        var machine = transition.from.machine()
        // The reason for the failure is also kept, but the table does not cover it.
        let orders = transition.input(&machine).map { order in
            guard case .remember(var state?) = order else { return order }
            (state.reason, state.isNamedByBackEnd) = (nil, false)
            return .remember(state)
        }
        #expect(orders == transition.orders)
    }

    @Test(arguments: MachineSituation.allCases)
    func `the machine requests notifications of events only while idle or gathering`(situation: MachineSituation) {
        let wants = situation.machine().triggerCount
        switch situation {
        case .idle: #expect(wants == 1)
        case .gathering: #expect(wants == 30)
        default: #expect(wants == nil)
        }
    }
}
