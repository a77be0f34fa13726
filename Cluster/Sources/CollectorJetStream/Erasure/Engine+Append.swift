// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore
package import TrackwayJournal

extension Engine {
    /// Stores a record, and returns its sequence in the order of all streams.
    ///
    /// - Throws: ``StreamMaintenanceError``; the record may have been stored anyway.
    package func append(
        _ kind: FrameKind,
        _ record: [UInt8],
        _ route: IntakeRoute
    ) async throws(StreamMaintenanceError) -> UInt64 {
        let end: LogPosition
        do {
            end = try await intake.commit(kind: kind, record: record, route: route).position
        } catch {
            throw StreamMaintenanceError(error.message)
        }
        let position = EventPosition(segment: end.segment, offset: end.offset)
        guard let found = await intake.indexedPosition(of: position, within: .seconds(10)), found.streamSequence > 1
        else {
            throw StreamMaintenanceError("The order of the streams does not contain the latest record yet.")
        }
        return found.streamSequence - 1
    }
}
