// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway

/// The ledger's counts, for people and for scripts.
struct LedgerReport {
    private struct Document: Encodable {
        struct Account: Encodable {
            var recorded: UInt64
            var delivered: UInt64
            var pending: UInt64
            var dropped: [String: UInt64]
            var balanced: Bool
            var obstacle: String?
        }
        var installation: String
        var recorded: UInt64
        var balanced: Bool
        var destinations: [String: Account]
    }

    let ledger: Ledger
    let report: FlushReport
    let installation: InstallationID

    /// Whether recorded = delivered + pending + dropped, for every destination.
    var isBalanced: Bool { ledger.isBalanced }

    /// Returns a table.
    func text() -> String {
        var lines = [
            "", "The shop's ledger, installation \(installation)", "",
            row(["destination", "recorded", "delivered", "pending", "dropped"]),
        ]
        var notes: [String] = []
        for (id, account) in ledger.destinations.sorted(by: { $0.key < $1.key }) {
            let dropped = account.dropped.values.reduce(0, +)
            lines.append(
                row([id.rawValue] + [account.recorded, account.delivered, account.pending, dropped].map { "\($0)" })
            )
            if account.pending > 0, let reason = report.destinations[id]?.pendingReason {
                notes.append("\(id): \(reason)")
            }
            for (reason, count) in account.dropped.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                notes.append("\(id): \(count) dropped, \(reason)")
            }
        }
        lines += [""] + notes
        lines.append(
            isBalanced
                ? "All \(ledger.recorded) recorded events are accounted for."
                : "The ledger does not balance. This is a bug; please report it."
        )
        return lines.joined(separator: "\n")
    }

    /// Returns a JSON object on one line.
    func json() throws -> String {
        var accounts: [String: Document.Account] = [:]
        for (id, account) in ledger.destinations {
            accounts[id.rawValue] = Document.Account(
                recorded: account.recorded,
                delivered: account.delivered,
                pending: account.pending,
                dropped: Dictionary(uniqueKeysWithValues: account.dropped.map { ($0.key.rawValue, $0.value) }),
                balanced: account.isBalanced,
                obstacle: account.pending > 0 ? report.destinations[id]?.pendingReason : nil
            )
        }
        let document = Document(
            installation: "\(installation)",
            recorded: ledger.recorded,
            balanced: isBalanced,
            destinations: accounts
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }

    private func row(_ cells: [String]) -> String {
        let widths = [14, 10, 10, 10, 10]
        let padded = zip(cells, widths).enumerated().map { index, pair in
            let blanks = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
            return index == 0 ? pair.0 + blanks : blanks + pair.0
        }
        return padded.joined()
    }
}
