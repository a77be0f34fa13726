// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CSiftCompatibility
public import Foundation
internal import TrackwayLifecycle

// The structure is declared in C, so that C and Objective-C can initialize it as documented; see its header for the
// members.
//
//     sift.addEventQueue("orders", config: SiftQueueConfig().withUploadWhenMoreThan(8).withUploadWhenOlderThan(30))
//
// Swift imports the structure with an initializer for all members, and one without parameters, which sets them to
// zero. The other initializers follow.
extension SiftQueueConfig {
    /// Creates a configuration whose other members are zero.
    public init(acceptSameEventAfter: TimeInterval) {
        self.init()
        self.acceptSameEventAfter = acceptSameEventAfter
    }

    /// Creates a configuration whose other members are zero.
    public init(uploadWhenMoreThan: Int) {
        self.init()
        self.uploadWhenMoreThan = uploadWhenMoreThan
    }

    /// Creates a configuration whose other members are zero.
    public init(uploadWhenOlderThan: TimeInterval) {
        self.init()
        self.uploadWhenOlderThan = uploadWhenOlderThan
    }

    /// Creates a configuration whose other member is zero.
    public init(acceptSameEventAfter: TimeInterval, uploadWhenMoreThan: Int) {
        self.init(
            acceptSameEventAfter: acceptSameEventAfter,
            uploadWhenMoreThan: uploadWhenMoreThan,
            uploadWhenOlderThan: 0
        )
    }

    /// Creates a configuration whose other member is zero.
    public init(acceptSameEventAfter: TimeInterval, uploadWhenOlderThan: TimeInterval) {
        self.init(
            acceptSameEventAfter: acceptSameEventAfter,
            uploadWhenMoreThan: 0,
            uploadWhenOlderThan: uploadWhenOlderThan
        )
    }

    /// Creates a configuration whose other member is zero.
    public init(uploadWhenMoreThan: Int, uploadWhenOlderThan: TimeInterval) {
        self.init(
            acceptSameEventAfter: 0,
            uploadWhenMoreThan: uploadWhenMoreThan,
            uploadWhenOlderThan: uploadWhenOlderThan
        )
    }
}

extension SiftQueueConfig: @retroactive Hashable {
    /// Whether all members are equal.
    ///
    /// A time that is not a number is not equal to any value.
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
    /// Returns a copy with a different `acceptSameEventAfter`, in seconds.
    ///
    /// An event equal to the last one is accepted after this time.
    public func withAcceptSameEventAfter(_ acceptSameEventAfter: TimeInterval) -> SiftQueueConfig {
        var config = self
        config.acceptSameEventAfter = acceptSameEventAfter
        return config
    }

    /// Returns a copy with a different `uploadWhenMoreThan`.
    ///
    /// A queue with more events than this is ready for upload.
    public func withUploadWhenMoreThan(_ uploadWhenMoreThan: Int) -> SiftQueueConfig {
        var config = self
        config.uploadWhenMoreThan = uploadWhenMoreThan
        return config
    }

    /// Returns a copy with a different `uploadWhenOlderThan`, in seconds.
    ///
    /// A queue whose last upload was longer ago than this is ready for upload.
    public func withUploadWhenOlderThan(_ uploadWhenOlderThan: TimeInterval) -> SiftQueueConfig {
        var config = self
        config.uploadWhenOlderThan = uploadWhenOlderThan
        return config
    }
}

// In the documentation, times are integers.
extension SiftQueueConfig {
    /// Returns a copy with a different `acceptSameEventAfter`, in seconds.
    ///
    /// An event equal to the last one is accepted after this time.
    public func withAcceptSameEventAfter(_ acceptSameEventAfter: Int) -> SiftQueueConfig {
        withAcceptSameEventAfter(TimeInterval(acceptSameEventAfter))
    }

    /// Returns a copy with a different `uploadWhenOlderThan`, in seconds.
    ///
    /// A queue whose last upload was longer ago than this is ready for upload.
    public func withUploadWhenOlderThan(_ uploadWhenOlderThan: Int) -> SiftQueueConfig {
        withUploadWhenOlderThan(TimeInterval(uploadWhenOlderThan))
    }
}

/// The rules of the device properties queue.
///
/// Unchanged properties are accepted at most hourly, and every event makes the queue ready for upload.
public let SFIosDevicePropertiesCollectorQueueConfig = SiftQueueConfig(
    acceptSameEventAfter: 3_600,
    uploadWhenMoreThan: 0
)

/// The rules of the queue for app state and the app's events.
///
/// The queue is ready for upload with more than 32 events, or with any event if the last upload was over a minute ago.
public let SFIosAppStateCollectorQueueConfig = SiftQueueConfig(uploadWhenMoreThan: 32, uploadWhenOlderThan: 60)

extension SiftQueueConfig {
    /// The rules as a `QueuePolicy`.
    ///
    /// Nil if a time is not a number.
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

    /// The maximum time: a century, so that calculations cannot overflow.
    private static let maximumSeconds: TimeInterval = 100 * 365 * 86_400

    private static func duration(_ seconds: TimeInterval) -> Duration? {
        guard !seconds.isNaN else { return nil }
        return .milliseconds(Int64((min(max(seconds, 0), maximumSeconds) * 1_000).rounded()))
    }
}
