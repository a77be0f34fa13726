// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayJournal

/// Stores the system's crash and hang reports until it is released.
///
/// The reports are stored next to those that processes write. MetricKit reports on iOS, macOS, and visionOS. A reporter
/// that runs outside the app's process does not need this type: it may write a file to the same folder
/// (Documentation/Crashes.md describes the format).
package enum SystemReportObserver {
    /// Starts observing if the system provides reports.
    ///
    /// - Parameters:
    ///   - reports: The storage for the system's reports.
    ///   - arrived: Called on the system's thread after reports were stored, or with an error, in which case the system
    ///     does not deliver the reports again.
    /// - Returns: An object to keep while observing; nil if the system provides no reports.
    package static func observe(
        into reports: CrashReports,
        arrived: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) -> (any Sendable)? {
        #if canImport(MetricKit) && !os(tvOS) && !os(watchOS)
        return MetricKitReports { systemReports in
            for report in systemReports {
                do throws(StorageError) {
                    try reports.store(report)
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
