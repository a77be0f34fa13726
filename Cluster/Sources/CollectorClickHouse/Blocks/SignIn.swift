// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// A signed-in event on an installation, reduced to its user and time.
///
/// The table of sign-ins has some of these events, from which readers compute the periods of ``SignInHistory``. Every
/// signed-in event has the same user as the next row of its installation. More rows than needed change nothing, so rows
/// of different blocks can be combined in any order.
package struct SignIn: Sendable, Hashable, Comparable {
    /// The event's time, in milliseconds since 1970.
    package let time: Int64
    /// A number derived from the user's ID, which orders events of the same time.
    package let mark: Int64
    /// The user's ID; empty in the row of an installation that keeps anonymous events separate.
    package let user: ByteText

    /// The row of an installation that keeps anonymous events separate.
    package static let separate = SignIn(time: .max, mark: 0, user: ByteText(""))

    /// Creates a signed-in event.
    package init(time: Int64, mark: Int64, user: ByteText) {
        self.time = time
        self.mark = mark
        self.user = user
    }

    /// Creates a signed-in event of a user.
    package init(time: Int64, user: ByteText) {
        self.init(time: time, mark: TimeCursor.number(of: .user(user.text)), user: user)
    }

    package static func < (left: SignIn, right: SignIn) -> Bool {
        (left.time, left.mark, left.user) < (right.time, right.mark, right.user)
    }

    /// Returns the last event of each period, the earliest first.
    ///
    /// A period is a series of events of one user without events of other users between them.
    static func periodEnds(of events: some Sequence<SignIn>) -> [SignIn] {
        events.sorted().reduce(into: []) { ends, event in
            if ends.last?.user == event.user { ends.removeLast() }
            ends.append(event)
        }
    }
}

/// The signed-in events of a block, and the rows that they add to the table of sign-ins.
package struct BlockSignIns: Sendable {
    /// A time range of an installation that must be compared with earlier blocks.
    package struct Conflict: Sendable, Hashable {
        /// The time range of the block's signed-in events.
        package let times: ClosedRange<Int64>
        /// The users that may have earlier events in the time range or shortly before it.
        package let users: Set<ByteText>
    }

    /// The block's new signed-in events by installation.
    private(set) var events: [InstallationID: Set<SignIn>] = [:]
    /// The installations with an event of an app that keeps anonymous events separate.
    private(set) var separate: Set<InstallationID> = []
    private var marks: [ByteText: Int64] = [:]

    /// Creates an empty value.
    init() {}

    /// Adds an event that is stored.
    mutating func add(_ event: BlockBuilder.Candidate) {
        guard let installation = event.installation, !event.user.isEmpty else { return }
        let user = ByteText(event.user)
        let mark = marks[user] ?? TimeCursor.number(of: .user(event.user))
        marks[user] = mark
        events[installation, default: []].insert(SignIn(time: event.time.milliseconds, mark: mark, user: user))
    }

    /// Adds the mark of an event that keeps anonymous events separate.
    mutating func addSeparation(by event: BlockBuilder.Candidate) {
        if event.isSeparate, let installation = event.installation { separate.insert(installation) }
    }

    /// The time of the first signed-in event on each installation whose rows depend on earlier blocks.
    package var starts: [InstallationID: Int64] {
        events.filter { !separate.contains($0.key) }.compactMapValues { $0.min()?.time }
    }

    /// Returns the installations on which the block's events and earlier events may divide each other's periods.
    ///
    /// - Parameter known: The rows of earlier blocks at or after ``starts``.
    package func conflicts(with known: [InstallationID: Set<SignIn>]) -> [InstallationID: Conflict] {
        known.reduce(into: [:]) { conflicts, entry in
            let (installation, rows) = entry
            guard !rows.isEmpty, !rows.contains(.separate), !separate.contains(installation),
                let added = events[installation], let first = added.min(), let last = added.max()
            else { return }
            let users = Set(rows.map(\.user))
            guard users.union(added.map(\.user)).count > 1 else { return }
            conflicts[installation] = Conflict(times: first.time...last.time, users: users)
        }
    }

    /// Returns the rows that the block adds.
    ///
    /// - Parameter known: What earlier blocks contain.
    func rows(_ known: KnownSignIns) -> [InstallationID: [SignIn]] {
        var rows = events.reduce(into: [InstallationID: [SignIn]]()) { rows, entry in
            let (installation, added) = entry
            let earlier = known.rows[installation] ?? []
            guard !separate.contains(installation), !earlier.contains(.separate) else { return }
            let all = added.union(known.events[installation] ?? [])
            let ends = SignIn.periodEnds(of: all)
            // A later row of the same user, with no other user in between, already implies this one.
            if ends.count == 1, let last = earlier.max(), last >= ends[0],
                earlier.allSatisfy({ $0.user == ends[0].user })
            {
                return
            }
            rows[installation] = ends.filter { !earlier.contains($0) }
        }
        for installation in separate where !(known.rows[installation]?.contains(.separate) ?? false) {
            rows[installation] = [.separate]
        }
        return rows
    }
}

/// The signed-in events of earlier blocks that affect a block's rows.
package struct KnownSignIns: Sendable, Hashable {
    /// The rows at or after the block's first signed-in event, by installation.
    package var rows: [InstallationID: Set<SignIn>] = [:]
    /// The events within the time range of the block's events, and each user's last one before it.
    ///
    /// Only for installations with conflicts.
    package var events: [InstallationID: Set<SignIn>] = [:]

    /// Creates an empty value.
    package init() {}
}

extension BlockBuilder {
    /// Returns the signed-in events, without duplicates and without events of erased installations.
    package func signIns(without known: KnownRows) -> BlockSignIns {
        var signIns = BlockSignIns()
        var seen = known.ids
        for candidate in candidates {
            if let installation = candidate.installation, known.erased.contains(installation) { continue }
            signIns.addSeparation(by: candidate)
            if seen.insert(candidate.event).inserted { signIns.add(candidate) }
        }
        return signIns
    }
}

extension BlockRows {
    /// Writes the sign-ins.
    mutating func write(_ signIns: BlockSignIns, known: KnownSignIns) {
        let block = Int64(clamping: decision.block)
        for (installation, rows) in signIns.rows(known) {
            for signIn in rows {
                add(.signIns, installation) { row in
                    row.id(installation)
                    row.integer(signIn.time)
                    row.integer(signIn.mark)
                    row.string(signIn.user.text)
                    row.integer(block)
                }
            }
        }
    }
}
