// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("The collector's ledger")
struct CollectorLedgerTests {
    private func ledger(_ text: String) throws -> CollectorLedger {
        CollectorLedger(try JSONValue.parse(Array(text.utf8)))
    }

    @Test
    func `a writer is complete when every event is accounted for`() throws {
        let ledger = try ledger(
            #"{"writers":[{"installation":"i","writer":"w","recorded":10,"received":6,"rejected":1,"duplicates":3,"dropped":{"expired":2},"skipped":1,"gaps":[]}]}"#
        )
        #expect(ledger.isComplete)
        #expect(ledger.rows[0].missing == 0)
        #expect(ledger.total(\.duplicates) == 3)
        let text = LedgerText(style: Style(isColored: false)).lines(ledger).joined(separator: "\n")
        #expect(text.contains("dropped on the device: expired 2"))
        #expect(text.contains("✓ recorded 10 · received 6 · missing 0"))
    }

    @Test
    func `expired events are accounted for`() throws {
        let ledger = try ledger(
            #"{"writers":[{"installation":"i","writer":"w","recorded":10,"received":6,"expired":4,"gaps":[]}]}"#
        )
        #expect(ledger.isComplete)
        #expect(ledger.rows[0].missing == 0)
        let text = LedgerText(style: Style(isColored: false)).lines(ledger).joined(separator: "\n")
        #expect(text.contains("expired: 4 events"))
    }

    @Test
    func `events without a report count as missing, and the gaps are listed`() throws {
        let ledger = try ledger(
            #"{"writers":[{"installation":"i","writer":"w","recorded":10,"received":6,"gaps":[[3,5],[9,9],[7,1],["x"]]}]}"#
        )
        #expect(!ledger.isComplete)
        #expect(ledger.rows[0].missing == 4)
        #expect(ledger.rows[0].gaps == [3...5, 9...9])
        let text = LedgerText(style: Style(isColored: false)).lines(ledger).joined(separator: "\n")
        #expect(text.contains("missing from w: 3–5, 9"))
    }

    @Test
    func `extreme numbers in the index are shown`() throws {
        let most = Int64.max
        let row = """
            {"installation":"i","writer":"w","recorded":\(most),"received":\(most),"rejected":\(most),"duplicates":\(most),
            "dropped":{"a":\(most),"b":\(most),"c":-1},"skipped":\(most),"gaps":[[0,\(most)],[1,1]],"last_received":\(most)}
            """
        let ledger = try ledger(
            #"{"writers":[\#(row),\#(row),\#(row)],"erasures":[{"events":\#(most),"erased":\#(most)}]}"#
        )
        let text = LedgerText(style: Style(isColored: false)).lines(ledger).joined(separator: "\n")
        #expect(text.contains("w: 0–9223372036854775807, 1"))
        #expect(ledger.total(\.received) == .max)
    }

    @Test
    func `the text for an empty response says what to do`() throws {
        let lines = LedgerText(style: Style(isColored: false)).lines(try ledger(#"{"writers":[]}"#))
        #expect(lines.last?.contains("trackway send") == true)
    }

    @Test
    func `erased installations are listed, with the originator and the number of events`() throws {
        let ledger = try ledger(
            #"{"writers":[],"erasures":[{"installation":"i","erased":0,"by":"operator","events":1200},{"by":"installation"}]}"#
        )
        #expect(ledger.erasures.map(\.isByOperator) == [true, false])
        let text = LedgerText(style: Style(isColored: false)).lines(ledger).joined(separator: "\n")
        #expect(text.contains("by an operator: i, 1,200 events removed or discarded"))
        #expect(text.contains("by the app"))
    }
}
