// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore

/// Records and delivers events with the SDK, as an app would.
struct Sender {
    /// The SDK.
    let analytics: Analytics
    /// The folder of pending events.
    let folder: String
    /// The ledger at the start of this run.
    private let before: Ledger
    /// The outcome of the events so far.
    private(set) var tally = SendTally()

    /// The number of events between two delivery checks.
    private static let stride: UInt64 = 10_000
    /// The maximum size of pending events on disk, in bytes.
    private static let maximumJournalBytes = 1_000_000_000

    /// Opens the journal for a collector.
    ///
    /// - Parameters:
    ///   - address: The collector's address.
    ///   - folder: The folder for pending events; nil for the collector's own folder in the user's state folder.
    ///   - console: The console for diagnostics.
    init(to address: CollectorAddress, folder: String?, console: Console) throws(CommandFailure) {
        self.folder = folder ?? Self.folder(for: address, environment: ProcessInfo.processInfo.environment)
        let url = try address.url("")
        var configuration = Configuration(
            appID: "trackway-send",
            destinations: [.collector(url, writeKey: address.key ?? "dev")],
            consent: .granted
        )
        configuration.appVersion = TrackwayVersion.current
        configuration.storage.folder = URL(fileURLWithPath: self.folder)
        configuration.storage.maximumBytes = Self.maximumJournalBytes
        // Ctrl-C may end the command immediately, because recorded events are on disk and the next run delivers them.
        configuration.lifecycle.isObserved = false
        // Send only the given events; use of the command itself is not recorded.
        configuration.capture = []
        configuration.onDiagnostic = { diagnostic in
            console.redraw("")
            console.note(console.messageStyle.faint("— \(diagnostic)"))
        }
        do {
            analytics = try Analytics(configuration)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "the journal in \(self.folder) cannot be opened: \(error)",
                remedy: "pass another folder with --data"
            )
        }
        before = analytics.ledger()
    }

    /// Records one event.
    mutating func record(_ name: String, _ attributes: Attributes, items: [Item] = []) -> Receipt {
        let receipt = analytics.record(name, attributes, items: items)
        tally.count(receipt)
        return receipt
    }

    /// Records an event durably, so that the event survives power loss.
    mutating func recordDurably(_ name: String, _ attributes: Attributes) async throws(CommandFailure) -> Receipt {
        do {
            let receipt = try await analytics.recordDurably(name, attributes)
            tally.count(receipt)
            return receipt
        } catch {
            throw CommandFailure(.inputOutput, "the event is not on stable storage: \(error)")
        }
    }

    /// Records the events of an NDJSON stream.
    ///
    /// - Parameters:
    ///   - input: The stream.
    ///   - bytes: The length of the stream; nil if unknown.
    ///   - console: The console for the progress bar.
    mutating func record(from input: FileHandle, bytes: UInt64?, console: Console) async throws(CommandFailure) {
        var lines = LineBuffer()
        var bar = ProgressBar(total: bytes)
        var lastDrawn = ContinuousClock.now
        var hasWarned = false
        while let piece = try Self.read(input) {
            for line in try lines.feed(piece) {
                try await record(line, console: console, hasWarned: &hasWarned)
                if lastDrawn.duration(to: .now) >= .milliseconds(100) {
                    bar.note = tally.text
                    console.redraw(bar.line(width: console.width))
                    lastDrawn = .now
                }
            }
            bar.done += UInt64(piece.count)
        }
        if let line = lines.finish() { try await record(line, console: console, hasWarned: &hasWarned) }
        console.redraw("")
    }

    /// Delivers pending events, and closes the journal.
    mutating func finish(timeout: Duration) async {
        await flush(timeout: timeout)
        await analytics.shutdown(timeout: .zero)
    }

    private mutating func record(
        _ line: (number: Int, bytes: [UInt8]),
        console: Console,
        hasWarned: inout Bool
    ) async throws(CommandFailure) {
        let event: EventLine
        do {
            event = try EventLine(line.bytes, number: line.number)
        } catch {
            console.redraw("")
            if tally.recorded > 0 {
                console.note("\(tally.recorded.grouped) events before line \(line.number) are recorded")
            }
            throw error
        }
        if event.hasOwnIdentity, !hasWarned {
            hasWarned = true
            console.redraw("")
            console.note(console.messageStyle.faint("— id, time, and mono in the input are replaced"))
        }
        _ = record(event.name, event.attributes, items: event.items)
        // A stream is read faster than it is sent. Check regularly, so that the progress bar is accurate.
        if tally.recorded % Self.stride == 0 { await flush(timeout: .seconds(5)) }
    }

    /// Delivers for a limited time and updates the tally.
    private mutating func flush(timeout: Duration) async {
        tally.count(await analytics.flush(timeout: timeout))
        tally.count(analytics.ledger(), since: before)
    }

    private static func read(_ input: FileHandle) throws(CommandFailure) -> Data? {
        do {
            let piece = try input.read(upToCount: 1 << 16)
            return piece?.isEmpty == true ? nil : piece
        } catch {
            throw CommandFailure(.inputOutput, "standard input cannot be read: \(error.localizedDescription)")
        }
    }

    /// Returns the folder for a collector's pending events.
    ///
    /// Each collector has its own folder, so that its events are never sent to another collector.
    static func folder(for address: CollectorAddress, environment: [String: String]) -> String {
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let root = state ?? (environment["HOME"] ?? "/tmp") + "/.local/state"
        let name = String(
            address.root.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") ? $0 : "_" }
        )
        return "\(root)/trackway/trackway-send/\(name)"
    }
}

/// The outcome of the events of one `trackway send` run.
struct SendTally: Sendable, Hashable {
    /// The number of events recorded in the journal.
    var recorded: UInt64 = 0
    /// The number of events that could not be recorded.
    var refused: UInt64 = 0
    /// The number of events delivered to the collector.
    var delivered: UInt64 = 0
    /// The number of events that the collector rejected or the SDK dropped.
    var dropped: UInt64 = 0
    /// The number of events that are still pending.
    var pending: UInt64 = 0
    /// The reason why events are pending.
    var pendingReason: String?

    /// Whether the collector rejected the key.
    var isUnauthorized = false

    /// Counts a receipt.
    mutating func count(_ receipt: Receipt) {
        if receipt.isRecorded { recorded += 1 } else { refused += 1 }
    }

    /// Updates the pending events and the reason from a flush report.
    mutating func count(_ report: FlushReport) {
        pending = 0
        pendingReason = nil
        isUnauthorized = false
        for part in report.destinations.values {
            pending += part.pending
            pendingReason = pendingReason ?? part.pendingReason
            if case .unauthorized = part.lastVerdict, part.pending > 0 { isUnauthorized = true }
        }
    }

    /// Updates delivered and dropped events from the ledger, relative to `before`.
    mutating func count(_ ledger: Ledger, since before: Ledger) {
        func sum(_ ledger: Ledger, _ count: (Ledger.Account) -> UInt64) -> UInt64 {
            ledger.destinations.values.reduce(0) { $0 + count($1) }
        }
        // The ledger only grows, but a failed read may return an older one.
        delivered = sum(ledger, \.delivered) - min(sum(ledger, \.delivered), sum(before, \.delivered))
        dropped = sum(ledger, \.droppedTotal) - min(sum(ledger, \.droppedTotal), sum(before, \.droppedTotal))
    }

    /// The tally as text.
    var text: String {
        var parts = ["\(recorded.grouped) recorded", "\(delivered.grouped) delivered"]
        if pending > 0 { parts.append("\(pending.grouped) pending") }
        if dropped > 0 { parts.append("\(dropped.grouped) rejected by the collector or dropped") }
        if refused > 0 { parts.append("\(refused.grouped) not recorded") }
        return parts.joined(separator: ", ")
    }
}
