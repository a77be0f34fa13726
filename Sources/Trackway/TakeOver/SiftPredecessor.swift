// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
package import TrackwayPlatform

extension LegacySDK {
    /// The Sift SDK, with archives in a folder in the caches.
    ///
    /// Its pending events are only counted: they have no ids, and the same event may be in two of its files.
    package static func sift(in given: LegacyStorageLocation? = nil) -> LegacySDK {
        let place = given ?? .system()
        return LegacySDK(
            name: "Sift",
            destination: "sift",
            in: given,
            state: { limits throws(StorageError) in
                SiftState.state(of: try SiftArchives(from: place), limits)
            },
            waiting: { () throws(StorageError) in
                SiftState.waiting(in: try SiftArchives(from: place))
            }
        )
    }
}

/// The files of the Sift SDK.
struct SiftArchives: Sendable, Hashable {
    /// Account, key and user.
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
    init(from place: LegacyStorageLocation) throws(StorageError) {
        let root = place.caches + "/sift-v0_0_1"
        keys = try place.contents(of: root + "/sift")
        uploader = try place.contents(of: root + "/uploader")
        for name in try place.storage.names(in: root + "/queues") {
            queues[name] = try place.contents(of: "\(root)/queues/\(name)")
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
        for (name, bytes) in files.queues.sorted(by: { $0.key < $1.key }) {
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
    static func waiting(in files: SiftArchives) -> LegacyEvents {
        // Only counts are needed; no text is read, so the limits do not matter.
        var values = LegacyValueReader(EventLimits())
        var count = 0
        for (name, bytes) in files.queues.sorted(by: { $0.key < $1.key }) {
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
            notTakenOver: "waiting events",
            file,
            "The pending events in \(file.quoted) were not migrated because it is not a readable archive. Their "
                + "number is unknown, and the file stays as it is."
        )
    }
}
