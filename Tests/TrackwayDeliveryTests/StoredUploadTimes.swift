// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayLifecycle

/// Stores the times of last uploads for the next environment.
final class StoredUploadTimes: UploadTimeStore {
    private let times = Locked<[DestinationID: DeviceTime]>([:])

    func recall(_ destination: DestinationID) -> DeviceTime? { times.withLock { $0[destination] } }

    func store(_ lastUpload: DeviceTime, for destination: DestinationID) {
        times.withLock { $0[destination] = lastUpload }
    }
}
