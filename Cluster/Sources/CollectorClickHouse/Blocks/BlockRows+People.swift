// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Sums of a block's new events by person, installation, and session.
struct PersonAggregates {
    /// The person, installation, and session that events belong to.
    ///
    /// An empty user means the installation's visitor.
    struct Key: Hashable {
        let user: ByteText
        let installation: InstallationID?
        let session: ByteText
    }

    /// The sums for one key.
    struct Sum {
        var first = Int64.max
        var last = Int64.min
        var events: UInt64 = 0
    }

    private(set) var sums: [Key: Sum] = [:]

    /// Adds the next event, in order of arrival.
    ///
    /// Skips events that have neither a user nor an installation.
    mutating func add(_ event: BlockBuilder.Candidate) {
        guard event.hasPerson else { return }
        let key = Key(
            user: ByteText(event.user),
            installation: event.installation,
            session: ByteText(event.session)
        )
        let time = event.time.milliseconds
        var sum = sums[key] ?? Sum()
        sum.first = min(sum.first, time)
        sum.last = max(sum.last, time)
        sum.events += 1
        sums[key] = sum
    }
}

extension BlockBuilder.Candidate {
    /// Whether the event has a user or an installation.
    fileprivate var hasPerson: Bool { !user.isEmpty || installation != nil }
}

extension PersonAggregates.Key {
    /// The person's number, which orders people who were last seen at the same time.
    fileprivate var number: Int64 {
        guard user.text.isEmpty, let installation else { return TimeCursor.number(of: .user(user.text)) }
        return TimeCursor.number(of: .visitor(installation))
    }
}

extension BlockRows {
    /// Writes the rows that a new event adds to its person or session.
    mutating func writePersonRows(of event: BlockBuilder.Candidate) {
        let block = Int64(clamping: decision.block)
        if event.hasPerson {
            add(.timeline, event.installation) { row in
                row.string(event.user)
                row.id(event.user.isEmpty ? event.installation : nil)
                row.integer(event.time.milliseconds)
                row.integer(event.position.rawValue)
                row.integer(block)
                row.id(event.installation)
            }
        }
        switch event.captured {
        case .usage(let usage)?:
            add(.usage, event.installation) { row in
                row.id(event.installation)
                row.string(event.session)
                row.integer(event.position.rawValue)
                row.integer(block)
                row.byte(usage.kind)
                row.integer(event.time.milliseconds)
                row.string(usage.name)
                row.string(usage.detail)
                row.string(usage.more)
                row.integer(usage.number)
                row.byte(usage.flags)
            }
        case .person(let kind, let attributes)? where event.hasPerson:
            add(.traits, event.installation) { row in
                row.string(event.user)
                row.id(event.installation)
                row.integer(event.traitsPosition.record)
                row.short(event.traitsPosition.part)
                row.integer(block)
                row.string(kind.rawValue)
                row.integer(event.time.milliseconds)
                row.missingID()
                row.string(attributes)
            }
        case .person?, nil: break
        }
    }

    /// Writes the user traits in a context.
    mutating func write(_ record: UserTraitsRecord) {
        let block = Int64(clamping: decision.block)
        add(.traits, record.installation) { row in
            row.string(record.user)
            row.id(record.installation)
            row.integer(record.position.record)
            row.short(record.position.part)
            row.integer(block)
            row.string(UserTraitsRecord.kind)
            row.integer(0)
            row.idHalves(record.context.high, record.context.low)
            row.string(record.content)
        }
    }

    /// Writes the sums of people and of their sessions.
    mutating func write(_ people: PersonAggregates) {
        let block = Int64(clamping: decision.block)
        for (key, sum) in people.sums {
            add(.people, key.installation) { row in
                row.string(key.user.text)
                row.id(key.installation)
                row.string(key.session.text)
                row.integer(block)
                row.integer(sum.first)
                row.integer(sum.last)
                row.unsigned(sum.events)
                row.integer(key.number)
            }
            add(.visits, key.installation) { row in
                row.id(key.installation)
                row.string(key.session.text)
                row.string(key.user.text)
                row.integer(block)
                row.integer(sum.first)
                row.integer(sum.last)
                row.unsigned(sum.events)
            }
        }
    }
}
