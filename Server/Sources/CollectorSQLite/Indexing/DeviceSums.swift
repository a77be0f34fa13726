// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Keeps devices up to date while events are indexed.
///
/// There is one sum per installation, written at the end of the transaction. Device facts are taken from new contexts.
final class DeviceSums {
    /// The sum of one installation's events.
    final class Sum {
        fileprivate let installation: Int64
        private var first = Int64.max
        private var last = Int64.min
        private var events: Int64 = 0
        private var person: Int64?

        fileprivate init(_ installation: Int64) {
            self.installation = installation
        }

        /// Adds an event of a person.
        ///
        /// Of two events in one millisecond, the one added later determines the installation's person.
        func add(_ time: Int64, of person: Int64?) {
            first = min(first, time)
            events += 1
            guard time >= last else { return }
            last = time
            self.person = person
        }

        fileprivate var isEmpty: Bool { events == 0 }

        fileprivate func bind(_ insert: RawStatement, after place: Int32) {
            insert.bind(place + 1, installation)
            insert.bind(place + 2, first)
            insert.bind(place + 3, last)
            insert.bind(place + 4, events)
            insert.bind(place + 5, person)
        }
    }

    private var sums: [Int64: Sum] = [:]
    /// The sums in order of first appearance, so that the order of writing is deterministic.
    private var touched: [Sum] = []
    private var writtenFacts: [Int64: DeviceFacts] = [:]
    private let add: GroupedInsert
    private let describe: RawStatement

    init(_ db: Database) throws {
        add = try GroupedInsert(
            db,
            "INSERT INTO devices (installation, first, last, events, person)",
            tail: """
                ON CONFLICT (installation) DO UPDATE SET first = min(first, excluded.first),
                person = CASE WHEN excluded.last >= last THEN excluded.person ELSE person END,
                last = max(last, excluded.last), events = events + excluded.events
                """,
            columns: 5
        )
        describe = try RawStatement(
            db,
            """
            INSERT INTO device_facts (installation, app, version, model, system) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (installation) DO UPDATE SET app = coalesce(excluded.app, app),
            version = coalesce(excluded.version, version), model = coalesce(excluded.model, model),
            system = coalesce(excluded.system, system)
            """
        )
    }

    /// Returns an installation's sum in this transaction.
    func sum(of installation: Int64) -> Sum {
        if let known = sums[installation] { return known }
        let new = Sum(installation)
        sums[installation] = new
        touched.append(new)
        return new
    }

    /// Applies the device facts of a new context; omitted facts remain unchanged.
    func describe(_ installation: Int64, _ facts: DeviceFacts) throws {
        // A new screen or session creates a new context with the same device facts.
        guard facts != DeviceFacts(), writtenFacts[installation] != facts else { return }
        writtenFacts[installation] = facts
        describe.bind(1, installation)
        describe.bind(2, facts.app)
        describe.bind(3, facts.version)
        describe.bind(4, facts.model)
        describe.bind(5, facts.system)
        try describe.run()
    }

    /// Writes the sums and clears them from memory.
    func flush() throws {
        try add.write(touched.filter { !$0.isEmpty }) { sum, insert, place in sum.bind(insert, after: place) }
        sums = [:]
        touched = []
        writtenFacts = [:]
    }
}
