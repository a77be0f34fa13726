// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation
internal import TrackwayBehavior

/// When a queue takes an event, and when it is worth an upload.
///
/// ```swift
/// sift.addEventQueue("orders", config: SiftQueueConfig().withUploadWhenMoreThan(8).withUploadWhenOlderThan(30))
/// ```
/// A member that is zero, as all are at first, means: every event is taken; every event is worth an upload; time does not
/// matter.
public struct SiftQueueConfig: Sendable, Hashable {
    /// An event that is basically the same as the last one appended is taken only after this time, in seconds; zero or less
    /// takes every event.
    public var acceptSameEventAfter: TimeInterval
    /// With more events than this the queue is worth an upload; below zero their number does not matter.
    public var uploadWhenMoreThan: Int
    /// With any event, and more time than this since the last upload, the queue is worth one; in seconds. Zero or less:
    /// time does not matter.
    public var uploadWhenOlderThan: TimeInterval

    /// A configuration of these parts.
    public init(
        acceptSameEventAfter: TimeInterval = 0,
        uploadWhenMoreThan: Int = 0,
        uploadWhenOlderThan: TimeInterval = 0
    ) {
        self.acceptSameEventAfter = acceptSameEventAfter
        self.uploadWhenMoreThan = uploadWhenMoreThan
        self.uploadWhenOlderThan = uploadWhenOlderThan
    }

    /// The same with another time after which an event like the last one is taken, in seconds.
    public func withAcceptSameEventAfter(_ acceptSameEventAfter: TimeInterval) -> SiftQueueConfig {
        var config = self
        config.acceptSameEventAfter = acceptSameEventAfter
        return config
    }

    /// The same with another number of events that is worth an upload when it is exceeded.
    public func withUploadWhenMoreThan(_ uploadWhenMoreThan: Int) -> SiftQueueConfig {
        var config = self
        config.uploadWhenMoreThan = uploadWhenMoreThan
        return config
    }

    /// The same with another time since the last upload that is worth one when it is exceeded, in seconds.
    public func withUploadWhenOlderThan(_ uploadWhenOlderThan: TimeInterval) -> SiftQueueConfig {
        var config = self
        config.uploadWhenOlderThan = uploadWhenOlderThan
        return config
    }
}

// The document has times as whole numbers.
extension SiftQueueConfig {
    /// The same with another time after which an event like the last one is taken, in seconds.
    public func withAcceptSameEventAfter(_ acceptSameEventAfter: Int) -> SiftQueueConfig {
        withAcceptSameEventAfter(TimeInterval(acceptSameEventAfter))
    }

    /// The same with another time since the last upload that is worth one when it is exceeded, in seconds.
    public func withUploadWhenOlderThan(_ uploadWhenOlderThan: Int) -> SiftQueueConfig {
        withUploadWhenOlderThan(TimeInterval(uploadWhenOlderThan))
    }
}

/// The queue of device properties: unchanged ones at most hourly, each one worth an upload.
public let SFIosDevicePropertiesCollectorQueueConfig = SiftQueueConfig(
    acceptSameEventAfter: 3_600,
    uploadWhenMoreThan: 0
)

/// The queue of app state and of the app's own events: more than 32 events, or one that is over a minute away from the last upload.
public let SFIosAppStateCollectorQueueConfig = SiftQueueConfig(uploadWhenMoreThan: 32, uploadWhenOlderThan: 60)

extension SiftQueueConfig {
    /// The same rules in the front door's words; nil when a time is not a number.
    var policy: QueuePolicy? {
        guard let same = Self.duration(acceptSameEventAfter), let older = Self.duration(uploadWhenOlderThan) else {
            return nil
        }
        return QueuePolicy(
            acceptSameEventAfter: same,
            uploadWhenMoreThan: uploadWhenMoreThan,
            uploadWhenOlderThan: older
        )
    }

    /// A century is as good as for ever, and leaves room to calculate.
    private static let longest: TimeInterval = 100 * 365 * 86_400

    private static func duration(_ seconds: TimeInterval) -> Duration? {
        guard !seconds.isNaN else { return nil }
        return .milliseconds(Int64((min(max(seconds, 0), longest) * 1_000).rounded()))
    }
}
