// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A stream stored by three servers with consensus, as its clients see it.
///
/// Records are stored once two servers have them. A leader without followers stores nothing, and records that only it
/// has are lost when another server takes over.
struct ReplicatedLog: Sendable {
    /// One of the three servers.
    struct Server: Sendable {
        var isUp = true
        /// Whether it is stopped, with its connections still open.
        var isPaused = false
        /// The side of a network partition; a server reaches those on its own side.
        var partition = 0
        var syncsAlways = true
        /// The time since which it has been running without syncing; nil if it syncs or is down.
        var unsyncedSince: MonotonicTime?
        /// The number of records that it has.
        var recordCount = 0
        var lastContact = MonotonicTime(milliseconds: 0)
    }

    struct Record: Sendable {
        let id: String
        let body: [UInt8]
        let at: MonotonicTime
    }

    /// The result of a record's arrival at a server.
    enum Arrival: Sendable, Hashable {
        /// No answer is sent.
        case noAnswer
        case noLeader
        case inProgress
        case repeated(Int)
        /// The answer is sent once the record at this position is stored.
        case pending(Int)
    }

    static let window: Duration = .seconds(120)
    /// How long a leader without a majority remains the leader.
    private static let leaderTimeout: Duration = .seconds(3)
    /// How long it still considers itself the leader after that.
    private static let formerLeaderTimeout: Duration = .seconds(15)

    var servers = Array(repeating: Server(), count: 3)
    private(set) var records: [Record] = []
    /// The number of stored records.
    private(set) var stored = 0
    private(set) var leader: Int? = 0
    /// A leader that was cut off, and does not know that it may have been replaced.
    ///
    /// Contains the number of stored records that it knows of, the time since which it has had no contact with other
    /// servers, and the time until which it considers itself the leader.
    private(set) var formerLeader: (server: Int, stored: Int, since: MonotonicTime, until: MonotonicTime)?
    private var positions: [String: Int] = [:]
    private var isolatedSince: MonotonicTime?
    /// The time of the next election; nil while there is a leader.
    private var nextElection: MonotonicTime?

    /// Whether a server is running and in contact with another one.
    func canReach(_ one: Int, _ other: Int) -> Bool {
        isResponsive(one) && isResponsive(other) && servers[one].partition == servers[other].partition
    }

    func isResponsive(_ server: Int) -> Bool { servers[server].isUp && !servers[server].isPaused }

    /// Returns the leader that a server reaches.
    func leader(from server: Int) -> Int? { leader.flatMap { canReach(server, $0) ? $0 : nil } }

    var isFullyReplicated: Bool {
        servers.indices.allSatisfy { isResponsive($0) && servers[$0].recordCount == records.count }
    }

    /// Stops a server. A leader loses its role, however soon it restarts.
    mutating func stop(_ server: Int, _ now: MonotonicTime, delay: () -> Duration) {
        servers[server].isUp = false
        servers[server].isPaused = false
        servers[server].unsyncedSince = nil
        if formerLeader?.server == server { formerLeader = nil }
        guard leader == server else { return }
        leader = nil
        isolatedSince = nil
        nextElection = now.advanced(by: delay())
    }

    /// Handles a record's arrival.
    mutating func receive(_ id: String, _ body: [UInt8], at server: Int, now: MonotonicTime) -> Arrival {
        guard isResponsive(server) else { return .noAnswer }
        guard let leader = leader(from: server) else { return leader == nil ? .noLeader : .noAnswer }
        if let position = positions[id], records[position].at.duration(to: now) < Self.window {
            return position < stored ? .repeated(position) : .inProgress
        }
        positions[id] = records.count
        records.append(Record(id: id, body: body, at: now))
        servers[leader].recordCount = records.count
        return .pending(records.count - 1)
    }

    /// Advances time: reachable servers receive records, and leaders change.
    ///
    /// - Parameter delay: The time until the next election.
    /// - Returns: The records that became stored, and whether records were lost that only one server had.
    mutating func advance(_ now: MonotonicTime, delay: () -> Duration) -> (stored: Range<Int>, isTruncated: Bool) {
        if let leader {
            let others = servers.indices.filter { $0 != leader && canReach($0, leader) }
            for other in others {
                servers[other].recordCount = records.count
                servers[other].lastContact = now
            }
            if !isResponsive(leader) || others.isEmpty {
                if isolatedSince == nil { isolatedSince = now }
                let since = isolatedSince ?? now
                if since.duration(to: now) >= Self.leaderTimeout {
                    if isResponsive(leader) {
                        formerLeader = (leader, stored, since, now.advanced(by: Self.formerLeaderTimeout))
                    }
                    self.leader = nil
                    isolatedSince = nil
                    nextElection = now.advanced(by: delay())
                }
                return (stored..<stored, false)
            }
            isolatedSince = nil
            defer { stored = records.count }
            return (stored..<records.count, false)
        }
        guard let due = nextElection, due <= now else { return (stored..<stored, false) }
        return (stored..<stored, elect(now, delay))
    }

    /// - Returns: Whether records were lost.
    private mutating func elect(_ now: MonotonicTime, _ delay: () -> Duration) -> Bool {
        let candidates = servers.indices.filter { one in
            isResponsive(one) && servers.indices.contains { $0 != one && canReach(one, $0) }
        }
        // Elect the server with the most records; any majority of three servers has everything stored.
        guard let next = candidates.max(by: { (servers[$0].recordCount, $1) < (servers[$1].recordCount, $0) }) else {
            nextElection = now.advanced(by: delay())
            return false
        }
        leader = next
        nextElection = nil
        if formerLeader?.server == next { formerLeader = nil }
        let remaining = servers[next].recordCount
        guard remaining < records.count else { return false }
        precondition(remaining >= stored, "The simulated servers lost stored records.")
        for record in records[remaining...] where positions[record.id] ?? 0 >= remaining { positions[record.id] = nil }
        records.removeSubrange(remaining...)
        for server in servers.indices { servers[server].recordCount = min(servers[server].recordCount, remaining) }
        return true
    }
}
