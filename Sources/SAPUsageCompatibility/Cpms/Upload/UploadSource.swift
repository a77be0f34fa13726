// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal

/// A record to send in a report.
struct UploadItem: Sendable {
    /// The origin of a record.
    enum Origin: Sendable, Hashable {
        /// The log of a `UsageStore`.
        case log(UsagePosition)
        /// The withheld records in a `UsageStore`.
        case withheld(UsagePosition)
        /// The position in a custom store's snapshot, in the given round.
        case position(Int, round: Int)
        /// The start of a session that an upload began; see ``UsageSession``.
        case start
        /// The session end that an upload adds.
        case end
    }

    /// The kind of event.
    let event: UsageRecord.Event
    /// The record as JSON.
    let text: String
    let origin: Origin
    /// The start of the record's session, for a withheld record.
    var start: String?
    /// The offset from UTC when the record was stored, in seconds.
    var zone: Int?
    /// Whether a back end rejected the record individually.
    var isRefused = false

    /// A key that identifies the record within its source, even after a restart.
    var key: String {
        switch origin {
        case .log(let position), .withheld(let position): "\(position.writer)-\(position.sequence)"
        case .position(let position, let round): "\(round).\(position)"
        case .start: "start"
        case .end: "end"
        }
    }

    /// Whether an earlier upload withheld the record.
    var isWithheld: Bool {
        if case .withheld = origin { true } else { false }
    }
}

/// An entry of a source.
enum UploadEntry {
    case record(UploadItem, UsageRecord)
    /// A delivered record that is still stored.
    case delivered(UploadItem, UsageRecord)
    /// The session in effect from this entry on.
    case session(UsageSession)
    /// Records that were removed earlier.
    case skipped(ClosedRange<UInt64>, of: WriterID)
}

/// The outcome of an entry.
enum UploadedEntry {
    case sent(UploadItem)
    /// A record that cannot be sent, with the start of its session.
    case withheld(UploadItem, start: String?, isRefused: Bool)
    /// The start of a session without records yet.
    ///
    /// The start stays before the records that follow.
    case retained(UploadItem)
    case skipped(ClosedRange<UInt64>, of: WriterID)
}

/// The source of an upload's records, and the upload's state between requests.
///
/// Changes are durable when a call returns. A source is used by one thread only.
protocol UploadSource: AnyObject {
    typealias Failure = SAPcpmsUsageUploader.UploadError

    /// The name of the store and the target.
    var name: String { get }
    /// The session in effect at the first record.
    var session: UsageSession? { get }
    /// The latest event times in earlier reports, by session.
    ///
    /// In milliseconds since 1970.
    var sentThrough: [String: Int64] { get }
    /// The report that the last upload was sending.
    ///
    /// Nil if its response is known.
    var plan: UploadPlan? { get }
    /// Whether the upload ends an open session.
    var endsSession: Bool { get }

    /// Whether this process recorded the start at the given position.
    func isRecordedHere(_ origin: UploadItem.Origin) -> Bool
    /// Calls `body` with each entry, until it returns false.
    func read(_ body: (UploadEntry) -> Bool) throws(Failure)
    /// Saves the report that is about to be sent.
    func write(_ plan: UploadPlan?) throws(Failure)
    /// Removes a report's records and ends the plan.
    ///
    /// - Parameter session: the session in effect after the report.
    func settle(_ entries: [UploadedEntry], _ session: UsageSession?) throws(Failure)
    /// Called after the last record was read.
    ///
    /// At this point, everything that can be sent has been sent.
    ///
    /// - Parameters:
    ///   - trailingEntries: the entries after the last report.
    ///   - session: the session in effect after these entries.
    func finish(_ trailingEntries: [UploadedEntry], _ session: UsageSession?) throws(Failure)
    /// Called when the upload ends, whether or not everything was sent.
    func close()
}

/// The records in a ``UsageStore``.
final class StoreUploadSource: UploadSource {
    let name: String
    let plan: UploadPlan?
    let endsSession: Bool
    private let snapshot: UsageSnapshot
    private let withdrawal: UInt64
    private var builder: UsageRemovalBuilder

    var session: UsageSession? { snapshot.session }
    var sentThrough: [String: Int64] { snapshot.session?.sentThrough ?? [:] }

    /// Creates a source for a snapshot.
    ///
    /// - Parameter withdrawal: the number of the user's last consent withdrawal; nil if consent was never withdrawn.
    /// - Throws: `storage` if records of a user who withdrew consent are still stored.
    init(_ snapshot: UsageSnapshot, named name: String, withdrawal: UInt64?, endsSession: Bool) throws(Failure) {
        self.snapshot = snapshot
        self.name = name
        self.endsSession = endsSession
        let state = snapshot.core.uploadState(of: snapshot.target)
        guard state.withdrawal >= withdrawal ?? 0 else {
            throw .storage("records from before consent was withdrawn could not be removed yet")
        }
        if let failure = snapshot.failure { throw .storage(failure.message) }
        self.withdrawal = state.withdrawal
        plan = state.plan
        builder = UsageRemovalBuilder(remainingBytes: .max, session: snapshot.session)
    }

    func isRecordedHere(_ origin: UploadItem.Origin) -> Bool {
        guard case .log(let position) = origin else { return false }
        return position.writer == snapshot.core.analytics.storage.journal.writer
    }

    func read(_ body: (UploadEntry) -> Bool) throws(Failure) {
        do {
            try snapshot.read { item in
                if item.removed != nil {
                    guard case .log(let position) = item.slot else { return true }
                    return body(.skipped(position.sequence...position.sequence, of: position.writer))
                }
                // Skip records outside the snapshot's dates.
                guard item.isShown, let text = item.record.encoded().text else { return true }
                let origin: UploadItem.Origin
                var isRefused = false
                switch item.slot {
                case .log(let found): origin = .log(found)
                case .withheld(let found, let refused): (origin, isRefused) = (.withheld(found), refused)
                case .start: origin = .start
                }
                let found = UploadItem(
                    event: item.record.event,
                    text: text,
                    origin: origin,
                    start: item.start,
                    zone: item.zone,
                    isRefused: isRefused
                )
                return body(.record(found, item.record))
            }
        } catch {
            throw .storage((error as? TrackwayError)?.message ?? "\(error)")
        }
    }

    func write(_ plan: UploadPlan?) throws(Failure) {
        try withPermission { () throws(TrackwayError) in
            try snapshot.core.write(plan, of: snapshot.target, when: withdrawal)
        }
    }

    func settle(_ entries: [UploadedEntry], _ session: UsageSession?) throws(Failure) {
        add(entries, session)
        var removal = builder.takeRemoval()
        // A record that stays at the front of the log keeps its session.
        removal.session = builder.hasRemainingRecords ? builder.session : session
        let change = removal
        try withPermission { () throws(TrackwayError) in
            try snapshot.core.settle(change, of: snapshot.target, when: withdrawal)
        }
    }

    private func add(_ entries: [UploadedEntry], _ session: UsageSession?) {
        for entry in entries {
            switch entry {
            case .skipped(let range, let writer): builder.skip(range, of: writer)
            case .sent(let item):
                switch item.origin {
                case .log(let position): builder.remove(position, session: session)
                case .withheld(let position): builder.removeWithheld(position)
                case .position, .start, .end: continue
                }
            case .withheld(let item, let start, let isRefused):
                guard case .log(let position) = item.origin else { continue }
                builder.retain(
                    WithheldRecord(item.text, at: position, start: start, isRefused: isRefused),
                    at: position
                )
            case .retained(let item):
                guard case .log(let position) = item.origin else { continue }
                builder.retain(WithheldRecord(item.text, at: position, start: nil), at: position)
            }
        }
    }

    private func withPermission(_ body: () throws(TrackwayError) -> Bool) throws(Failure) {
        let isPermitted: Bool
        do throws(TrackwayError) {
            isPermitted = try body()
        } catch {
            throw .storage(error.message)
        }
        guard isPermitted else { throw .outputDisabled }
    }

    func finish(_ trailingEntries: [UploadedEntry], _ session: UsageSession?) throws(Failure) {
        add(trailingEntries, session)
    }

    func close() {
        snapshot.advanceLog(through: builder.through)
    }
}
