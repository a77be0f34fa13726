// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

// Rows about arrivals: rejections, replays, counts per installation, and position ranges.
extension BlockRows {
    /// Writes rejections and changes to earlier rejections.
    ///
    /// - Parameter known: What is known from earlier blocks.
    mutating func write(_ refusals: RejectionLog, known: KnownRows) {
        for step in refusals.steps {
            if let installation = step.installation, known.erased.contains(installation) { continue }
            if let (account, number) = step.sequence, known.refused[account]?.contains(number...number) ?? false {
                continue
            }
            write(step)
        }
    }

    private mutating func write(_ step: RejectionLog.Step) {
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

    /// Writes the replay that admitted an event, if there was one.
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

    /// Writes per-installation counts and position ranges.
    mutating func write(_ sums: PlaceAggregates, damaged: UInt64) {
        for (installation, count) in sums.counts {
            // These counts and the erasure itself are all that remains of an erased installation.
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
    /// Appends a string with its type mark, or an empty value for nil.
    fileprivate mutating func optional(_ text: String?) {
        string(text.map { QueryValue.text(Array($0.utf8)).columnBytes } ?? [])
    }
}
