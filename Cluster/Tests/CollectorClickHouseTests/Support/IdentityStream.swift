// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import TrackwayCore

/// An event of a visitor or user, for tests of the rules that decide which events belong to one person.
struct IdentityEvent: Sendable {
    var name = "a"
    /// The time after ``IdentityStream/start``, in milliseconds.
    var time: Int64
    var installation: UInt64 = 1
    var user: String?
    var isSeparate = false
    var session: String?
    /// The IDs of an `_alias` event.
    var alias: (from: String, to: String)?
    /// The time of arrival, in milliseconds since 1970.
    var received = IdentityStream.start + 30 * IdentityStream.day
    /// Distinguishes independent groups of installations and users in one stream.
    var group = 0

    /// Creates an event.
    init(
        _ time: Int64,
        named name: String = "a",
        on installation: UInt64 = 1,
        user: String? = nil,
        isSeparate: Bool = false,
        session: String? = nil,
        group: Int = 0
    ) {
        (self.name, self.time, self.installation, self.user) = (name, time, installation, user)
        (self.isSeparate, self.session, self.group) = (isSeparate, session, group)
    }
}

/// Streams of events in any order of arrival.
enum IdentityStream {
    /// Midnight UTC.
    static let start: Int64 = 1_700_006_400_000
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour

    /// Returns a function that appends events in their order of arrival, each in its own record.
    static func filler(_ events: [IdentityEvent]) -> (InMemoryStream) -> Void {
        { fill($0, events) }
    }

    /// Appends events in their order of arrival, each in its own record.
    static func fill(_ stream: InMemoryStream, _ events: [IdentityEvent]) {
        for (index, event) in events.enumerated() { stream.append(record(event, UInt64(index + 1))) }
    }

    /// Returns a record with one event.
    static func record(_ event: IdentityEvent, _ number: UInt64) -> [UInt8] {
        var user: [String] = []
        if let id = event.user { user.append(#""id":"\#(id)""#) }
        if event.isSeparate { user.append(#""separate":true"#) }
        let session = event.session ?? "s\(event.time / hour)"
        var attributes = #""group":\#(event.group)"#
        if let (from, to) = event.alias { attributes += #","_alias_from":"\#(from)","_alias_to":"\#(to)""# }
        let lines = [
            #"{"received":\#(event.received),"key":"dev","encoding":"identity","rejected":[]}"#,
            #"{"batch":{"id":"b\#(number)","installation":"\#(SentBatch.installation(event.installation))","#
                + #""writer":"\#(SentBatch.id(0xAA_0000 + event.installation))","first":\#(number),"last":\#(number),"recorded":\#(number),"dropped":[],"skipped":[]}}"#,
            #"{"context":{"user":{\#(user.joined(separator: ","))},"session":{"id":"\#(session)"}}}"#,
            #"{"id":"\#(SentBatch.id(number))","name":"\#(event.name)","time":\#(start + event.time),"attributes":{\#(attributes)}}"#,
        ]
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Returns the user of each event, nil for visitors, by comparing it with every other event.
    static func owners(of events: [IdentityEvent]) -> [String?] {
        func signedIn(_ event: IdentityEvent) -> String? {
            event.user.flatMap { PlaceholderUserID.contains($0) ? nil : $0 }
        }
        let separate = Set(events.filter { $0.isSeparate && signedIn($0) == nil }.map(\.installation))
        return events.map { event in
            if let user = signedIn(event) { return user }
            guard !separate.contains(event.installation) else { return nil }
            let later = events.filter {
                signedIn($0) != nil && $0.installation == event.installation && $0.time >= event.time
            }
            func order(_ event: IdentityEvent) -> (Int64, Int64) {
                (event.time, TimeCursor.number(of: .user(event.user ?? "")))
            }
            return later.min { order($0) < order($1) }?.user
        }
    }

    /// Returns the number of people who have events.
    static func people(in events: [IdentityEvent]) -> Int {
        Set(zip(events, owners(of: events)).map { $1.map { "user \($0)" } ?? "visitor \($0.installation)" }).count
    }

    /// Returns random events on a few installations, some of them shared by users.
    static func random(seed: UInt64, events count: Int, isDistinct: Bool) -> [IdentityEvent] {
        var random = SeededNumberGenerator(seed: seed)
        let separate = UInt64(random.number(1...12))
        var times: Set<Int64> = []
        var events: [IdentityEvent] = []
        while events.count < count {
            // Some events are close together, and some are far apart.
            let time = Int64(random.number(0...3)) * day + Int64(random.number(0...random.number(1...90))) * 60_000
            let installation = UInt64(random.number(1...6))
            if isDistinct, !times.insert(time * 10 + Int64(installation)).inserted { continue }
            var user = random.oneIn(2) ? nil : "u\(random.number(1...3))"
            if random.oneIn(20) { user = ["null", "0", "Guest"][random.number(0...2)] }
            events.append(
                IdentityEvent(
                    time,
                    named: ["a", "b", "c"][random.number(0...2)],
                    on: installation,
                    user: user,
                    isSeparate: installation == separate && random.oneIn(4),
                    session: random.oneIn(3) ? "x\(random.number(1...4))" : nil
                )
            )
        }
        return events
    }
}
