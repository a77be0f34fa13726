// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

/// ``SiftQueueConfig`` for Objective-C, which has no Swift structures. All members are zero at first.
@objc(SiftQueueConfig)
@objcMembers
public final class SiftQueueConfigObject: NSObject {
    /// See ``SiftQueueConfig/acceptSameEventAfter``.
    public var acceptSameEventAfter: TimeInterval = 0
    /// See ``SiftQueueConfig/uploadWhenMoreThan``.
    public var uploadWhenMoreThan = 0
    /// See ``SiftQueueConfig/uploadWhenOlderThan``.
    public var uploadWhenOlderThan: TimeInterval = 0

    /// A configuration whose members are zero.
    public override init() {
        super.init()
    }

    /// The same configuration for Objective-C.
    @nonobjc public convenience init(_ config: SiftQueueConfig) {
        self.init()
        acceptSameEventAfter = config.acceptSameEventAfter
        uploadWhenMoreThan = config.uploadWhenMoreThan
        uploadWhenOlderThan = config.uploadWhenOlderThan
    }

    /// Sets ``acceptSameEventAfter``, and gives this object back.
    @discardableResult
    public func withAcceptSameEventAfter(_ acceptSameEventAfter: TimeInterval) -> SiftQueueConfigObject {
        self.acceptSameEventAfter = acceptSameEventAfter
        return self
    }

    /// Sets ``uploadWhenMoreThan``, and gives this object back.
    @discardableResult
    public func withUploadWhenMoreThan(_ uploadWhenMoreThan: Int) -> SiftQueueConfigObject {
        self.uploadWhenMoreThan = uploadWhenMoreThan
        return self
    }

    /// Sets ``uploadWhenOlderThan``, and gives this object back.
    @discardableResult
    public func withUploadWhenOlderThan(_ uploadWhenOlderThan: TimeInterval) -> SiftQueueConfigObject {
        self.uploadWhenOlderThan = uploadWhenOlderThan
        return self
    }

    /// The same for Swift.
    @nonobjc public var config: SiftQueueConfig {
        SiftQueueConfig(
            acceptSameEventAfter: acceptSameEventAfter,
            uploadWhenMoreThan: uploadWhenMoreThan,
            uploadWhenOlderThan: uploadWhenOlderThan
        )
    }
}
#endif
