// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A server of the engine.
struct SimulatedServer {
    var isUp = true
    /// Stopped, with its connections open.
    var isPaused = false
    /// Which servers it reaches: those with the same number.
    var side = 0
    /// Since when it runs, is reached, and does not sync; nil while it does, or is gone.
    var lazySince: Int64?
    /// So long its disk takes, in milliseconds.
    var disk: Int64 = 2
}

/// A stream that three servers keep by consensus, as far as its clients can tell. A value: whoever holds it says which servers are reached
/// and when time is over.
///
/// A record is stored when two have it. A leader that has lost the others stores nothing, and what only it had is gone when another leads.
struct SimulatedLog {
    struct Record {
        /// A batch, an entry of the order, or a decision, by its number in a list of them; -1 for the note that no record follows.
        let body: Int32
        let at: Int64
    }

    /// Who waits for a record to be stored.
    enum Waiter {
        case attempt(AttemptReference, round: Int32, isLost: Bool)
        case other((Simulation) -> Void)
    }

    /// A leader that was cut off, and does not know that another may lead.
    struct Former {
        var member: Int
        var stored: Int
        var since: Int64
        var until: Int64
    }

    /// Ids are known for so long, in milliseconds.
    static let window: Int64 = 120_000

    let name: String
    /// The servers that keep it.
    let members: [Int]
    var records: [Record] = []
    /// So many of them are stored.
    var stored = 0
    /// So many of them each member has.
    var held = [0, 0, 0]
    /// Which member leads.
    var leader: Int? = 0
    /// Grows with each leader that comes or goes.
    var term = 0
    /// Since when the leader does not hear enough of the others.
    var aloneSince: Int64?
    var former: Former?
    /// Since when the leader does not hear each member; nil while it does.
    var silentSince: [Int64?] = [nil, nil, nil]
    /// Those that it has not heard since it leads.
    var unheard: Set<Int> = []
    var waiters: [(place: Int, waiter: Waiter)] = []
    var places: [Int32: Int32] = [:]
    var isFlushing = false
    /// The place of the note that no record follows.
    var note: Int?
    /// Grows when its subjects change.
    var configuration = 0
    /// Whether it takes no records of partitions.
    var isClosed: Bool { subjects == [closedSubject] }
    var subjects: [String]
    let closedSubject: String

    init(name: String, members: [Int], subjects: [String], closedSubject: String = "") {
        self.name = name
        self.members = members
        self.subjects = subjects
        self.closedSubject = closedSubject
    }

    /// How many copies there are of a record.
    func copies(of place: Int) -> Int { held.count { $0 > place } }

    /// Puts a record behind the last one of the leader's.
    mutating func append(_ body: Int32, now: Int64, waiter: Waiter) {
        waiters.append((records.count, waiter))
        records.append(Record(body: body, at: now))
    }

    /// Members have written what there was.
    ///
    /// - Returns: Who has waited for what is stored by that, and its place.
    mutating func written(_ count: Int, by members: [Int]) -> [(place: Int, waiter: Waiter)] {
        for member in members { held[member] = max(held[member], min(count, records.count)) }
        let majority = held.sorted()[1]
        guard majority > stored else { return [] }
        stored = majority
        var done = 0
        while done < waiters.count, waiters[done].place < stored { done += 1 }
        defer { waiters.removeFirst(done) }
        return Array(waiters.prefix(done))
    }

    /// Another member leads: what it does not have is gone.
    ///
    /// - Returns: Whether what was stored is gone with it, which must never be.
    mutating func lead(_ member: Int) -> Bool {
        leader = member
        term += 1
        aloneSince = nil
        isFlushing = false
        if former?.member == member { former = nil }
        let kept = held[member]
        for other in held.indices { held[other] = min(held[other], kept) }
        if kept < records.count { places = places.filter { Int($0.value) < kept } }
        if let note, note >= kept { self.note = nil }
        records.removeSubrange(kept...)
        waiters.removeAll { $0.place >= kept }
        return kept < stored
    }
}
