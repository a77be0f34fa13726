// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Sending")
struct SendingTests {
    @Test(arguments: 1...12)
    func `lines are the same regardless of where the bytes are split`(size: Int) throws {
        let bytes = Array("one\n\ntwo\r\n  \nthree".utf8)
        var buffer = LineBuffer()
        var found: [(number: Int, bytes: [UInt8])] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            found += try buffer.feed(bytes[start..<min(start + size, bytes.count)])
        }
        if let last = buffer.finish() { found.append(last) }
        #expect(found.map(\.number) == [1, 3, 5])
        #expect(found.map { String(decoding: $0.bytes, as: UTF8.self) } == ["one", "two", "three"])
    }

    @Test
    func `an unterminated line is rejected`() {
        var buffer = LineBuffer()
        let failure = #expect(throws: CommandFailure.self) {
            try buffer.feed(Array(repeating: UInt8(ascii: "x"), count: LineBuffer.longest + 1))
        }
        #expect(failure?.status == .malformedInput)
    }

    @Test
    func `a tally shows the pending events, and the results since this run started`() {
        func ledger(delivered: UInt64, dropped: UInt64) -> Ledger {
            let account = Ledger.Account(recorded: 20, delivered: delivered, pending: 0, dropped: [.rejected: dropped])
            return Ledger(recorded: 20, destinations: ["collector": account])
        }
        var tally = SendTally()
        tally.recorded = 5
        tally.count(FlushReport(destinations: ["collector": .init(delivered: 2, pending: 3, pendingReason: "offline")]))
        tally.count(ledger(delivered: 12, dropped: 1), since: ledger(delivered: 10, dropped: 1))
        #expect(tally.text == "5 recorded, 2 delivered, 3 pending")
        #expect(tally.pendingReason == "offline")
        tally.count(FlushReport(destinations: ["collector": .init(lastVerdict: .unauthorized(reason: "no"))]))
        tally.count(ledger(delivered: 14, dropped: 2), since: ledger(delivered: 10, dropped: 1))
        #expect(tally.text == "5 recorded, 4 delivered, 1 rejected by the collector or dropped")
        #expect(tally.pendingReason == nil)
        #expect(!tally.isUnauthorized)
        tally.count(
            FlushReport(destinations: ["collector": .init(pending: 1, lastVerdict: .unauthorized(reason: "no"))])
        )
        #expect(tally.isUnauthorized)
    }

    @Test
    func `each collector has a separate folder for pending events`() throws {
        let environment = ["XDG_STATE_HOME": "/s"]
        let first = Sender.folder(for: try CollectorAddress("127.0.0.1:1", key: nil), environment: environment)
        let second = Sender.folder(for: try CollectorAddress("127.0.0.1:2", key: nil), environment: environment)
        #expect(first == "/s/trackway/trackway-send/http___127.0.0.1_1")
        #expect(first != second)
    }
}
