// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The properties of a device and its system that rarely change.
///
/// Each property has a typed key, so that a string cannot be assigned to a property that is a number. Unknown
/// properties are absent; nothing is guessed.
///
/// ```swift
/// var properties = DeviceProperties()
/// properties[.appName] = "Shop"
/// properties[.screenWidth] = 1_170
/// ```
public struct DeviceProperties: Sendable, Hashable {
    /// The name and type of a property.
    public struct Key<Value: DevicePropertyValue>: Sendable, Hashable {
        /// The property's name in events.
        public let name: String

        /// Creates a key for a property of the app.
        public init(_ name: String) {
            self.name = name
        }
    }

    private var values: [String: AttributeValue] = [:]

    /// Creates an empty set of properties, all unknown.
    public init() {}

    /// The value of a property; nil if unknown.
    ///
    /// Setting nil removes the property.
    public subscript<Value>(key: Key<Value>) -> Value? {
        get { values[key.name].flatMap(Value.init(property:)) }
        set { values[key.name] = newValue?.attributeValue }
    }

    /// Whether all properties are unknown.
    public var isEmpty: Bool { values.isEmpty }

    /// The names of all known properties, in alphabetical order.
    public var names: [String] { values.keys.ordered() }

    /// The attributes of a `_device_properties` event, in alphabetical order.
    public var attributes: Attributes {
        Attributes(values.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
    }

    /// Returns these properties merged with others, which take precedence.
    public func merging(_ others: DeviceProperties) -> DeviceProperties {
        var merged = self
        merged.values.merge(others.values) { _, other in other }
        return merged
    }
}

extension DeviceProperties.Key where Value == Bool {
    /// Whether the device is simulated.
    public static var isSimulator: Self { Self("is_simulator") }

    /// Whether the processor is 64-bit.
    public static var isCPU64Bit: Self { Self("cpu_64bit_capable") }

    /// Whether the processor has a floating-point unit.
    public static var hasFloatingPoint: Self { Self("cpu_has_fp") }
}

extension DeviceProperties.Key where Value == [String] {
    /// Files that exist on the device, but not on an unmodified one.
    public static var evidenceFiles: Self { Self("evidence_files_present") }

    /// System folders that are symbolic links.
    public static var evidenceSymlinkedFolders: Self { Self("evidence_directories_symlinked") }

    /// System folders that any user can write to.
    public static var evidenceWritableFolders: Self { Self("evidence_directories_writable") }

    /// Loaded libraries that modify apps.
    public static var evidenceLibraries: Self { Self("evidence_dylds_present") }

    /// URL schemes of apps for modified devices that can be opened.
    public static var evidenceURLSchemes: Self { Self("evidence_url_schemes_openable") }

    /// System calls that should fail but succeeded.
    public static var evidenceSystemCalls: Self { Self("evidence_syscalls_succeeded") }
}

/// A type that a device property's value can have.
///
/// The types are strings, integers, Booleans and lists of strings.
///
/// Other types are excluded, so that values that receivers cannot read, such as NaN, cannot occur.
public protocol DevicePropertyValue: AttributeConvertible, Sendable {
    /// Creates the value from an attribute value, if it has this type.
    init?(property value: AttributeValue)
}

extension String: DevicePropertyValue {
    /// Creates the string, if the value is one.
    public init?(property value: AttributeValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
}

extension Int64: DevicePropertyValue {
    /// Creates the integer, if the value is one.
    public init?(property value: AttributeValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Bool: DevicePropertyValue {
    /// Creates the Boolean, if the value is one.
    public init?(property value: AttributeValue) {
        guard case .boolean(let truth) = value else { return nil }
        self = truth
    }
}

extension [String]: DevicePropertyValue {
    /// Creates the list, if the value is an array of only strings.
    public init?(property value: AttributeValue) {
        guard case .array(let values) = value else { return nil }
        var texts: [String] = []
        for case .string(let text) in values { texts.append(text) }
        guard texts.count == values.count else { return nil }
        self = texts
    }
}
