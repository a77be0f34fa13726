// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The paths in an installation's folder.
struct JournalFolder: Sendable, Equatable {
    let root: String

    init(_ root: String) {
        var root = root
        while root.count > 1, root.hasSuffix("/") { root.removeLast() }
        self.root = root
    }

    var installation: String { root + "/installation" }
    /// The file of erasures that some destinations may not know about.
    var erased: String { root + "/erased" }
    var deliverLock: String { root + "/deliver.lock" }
    var settled: String { root + "/settled" }
    var deadLetters: String { root + "/set-aside" }
    var writers: String { root + "/writers" }
    /// The file that a process writes to request immediate delivery by the delivering process.
    var deliveryRequest: String { root + "/" + Self.deliveryRequest }

    func writer(_ id: WriterID) -> String { writers + "/" + id.description }
    func aliveLock(_ id: WriterID) -> String { writer(id) + Self.aliveLock }
    func cursor(_ id: WriterID, _ destination: DestinationID) -> String {
        writer(id) + "/" + Self.cursorPrefix + destination.rawValue
    }

    /// The lock in a writer's folder that is held while the writer is alive.
    static let aliveLock = "/alive.lock"
    static let cursorPrefix = "cursor."
    static let deliveryRequest = "nudge"
}
