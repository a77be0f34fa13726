// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// What the events of a block that had not arrived before add to devices and to names.
struct BlockSums {
    /// What a block adds to a device.
    struct Device {
        var first = Int64.max
        var last = Int64.min
        /// Who was signed in at the last event; of two of one millisecond the later one counts.
        var user = ""
        var events: UInt64 = 0
        var states: UInt64 = 0
    }

    /// Events of a name in a quarter of an hour.
    struct NameKey: Hashable {
        /// Bytes: two spellings of one letter are two names.
        let name: [UInt8]
        let quarter: Int64
    }

    /// What a block adds to a name.
    struct Name {
        var events: UInt64 = 0
        var first = Int64.max
        var last = Int64.min
        /// The place of the first of them.
        var place = Int64.max
    }

    private(set) var devices: [InstallationID: Device] = [:]
    private(set) var names: [NameKey: Name] = [:]

    /// The next event, in the order of arrival.
    mutating func add(_ event: BlockBuilder.Candidate) {
        let time = event.time.milliseconds
        let key = NameKey(name: Array(event.name.utf8), quarter: QuarterSQL.quarter(of: time))
        var name = names[key] ?? Name()
        name.events += 1
        name.first = min(name.first, time)
        name.last = max(name.last, time)
        name.place = min(name.place, event.position.rawValue)
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
    /// Writes what an event says of its device, if it is a snapshot.
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

    /// Writes sums of devices and of names.
    mutating func write(_ sums: BlockSums) {
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
                row.integer(name.place)
                // Counts that were made anew without whom was erased have a higher one.
                row.unsigned(0)
            }
        }
    }

    /// Writes what a context says of app and device.
    mutating func write(_ key: BlockBuilder.ContextKey, _ entry: ContextDescriptions.Entry) {
        let block = Int64(clamping: decision.block)
        add(.descriptions, key.installation) { row in
            row.id(key.installation)
            row.halves(key.hash.high, key.hash.low)
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
