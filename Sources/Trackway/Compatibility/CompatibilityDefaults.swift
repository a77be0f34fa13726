// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
internal import TrackwayPlatform

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// What a compatibility module needs before there is an `Analytics`.
extension Analytics {
    /// The time of day.
    package static var wallTime: Timestamp { SystemClock().now().wall }
}

extension Configuration {
    /// Gives a compatibility module a folder of its own beside the usual one, so that an app may use several of them, and the front door
    /// itself, without one taking the other's deliveries for its own.
    package mutating func useFolder(ofModule name: String) throws(TrackwayError) {
        do throws(StorageLocationError) {
            let location = try StorageLocation.standard(appID: "\(appID).\(name)")
            storageFolder = URL(fileURLWithPath: location.path, isDirectory: true)
        } catch {
            throw TrackwayError(.storageUnavailable, error.description, cause: error)
        }
    }
}
