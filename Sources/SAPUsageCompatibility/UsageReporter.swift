// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import Trackway
internal import TrackwayEvents

/// Reports for one target. ``Usage`` hands one out for each, and an app may register one of its own class:
///
/// ```swift
/// final class Stamped: UsageReporter {
///     override func report(_ event: UsageRecord.Event, date: Date, info: [String: Any]) {
///         super.report(event, date: date, info: info.merging(["build": 381]) { own, _ in own })
///     }
/// }
/// Usage.shared.register(reporter: Stamped(), for: "myTarget")
/// ```
/// Any thread may call. It reports after `configure` only, and until it is unregistered or replaced; then it says so, and the
/// reports are counted in ``Usage/droppedReports``.
open class UsageReporter {
    private enum Place: Sendable {
        case none
        case target(String)
        case ended(String)
    }

    private struct State: Sendable {
        var isEnabled = true
        var place = Place.none
        weak var core: UsageCore?
    }

    private let state = Locked(State())

    /// A reporter that reports once it is registered.
    public init() {}

    /// Whether it reports; true to begin with. While it is false, calls are ignored, and nothing is counted.
    public final var enabled: Bool {
        get { state.withLock { $0.isEnabled } }
        set { state.withLock { $0.isEnabled = newValue } }
    }

    /// Reports a record, through ``report(_:date:info:)``.
    public final func report(_ record: UsageRecord) {
        report(record.event, date: record.date, info: record.info)
    }

    /// Reports something that happened. When this returns, it is stored and survives the death of the process.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - date: when; now by default.
    ///   - info: what else is known: texts, finite numbers, truth, `NSNull`, and lists and dictionaries of these. Any other
    ///     value is left out with a `Diagnostic`.
    open func report(_ event: UsageRecord.Event, date: Date = Usage.now, info: UsageInfo = [:]) {
        let state = state.withLock { $0 }
        guard state.isEnabled else { return }
        switch (state.place, state.core) {
        case (.target(let target), let core?):
            core.report(UsageRecord(event, date: date, info: info), for: target)
        case (.target, nil):
            refuse(event, "what it belonged to was started over", Usage.shared.core)
        case (.ended(let reason), let core):
            refuse(event, reason, core ?? Usage.shared.core)
        case (.none, _):
            refuse(event, "it was never registered, or was asked for before configure(with:)", Usage.shared.core)
        }
    }

    private func refuse(_ event: UsageRecord.Event, _ reason: String, _ core: UsageCore) {
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

    /// It reports for this target from now on.
    final func bind(to core: UsageCore, _ target: String) {
        state.withLock { state in
            state.place = .target(target)
            state.core = core
        }
    }

    /// It reports no more.
    final func end(_ reason: String) {
        state.withLock { $0.place = .ended(reason) }
    }
}
