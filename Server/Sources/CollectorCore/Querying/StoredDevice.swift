// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A device as described by its contexts and snapshots.
///
/// A device is an installation that sent an event.
public struct StoredDevice: Sendable, Hashable {
    /// The device's cursor among all devices.
    public var place: DeviceCursor { DeviceCursor(time: last, installation: installation) }
    /// The installation.
    public var installation: InstallationID
    /// The app's id, from contexts.
    public var app: String?
    /// The app's version.
    public var version: String?
    /// The user who was signed in at the latest event.
    public var user: String?
    /// The time of the earliest event.
    public var first: Timestamp
    /// The time of the latest event.
    public var last: Timestamp
    /// The device model.
    public var model: String?
    /// The operating system with its version.
    public var system: String?
    /// The last known battery level, 0…1.
    public var batteryLevel: Double?
    /// The last known battery state.
    public var batteryState: String?
    /// The latest application state: `active`, `inactive` or `background`.
    public var applicationState: String?
    /// The number of events.
    public var events: UInt64
    /// The number of app states.
    public var states: Int64
    /// The number of times that a property differed from the previous snapshot.
    public var propertyChanges: Int64

    /// Creates a device with only its times and counts.
    public init(
        installation: InstallationID,
        first: Timestamp,
        last: Timestamp,
        events: UInt64,
        states: Int64,
        propertyChanges: Int64
    ) {
        self.installation = installation
        self.first = first
        self.last = last
        self.events = events
        self.states = states
        self.propertyChanges = propertyChanges
    }
}

extension StoredDevice {
    /// Returns the device properties among attributes, sorted by name.
    ///
    /// Other attributes, such as `_path`, describe the event.
    public static func properties(among attributes: JSONValue.Object) -> JSONValue.Object {
        .init(attributes.members.filter { !$0.key.hasPrefix("_") }.sorted { $0.key < $1.key })
    }

    /// Sets the facts known from contexts.
    public mutating func take(_ facts: DeviceFacts) {
        app = facts.app
        version = facts.version
        model = facts.model
        system = facts.system
    }

    /// Sets the facts known from the latest snapshots.
    ///
    /// These facts take precedence over those from contexts.
    ///
    /// - Parameters:
    ///   - properties: The device properties.
    ///   - state: The latest app state; nil if none was sent.
    public mutating func take(_ properties: JSONValue.Object, _ state: StoredAppState?) {
        if let name = (properties["device_model"] ?? properties["device_hardware_machine"])?.string { model = name }
        let parts = [properties["device_system_name"], properties["device_system_version"]].compactMap { $0?.string }
        if !parts.isEmpty { system = parts.joined(separator: " ") }
        batteryLevel = state?.batteryLevel
        batteryState = state?.batteryState
        applicationState = state?.applicationState
    }
}

/// A page cursor: the position of a device among all devices.
///
/// The most recently seen devices come first. Of two devices last seen at the same time, the one with the greater id
/// comes first.
public struct DeviceCursor: Sendable, Hashable, LosslessStringConvertible {
    /// When the device was last seen.
    public var time: Timestamp
    /// The installation.
    public var installation: InstallationID

    /// Creates a cursor.
    public init(time: Timestamp, installation: InstallationID) {
        self.time = time
        self.installation = installation
    }

    /// Parses `1718000000000.` followed by an installation id.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let installation = InstallationID(String(parts[1])) else {
            return nil
        }
        self.init(time: Timestamp(milliseconds: time), installation: installation)
    }

    public var description: String { "\(time.milliseconds).\(installation)" }
}

/// A query for devices, most recently seen first.
public struct DeviceQuery: Sendable, Hashable {
    /// The cursor after which the results continue.
    public var after: DeviceCursor?
    /// The maximum number of devices in one response.
    public var limit: Int

    /// Creates a query for all devices.
    public init(after: DeviceCursor? = nil, limit: Int = 50) {
        self.after = after
        self.limit = limit
    }
}

/// A device's reports about itself over time, latest first.
public struct DeviceHistory: Sendable, Hashable {
    /// A time at which properties differed from the previous snapshot.
    public struct Step: Sendable, Hashable {
        /// The time of the change.
        public var time: Timestamp
        /// The changed properties, sorted by name.
        public var changes: [PropertyChange]

        /// Creates a step.
        public init(time: Timestamp, changes: [PropertyChange]) {
            self.time = time
            self.changes = changes
        }
    }

    /// The device.
    public var device: StoredDevice
    /// The properties of the latest snapshot, sorted by name.
    public var properties: JSONValue.Object
    /// The changes between snapshots.
    public var steps: [Step]
    /// The states of the app and the device, latest first.
    public var states: [StoredAppState]

    /// Creates a history.
    public init(
        device: StoredDevice,
        properties: JSONValue.Object,
        steps: [Step],
        states: [StoredAppState]
    ) {
        self.device = device
        self.properties = properties
        self.steps = steps
        self.states = states
    }
}

/// A device property that differs from the previous snapshot.
public struct PropertyChange: Sendable, Hashable {
    /// The property's name.
    public var name: String
    /// The previous value; nil when it was not reported.
    public var before: JSONValue?
    /// The new value; nil when it is no longer reported.
    public var after: JSONValue?

    /// Creates a change.
    public init(name: String, before: JSONValue?, after: JSONValue?) {
        self.name = name
        self.before = before
        self.after = after
    }

    /// Returns the differences between two snapshots, sorted by name.
    ///
    /// Numbers that differ only in a zero fraction, such as 1 and 1.0, are equal.
    ///
    /// - Complexity: O(n log n).
    public static func between(_ before: JSONValue.Object, _ after: JSONValue.Object) -> [PropertyChange] {
        let old = Dictionary(before.members.map { ($0.key, $0.value) }) { $1 }
        let new = Dictionary(after.members.map { ($0.key, $0.value) }) { $1 }
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            guard !isSame(old[name], new[name]) else { return nil }
            return PropertyChange(name: name, before: old[name], after: new[name])
        }
    }

    private static func isSame(_ before: JSONValue?, _ after: JSONValue?) -> Bool {
        if before == after { return true }
        guard let before = before?.double, let after = after?.double else { return false }
        return before == after
    }
}

extension StoredDevice: BudgetedRow {
    public var responseBytes: Int { 512 }

    /// Writes the device; unknown values are null.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("installation", installation)
        writer.member("app", app)
        writer.member("version", version)
        writer.member("user", user)
        writer.member("first_seen", first)
        writer.member("last_seen", last)
        writer.member("model", model)
        writer.member("system", system)
        writer.member("battery_level", batteryLevel)
        writer.member("battery_state", batteryState)
        writer.member("application_state", applicationState)
        writer.member("events", events)
        writer.member("states", states)
        writer.member("property_changes", propertyChanges)
        writer.endObject()
    }
}

extension DeviceHistory {
    /// Writes the history, latest first; unknown values are null.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("installation", device.installation)
        writer.member("app", device.app)
        writer.member("user", device.user)
        writer.key("device")
        device.write(to: &writer)
        writer.key("properties")
        JSONValue.object(properties).write(into: &writer)
        writer.list("history", steps) { step, writer in
            writer.beginObject()
            writer.member("at", step.time)
            writer.list("changes", step.changes) { $0.write(to: &$1) }
            writer.endObject()
        }
        writer.list("states", states) { $0.write(to: &$1) }
        writer.endObject()
    }
}

extension PropertyChange {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", name)
        writer.key("before")
        (before ?? .null).write(into: &writer)
        writer.key("after")
        (after ?? .null).write(into: &writer)
        writer.endObject()
    }
}
