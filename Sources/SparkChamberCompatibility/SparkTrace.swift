// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayCore
internal import TrackwayTriggers

/// A receiver for reports of events that have a trace.
#if canImport(ObjectiveC)
@objc
#endif
public protocol SparkTraceDelegate {
    /// Receives a report.
    ///
    /// Called on the main thread, except for a report about a call that was rejected because it was made on another
    /// thread.
    func print(_ trace: String)
}

/// The reporter of fired events that have a trace.
///
/// The reports are sent to the delegate or, in a debug build without a delegate, to standard output.
///
/// To receive values instead of text, use ``SparkDetector/trace``.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SparkTrace: NSObject, Sendable {
    /// The shared instance.
    public static let sharedInstance = SparkTrace()

    private struct State: Sendable {
        var delegate: OnMainThread<any SparkTraceDelegate>?
        var lastOutput: String?
    }

    private let state = Locked(State())

    private override init() {
        super.init()
    }

    /// The receiver of reports, retained until it is replaced or removed.
    public var delegate: (any SparkTraceDelegate)? {
        get { state.withLock { $0.delegate }?.value }
        set {
            let delegate = newValue.map { OnMainThread($0) }
            // The previous delegate is released outside the lock.
            let previous = state.withLock { state in
                defer { state.delegate = delegate }
                return state.delegate
            }
            withExtendedLifetime(previous) {}
        }
    }

    /// The last report.
    @nonobjc package var lastOutput: String? { state.withLock { $0.lastOutput } }

    /// Reports the items, joined by the separator.
    @nonobjc package static func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
        let text = items.map { "\($0)" }.joined(separator: separator)
        sharedInstance.write(text, terminator)
    }

    private func write(_ text: String, _ terminator: String) {
        let delegate = state.withLock { state in
            state.lastOutput = text
            return state.delegate
        }
        if let delegate {
            delegate.value.print(text)
            return
        }
        #if DEBUG
        Swift.print(text, terminator: terminator)
        #endif
    }

    /// Prints every report of a trace.
    static func printReports(of trace: TriggerTrace) -> TriggerTrace {
        _ = trace.addListener { report in
            switch report.outcome {
            case .ran:
                print("Traced event:", "\(report)")
            case .skipped, .refused:
                print("\(report)")
            }
        }
        return trace
    }
}
