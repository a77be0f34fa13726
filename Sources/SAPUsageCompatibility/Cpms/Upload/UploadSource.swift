// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayEvents
internal import TrackwayJournal

/// A record on its way into a report.
struct UploadItem: Sendable {
    /// Where a record comes from.
    enum Place: Sendable, Hashable {
        /// The log of a store of this module's.
        case log(UsagePlace)
        /// The records that a store of this module's withheld.
        case withheld(UsagePlace)
        /// The position in the snapshot of a store of the app's own, in its given round.
        case position(Int, round: Int)
        /// The start of a session that an upload began; see ``UsageSession``.
        case start
        /// The end that an upload adds.
        case end
    }

    /// What happened.
    let event: UsageRecord.Event
    /// The record as JSON.
    let text: String
    let place: Place
    /// The start of its session, for a record that was withheld.
    var start: String?
    /// How far the zone in effect when it was stored was ahead of UTC, in seconds.
    var zone: Int?
    /// Whether a back end refused it alone.
    var isRefused = false

    /// Identifies the record among those of its source, before and after a restart.
    var key: String {
        switch place {
        case .log(let place), .withheld(let place): "\(place.writer)-\(place.sequence)"
        case .position(let position, let round): "\(round).\(position)"
        case .start: "start"
        case .end: "end"
        }
    }

    /// Whether an earlier upload withheld it.
    var isWithheld: Bool {
        if case .withheld = place { true } else { false }
    }
}

/// The next of what a source holds.
enum UploadEntry {
    case record(UploadItem, UsageRecord)
    /// A record that an earlier report held and that is still stored.
    case delivered(UploadItem, UsageRecord)
    /// The session in effect from here on.
    case session(UsageSession)
    /// Records that were removed before.
    case passed(ClosedRange<UInt64>, of: WriterID)
}

/// What became of an entry.
enum UploadedEntry {
    case sent(UploadItem)
    /// Cannot be sent, with the start of its session.
    case withheld(UploadItem, start: String?, isRefused: Bool)
    /// The start of a session that nothing belongs to yet. It stays in front of what follows.
    case kept(UploadItem)
    case passed(ClosedRange<UInt64>, of: WriterID)
}

/// Where an upload takes records from, and what it remembers there from one request to the next.
///
/// What is written is durable when a call returns. Used by one thread.
protocol UploadSource: AnyObject {
    typealias Failure = SAPcpmsUsageUploader.UploadError

    /// Names the store and the target.
    var name: String { get }
    /// The session in effect at the first record.
    var session: UsageSession? { get }
    /// The latest time of each session's events in earlier reports, in milliseconds since 1970.
    var sentThrough: [String: Int64] { get }
    /// The report that the last upload was sending; nil when it knew the answer.
    var plan: UploadPlan? { get }
    /// Whether a session that is under way is ended.
    var endsSession: Bool { get }

    /// Whether this process recorded the start at a place.
    func isRecordedHere(_ place: UploadItem.Place) -> Bool
    /// Calls `body` with each entry, until it returns false.
    func read(_ body: (UploadEntry) -> Bool) throws(Failure)
    /// Remembers the report that is about to be sent.
    func write(_ plan: UploadPlan?) throws(Failure)
    /// Removes what a report held, and ends the plan.
    ///
    /// - Parameter session: the session in effect behind it.
    func settle(_ entries: [UploadedEntry], _ session: UsageSession?) throws(Failure)
    /// Everything was read, and everything that can be sent was sent.
    ///
    /// - Parameters:
    ///   - rest: the entries behind the last report.
    ///   - session: the session in effect behind them.
    func finish(_ rest: [UploadedEntry], _ session: UsageSession?) throws(Failure)
    /// The upload ends, with everything sent or not.
    func close()
}

/// The records of a ``UsageStore``.
final class StoreUploadSource: UploadSource {
    let name: String
    let plan: UploadPlan?
    let endsSession: Bool
    private let snapshot: UsageSnapshot
    private let withdrawal: UInt64
    private var builder: UsageRemovalBuilder

    var session: UsageSession? { snapshot.session }
    var sentThrough: [String: Int64] { snapshot.session?.sentThrough ?? [:] }

    /// A source of a snapshot.
    ///
    /// - Parameter withdrawal: the number of the person's last withdrawal of consent; nil when there was none.
    /// - Throws: `storage` when the records of a person who withdrew consent are still there.
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
        builder = UsageRemovalBuilder(room: .max, session: snapshot.session)
    }

    func isRecordedHere(_ place: UploadItem.Place) -> Bool {
        guard case .log(let place) = place else { return false }
        return place.writer == snapshot.core.analytics.storage.journal.writer
    }

    func read(_ body: (UploadEntry) -> Bool) throws(Failure) {
        do {
            try snapshot.read { item in
                if item.removed != nil {
                    guard case .log(let place) = item.slot else { return true }
                    return body(.passed(place.sequence...place.sequence, of: place.writer))
                }
                // What lies outside of the snapshot's dates is not looked at.
                guard item.isShown, let text = item.record.written().text else { return true }
                let place: UploadItem.Place
                var isRefused = false
                switch item.slot {
                case .log(let found): place = .log(found)
                case .withheld(let found, let refused): (place, isRefused) = (.withheld(found), refused)
                case .start: place = .start
                }
                let found = UploadItem(
                    event: item.record.event,
                    text: text,
                    place: place,
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
        try keepingPermission { () throws(TrackwayError) in
            try snapshot.core.write(plan, of: snapshot.target, when: withdrawal)
        }
    }

    func settle(_ entries: [UploadedEntry], _ session: UsageSession?) throws(Failure) {
        add(entries, session)
        var removal = builder.take()
        // A record of the log that stays in front keeps the session it has.
        removal.session = builder.isAnythingLeft ? builder.session : session
        let change = removal
        try keepingPermission { () throws(TrackwayError) in
            try snapshot.core.settle(change, of: snapshot.target, when: withdrawal)
        }
    }

    private func add(_ entries: [UploadedEntry], _ session: UsageSession?) {
        for entry in entries {
            switch entry {
            case .passed(let range, let writer): builder.pass(range, of: writer)
            case .sent(let item):
                switch item.place {
                case .log(let place): builder.remove(place, session: session)
                case .withheld(let place): builder.removeWithheld(place)
                case .position, .start, .end: continue
                }
            case .withheld(let item, let start, let isRefused):
                guard case .log(let place) = item.place else { continue }
                builder.keep(WithheldRecord(item.text, at: place, start: start, isRefused: isRefused), at: place)
            case .kept(let item):
                guard case .log(let place) = item.place else { continue }
                builder.keep(WithheldRecord(item.text, at: place, start: nil), at: place)
            }
        }
    }

    private func keepingPermission(_ body: () throws(TrackwayError) -> Bool) throws(Failure) {
        let isPermitted: Bool
        do throws(TrackwayError) {
            isPermitted = try body()
        } catch {
            throw .storage(error.message)
        }
        guard isPermitted else { throw .outputDisabled }
    }

    func finish(_ rest: [UploadedEntry], _ session: UsageSession?) throws(Failure) {
        add(rest, session)
    }

    func close() {
        snapshot.moveLog(through: builder.through)
    }
}
