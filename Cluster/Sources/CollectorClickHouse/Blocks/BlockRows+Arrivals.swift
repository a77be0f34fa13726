// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

// Rows about arrivals: rejections, replays, counts per installation, and position ranges.
extension BlockRows {
    /// Writes rejections and changes to earlier rejections.
    ///
    /// - Parameter known: The relevant contents of earlier blocks.
    mutating func write(_ rejections: RejectionLog, known: KnownRows) {
        for step in rejections.steps {
            if let installation = step.installation, known.erased.contains(installation) { continue }
            if let (account, number) = step.sequence, known.rejected[account]?.contains(number...number) ?? false {
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
        for (key, extent) in sums.extents {
            add(.places, key.installation) { [block] row in
                row.byte(key.kind.rawValue)
                row.string(key.owner)
                row.id(key.installation)
                row.integer(block)
                row.integer(extent.first.rawValue)
                row.integer(extent.last.rawValue)
                row.unsigned(extent.events)
                row.integer(extent.earliest.milliseconds)
                row.integer(extent.latest.milliseconds)
                row.integer(extent.arrived.milliseconds)
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
