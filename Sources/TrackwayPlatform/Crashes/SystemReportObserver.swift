// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayJournal

/// Keeps what the system tells of the app's crashes and hangs beside the reports that processes left themselves, until it is let go of.
///
/// MetricKit tells on iOS, macOS and visionOS. A reporter that runs out of the app's process needs nothing of this: it may leave a file
/// in the same folder (Documentation/Crashes.md has the format).
package enum SystemReportObserver {
    /// Begins to listen where the system tells anything.
    ///
    /// - Parameters:
    ///   - reports: where to keep what it tells.
    ///   - arrived: called when something was kept, or could not be, in which case the system does not tell it again; on the
    ///     system's thread.
    /// - Returns: What is held as long as it is to last; nil where the system tells nothing.
    package static func observe(
        into reports: CrashReports,
        arrived: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) -> (any Sendable)? {
        #if canImport(MetricKit) && !os(tvOS) && !os(watchOS)
        return MetricKitReports { told in
            for report in told {
                do throws(StorageError) {
                    try reports.keep(report)
                } catch {
                    return arrived(.failure(error))
                }
            }
            arrived(.success(()))
        }
        #else
        return nil
        #endif
    }
}
