// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A stream that three servers keep by consensus, as far as its clients can tell: records are stored when two have them, a leader that has
/// lost the others stores nothing, and what only it had is gone when another leads. A value.
struct ReplicatedLog: Sendable {
    /// One of the three.
    struct Server: Sendable {
        var isUp = true
        /// Stopped, with its connections open.
        var isPaused = false
        /// Which servers it reaches: those with the same number.
        var side = 0
        var syncsAlways = true
        /// Since when it runs and does not sync; nil while it does, or is gone.
        var lazySince: MonotonicTime?
        /// So many of the records it has.
        var held = 0
        var heard = MonotonicTime(milliseconds: 0)
    }

    struct Record: Sendable {
        let id: String
        let body: [UInt8]
        let at: MonotonicTime
    }

    /// What becomes of a record that arrives at a server.
    enum Arrival: Sendable, Hashable {
        /// Nobody answers.
        case silence
        case noLeader
        case inProcess
        case repeated(Int)
        /// It is answered when the record of this place is stored.
        case waits(Int)
    }

    static let window: Duration = .seconds(120)
    /// A leader without a majority leads for so long.
    private static let leadsAlone: Duration = .seconds(3)
    /// And believes that it does for so long.
    private static let believes: Duration = .seconds(15)

    var servers = Array(repeating: Server(), count: 3)
    private(set) var records: [Record] = []
    /// So many of them are stored.
    private(set) var stored = 0
    private(set) var leader: Int? = 0
    /// A leader that was cut off, and does not know that another may lead: what it takes for stored, since when it hears nobody, and until
    /// when it does not know.
    private(set) var former: (server: Int, stored: Int, since: MonotonicTime, until: MonotonicTime)?
    private var places: [String: Int] = [:]
    private var aloneSince: MonotonicTime?
    /// When the next leader is chosen; nil while there is one.
    private var election: MonotonicTime?

    /// Whether a server works and another one hears it.
    func reaches(_ one: Int, _ other: Int) -> Bool {
        works(one) && works(other) && servers[one].side == servers[other].side
    }

    func works(_ server: Int) -> Bool { servers[server].isUp && !servers[server].isPaused }

    /// The leader that a server reaches.
    func leader(from server: Int) -> Int? { leader.flatMap { reaches(server, $0) ? $0 : nil } }

    var allHaveAll: Bool { servers.indices.allSatisfy { works($0) && servers[$0].held == records.count } }

    /// A server dies; one that led leads no more, however soon it is back.
    mutating func dies(_ server: Int, _ now: MonotonicTime, delay: () -> Duration) {
        servers[server].isUp = false
        servers[server].isPaused = false
        servers[server].lazySince = nil
        if former?.server == server { former = nil }
        guard leader == server else { return }
        leader = nil
        aloneSince = nil
        election = now.advanced(by: delay())
    }

    /// A record arrives.
    mutating func arrives(_ id: String, _ body: [UInt8], at server: Int, now: MonotonicTime) -> Arrival {
        guard works(server) else { return .silence }
        guard let leader = leader(from: server) else { return leader == nil ? .noLeader : .silence }
        if let place = places[id], records[place].at.duration(to: now) < Self.window {
            return place < stored ? .repeated(place) : .inProcess
        }
        places[id] = records.count
        records.append(Record(id: id, body: body, at: now))
        servers[leader].held = records.count
        return .waits(records.count - 1)
    }

    /// Time passes: records reach those who are reached, and leaders come and go.
    ///
    /// - Parameter delay: How long the choice of the next leader takes.
    /// - Returns: What was stored by that, and whether records are gone that nobody else had.
    mutating func pass(_ now: MonotonicTime, delay: () -> Duration) -> (stored: Range<Int>, isCut: Bool) {
        if let leader {
            let others = servers.indices.filter { $0 != leader && reaches($0, leader) }
            for other in others {
                servers[other].held = records.count
                servers[other].heard = now
            }
            if !works(leader) || others.isEmpty {
                if aloneSince == nil { aloneSince = now }
                let since = aloneSince ?? now
                if since.duration(to: now) >= Self.leadsAlone {
                    if works(leader) { former = (leader, stored, since, now.advanced(by: Self.believes)) }
                    self.leader = nil
                    aloneSince = nil
                    election = now.advanced(by: delay())
                }
                return (stored..<stored, false)
            }
            aloneSince = nil
            defer { stored = records.count }
            return (stored..<records.count, false)
        }
        guard let due = election, due <= now else { return (stored..<stored, false) }
        return (stored..<stored, elect(now, delay))
    }

    /// - Returns: Whether records are gone.
    private mutating func elect(_ now: MonotonicTime, _ delay: () -> Duration) -> Bool {
        let candidates = servers.indices.filter { one in
            works(one) && servers.indices.contains { $0 != one && reaches(one, $0) }
        }
        // Who knows most; a majority of three always has all that is stored.
        guard let next = candidates.max(by: { (servers[$0].held, $1) < (servers[$1].held, $0) }) else {
            election = now.advanced(by: delay())
            return false
        }
        leader = next
        election = nil
        if former?.server == next { former = nil }
        let kept = servers[next].held
        guard kept < records.count else { return false }
        precondition(kept >= stored, "The simulated servers lose what is stored.")
        for record in records[kept...] where places[record.id] ?? 0 >= kept { places[record.id] = nil }
        records.removeSubrange(kept...)
        for server in servers.indices { servers[server].held = min(servers[server].held, kept) }
        return true
    }
}
