// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The user of a context in this format.
///
/// It contains the valid attributes, each with its time.
struct ClickstreamUser: Sendable, Hashable {
    /// A user attribute: its value and the time when it was set.
    struct Attribute: Sendable, Hashable {
        var value: AttributeValue
        var setAt: Timestamp
    }

    /// The user attributes that every event contains, regardless of the destination's setting.
    static let reserved: Set<String> = [CapturedKey.userID, CapturedKey.firstTouch]

    /// The attributes by name.
    private(set) var attributes: [String: Attribute] = [:]
    /// The faults of the attributes that are left out.
    private(set) var faults: [ClickstreamFault] = []

    init(_ user: RecordedContext.User) {
        // The app's attributes come first, so that the SDK's two attributes do not displace any of them.
        for attribute in user.attributes where !Self.reserved.contains(attribute.name) {
            if let fault = ClickstreamRules.fault(inUserAttribute: attribute.name, attribute.value) {
                faults.append(fault)
            } else if attributes[attribute.name] == nil, attributes.count >= ClickstreamLimits.userAttributes {
                faults.append(ClickstreamRules.tooManyUserAttributes(attribute.name))
            } else {
                attributes[attribute.name] = Attribute(value: attribute.value, setAt: attribute.setAt)
            }
        }
        if let touch = user.firstTouch {
            attributes[CapturedKey.firstTouch] = Attribute(value: .integer(touch.milliseconds), setAt: touch)
        }
        if let id = user.id {
            let since = user.signedInAt ?? user.firstTouch ?? Timestamp(milliseconds: 0)
            attributes[CapturedKey.userID] = Attribute(value: .string(id), setAt: since)
        }
    }

    /// Returns attributes as the `user` object, or nil if empty.
    func json(of attributes: [String: Attribute]) -> [UInt8]? {
        guard !attributes.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, attribute) in attributes.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            writer.beginObject()
            writer.key("set_timestamp")
            writer.integer(attribute.setAt.milliseconds)
            writer.key("value")
            attribute.value.writeClickstream(into: &writer)
            writer.endObject()
        }
        writer.endObject()
        return writer.array()
    }
}
