// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(MetricKit) && !os(tvOS) && !os(watchOS)
internal import Foundation
internal import MetricKit
internal import TrackwayCore

/// Receives MetricKit's crash and hang reports until it is released.
///
/// The system delivers the reports at the next launch or up to a day later, on its own thread.
package final class MetricKitReports: Sendable {
    private let subscriber: Subscriber

    /// Starts observing.
    ///
    /// - Parameter store: Receives the reports, on the system's thread.
    package init(_ store: @escaping @Sendable ([SystemReport]) -> Void) {
        subscriber = Subscriber(store)
        MXMetricManager.shared.add(subscriber)
    }

    deinit {
        // The manager may retain its subscribers.
        MXMetricManager.shared.remove(subscriber)
    }
}

/// The object that MetricKit calls.
private final class Subscriber: NSObject, MXMetricManagerSubscriber, Sendable {
    private let store: @Sendable ([SystemReport]) -> Void

    init(_ store: @escaping @Sendable ([SystemReport]) -> Void) {
        self.store = store
        super.init()
    }

    func didReceive(_ payloads: [MXDiagnosticPayload]) {
        let reports = payloads.flatMap { payload in
            (payload.crashDiagnostics ?? []).map { Self.report($0, in: payload) }
                + (payload.hangDiagnostics ?? []).map { Self.report($0, in: payload) }
        }
        if !reports.isEmpty { store(reports) }
    }

    private static func report(_ crash: MXCrashDiagnostic, in payload: MXDiagnosticPayload) -> SystemReport {
        var report = report(crash, crash.callStackTree, in: payload)
        report.kind = .crash(signal: crash.signal?.intValue, exception: crash.exceptionType?.intValue)
        report.message = crash.terminationReason
        if #available(iOS 17, macOS 14, visionOS 1, *), let reason = crash.exceptionReason {
            report.exception = "\(reason.exceptionName): \(reason.composedMessage)"
        }
        return report
    }

    private static func report(_ hang: MXHangDiagnostic, in payload: MXDiagnosticPayload) -> SystemReport {
        var report = report(hang, hang.callStackTree, in: payload)
        let milliseconds = hang.hangDuration.converted(to: .milliseconds).value
        report.kind = .hang(.milliseconds(Int64(exactly: milliseconds.rounded()) ?? 0))
        return report
    }

    private static func report(
        _ diagnostic: MXDiagnostic,
        _ stacks: MXCallStackTree,
        in payload: MXDiagnosticPayload
    ) -> SystemReport {
        var report = SystemReport(
            source: "MetricKit",
            kind: .crash(signal: nil, exception: nil),
            began: time(payload.timeStampBegin),
            ended: time(payload.timeStampEnd),
            architecture: diagnostic.metaData.platformArchitecture,
            stacks: [UInt8](stacks.jsonRepresentation())
        )
        if #available(iOS 17, macOS 14, visionOS 1, *), diagnostic.metaData.pid > 0 {
            report.process = Int(diagnostic.metaData.pid)
        }
        return report
    }

    private static func time(_ date: Date) -> Timestamp {
        Timestamp(milliseconds: Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? 0)
    }
}
#endif
