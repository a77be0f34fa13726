// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal
package import TrackwayPlatform

extension Predecessor {
    /// The Sift SDK: archives in a folder among what can be had again. What it has not sent is counted only: its events have no ids, and
    /// the same ones may lie in two of its files.
    package static func sift(in given: ForeignPlace? = nil) -> Predecessor {
        let place = given ?? .system()
        return Predecessor(
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
    /// Events that wait in queues, by the queues' names.
    var queues: [String: [UInt8]] = [:]
    /// Events that wait in batches.
    var uploader: [UInt8]?

    init(keys: [UInt8]? = nil, queues: [String: [UInt8]] = [:], uploader: [UInt8]? = nil) {
        self.keys = keys
        self.queues = queues
        self.uploader = uploader
    }

    /// Reads them.
    init(from place: ForeignPlace) throws(StorageError) {
        let root = place.caches + "/sift-v0_0_1"
        keys = try place.contents(of: root + "/sift")
        uploader = try place.contents(of: root + "/uploader")
        for name in try place.storage.names(in: root + "/queues") {
            queues[name] = try place.contents(of: "\(root)/queues/\(name)")
        }
    }
}

/// What the Sift SDK keeps.
enum SiftState {
    /// Who was signed in, and the id of the device for its vendor's apps, which each event carries.
    static func state(of files: SiftArchives, _ limits: EventLimits) -> FormerState {
        var values = FormerValues(limits)
        var state = FormerState()
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

    /// How many events wait.
    static func waiting(in files: SiftArchives) -> FormerEvents {
        // Their sizes count; no text of theirs is looked at.
        var values = FormerValues(EventLimits())
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
