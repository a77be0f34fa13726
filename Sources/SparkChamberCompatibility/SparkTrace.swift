// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayEvents
internal import TrackwayTriggers

/// Receives reports of events that have a trace.
#if canImport(ObjectiveC)
@objc
#endif
public protocol SparkTraceDelegate {
    /// Receives a report.
    ///
    /// Called on the main thread, except for a call that was rejected because it was made on another thread.
    func print(_ trace: String)
}

/// Reports events that have a trace, as they fire.
///
/// The reports go to its delegate or, in a debug build without a delegate, to standard output.
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
            // Release the previous delegate outside the lock.
            let former = state.withLock { state in
                defer { state.delegate = delegate }
                return state.delegate
            }
            withExtendedLifetime(former) {}
        }
    }

    /// The last report.
    @nonobjc package var lastOutput: String? { state.withLock { $0.lastOutput } }

    /// Reports the items, joined by the separator.
    @nonobjc package static func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
        let text = items.map { "\($0)" }.joined(separator: separator)
        sharedInstance.tell(text, terminator)
    }

    private func tell(_ text: String, _ terminator: String) {
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
    static func follow(_ trace: TriggerTrace) -> TriggerTrace {
        _ = trace.listen { report in
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
