// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayLifecycle

/// Shows events to the app's interceptors and counts dropped events.
///
/// Safe from any thread. No lock is held while an interceptor runs.
final class InterceptorRunner: Sendable {
    /// The problems already reported, by interceptor index.
    private struct Reported: Sendable {
        var drops: Set<Int> = []
        var slowness: Set<Int> = []
    }

    /// The duration above which an interceptor is reported as slow.
    private static let slowThresholdMilliseconds: Int64 = 100

    /// The counts of dropped events; nil if the caller counts them.
    let counts: InterceptedCounts?
    private let interceptors: [Interceptor]
    /// Whether an interceptor sees events about people.
    private let seesPeople: Bool
    private let clock: any EventClock
    private let reporter: DiagnosticReporter
    private let reported = Locked(Reported())

    init(
        _ interceptors: [Interceptor],
        counts: InterceptedCounts?,
        clock: any EventClock,
        reporter: DiagnosticReporter
    ) {
        self.interceptors = interceptors
        seesPeople = interceptors.contains(where: \.seesPeople)
        self.counts = counts
        self.clock = clock
        self.reporter = reporter
    }

    /// Whether the app has no interceptors.
    var isEmpty: Bool { interceptors.isEmpty }

    /// Shows an event to the interceptors, in order, unless its kind is exempt.
    ///
    /// - Parameter time: The current time, if the caller knows it. Reading the clock takes as long as a short
    ///   interceptor.
    /// - Returns: Whether to record the event.
    func shouldKeep(_ event: inout InterceptedEvent, at time: MonotonicTime? = nil) -> Bool {
        let isIntercepted = isIntercepted(event)
        guard isIntercepted || seesPeople else { return true }
        var began = time ?? clock.monotonicTime()
        for index in interceptors.indices where isIntercepted || interceptors[index].seesPeople {
            let name = event.name
            let decision = CallbackScope.call(CallbackScope.ID(of: self, index)) {
                interceptors[index].intercept(&event)
            }
            guard let decision else { continue }
            // The end of one interceptor is the start of the next one.
            let ended = clock.monotonicTime()
            let isSlow = ended.milliseconds &- began.milliseconds > Self.slowThresholdMilliseconds
            if isSlow { reportSlowness(of: index, began.duration(to: ended)) }
            guard decision == .keep else {
                counts?.add(interceptors[index].name)
                reportDrop(by: index, of: name)
                return false
            }
            let isRenamed = event.name != name
            if isRenamed { checkName(&event, former: name, interceptors[index]) }
            // Exclude the time spent on reports, which run the app's code.
            began = isSlow || isRenamed ? clock.monotonicTime() : ended
        }
        return true
    }

    /// Whether the app's interceptors see an event of this kind.
    ///
    /// False for events about people, items or the device, and for erasures, which must reach every destination.
    private func isIntercepted(_ event: InterceptedEvent) -> Bool {
        // Only names that begin with `_` need the lookup; the app's own names do not.
        guard event.name.utf8.first == UInt8(ascii: "_") else { return true }
        return event.name != CapturedName.installationErased
            && RecordSubject(name: event.name, attributes: event.attributes) == .event
    }

    /// Restores an event's former name if the new name is not allowed.
    private func checkName(_ event: inout InterceptedEvent, former: String, _ interceptor: Interceptor) {
        let fault: String
        let suggestion: String
        if event.name.isEmpty {
            fault = "The new name of the event is empty."
            suggestion = "Give the event a name, or drop it."
        } else if event.name.hasPrefix("_") || former.hasPrefix("_") {
            fault =
                "The event \(former.quoted) cannot be renamed to \(event.name.quoted) because names that begin "
                + "with _ are reserved."
            suggestion = "Use another name, and do not rename the SDK's events."
        } else {
            return
        }
        reporter.report(
            Diagnostic(
                code: .interceptorNameRefused,
                field: "interceptors.\(interceptor.name)",
                value: event.name,
                message: "\(fault) The event was kept as \"\(former)\".",
                recoverySuggestion: suggestion
            )
        )
        event.name = former
    }

    // MARK: Reporting

    private func reportDrop(by index: Int, of name: String) {
        guard reported.withLock({ $0.drops.insert(index).inserted }) else { return }
        reporter.report(
            Diagnostic(
                code: .intercepted,
                field: "interceptors.\(interceptors[index].name)",
                value: name,
                message: "The interceptor dropped the event \(name.quoted). This is reported once; the ledger counts "
                    + "every dropped event."
            )
        )
    }

    @inline(never)
    private func reportSlowness(of index: Int, _ time: Duration) {
        guard reported.withLock({ $0.slowness.insert(index).inserted }) else { return }
        reporter.report(
            Diagnostic(
                code: .interceptorSlow,
                field: "interceptors.\(interceptors[index].name)",
                value: "\(time)",
                message: "The interceptor delayed the recording thread by \(time).",
                recoverySuggestion: "Prepare the data in advance, and do the work on another thread."
            )
        )
    }
}

/// The numbers of events that interceptors dropped, by interceptor name.
///
/// The counts cover all runs of the installation. A dropped event is counted immediately. The storage queue then adds
/// the count to the file `intercepted`, which the installation's processes share. If a process is killed, only the
/// counts that have not been written yet are lost.
final class InterceptedCounts: Sendable {
    private struct State: Sendable {
        /// Counts of this process that are not in the file yet.
        var unsaved: [String: UInt64] = [:]
        /// Whether a write is queued.
        var isSaving = false
    }

    private struct FileContent: Sendable, Codable {
        var version = 1
        var counts: [String: UInt64] = [:]
    }

    /// The maximum number of counted interceptor names.
    ///
    /// An app that derives names from its data must not fill the disk with names.
    private static let maxNames = 256
    private static let others = "others"

    private let file: StateFile<FileContent>
    private let queue: StorageQueue
    /// Held while the file is read or written.
    ///
    /// Acquired before the lock that protects the unsaved counts.
    private let access = Locked(())
    private let state = Locked(State())

    init(folder: String, storage: any JournalStorage, queue: StorageQueue) {
        file = StateFile("intercepted", in: folder, of: storage, format: .json)
        self.queue = queue
    }

    /// The counts of all processes, including this process's unsaved counts.
    ///
    /// Counts that currently cannot be read are not included.
    var all: [String: UInt64] {
        access.withLock { _ in
            let stored = file.storedValue ?? FileContent()
            return state.withLock { Self.sum(stored.counts, $0.unsaved) }
        }
    }

    /// Counts a dropped event.
    ///
    /// Does not wait for the disk.
    func add(_ name: String) {
        let isFirst = state.withLock { state in
            state.unsaved = Self.sum(state.unsaved, [name: 1])
            defer { state.isSaving = true }
            return !state.isSaving
        }
        if isFirst { queue.enqueue { [self] in save() } }
    }

    /// Removes all counts.
    func forget() throws(StorageError) {
        try access.withLock { (_) throws(StorageError) in
            try file.remove()
            state.withLock { $0.unsaved = [:] }
        }
    }

    /// Writes the unsaved counts.
    ///
    /// Runs on the storage queue. Counts that currently cannot be written are written with the next ones.
    private func save() {
        access.withLock { _ in
            let unsaved = state.withLock { state in
                state.isSaving = false
                return state.unsaved
            }
            do throws(StorageError) {
                let hasLock = try file.exclusively(.many) { () throws(StorageError) in
                    try file.write(FileContent(counts: Self.sum((file.storedValue ?? FileContent()).counts, unsaved)))
                }
                guard hasLock else { return }
            } catch {
                return  // The journal reports disk errors; the counts in memory are correct.
            }
            state.withLock { state in
                for (name, count) in unsaved {
                    let remaining = (state.unsaved[name] ?? 0) - min(count, state.unsaved[name] ?? 0)
                    state.unsaved[name] = remaining > 0 ? remaining : nil
                }
            }
        }
    }

    private static func sum(_ one: [String: UInt64], _ other: [String: UInt64]) -> [String: UInt64] {
        var sum = one
        for (name, count) in other {
            let name = sum[name] != nil || sum.count < maxNames ? name : others
            sum[name] = (sum[name] ?? 0).addingReportingOverflow(count).partialValue
        }
        return sum
    }
}
