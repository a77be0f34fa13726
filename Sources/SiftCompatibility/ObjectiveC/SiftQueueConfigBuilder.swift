// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import CSiftCompatibility
public import Foundation

/// The calls that change one member of a `SiftQueueConfig` each, for Objective-C, whose structures have no calls. All
/// members are zero at first.
///
/// ```objc
/// SiftQueueConfig config = [[[SiftQueueConfigBuilder new] withUploadWhenMoreThan:32] withUploadWhenOlderThan:60].config;
/// ```
/// One thread at a time.
@objcMembers
public final class SiftQueueConfigBuilder: NSObject {
    /// The configuration so far.
    public private(set) var config = SiftQueueConfig()

    /// Sets the member of this name, in seconds, and gives this object back.
    @discardableResult
    public func withAcceptSameEventAfter(_ acceptSameEventAfter: TimeInterval) -> SiftQueueConfigBuilder {
        config.acceptSameEventAfter = acceptSameEventAfter
        return self
    }

    /// Sets the member of this name, and gives this object back.
    @discardableResult
    public func withUploadWhenMoreThan(_ uploadWhenMoreThan: Int) -> SiftQueueConfigBuilder {
        config.uploadWhenMoreThan = uploadWhenMoreThan
        return self
    }

    /// Sets the member of this name, in seconds, and gives this object back.
    @discardableResult
    public func withUploadWhenOlderThan(_ uploadWhenOlderThan: TimeInterval) -> SiftQueueConfigBuilder {
        config.uploadWhenOlderThan = uploadWhenOlderThan
        return self
    }
}
#endif
