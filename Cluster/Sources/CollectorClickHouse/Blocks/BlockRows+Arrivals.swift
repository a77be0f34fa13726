// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

// What a block says of arrivals: what was refused and admitted again, how much of whom came, and where it lies.
extension BlockRows {
    /// Writes what was refused, and what was done about it.
    ///
    /// - Parameter known: What is known from blocks before.
    mutating func write(_ refusals: BlockRefusals, known: KnownRows) {
        for step in refusals.steps {
            if let installation = step.installation, known.erased.contains(installation) { continue }
            if let (account, number) = step.sequence, known.refused[account]?.contains(number...number) ?? false {
                continue
            }
            write(step)
        }
    }

    private mutating func write(_ step: BlockRefusals.Step) {
        let failure = step.failure
        add(.failures, step.installation) { [block] row in
            row.integer(failure.position.rawValue)
            row.integer(block)
            row.integer(step.number)
            row.byte(step.kind.rawValue)
            row.id(step.installation)
            row.integer(failure.received.milliseconds)
            row.string(failure.key)
            row.string(failure.code)
            row.string(failure.field)
            row.string(failure.message)
            row.string(failure.content)
            row.unsigned(UInt64(clamping: failure.totalBytes))
            row.optional(failure.name)
            row.optional(failure.version)
        }
    }

    /// Writes how an event was admitted again.
    mutating func writeReplay(_ candidate: BlockBuilder.Candidate) {
        guard let replayed = candidate.replayed else { return }
        add(.replays, candidate.installation) { [block] row in
            row.integer(candidate.position.rawValue)
            row.integer(block)
            row.id(candidate.installation)
            row.integer(replayed.from.rawValue)
            row.integer(replayed.at.milliseconds)
            row.string(replayed.key)
        }
    }

    /// Writes how much of whom came, and where it lies.
    mutating func write(_ sums: ArrivalSums, damaged: UInt64) {
        for (installation, count) in sums.counts {
            // Whoever is erased leaves these numbers, and nothing else.
            add(.counts, nil) { [block] row in
                row.id(installation)
                row.integer(block)
                row.unsigned(count.events)
                row.unsigned(count.repeats)
                row.unsigned(count.refused)
                row.unsigned(installation == nil ? damaged : 0)
            }
        }
        for (key, place) in sums.places {
            add(.places, key.installation) { [block] row in
                row.byte(key.kind.rawValue)
                row.string(key.whose)
                row.id(key.installation)
                row.integer(block)
                row.integer(place.first.rawValue)
                row.integer(place.last.rawValue)
                row.unsigned(place.events)
                row.integer(place.earliest.milliseconds)
                row.integer(place.latest.milliseconds)
                row.integer(place.arrived.milliseconds)
            }
        }
    }
}

extension RowBinary {
    /// A text that may be absent: behind a mark, or nothing at all.
    fileprivate mutating func optional(_ text: String?) {
        string(text.map { QuestionValue.text(Array($0.utf8)).columnBytes } ?? [])
    }
}
