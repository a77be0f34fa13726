// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayEvents
internal import TrackwayTriggers

/// Takes what is told of events that have a trace.
#if canImport(ObjectiveC)
@objc
#endif
public protocol SparkTraceDelegate {
    /// Takes one trace. Called on the main thread, but for a call that was made from another thread and refused.
    func print(_ trace: String)
}

/// Tells of events that have a trace as they fire: to its delegate, or, in a debug build, on standard output.
///
/// What wants values to look at follows ``SparkDetector/trace``.
#if canImport(ObjectiveC)
@objcMembers
#endif
public final class SparkTrace: NSObject, Sendable {
    /// The one there is.
    public static let sharedInstance = SparkTrace()

    private struct State: Sendable {
        var delegate: OnMainThread<any SparkTraceDelegate>?
        var lastOutput: String?
    }

    private let state = Locked(State())

    private override init() {
        super.init()
    }

    /// Who is told. It is kept until another, or nil, is put in its place.
    public var delegate: (any SparkTraceDelegate)? {
        get { state.withLock { $0.delegate }?.value }
        set {
            let delegate = newValue.map { OnMainThread($0) }
            // The one before ends outside the lock.
            let former = state.withLock { state in
                defer { state.delegate = delegate }
                return state.delegate
            }
            withExtendedLifetime(former) {}
        }
    }

    /// What was told last.
    @nonobjc package var lastOutput: String? { state.withLock { $0.lastOutput } }

    /// Tells something: the items with the separator between them.
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

    /// Has everything told that a trace tells.
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
