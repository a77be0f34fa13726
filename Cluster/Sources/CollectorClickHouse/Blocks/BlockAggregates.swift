// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Sums of a block's new events by device and by event name.
struct BlockAggregates {
    /// The sums that a block adds to a device.
    struct Device {
        var first = Int64.max
        var last = Int64.min
        /// The signed-in user at the last event.
        ///
        /// If two events have the same time, the one that arrived later determines the user.
        var user = ""
        var events: UInt64 = 0
        var states: UInt64 = 0
    }

    /// The key of a sum: an event name and a quarter hour.
    struct NameKey: Hashable {
        /// The name as UTF-8 bytes.
        ///
        /// Strings that encode the same letter differently compare equal, but they are different names.
        let name: [UInt8]
        let quarter: Int64
    }

    /// The sums that a block adds to an event name.
    struct Name {
        var events: UInt64 = 0
        var first = Int64.max
        var last = Int64.min
        /// The position of the first event with the name.
        var firstPosition = Int64.max
    }

    private(set) var devices: [InstallationID: Device] = [:]
    private(set) var names: [NameKey: Name] = [:]

    /// Adds the next event, in order of arrival.
    mutating func add(_ event: BlockBuilder.Candidate) {
        let time = event.time.milliseconds
        let key = NameKey(name: Array(event.name.utf8), quarter: QuarterSQL.quarter(of: time))
        var name = names[key] ?? Name()
        name.events += 1
        name.first = min(name.first, time)
        name.last = max(name.last, time)
        name.firstPosition = min(name.firstPosition, event.position.rawValue)
        names[key] = name
        guard let installation = event.installation else { return }
        var device = devices[installation] ?? Device()
        device.events += 1
        device.first = min(device.first, time)
        if time >= device.last {
            device.last = time
            device.user = event.user
        }
        if event.snapshot?.kind == .state { device.states += 1 }
        devices[installation] = device
    }
}

extension BlockRows {
    /// Writes the event's device data, if the event is a snapshot.
    mutating func writeSnapshot(of candidate: BlockBuilder.Candidate) {
        guard let snapshot = candidate.snapshot else { return }
        let block = Int64(clamping: decision.block)
        add(.snapshots, candidate.installation) { row in
            row.id(candidate.installation)
            row.byte(snapshot.kind.rawValue)
            row.integer(candidate.time.milliseconds)
            row.integer(candidate.position.rawValue)
            row.integer(block)
            row.string(snapshot.screen)
            row.string(snapshot.body)
        }
    }

    /// Writes the sums of devices and names.
    mutating func write(_ sums: BlockAggregates) {
        let block = Int64(clamping: decision.block)
        for (installation, device) in sums.devices {
            add(.devices, installation) { row in
                row.id(installation)
                row.integer(block)
                row.integer(device.first)
                row.integer(device.last)
                row.string(device.user)
                row.unsigned(device.events)
                row.unsigned(device.states)
            }
        }
        for (key, name) in sums.names {
            add(.names, nil) { row in
                row.string(key.name)
                row.integer(key.quarter)
                row.integer(block)
                row.unsigned(name.events)
                row.integer(name.first)
                row.integer(name.last)
                row.integer(name.firstPosition)
                // The row's version. Counts that were recomputed without erased installations have a higher version.
                row.unsigned(0)
            }
        }
    }

    /// Writes the app and device facts from a context.
    mutating func write(_ key: BlockBuilder.ContextKey, _ entry: ContextDescriptions.Entry) {
        let block = Int64(clamping: decision.block)
        add(.descriptions, key.installation) { row in
            row.id(key.installation)
            row.idHalves(key.hash.high, key.hash.low)
            row.integer(block)
            row.short(entry.number)
            row.string(entry.facts.app ?? "")
            row.string(entry.facts.version ?? "")
            row.string(entry.facts.model ?? "")
            row.string(entry.facts.system ?? "")
            row.string(entry.release)
        }
    }
}
