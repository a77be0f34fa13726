// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// The contents of earlier blocks that affect a block's rows.
package struct KnownRows: Sendable, Hashable {
    /// The block's event ids that already occur in earlier blocks.
    package var ids: Set<EventID>
    /// The block's installations that were erased in earlier blocks.
    package var erased: Set<InstallationID>
    /// The sequence numbers of the block's writers that earlier blocks rejected.
    package var rejected: [BlockBuilder.AccountKey: SequenceRanges] = [:]
    /// The signed-in events on the block's installations.
    package var signIns = KnownSignIns()

    /// Creates the known rows.
    package init(ids: Set<EventID> = [], erased: Set<InstallationID> = []) {
        self.ids = ids
        self.erased = erased
    }
}

/// The rows of a block, ready to be sent.
package struct BlockRows: Sendable {
    /// The version of the function that turns records into rows.
    ///
    /// A block is written with the version that its decision specifies.
    package static let version = 5

    /// The decision that defines the block.
    package let decision: BlockDecision
    /// The number of new events, without duplicates.
    package private(set) var events = 0
    /// The number of duplicates: events that had already arrived.
    package private(set) var repeats = 0
    /// The week of arrival, the same for all events; nil without events.
    package private(set) var week: Int64?
    /// The installations that own rows of the block.
    package private(set) var installations: Set<InstallationID> = []
    private var rows: [ColumnTable: RowBinary] = [:]
    private var counts: [ColumnTable: Int] = [:]

    /// Creates the rows of a block.
    ///
    /// - Parameters:
    ///   - decision: The decision that defines the block.
    ///   - builder: The contents of its records.
    ///   - known: The relevant contents of earlier blocks.
    /// - Complexity: O(bytes).
    package init(_ decision: BlockDecision, _ builder: BlockBuilder, known: KnownRows) {
        self.decision = decision
        func isKept(_ installation: InstallationID?) -> Bool { installation.map { !known.erased.contains($0) } ?? true }

        var seen = known.ids
        var repeated: [BlockBuilder.AccountKey: UInt64] = [:]
        var sessions: [SessionKey: SessionSum] = [:]
        var sums = BlockAggregates()
        var arrivals = PlaceAggregates()
        var people = PersonAggregates()
        var signIns = BlockSignIns()
        for candidate in builder.candidates {
            guard isKept(candidate.installation) else {
                arrivals.addErased(candidate)
                continue
            }
            signIns.addSeparation(by: candidate)
            guard seen.insert(candidate.event).inserted else {
                repeats += 1
                arrivals.addDuplicate(candidate)
                if let account = candidate.account { repeated[account, default: 0] += 1 }
                continue
            }
            events += 1
            write(candidate)
            writeSnapshot(of: candidate)
            writeReplay(candidate)
            sums.add(candidate)
            arrivals.add(candidate)
            writePersonRows(of: candidate)
            writeMerge(of: candidate)
            people.add(candidate)
            signIns.add(candidate)
            guard !candidate.session.isEmpty else { continue }
            let key = SessionKey(installation: candidate.installation, session: ByteText(candidate.session))
            sessions[key, default: SessionSum()].add(candidate)
        }
        for (key, body) in builder.contexts where isKept(key.installation) {
            write(key, body, builder.contextNumbers[key] ?? 0)
        }
        for (key, sum) in sessions { write(key, sum) }
        write(sums)
        for (key, entry) in builder.descriptions.entries where isKept(key.installation) { write(key, entry) }
        write(people)
        write(signIns, known: known.signIns)
        for merge in builder.merges { write(merge) }
        for record in builder.userTraits where isKept(record.installation) { write(record) }
        for (key, claims) in builder.claims where isKept(key.installation) {
            write(key, claims, repeated[key] ?? 0)
        }
        for (key, ranges) in builder.ranges where isKept(key.account.installation) { write(key, ranges) }
        write(builder.rejections, known: known)
        arrivals.add(builder.arrivals)
        write(arrivals, damaged: builder.arrivals.damaged)
        for order in builder.deletionRequests.values { write(order) }
        writeBlock()
    }

    /// Returns the rows of a table; nil if the block has none.
    package func bytes(_ table: ColumnTable) -> [UInt8]? { rows[table]?.bytes }

    /// Returns the number of the block's rows in a table.
    package func count(_ table: ColumnTable) -> Int { counts[table] ?? 0 }

    var block: Int64 { Int64(clamping: decision.block) }

    /// Adds a row, owned by `installation` unless that is nil.
    mutating func add(_ table: ColumnTable, _ installation: InstallationID?, _ write: (inout RowBinary) -> Void) {
        write(&rows[table, default: RowBinary()])
        counts[table, default: 0] += 1
        if let installation { installations.insert(installation) }
    }

    private mutating func write(_ candidate: BlockBuilder.Candidate) {
        week = candidate.received.milliseconds / BlockCutter.millisecondsPerWeek
        add(.events, candidate.installation) { [block] row in
            row.integer(candidate.position.rawValue)
            row.integer(block)
            row.id(candidate.event)
            row.string(candidate.name)
            row.integer(candidate.time.milliseconds)
            row.integer(candidate.received.milliseconds)
            row.id(candidate.installation)
            row.id(candidate.writer)
            row.unsigned(candidate.sequence)
            row.string(candidate.user)
            row.string(candidate.session)
            row.idHalves(candidate.context?.high ?? 0, candidate.context?.low ?? 0)
            row.string(candidate.body)
            row.values(candidate.values)
            row.string(candidate.screen)
        }
        add(.ids, nil) { [block] row in
            row.id(candidate.event)
            row.integer(candidate.position.rawValue)
            row.integer(block)
        }
    }

    private mutating func write(_ key: BlockBuilder.ContextKey, _ body: [UInt8], _ number: UInt32) {
        add(.contexts, key.installation) { [block] row in
            row.id(key.installation)
            row.idHalves(key.hash.high, key.hash.low)
            row.integer(block)
            row.string(body)
            // Admission validated the text. Content that cannot be parsed has no values.
            row.values(ColumnValues(context: try? JSONValue.parse(body)))
            row.short(number)
        }
    }

    private mutating func write(_ key: SessionKey, _ sum: SessionSum) {
        add(.sessions, key.installation) { [block] row in
            row.string(key.session.text)
            row.id(key.installation)
            row.integer(block)
            row.string(sum.user)
            row.integer(sum.first)
            row.integer(sum.last)
            row.unsigned(sum.events)
            row.integer(sum.start)
            row.integer(sum.ordinal)
            row.integer(TimeCursor.number(ofSession: key.session.text, of: key.installation))
        }
    }

    private mutating func write(_ key: BlockBuilder.AccountKey, _ claims: BlockBuilder.Claims, _ repeats: UInt64) {
        add(.writers, key.installation) { [block] row in
            row.id(key.installation)
            row.id(key.writer)
            row.integer(block)
            row.unsigned(claims.recorded)
            row.unsigned(repeats)
            row.integer(claims.received.milliseconds)
            row.integer(claims.first.rawValue)
        }
    }

    private mutating func write(_ key: BlockBuilder.RangeKey, _ ranges: SequenceRanges) {
        for range in ranges.ranges {
            add(.ranges, key.account.installation) { [block] row in
                row.id(key.account.installation)
                row.id(key.account.writer)
                row.byte(UInt8(truncatingIfNeeded: key.kind.rawValue))
                row.string(key.reason)
                row.unsigned(range.lowerBound)
                row.unsigned(range.upperBound)
                row.integer(block)
            }
        }
    }

    private mutating func write(_ order: DeletionRequest) {
        add(.erasures, nil) { [block] row in
            row.id(order.installation)
            row.integer(block)
            row.integer(order.time.milliseconds)
            row.string(order.key)
            row.byte(order.isByOperator ? 1 : 0)
        }
    }

    private mutating func writeBlock() {
        let counts = [events, repeats] + ColumnTable.counted.map { self.count($0) }
        add(.blocks, nil) { [decision, block] row in
            row.integer(block)
            row.integer(Int64(clamping: decision.first))
            row.integer(Int64(clamping: decision.last))
            row.short(UInt32(clamping: decision.version))
            for count in counts { row.unsigned(UInt64(count)) }
        }
    }
}

/// A session of an installation.
private struct SessionKey: Hashable {
    let installation: InstallationID?
    let session: ByteText
}

/// The sums that a block adds to a session.
private struct SessionSum {
    var user = ""
    var first = Int64.max
    var last = Int64.min
    var events: UInt64 = 0
    /// The start of the session, as far as the block's events show.
    var start = Int64.max
    /// The session's number within its installation; 0 if unknown.
    var ordinal: Int64 = 0

    mutating func add(_ event: BlockBuilder.Candidate) {
        let time = event.time.milliseconds
        first = min(first, time)
        last = max(last, time)
        events += 1
        if !event.user.isEmpty { user = event.user }
        start = min(start, event.sessionStart.start?.milliseconds ?? time)
        if ordinal == 0 { ordinal = event.sessionStart.ordinal ?? 0 }
    }
}

extension RowBinary {
    /// Appends an id, or zeros for nil.
    mutating func id(_ id: (some UniqueID)?) {
        if let id { self.id(id) } else { missingID() }
    }

    /// Appends the names of values, then the values.
    mutating func values(_ values: ColumnValues) {
        values.write(to: &self)
    }
}
