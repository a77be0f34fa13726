// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import CSiftCompatibility
public import Foundation

// Methods whose Objective-C names differ from the ones that Swift would generate.
extension Sift {
    /// See ``init(rootDirPath:configure:)``.
    @objc(initWithRootDirPath:)
    public convenience init(rootDirPathForObjectiveC rootDirPath: String?) {
        self.init(rootDirPath: rootDirPath)
    }

    /// See ``append(_:toQueue:)``.
    @objc(appendEvent:toQueue:)
    @discardableResult
    public func appendEvent(_ event: SiftEvent?, toQueue identifier: String?) -> Bool {
        append(event, toQueue: identifier)
    }

    /// See ``append(_:)``.
    @objc(appendEvent:)
    @discardableResult
    public func appendEvent(_ event: SiftEvent?) -> Bool {
        append(event)
    }
}

extension SiftIosAppStateCollector {
    /// See ``collectWithTitle(_:_:)``.
    @objc(collectWithTitle:andTimestamp:)
    public func collect(title: String?, now: SFTimestamp) {
        collectWithTitle(title, now)
    }
}

// Objective-C dictionaries may contain any objects: each type is checked, and none is assumed to be a string.
extension SiftEvent {
    /// See ``init(type:path:fields:)``.
    @objc(eventWithType:path:fields:)
    public static func makeEvent(type: String?, path: String?, fields: NSDictionary?) -> SiftEvent {
        SiftEvent(type: type, path: path, fields: fields as? [AnyHashable: Any])
    }

    /// See ``fields``.
    @objc(fields) public var fieldsObject: NSDictionary? {
        get { fields.map { $0 as NSDictionary } }
        set { setFields(newValue as? [AnyHashable: Any]) }
    }

    /// See ``deviceProperties``.
    @objc(deviceProperties) public var devicePropertiesObject: NSDictionary? {
        get { deviceProperties.map { $0 as NSDictionary } }
        set { setDeviceProperties(newValue as? [AnyHashable: Any]) }
    }

    /// See ``metrics``.
    @objc(metrics) public var metricsObject: NSDictionary? {
        get { metrics.map { $0 as NSDictionary } }
        set { setMetrics(newValue as? [AnyHashable: Any]) }
    }

    /// See ``isEssentiallyEqual(to:)``.
    @objc public func isEssentiallyEqualTo(_ event: SiftEvent?) -> Bool {
        isEssentiallyEqual(to: event)
    }

    /// See ``listRequest(_:edition:)``.
    @objc(listRequest:)
    public class func listRequestData(_ events: [SiftEvent]?) -> Data {
        listRequest(events)
    }
}

/// Builds a `SiftQueueConfig` in Objective-C, whose structures have no methods.
///
/// All members are initially zero.
///
/// ```objc
/// SiftQueueConfig config = [[[SiftQueueConfigBuilder new] withUploadWhenMoreThan:32] withUploadWhenOlderThan:60].config;
/// ```
/// Not thread-safe.
@objcMembers
public final class SiftQueueConfigBuilder: NSObject {
    /// The configuration so far.
    public private(set) var config = SiftQueueConfig()

    /// Sets the member with this name, in seconds, and returns this object.
    @discardableResult
    public func withAcceptSameEventAfter(_ acceptSameEventAfter: TimeInterval) -> SiftQueueConfigBuilder {
        config.acceptSameEventAfter = acceptSameEventAfter
        return self
    }

    /// Sets the member with this name, and returns this object.
    @discardableResult
    public func withUploadWhenMoreThan(_ uploadWhenMoreThan: Int) -> SiftQueueConfigBuilder {
        config.uploadWhenMoreThan = uploadWhenMoreThan
        return self
    }

    /// Sets the member with this name, in seconds, and returns this object.
    @discardableResult
    public func withUploadWhenOlderThan(_ uploadWhenOlderThan: TimeInterval) -> SiftQueueConfigBuilder {
        config.uploadWhenOlderThan = uploadWhenOlderThan
        return self
    }
}
#endif
