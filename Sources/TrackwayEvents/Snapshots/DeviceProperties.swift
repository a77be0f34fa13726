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

extension DeviceProperties.Key where Value == Bool {
    /// True when the device is a simulated one.
    public static var isSimulator: Self { Self("is_simulator") }

    /// True when the processor is a 64-bit one.
    public static var isCPU64Bit: Self { Self("cpu_64bit_capable") }

    /// True when the processor has a floating-point unit.
    public static var hasFloatingPoint: Self { Self("cpu_has_fp") }
}

extension DeviceProperties.Key where Value == [String] {
    /// Files found that a device as it was sold does not have.
    public static var evidenceFiles: Self { Self("evidence_files_present") }

    /// Folders of the system found to be links.
    public static var evidenceSymlinkedFolders: Self { Self("evidence_directories_symlinked") }

    /// Folders of the system found to be writable for anybody.
    public static var evidenceWritableFolders: Self { Self("evidence_directories_writable") }

    /// Libraries loaded that change apps.
    public static var evidenceLibraries: Self { Self("evidence_dylds_present") }

    /// URL schemes that apps of changed devices open.
    public static var evidenceURLSchemes: Self { Self("evidence_url_schemes_openable") }

    /// System calls that ought to fail and did not.
    public static var evidenceSystemCalls: Self { Self("evidence_syscalls_succeeded") }
}

/// What a device property can be: text, a whole number, true or false, or a list of texts.
///
/// That nothing else is keeps out what no receiver can read, not-a-number first of all.
public protocol DevicePropertyValue: AttributeConvertible, Sendable {
    /// The value an attribute holds, if it is one of this kind.
    init?(property value: AttributeValue)
}

extension String: DevicePropertyValue {
    /// The text, if it is one.
    public init?(property value: AttributeValue) {
        guard case .string(let text) = value else { return nil }
        self = text
    }
}

extension Int64: DevicePropertyValue {
    /// The whole number, if it is one.
    public init?(property value: AttributeValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Bool: DevicePropertyValue {
    /// The truth, if it is one.
    public init?(property value: AttributeValue) {
        guard case .boolean(let truth) = value else { return nil }
        self = truth
    }
}

extension [String]: DevicePropertyValue {
    /// The texts, if it is a list of nothing else.
    public init?(property value: AttributeValue) {
        guard case .array(let values) = value else { return nil }
        var texts: [String] = []
        for case .string(let text) in values { texts.append(text) }
        guard texts.count == values.count else { return nil }
        self = texts
    }
}
