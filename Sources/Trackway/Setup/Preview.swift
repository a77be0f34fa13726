// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayPlatform

/// The dependencies of an Xcode preview.
///
/// In a preview, the app runs without a user each time its code changes. All calls are accepted and ignored: events
/// stay in memory, within the limits for events that wait for a folder, and are discarded with the process. No file is
/// created, nothing is sent, and the system is not observed. Only the diagnostic `previewed` is reported.
extension Dependencies {
    /// Whether the environment variables indicate an Xcode preview.
    package static func isPreview(_ variable: (String) -> String?) -> Bool {
        variable("XCODE_RUNNING_FOR_PREVIEWS") == "1"
    }

    /// Returns the dependencies of a preview.
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
            storage: UnavailableStorage(),
            folder: "/preview",
            segmentBytes: 32_768,
            transport: DisabledTransport(),
            sleeper: TaskSleeper(),
            random: random,
            facts: ContextFacts(app: facts.attributes, device: [:], boot: "preview"),
            log: { log.report($0) },
            write: { StandardErrorLog.writeLine($0 + "\n") }
        )
        dependencies.isPreview = true
        // The storage is never available, as on a device that is never unlocked.
        dependencies.availability = StorageAvailability(isTemporary: { _ in true })
        return dependencies
    }
}

extension Analytics {
    /// An instance that records nothing and sends nothing.
    ///
    /// Use this instance in previews, in tests that do not check analytics, and in place of an instance that could not
    /// be created, so that calls need no optional chaining. Events are dropped with the reason `disabled`. The instance
    /// cannot be enabled, and uses no files and no network.
    public static let disabled: Analytics = {
        var configuration = Configuration(appID: "disabled", destinations: [.local("disabled")])
        configuration.isEnabled = false
        configuration.capture = []
        configuration.lifecycle.isObserved = false
        configuration.onDiagnostic = { _ in }
        do {
            return try Analytics(configuration, in: .inert(configuration))
        } catch {
            preconditionFailure("the configuration of an instance without files is valid: \(error)")
        }
    }()

    /// Creates an instance, or reports the error and returns ``disabled``.
    ///
    /// ```swift
    /// let analytics = Analytics.start(
    ///     Configuration(appID: "shopping", destinations: [.collector(url, writeKey: key)], consent: .granted)
    /// )
    /// ```
    /// Use this method if the app must start even without analytics; use ``init(_:)`` if the app handles the error. The
    /// error is reported as a `Diagnostic` with the code `not_started` to ``Configuration/onDiagnostic``, or on
    /// standard error.
    public static func start(_ configuration: Configuration) -> Analytics {
        do {
            return try Analytics(configuration)
        } catch {
            let reporter = DiagnosticReporter(
                configuration.onDiagnostic,
                log: { StandardErrorLog(clock: SystemClock()).report($0) }
            )
            reporter.report(
                Diagnostic(
                    code: .notStarted,
                    field: "configuration",
                    value: "\(error.code)",
                    message: "\(error.message) Nothing is recorded.",
                    recoverySuggestion: error.recoverySuggestion
                )
            )
            return .disabled
        }
    }
}

/// Storage in which every read and write fails.
private struct UnavailableStorage: JournalStorage {
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

/// A transport that sends nothing.
private struct DisabledTransport: Transport {
    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        throw TransportError(.offline, "this process is a preview, which sends nothing")
    }
}

extension Diagnostic {
    /// The diagnostic for a preview, reported once per `Analytics`.
    static let previewed = Diagnostic(
        code: .previewed,
        field: "XCODE_RUNNING_FOR_PREVIEWS",
        value: "1",
        message: "Xcode previews do not record or send events (XCODE_RUNNING_FOR_PREVIEWS is 1).",
        recoverySuggestion: "Run the app to see its events."
    )
}
