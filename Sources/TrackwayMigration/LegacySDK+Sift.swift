// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

extension LegacySDK {
    /// The Sift SDK, which stores archives in the caches directory.
    ///
    /// The archives are in one folder. The SDK's pending events are only counted: they have no ids, and the same event
    /// may be in two files.
    package static func sift(in location: LegacyStorageLocation? = nil) -> LegacySDK {
        let location = location ?? .system()
        return LegacySDK(
            name: "Sift",
            destination: "sift",
            in: location,
            state: { limits throws(StorageError) in
                SiftState.state(of: try SiftArchives(from: location), limits)
            },
            pendingEvents: { () throws(StorageError) in
                SiftState.pendingEvents(in: try SiftArchives(from: location))
            }
        )
    }
}

/// The files of the Sift SDK.
struct SiftArchives: Sendable, Hashable {
    /// The account, key and user.
    var keys: [UInt8]?
    /// Pending events in queues, by queue name.
    var queues: [String: [UInt8]] = [:]
    /// Pending events in batches.
    var uploader: [UInt8]?

    init(keys: [UInt8]? = nil, queues: [String: [UInt8]] = [:], uploader: [UInt8]? = nil) {
        self.keys = keys
        self.queues = queues
        self.uploader = uploader
    }

    /// Reads the files.
    init(from location: LegacyStorageLocation) throws(StorageError) {
        let root = location.caches + "/sift-v0_0_1"
        keys = try location.contents(of: root + "/sift")
        uploader = try location.contents(of: root + "/uploader")
        for name in try location.storage.names(in: root + "/queues") {
            queues[name] = try location.contents(of: "\(root)/queues/\(name)")
        }
    }
}

/// The state of the Sift SDK.
enum SiftState {
    /// Returns the signed-in user, and the device's vendor id, which each event contains.
    static func state(of files: SiftArchives, _ limits: EventLimits) -> LegacyState {
        var values = LegacyValueReader(limits)
        var state = LegacyState()
        if let keys = files.keys {
            let members = values.members(values.archived(keys, "sift"), "sift")
            state.person.user = values.id(members["userId"], "userId")
            if let user = state.person.user {
                state.person.known = [KnownUser(user: user, uniqueID: nil, firstTouch: nil)]
            }
        }
        for (name, bytes) in files.queues.ordered(by: { $0.key < $1.key }) {
            let queue = values.members(values.archived(bytes, "queues/\(name)"), "queues/\(name)")
            let events = [queue["lastEvent"]].compactMap { $0 } + (queue["queue"]?.array ?? [])
            for event in events where event[KeyedArchive.className]?.string == "SiftEvent" && state.vendorID == nil {
                state.vendorID = values.id(event["installationId"], "queues/\(name).installationId")
            }
        }
        state.problems = values.problems
        return state
    }

    /// Returns the number of pending events.
    static func pendingEvents(in files: SiftArchives) -> LegacyEvents {
        // Only counts are needed; no text is read, so the limits have no effect.
        var values = LegacyValueReader(EventLimits())
        var count = 0
        for (name, bytes) in files.queues.ordered(by: { $0.key < $1.key }) {
            guard let events = values.archived(bytes, "queues/\(name)")?["queue"]?.array else {
                return .unknown(unknown("queues/\(name)"))
            }
            count += events.count
        }
        if let uploader = files.uploader {
            guard let batches = values.archived(uploader, "uploader")?["batches"]?.array else {
                return .unknown(unknown("uploader"))
            }
            count += batches.reduce(0) { $0 + ($1.array?.count ?? 0) }
        }
        return .counted(count)
    }

    private static func unknown(_ file: String) -> Diagnostic {
        Diagnostic(
            notMigrated: "pending events",
            file,
            "The pending events in \(file.quoted) were not migrated because it is not a readable archive. Their "
                + "number is unknown, and the file is left unchanged."
        )
    }
}
