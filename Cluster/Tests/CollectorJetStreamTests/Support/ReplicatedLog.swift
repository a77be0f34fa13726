// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A stream stored by three servers with consensus, as its clients see it.
///
/// Records are stored once two servers have them. A leader without followers stores nothing, and records that only it
/// has are lost when another server takes over.
struct ReplicatedLog: Sendable {
    /// One of the three servers.
    struct Server: Sendable {
        var isUp = true
        /// Stopped, with its connections open.
        var isPaused = false
        /// The side of a network partition; a server reaches those on its own side.
        var side = 0
        var syncsAlways = true
        /// Since when it has been running without syncing; nil if it syncs or is down.
        var lazySince: MonotonicTime?
        /// The number of records that it has.
        var held = 0
        var heard = MonotonicTime(milliseconds: 0)
    }

    struct Record: Sendable {
        let id: String
        let body: [UInt8]
        let at: MonotonicTime
    }

    /// The result of a record's arrival at a server.
    enum Arrival: Sendable, Hashable {
        /// No answer is sent.
        case silence
        case noLeader
        case inProcess
        case repeated(Int)
        /// The answer is sent once the record at this position is stored.
        case waits(Int)
    }

    static let window: Duration = .seconds(120)
    /// How long a leader without a majority remains the leader.
    private static let leadsAlone: Duration = .seconds(3)
    /// How long it still considers itself the leader after that.
    private static let believes: Duration = .seconds(15)

    var servers = Array(repeating: Server(), count: 3)
    private(set) var records: [Record] = []
    /// The number of stored records.
    private(set) var stored = 0
    private(set) var leader: Int? = 0
    /// A leader that was cut off, and does not know that it may have been replaced.
    ///
    /// Has the number of stored records that it knows of, the time since which it has had no contact with other
    /// servers, and the time until which it considers itself the leader.
    private(set) var former: (server: Int, stored: Int, since: MonotonicTime, until: MonotonicTime)?
    private var places: [String: Int] = [:]
    private var aloneSince: MonotonicTime?
    /// When the next leader is elected; nil if there is one.
    private var election: MonotonicTime?

    /// Whether a server is running and in contact with another one.
    func reaches(_ one: Int, _ other: Int) -> Bool {
        works(one) && works(other) && servers[one].side == servers[other].side
    }

    func works(_ server: Int) -> Bool { servers[server].isUp && !servers[server].isPaused }

    /// Returns the leader that a server reaches.
    func leader(from server: Int) -> Int? { leader.flatMap { reaches(server, $0) ? $0 : nil } }

    var allHaveAll: Bool { servers.indices.allSatisfy { works($0) && servers[$0].held == records.count } }

    /// Stops a server. A leader loses its role, however soon it restarts.
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

    /// Handles a record's arrival.
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

    /// Advances time: reachable servers receive records, and leaders change.
    ///
    /// - Parameter delay: The time until the next election.
    /// - Returns: The records that became stored, and whether records were lost that only one server had.
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

    /// - Returns: Whether records were lost.
    private mutating func elect(_ now: MonotonicTime, _ delay: () -> Duration) -> Bool {
        let candidates = servers.indices.filter { one in
            works(one) && servers.indices.contains { $0 != one && reaches(one, $0) }
        }
        // Elect the server with the most records; any majority of three servers has everything stored.
        guard let next = candidates.max(by: { (servers[$0].held, $1) < (servers[$1].held, $0) }) else {
            election = now.advanced(by: delay())
            return false
        }
        leader = next
        election = nil
        if former?.server == next { former = nil }
        let kept = servers[next].held
        guard kept < records.count else { return false }
        precondition(kept >= stored, "The simulated servers lost stored records.")
        for record in records[kept...] where places[record.id] ?? 0 >= kept { places[record.id] = nil }
        records.removeSubrange(kept...)
        for server in servers.indices { servers[server].held = min(servers[server].held, kept) }
        return true
    }
}
