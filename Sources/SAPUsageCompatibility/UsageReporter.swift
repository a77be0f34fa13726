// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
internal import TrackwayCore

/// Reports usage records for one target.
///
/// ``Usage`` returns one reporter for each target, and an app may register an instance of its own subclass:
///
/// ```swift
/// final class Stamped: UsageReporter {
///     override func report(_ event: UsageRecord.Event, date: Date, info: [String: Any]) {
///         super.report(event, date: date, info: info.merging(["build": 381]) { own, _ in own })
///     }
/// }
/// Usage.shared.register(reporter: Stamped(), for: "myTarget")
/// ```
/// Thread-safe. A reporter is valid only after `configure`, and until it is unregistered or replaced. Otherwise, its
/// reports cause a `Diagnostic` and are counted in ``Usage/droppedReports``.
open class UsageReporter {
    private enum Registration: Sendable {
        case unregistered
        case registered(String)
        case invalid(String)
    }

    private struct State: Sendable {
        var isEnabled = true
        var registration = Registration.unregistered
        weak var core: UsageCore?
    }

    private let state = Locked(State())

    /// Creates a reporter, which can report after it is registered.
    public init() {}

    /// Whether the reporter reports; true by default.
    ///
    /// While false, calls are ignored and not counted.
    public final var enabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// Reports a record by calling ``report(_:date:info:)``.
    public final func report(_ record: UsageRecord) {
        report(record.event, date: record.date, info: record.info)
    }

    /// Reports an event.
    ///
    /// When this method returns, the event is stored and survives termination of the process, unless it was dropped;
    /// see ``Usage/droppedReports``.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - date: the time of the event; now by default.
    ///   - info: additional information: strings, finite numbers, Booleans, `NSNull`, and arrays and dictionaries of
    ///     these. Any other value is omitted with a `Diagnostic`.
    open func report(_ event: UsageRecord.Event, date: Date = Usage.now, info: UsageInfo = [:]) {
        let state = state.withLock { $0 }
        guard state.isEnabled else { return }
        switch (state.registration, state.core) {
        case (.registered(let target), let core?):
            core.report(UsageRecord(event, date: date, info: info), for: target)
        case (.registered, nil):
            reject(event, "its Usage instance was replaced", Usage.shared.core)
        case (.invalid(let reason), let core):
            reject(event, reason, core ?? Usage.shared.core)
        case (.unregistered, _):
            reject(event, "it was never registered, or was requested before configure(with:)", Usage.shared.core)
        }
    }

    private func reject(_ event: UsageRecord.Event, _ reason: String, _ core: UsageCore) {
        core.count(.usageReporterInvalid)
        core.environment.report(
            Diagnostic(
                code: .usageReporterInvalid,
                field: "report(_:)",
                value: "\(event)",
                message: "The report \"\(event)\" was not stored because its reporter is invalid: \(reason).",
                recoverySuggestion: "Call Usage.shared.reporter(for:) to get one, or register it."
            )
        )
    }

    /// Makes the reporter report for a target.
    final func bind(to core: UsageCore, _ target: String) {
        state.withLock { state in
            state.registration = .registered(target)
            state.core = core
        }
    }

    /// Stops the reporter from reporting.
    final func invalidate(_ reason: String) {
        state.withLock { $0.registration = .invalid(reason) }
    }
}
