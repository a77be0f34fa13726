// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayPlatform
internal import TrackwayWire

/// A process that shows a preview of views in Xcode: an app runs there that nobody uses, as often as its code is changed.
///
/// Every call is taken as ever, and nothing comes of it: events wait in memory, within the bounds of those that wait for a folder,
/// and go with the process. No file is made, nothing is sent, and nothing of the system is followed; of all diagnostics only
/// `previewed` is told.
extension Dependencies {
    /// Whether the process shows a preview, by its environment.
    package static func isPreview(_ variable: (String) -> String?) -> Bool {
        variable("XCODE_RUNNING_FOR_PREVIEWS") == "1"
    }

    /// What stands for the system in a preview.
    static func preview(
        _ configuration: Configuration,
        clock: any EventClock,
        random: any RandomNumberGenerator & Sendable,
        log: StandardErrorLog
    ) -> Dependencies {
        var facts = AppFacts.read(id: configuration.appID, version: configuration.appVersion)
        facts.build = configuration.appBuild ?? facts.build
        var dependencies = Dependencies(
            clock: clock,
            ids: EventIDGenerator(),
            storage: ClosedStorage(),
            folder: "/preview",
            segmentBytes: 32_768,
            transport: ClosedTransport(),
            sleeper: TaskSleeper(),
            random: random,
            facts: ContextFacts(app: facts.attributes, device: [:], boot: "preview"),
            log: { log.report($0) },
            write: { StandardErrorLog.writeLine($0 + "\n") }
        )
        dependencies.isPreview = true
        // As before the first unlocking of a device, which never comes.
        dependencies.availability = StorageAvailability(isTemporary: { _ in true })
        return dependencies
    }
}

/// A disk that nothing is read from and nothing is written to.
private struct ClosedStorage: JournalStorage {
    private func closed(_ operation: String, _ path: String) -> StorageError {
        StorageError(.denied, operation: operation, path: path)
    }

    func makeFolder(_ path: String) throws(StorageError) { throw closed("makeFolder", path) }
    func names(in folder: String) throws(StorageError) -> [String] { throw closed("names", folder) }
    func contents(of path: String) throws(StorageError) -> [UInt8]? { throw closed("contents", path) }
    func size(of path: String) throws(StorageError) -> Int? { throw closed("size", path) }
    func read(_ path: String, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) -> Int? {
        throw closed("read", path)
    }
    func replace(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) {
        throw closed("replace", path)
    }
    func overwrite(_ path: String, with bytes: [UInt8]) throws(StorageError) { throw closed("overwrite", path) }
    func create(_ path: String, with bytes: [UInt8], durably: Bool) throws(StorageError) -> Bool {
        throw closed("create", path)
    }
    func rename(_ path: String, to other: String) throws(StorageError) { throw closed("rename", path) }
    func remove(_ path: String) throws(StorageError) { throw closed("remove", path) }
    func removeFolder(_ path: String) throws(StorageError) { throw closed("removeFolder", path) }
    func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
        throw closed("makeSegment", path)
    }
    func lock(_ path: String) throws(StorageError) -> (any StorageLock)? { throw closed("lock", path) }
    func synchronize(_ path: String) throws(StorageError) { throw closed("synchronize", path) }
    func synchronizeFolder(_ path: String) throws(StorageError) { throw closed("synchronizeFolder", path) }
    func freeBytes(at path: String) -> Int? { nil }
}

/// A network that nothing goes over.
private struct ClosedTransport: Transport {
    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        throw TransportError(.offline, "this process shows a preview, which sends nothing")
    }
}

extension Diagnostic {
    /// Told once for each `Analytics`.
    static let previewed = Diagnostic(
        code: .previewed,
        field: "XCODE_RUNNING_FOR_PREVIEWS",
        value: "1",
        remedy: "Nothing is to be done: a preview records nothing and sends nothing; run the app to see its events."
    )
}

extension Diagnostic.Code {
    /// The process shows a preview in Xcode: calls are taken, nothing is written, and nothing is sent.
    public static let previewed = Diagnostic.Code(rawValue: "previewed")
}
