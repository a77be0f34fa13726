// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(ObjectiveC)
public import Foundation

// Dictionaries of Objective-C may hold anything: they are looked at, never taken for texts unseen.
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
#endif
