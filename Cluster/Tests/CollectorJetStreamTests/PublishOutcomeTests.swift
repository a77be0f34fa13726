// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Outcomes of publishing a record")
struct PublishOutcomeTests {
    /// An outcome without its message.
    enum OutcomeKind: Sendable, Hashable {
        case stored(UInt64, Bool)
        case notStored, unknown, inProgress, full, misconfigured

        init(_ outcome: PublishOutcome) {
            self =
                switch outcome {
                case .stored(let sequence, let isRepeated): .stored(sequence, isRepeated)
                case .notStored: .notStored
                case .unknown: .unknown
                case .inProgress: .inProgress
                case .full: .full
                case .misconfigured: .misconfigured
                }
        }
    }

    private static func error(_ code: Int, _ number: Int) -> String {
        #"{"error":{"code":\#(code),"err_code":\#(number),"description":"said so"},"stream":"INTAKE_0","seq":0}"#
    }

    @Test(arguments: [
        (#"{"stream":"INTAKE_0","seq":1}"#, OutcomeKind.stored(1, false)),
        (#"{"stream":"INTAKE_0","seq":7,"duplicate":true,"domain":"x"}"#, .stored(7, true)),
        (#"{"stream":"OTHER","seq":1}"#, .misconfigured),
        (error(503, 10_008), .notStored), (error(503, 10_023), .notStored), (error(409, 10_158), .inProgress),
        (error(400, 10_077), .full), (error(400, 10_071), .misconfigured), (error(400, 10_164), .misconfigured),
        (error(400, 10_060), .misconfigured), (error(400, 10_054), .misconfigured),
        (error(500, 10_001), .unknown), (error(409, 10_099), .unknown),
        (#"{"error":{}}"#, .unknown), (#"{"stream":"INTAKE_0","seq":0}"#, .unknown),
        (#"{"stream":"INTAKE_0"}"#, .unknown),
        (#"{"seq":4}"#, .unknown), ("{}", .unknown), ("[]", .unknown), ("ok", .unknown), ("", .unknown),
        (#"{"stream":"INTAKE_0","seq":-3}"#, .unknown), (#"{"stream":"INTAKE_0","seq":"3"}"#, .unknown),
    ])
    func `every answer of the NATS servers maps to an outcome`(body: String, kind: OutcomeKind) {
        let answer = NATSMessage(subject: "_INBOX.a.1", subscription: 1, body: Array(body.utf8))
        #expect(OutcomeKind(PublishOutcome(answer, stream: "INTAKE_0")) == kind)
    }

    @Test(arguments: [(503, OutcomeKind.notStored), (404, .unknown), (408, .unknown), (100, .unknown)])
    func `every status maps to an outcome`(status: Int, kind: OutcomeKind) {
        var headers = NATSHeaders()
        headers.status = status
        let answer = NATSMessage(subject: "_INBOX.a.1", subscription: 1, headers: headers)
        #expect(OutcomeKind(PublishOutcome(answer, stream: "INTAKE_0")) == kind)
    }

    @Test(arguments: [
        (NATSRequestFailure.notConnected, OutcomeKind.notStored), (.tooLong(bytes: 2, limit: 1), .misconfigured),
        (.unanswered(connection: 1), .unknown), (.connectionLost(connection: 1), .unknown),
    ])
    func `a request that was not sent is not stored, and one without an answer has an unknown outcome`(
        failure: NATSRequestFailure,
        kind: OutcomeKind
    ) {
        #expect(OutcomeKind(PublishOutcome(failure)) == kind)
    }

    @Test(arguments: 1...300)
    func `only an acknowledgment of this stream counts as stored, however an answer is damaged`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(#"{"stream":"INTAKE_0","seq":12,"duplicate":true}"#.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let position = Int.random(in: 0..<bytes.count, using: &random)
            bytes[position] = UInt8.random(in: 0x20...0x7e, using: &random)
        }
        let answer = NATSMessage(subject: "a", subscription: 1, body: bytes)
        guard case .stored(let sequence, _) = PublishOutcome(answer, stream: "INTAKE_0") else { return }
        let json = try? JSONValue.parse(bytes)
        #expect(json?["stream"]?.string == "INTAKE_0" && json?["seq"]?.integer == Int64(sequence))
        #expect(json?["error"]?.object == nil)
    }
}

@Suite("Held records")
struct HeldRecordTests {
    private static func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: milliseconds) }

    @Test
    func `a stored record is acknowledged even after its time limit`() {
        var held = HeldRecord(at: Self.time(0))
        #expect(
            held.publishFinished(with: .stored(sequence: 7, isRepeated: true), at: Self.time(60_000))
                == .stored(sequence: 7, isRepeated: true)
        )
    }

    @Test
    func `without a leader, a record is held for ten seconds, then rejected as not stored`() {
        var held = HeldRecord(at: Self.time(0))
        let wait = HeldRecord.Step.retry(after: .milliseconds(150), onOtherServer: false)
        #expect(held.publishFinished(with: .notStored("none"), at: Self.time(0)) == wait)
        #expect(held.publishFinished(with: .notStored("none"), at: Self.time(2_999)) == wait)
        // This server may be cut off from the others.
        #expect(
            held.publishFinished(with: .notStored("none"), at: Self.time(3_000))
                == .retry(after: .milliseconds(150), onOtherServer: true)
        )
        #expect(held.publishFinished(with: .notStored("none"), at: Self.time(5_999)) == wait)
        // The last wait ends at the time limit.
        #expect(
            held.publishFinished(with: .notStored("none"), at: Self.time(9_999))
                == .retry(after: .milliseconds(1), onOtherServer: true)
        )
        #expect(
            held.publishFinished(with: .notStored("none"), at: Self.time(10_000))
                == .giveUp(HeldRecordFailure(reason: "none", mayBeStored: false))
        )
    }

    @Test
    func `a record with an unknown outcome is retried on another server, and stays unknown until stored`() {
        var held = HeldRecord(at: Self.time(0))
        #expect(
            held.publishFinished(with: .unknown("silence"), at: Self.time(2_000))
                == .retry(after: .milliseconds(150), onOtherServer: true)
        )
        #expect(
            held.publishFinished(with: .inProgress, at: Self.time(2_100))
                == .retry(after: .milliseconds(100), onOtherServer: false)
        )
        #expect(
            held.publishBlocked("no connection", at: Self.time(4_000))
                == .retry(after: .milliseconds(150), onOtherServer: false)
        )
        var other = held
        #expect(
            held.publishFinished(with: .notStored("none"), at: Self.time(10_000))
                == .giveUp(HeldRecordFailure(reason: "none", mayBeStored: true))
        )
        #expect(
            other.publishBlocked("no connection", at: Self.time(10_000))
                == .giveUp(HeldRecordFailure(reason: "no connection", mayBeStored: true))
        )
    }

    @Test
    func `a record is rejected immediately if waiting does not help`() {
        var full = HeldRecord(at: Self.time(0))
        #expect(
            full.publishFinished(with: .full("full"), at: Self.time(1))
                == .giveUp(HeldRecordFailure(kind: .full, reason: "full", mayBeStored: false))
        )
        var wrong = HeldRecord(at: Self.time(0))
        #expect(
            wrong.publishFinished(with: .misconfigured("wrong"), at: Self.time(1))
                == .giveUp(HeldRecordFailure(kind: .misconfigured, reason: "wrong", mayBeStored: false))
        )
    }

    @Test(arguments: 1...200)
    func `for any outcomes, a record ends within its time limit, and is stored only if the cluster confirmed it`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var held = HeldRecord(at: Self.time(0))
        var now: Int64 = 0
        var wasUnknown = false
        while true {
            let outcomes: [PublishOutcome] = [
                .notStored("a"), .notStored("a"), .unknown("b"), .inProgress, .stored(sequence: 9, isRepeated: false),
            ]
            let possible = now < 5_000 ? 4 : 5
            let outcome = outcomes[Int.random(in: 0..<possible, using: &random)]
            switch outcome {
            case .unknown, .inProgress: wasUnknown = true
            default: break
            }
            switch held.publishFinished(with: outcome, at: Self.time(now)) {
            case .retry(let wait, _):
                #expect(now < 10_000 && wait > .zero && now + wait.wholeMilliseconds <= 10_000)
                now += wait.wholeMilliseconds + Int64.random(in: 0...2_000, using: &random)
            case .stored(let sequence, _):
                #expect(outcome == .stored(sequence: sequence, isRepeated: false))
                return
            case .giveUp(let failure):
                #expect(now >= 10_000 && failure.mayBeStored == wasUnknown)
                return
            }
        }
    }
}
