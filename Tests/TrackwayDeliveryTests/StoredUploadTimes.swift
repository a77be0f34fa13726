// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayDelivery
internal import TrackwayEvents

/// Stores the times of last uploads for the next environment.
final class StoredUploadTimes: QueueMemory {
    private let times = Locked<[DestinationID: DeviceTime]>([:])

    func recall(_ destination: DestinationID) -> DeviceTime? { times.withLock { $0[destination] } }

    func keep(_ lastUpload: DeviceTime, for destination: DestinationID) {
        times.withLock { $0[destination] = lastUpload }
    }
}
