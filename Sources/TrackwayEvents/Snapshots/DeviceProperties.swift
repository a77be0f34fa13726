// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a device and its system are, as far as it is known: what does not change from minute to minute.
///
/// Each property has a key with a type of its own, so that a text cannot be put where a number belongs. What is not known
/// is absent; nothing is guessed.
///
/// ```swift
/// var properties = DeviceProperties()
/// properties[.appName] = "Shop"
/// properties[.screenWidth] = 1_170
/// ```
public struct DeviceProperties: Sendable, Hashable {
    /// Names a property and says of what type it is.
    public struct Key<Value: DevicePropertyValue>: Sendable, Hashable {
        /// The property's name as events carry it.
        public let name: String

        /// A key of the app's own.
        public init(_ name: String) {
            self.name = name
        }
    }

    private var values: [String: AttributeValue] = [:]

    /// Nothing is known.
    public init() {}

    /// The value of a property; nil when it is not known. Setting nil removes it.
    public subscript<Value>(key: Key<Value>) -> Value? {
        get { values[key.name].flatMap(Value.init(property:)) }
        set { values[key.name] = newValue?.attributeValue }
    }

    /// True when nothing is known.
    public var isEmpty: Bool { values.isEmpty }

    /// The names of all properties that are known, in alphabetical order.
    public var names: [String] { values.keys.sorted() }

    /// What a `_device_properties` event carries: the properties by their names, in alphabetical order.
    public var attributes: Attributes {
        Attributes(values.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
    }

    /// These properties with what another source knows better in their place.
    public func merging(_ others: DeviceProperties) -> DeviceProperties {
        var merged = self
        merged.values.merge(others.values) { _, other in other }
        return merged
    }
}
