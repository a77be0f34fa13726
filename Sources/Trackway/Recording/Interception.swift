// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayJournal

/// Shows events to the app's interceptors, and counts what they drop. Any thread; no lock is held while one is called.
final class Interception: Sendable {
    /// What was told already, by the interceptors' places.
    private struct Told: Sendable {
        var drops: Set<Int> = []
        var slowness: Set<Int> = []
    }

    /// Longer than this nobody's recording should be held up.
    private static let longestMilliseconds: Int64 = 100

    /// Counts what is dropped; nil where the caller does.
    let counts: InterceptedCounts?
    private let interceptors: [Interceptor]
    private let clock: any EventClock
    private let reporter: DiagnosticReporter
    private let told = Locked(Told())

    init(
        _ interceptors: [Interceptor],
        counts: InterceptedCounts?,
        clock: any EventClock,
        reporter: DiagnosticReporter
    ) {
        self.interceptors = interceptors
        self.counts = counts
        self.clock = clock
        self.reporter = reporter
    }

    /// Whether there is anybody to show events to.
    var isEmpty: Bool { interceptors.isEmpty }

    /// Shows an event to the interceptors, in order, as far as such events are shown.
    ///
    /// - Parameter time: The time now, if the caller knows it; reading the clock takes as long as a short interceptor.
    /// - Returns: whether it is to be recorded.
    func keeps(_ event: inout InterceptedEvent, at time: MonotonicTime? = nil) -> Bool {
        guard isShown(event) else { return true }
        var began = time ?? clock.now().monotonic
        for index in interceptors.indices {
            let name = event.name
            let decision = CallbackScope.call(CallbackScope.ID(of: self, index)) {
                interceptors[index].intercept(&event)
            }
            guard let decision else { continue }
            // One interceptor ends when the next one begins.
            let ended = clock.now().monotonic
            let isSlow = ended.milliseconds &- began.milliseconds > Self.longestMilliseconds
            if isSlow { reportSlowness(of: index, began.duration(to: ended)) }
            guard decision == .keep else {
                counts?.add(interceptors[index].name)
                reportDrop(by: index, of: name)
                return false
            }
            let isRenamed = event.name != name
            if isRenamed { checkName(&event, former: name, interceptors[index]) }
            // Reports, which call the app, are no interceptor's time.
            began = isSlow || isRenamed ? clock.now().monotonic : ended
        }
        return true
    }

    /// What is said about people, things and the device are statements, not happenings; an erasing must reach everybody.
    private func isShown(_ event: InterceptedEvent) -> Bool {
        // Names of the app's own need no look into the list.
        guard event.name.utf8.first == UInt8(ascii: "_") else { return true }
        return event.name != CapturedName.installationErased
            && RecordSubject(name: event.name, attributes: event.attributes) == .happening
    }

    /// Gives an event its former name back if it cannot have the one it was given.
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
            suggestion = "Use another name, and do not rename events of the SDK."
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

    // MARK: Telling

    private func reportDrop(by index: Int, of name: String) {
        guard told.withLock({ $0.drops.insert(index).inserted }) else { return }
        reporter.report(
            Diagnostic(
                code: .intercepted,
                field: "interceptors.\(interceptors[index].name)",
                value: name,
                message: "The interceptor dropped the event \(name.quoted). This is reported once; the ledger counts "
                    + "all of them."
            )
        )
    }

    @inline(never)
    private func reportSlowness(of index: Int, _ time: Duration) {
        guard told.withLock({ $0.slowness.insert(index).inserted }) else { return }
        reporter.report(
            Diagnostic(
                code: .interceptorSlow,
                field: "interceptors.\(interceptors[index].name)",
                value: "\(time)",
                message: "The interceptor took \(time), for which the recording thread waited.",
                recoverySuggestion: "Look up what it needs beforehand, and do the work on another thread."
            )
        )
    }
}

/// How many events interceptors dropped, by their names, over all runs of the installation.
///
/// A dropped event is counted at once; the storage queue brings the count to the file `intercepted`, which the processes
/// of the installation share. A process that is killed takes at most the counts with it that were not written yet.
final class InterceptedCounts: Sendable {
    private struct State: Sendable {
        /// What was counted here and is not in the file yet.
        var unsaved: [String: UInt64] = [:]
        /// True while the storage queue is about to write.
        var isSaving = false
    }

    private struct Kept: Sendable, Codable {
        var version = 1
        var counts: [String: UInt64] = [:]
    }

    /// An app that names its interceptors by what it sees must not fill the disk with names.
    private static let maxNames = 256
    private static let others = "others"

    private let file: StateFile<Kept>
    private let queue: StorageQueue
    /// Taken by whoever reads or writes the file, before the lock below.
    private let access = Locked(())
    private let state = Locked(State())

    init(folder: String, storage: any JournalStorage, queue: StorageQueue) {
        file = StateFile("intercepted", in: folder, of: storage, format: .json)
        self.queue = queue
    }

    /// The counts of all processes, as far as they can be read now, and what was counted here since.
    var all: [String: UInt64] {
        access.withLock { _ in
            let kept = file.readable ?? Kept()
            return state.withLock { Self.sum(kept.counts, $0.unsaved) }
        }
    }

    /// Counts an event. Waits for no disk.
    func add(_ name: String) {
        let isFirst = state.withLock { state in
            state.unsaved = Self.sum(state.unsaved, [name: 1])
            defer { state.isSaving = true }
            return !state.isSaving
        }
        if isFirst { queue.order { [self] in save() } }
    }

    /// Forgets all counts.
    func forget() throws(StorageError) {
        try access.withLock { (_) throws(StorageError) in
            try file.remove()
            state.withLock { $0.unsaved = [:] }
        }
    }

    /// On the storage queue. What cannot be written now stays, and is written with the next count.
    private func save() {
        access.withLock { _ in
            let unsaved = state.withLock { state in
                state.isSaving = false
                return state.unsaved
            }
            do throws(StorageError) {
                let isOurs = try file.exclusively(.many) { () throws(StorageError) in
                    try file.write(Kept(counts: Self.sum((file.readable ?? Kept()).counts, unsaved)))
                }
                guard isOurs else { return }
            } catch {
                return  // The disk's trouble is told by the journal; the counts here are right.
            }
            state.withLock { state in
                for (name, count) in unsaved {
                    let left = (state.unsaved[name] ?? 0) - min(count, state.unsaved[name] ?? 0)
                    state.unsaved[name] = left > 0 ? left : nil
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
