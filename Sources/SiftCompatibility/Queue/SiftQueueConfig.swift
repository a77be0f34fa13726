// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CSiftCompatibility
public import Foundation
internal import TrackwayBehavior

// The structure is C's, so that C and Objective-C can fill it in as the document does; see its header for the members.
//
//     sift.addEventQueue("orders", config: SiftQueueConfig().withUploadWhenMoreThan(8).withUploadWhenOlderThan(30))
// C gives the structure an initialiser of all members and one of none, which are zero then. Here are those between.
extension SiftQueueConfig {
    /// A configuration whose other members are zero.
    public init(acceptSameEventAfter: TimeInterval) {
        self.init()
        self.acceptSameEventAfter = acceptSameEventAfter
    }

    /// A configuration whose other members are zero.
    public init(uploadWhenMoreThan: Int) {
        self.init()
        self.uploadWhenMoreThan = uploadWhenMoreThan
    }

    /// A configuration whose other members are zero.
    public init(uploadWhenOlderThan: TimeInterval) {
        self.init()
        self.uploadWhenOlderThan = uploadWhenOlderThan
    }

    /// A configuration whose other member is zero.
    public init(acceptSameEventAfter: TimeInterval, uploadWhenMoreThan: Int) {
        self.init(
            acceptSameEventAfter: acceptSameEventAfter,
            uploadWhenMoreThan: uploadWhenMoreThan,
            uploadWhenOlderThan: 0
        )
    }

    /// A configuration whose other member is zero.
    public init(acceptSameEventAfter: TimeInterval, uploadWhenOlderThan: TimeInterval) {
        self.init(
            acceptSameEventAfter: acceptSameEventAfter,
            uploadWhenMoreThan: 0,
            uploadWhenOlderThan: uploadWhenOlderThan
        )
    }

    /// A configuration whose other member is zero.
    public init(uploadWhenMoreThan: Int, uploadWhenOlderThan: TimeInterval) {
        self.init(
            acceptSameEventAfter: 0,
            uploadWhenMoreThan: uploadWhenMoreThan,
            uploadWhenOlderThan: uploadWhenOlderThan
        )
    }
}

extension SiftQueueConfig: @retroactive Hashable {
    /// Whether all members are the same; a time that is not a number is equal to nothing.
    public static func == (left: SiftQueueConfig, right: SiftQueueConfig) -> Bool {
        left.acceptSameEventAfter == right.acceptSameEventAfter && left.uploadWhenMoreThan == right.uploadWhenMoreThan
            && left.uploadWhenOlderThan == right.uploadWhenOlderThan
    }

    /// Hashes all members.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(acceptSameEventAfter)
        hasher.combine(uploadWhenMoreThan)
        hasher.combine(uploadWhenOlderThan)
    }
}

extension SiftQueueConfig {
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
