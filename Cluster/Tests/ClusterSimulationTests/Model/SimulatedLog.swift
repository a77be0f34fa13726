// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A server of the cluster.
struct SimulatedServer {
    var isUp = true
    /// Whether it is stopped, with its connections still open.
    var isPaused = false
    /// The side of a network partition; a server reaches those on its own side.
    var side = 0
    /// The time since which it has been running and reachable without syncing; nil if it syncs or is down.
    var unsyncedSince: Int64?
    /// The time of a disk write, in milliseconds.
    var diskLatency: Int64 = 2
}

/// A stream stored by three servers with consensus, as its clients see it.
///
/// A value: its owner decides which servers are reachable and when timeouts expire.
///
/// A record is stored once two members have it. A leader without followers stores nothing, and records that only it has
/// are lost when another member takes over.
struct SimulatedLog {
    struct Record {
        /// A batch, an order entry, or a decision, as an index into a list of them; -1 for the final record.
        let body: Int32
        let at: Int64
    }

    /// A caller that waits until a record is stored.
    enum Waiter {
        case attempt(AttemptReference, round: Int32, isLost: Bool)
        case other((Simulation) -> Void)
    }

    /// A leader that was cut off, and does not know that it may have been replaced.
    struct FormerLeader {
        var member: Int
        var stored: Int
        var since: Int64
        var until: Int64
    }

    /// How long record ids are remembered, in milliseconds.
    static let idWindow: Int64 = 120_000

    let name: String
    /// The servers of the three members.
    let members: [Int]
    var records: [Record] = []
    /// The number of stored records.
    var stored = 0
    /// The number of records that each member has.
    var recordCounts = [0, 0, 0]
    /// The leading member.
    var leader: Int? = 0
    /// Increases whenever a leader is elected or lost.
    var term = 0
    /// The time since which the leader has not reached a majority; nil if it reaches one.
    var isolatedSince: Int64?
    var formerLeader: FormerLeader?
    /// The time since which the leader cannot reach each member; nil if it can.
    var unreachableSince: [Int64?] = [nil, nil, nil]
    /// The members that the leader has not reached since it was elected.
    var unseen: Set<Int> = []
    var waiters: [(position: Int, waiter: Waiter)] = []
    var positions: [Int32: Int32] = [:]
    var isFlushing = false
    /// The position of the final record.
    var finalRecord: Int?
    /// Increases when the subjects change.
    var configuration = 0
    /// Whether it no longer accepts records of partitions.
    var isClosed: Bool { subjects == [closedSubject] }
    var subjects: [String]
    let closedSubject: String

    init(name: String, members: [Int], subjects: [String], closedSubject: String = "") {
        self.name = name
        self.members = members
        self.subjects = subjects
        self.closedSubject = closedSubject
    }

    /// The number of copies of a record.
    func copies(of position: Int) -> Int { recordCounts.count { $0 > position } }

    /// Appends a record to the leader's records.
    mutating func append(_ body: Int32, now: Int64, waiter: Waiter) {
        waiters.append((records.count, waiter))
        records.append(Record(body: body, at: now))
    }

    /// Marks the first `count` records as written by these members.
    ///
    /// - Returns: The waiters for records that are stored as a result, with their positions.
    mutating func recordWritten(_ count: Int, by members: [Int]) -> [(position: Int, waiter: Waiter)] {
        for member in members { recordCounts[member] = max(recordCounts[member], min(count, records.count)) }
        let majority = recordCounts.sorted()[1]
        guard majority > stored else { return [] }
        stored = majority
        var done = 0
        while done < waiters.count, waiters[done].position < stored { done += 1 }
        defer { waiters.removeFirst(done) }
        return Array(waiters.prefix(done))
    }

    /// Makes a member the leader and drops the records that it does not have.
    ///
    /// - Returns: Whether stored records were lost, which must never happen.
    mutating func makeLeader(_ member: Int) -> Bool {
        leader = member
        term += 1
        isolatedSince = nil
        isFlushing = false
        if formerLeader?.member == member { formerLeader = nil }
        let remaining = recordCounts[member]
        for other in recordCounts.indices { recordCounts[other] = min(recordCounts[other], remaining) }
        if remaining < records.count { positions = positions.filter { Int($0.value) < remaining } }
        if let finalRecord, finalRecord >= remaining { self.finalRecord = nil }
        records.removeSubrange(remaining...)
        waiters.removeAll { $0.position >= remaining }
        return remaining < stored
    }
}
