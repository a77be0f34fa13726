// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayEvents
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Outcomes of publishing a record")
struct PublishOutcomeTests {
    /// An outcome without its message.
    enum Kind: Sendable, Hashable {
        case stored(UInt64, Bool)
        case notStored, unknown, inProcess, full, misconfigured

        init(_ outcome: PublishOutcome) {
            self =
                switch outcome {
                case .stored(let sequence, let isRepeated): .stored(sequence, isRepeated)
                case .notStored: .notStored
                case .unknown: .unknown
                case .inProcess: .inProcess
                case .full: .full
                case .misconfigured: .misconfigured
                }
        }
    }

    private static func error(_ code: Int, _ number: Int) -> String {
        #"{"error":{"code":\#(code),"err_code":\#(number),"description":"said so"},"stream":"INTAKE_0","seq":0}"#
    }

    @Test(
        "every answer of the NATS servers maps to an outcome",
        arguments: [
            (#"{"stream":"INTAKE_0","seq":1}"#, Kind.stored(1, false)),
            (#"{"stream":"INTAKE_0","seq":7,"duplicate":true,"domain":"x"}"#, .stored(7, true)),
            (#"{"stream":"OTHER","seq":1}"#, .misconfigured),
            (error(503, 10_008), .notStored), (error(503, 10_023), .notStored), (error(409, 10_158), .inProcess),
            (error(400, 10_077), .full), (error(400, 10_071), .misconfigured), (error(400, 10_164), .misconfigured),
            (error(400, 10_060), .misconfigured), (error(400, 10_054), .misconfigured),
            (error(500, 10_001), .unknown), (error(409, 10_099), .unknown),
            (#"{"error":{}}"#, .unknown), (#"{"stream":"INTAKE_0","seq":0}"#, .unknown),
            (#"{"stream":"INTAKE_0"}"#, .unknown),
            (#"{"seq":4}"#, .unknown), ("{}", .unknown), ("[]", .unknown), ("ok", .unknown), ("", .unknown),
            (#"{"stream":"INTAKE_0","seq":-3}"#, .unknown), (#"{"stream":"INTAKE_0","seq":"3"}"#, .unknown),
        ]
    )
    func answers(body: String, kind: Kind) {
        let answer = NATSMessage(subject: "_INBOX.a.1", subscription: 1, body: Array(body.utf8))
        #expect(Kind(PublishOutcome(answer, stream: "INTAKE_0")) == kind)
    }

    @Test(
        "every status maps to an outcome",
        arguments: [(503, Kind.notStored), (404, .unknown), (408, .unknown), (100, .unknown)]
    )
    func statuses(status: Int, kind: Kind) {
        var headers = NATSHeaders()
        headers.status = status
        let answer = NATSMessage(subject: "_INBOX.a.1", subscription: 1, headers: headers)
        #expect(Kind(PublishOutcome(answer, stream: "INTAKE_0")) == kind)
    }

    @Test(
        "a request that was not sent is not stored, and one without an answer has an unknown outcome",
        arguments: [
            (NATSRequestFailure.notConnected, Kind.notStored), (.tooLong(bytes: 2, longest: 1), .misconfigured),
            (.unanswered(connection: 1), .unknown), (.connectionLost(connection: 1), .unknown),
        ]
    )
    func failures(failure: NATSRequestFailure, kind: Kind) {
        #expect(Kind(PublishOutcome(failure)) == kind)
    }

    @Test("only an acknowledgement of this stream counts as stored, for any damaged answer", arguments: 1...300)
    func damage(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(#"{"stream":"INTAKE_0","seq":12,"duplicate":true}"#.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = UInt8.random(in: 0x20...0x7e, using: &random)
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

    @Test("a stored record is acknowledged even after its time limit")
    func stored() {
        var held = HeldRecord(at: Self.time(0))
        #expect(
            held.published(.stored(sequence: 7, isRepeated: true), at: Self.time(60_000))
                == .stored(sequence: 7, isRepeated: true)
        )
    }

    @Test("without a leader, a record is held for ten seconds, then rejected as not stored")
    func noLeader() {
        var held = HeldRecord(at: Self.time(0))
        let wait = HeldRecord.Step.again(after: .milliseconds(150), elsewhere: false)
        #expect(held.published(.notStored("none"), at: Self.time(0)) == wait)
        #expect(held.published(.notStored("none"), at: Self.time(2_999)) == wait)
        // This server may be cut off from the others.
        #expect(
            held.published(.notStored("none"), at: Self.time(3_000))
                == .again(after: .milliseconds(150), elsewhere: true)
        )
        #expect(held.published(.notStored("none"), at: Self.time(5_999)) == wait)
        // The last wait ends at the time limit.
        #expect(
            held.published(.notStored("none"), at: Self.time(9_999)) == .again(after: .milliseconds(1), elsewhere: true)
        )
        #expect(
            held.published(.notStored("none"), at: Self.time(10_000))
                == .refuse(HeldRefusal(reason: "none", isUnknown: false))
        )
    }

    @Test("a record with an unknown outcome is retried on another server, and stays unknown until stored")
    func unknown() {
        var held = HeldRecord(at: Self.time(0))
        #expect(
            held.published(.unknown("silence"), at: Self.time(2_000))
                == .again(after: .milliseconds(150), elsewhere: true)
        )
        #expect(
            held.published(.inProcess, at: Self.time(2_100)) == .again(after: .milliseconds(100), elsewhere: false)
        )
        #expect(
            held.publishBlocked("no connection", at: Self.time(4_000))
                == .again(after: .milliseconds(150), elsewhere: false)
        )
        var other = held
        #expect(
            held.published(.notStored("none"), at: Self.time(10_000))
                == .refuse(HeldRefusal(reason: "none", isUnknown: true))
        )
        #expect(
            other.publishBlocked("no connection", at: Self.time(10_000))
                == .refuse(HeldRefusal(reason: "no connection", isUnknown: true))
        )
    }

    @Test("a record is rejected immediately if waiting does not help")
    func atOnce() {
        var full = HeldRecord(at: Self.time(0))
        #expect(
            full.published(.full("full"), at: Self.time(1))
                == .refuse(HeldRefusal(kind: .full, reason: "full", isUnknown: false))
        )
        var wrong = HeldRecord(at: Self.time(0))
        #expect(
            wrong.published(.misconfigured("wrong"), at: Self.time(1))
                == .refuse(HeldRefusal(kind: .misconfigured, reason: "wrong", isUnknown: false))
        )
    }

    @Test(
        "for any outcomes, a record ends within its time limit, and is stored only if the cluster confirmed it",
        arguments: 1...200
    )
    func walk(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var held = HeldRecord(at: Self.time(0))
        var now: Int64 = 0
        var wasUnknown = false
        while true {
            let outcomes: [PublishOutcome] = [
                .notStored("a"), .notStored("a"), .unknown("b"), .inProcess, .stored(sequence: 9, isRepeated: false),
            ]
            let possible = now < 5_000 ? 4 : 5
            let outcome = outcomes[Int.random(in: 0..<possible, using: &random)]
            switch outcome {
            case .unknown, .inProcess: wasUnknown = true
            default: break
            }
            switch held.published(outcome, at: Self.time(now)) {
            case .again(let wait, _):
                #expect(now < 10_000 && wait > .zero && now + wait.wholeMilliseconds <= 10_000)
                now += wait.wholeMilliseconds + Int64.random(in: 0...2_000, using: &random)
            case .stored(let sequence, _):
                #expect(outcome == .stored(sequence: sequence, isRepeated: false))
                return
            case .refuse(let refusal):
                #expect(now >= 10_000 && refusal.isUnknown == wasUnknown)
                return
            }
        }
    }
}
