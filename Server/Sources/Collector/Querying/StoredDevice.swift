// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// A device as its contexts and snapshots describe it: an installation that sent an event.
public struct StoredDevice: Sendable, Hashable {
    /// Its place among all devices.
    public var place: DevicePlace { DevicePlace(time: last, installation: installation) }
    /// The installation.
    public var installation: InstallationID
    /// The app, as contexts name it.
    public var app: String?
    /// The app's version.
    public var version: String?
    /// Who was signed in at its latest event.
    public var user: String?
    /// The time of its earliest event.
    public var first: Timestamp
    /// The time of its latest event.
    public var last: Timestamp
    /// What kind of device it is.
    public var model: String?
    /// Its operating system, with the version.
    public var system: String?
    /// How full its battery was last, 0…1.
    public var batteryLevel: Double?
    /// The last known state of its battery.
    public var batteryState: String?
    /// Whether the person saw the app at the latest app state.
    public var applicationState: String?
    /// How many events it has.
    public var events: UInt64
    /// How many app states it sent.
    public var states: Int64
    /// How many times a property differed from the snapshot before.
    public var propertyChanges: Int64

    /// A device of which nothing but numbers is known.
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
    /// The device properties among attributes, in the order of names. What stands beside them, such as `_path`, says something about
    /// the event.
    public static func properties(among attributes: JSONValue.Object) -> JSONValue.Object {
        .init(attributes.members.filter { !$0.key.hasPrefix("_") }.sorted { $0.key < $1.key })
    }

    /// Takes over what contexts say of it.
    public mutating func take(_ facts: DeviceFacts) {
        app = facts.app
        version = facts.version
        model = facts.model
        system = facts.system
    }

    /// Takes over what its latest snapshots say, which is more than a context does.
    ///
    /// - Parameters:
    ///   - properties: Its properties.
    ///   - state: The latest app state; nil when it sent none.
    public mutating func take(_ properties: JSONValue.Object, _ state: StoredAppState?) {
        if let told = (properties["device_model"] ?? properties["device_hardware_machine"])?.string { model = told }
        let told = [properties["device_system_name"], properties["device_system_version"]].compactMap { $0?.string }
        if !told.isEmpty { system = told.joined(separator: " ") }
        batteryLevel = state?.batteryLevel
        batteryState = state?.batteryState
        applicationState = state?.applicationState
    }
}

/// The place of a device among all of them, those seen last first, for going on with the next page. Of two that were seen at once the one
/// with the greater id comes first.
public struct DevicePlace: Sendable, Hashable, LosslessStringConvertible {
    /// When it was last seen.
    public var time: Timestamp
    /// The installation.
    public var installation: InstallationID

    /// A place.
    public init(time: Timestamp, installation: InstallationID) {
        self.time = time
        self.installation = installation
    }

    /// Reads `1718000000000.` and an installation's id.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), let installation = InstallationID(String(parts[1])) else {
            return nil
        }
        self.init(time: Timestamp(milliseconds: time), installation: installation)
    }

    public var description: String { "\(time.milliseconds).\(installation)" }
}

/// Which devices a reader wants, those seen last first.
public struct DeviceQuery: Sendable, Hashable {
    /// Those behind this place, for the next page.
    public var after: DevicePlace?
    /// The most devices in one answer.
    public var limit: Int

    /// A query for all devices.
    public init(after: DevicePlace? = nil, limit: Int = 50) {
        self.after = after
        self.limit = limit
    }
}

/// What a device reported about itself over time, the latest first.
public struct DeviceHistory: Sendable, Hashable {
    /// One moment at which properties differed from the snapshot before.
    public struct Step: Sendable, Hashable {
        /// When.
        public var time: Timestamp
        /// What differed, in the order of names.
        public var changes: [PropertyChange]

        /// A step of these changes.
        public init(time: Timestamp, changes: [PropertyChange]) {
            self.time = time
            self.changes = changes
        }
    }

    /// The device itself.
    public var device: StoredDevice
    /// The properties of the latest snapshot, in the order of names.
    public var properties: JSONValue.Object
    /// When they differed from the snapshot before.
    public var steps: [Step]
    /// The states of the app and the device, the latest first.
    public var states: [StoredAppState]

    /// A history of these parts.
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

/// A device property that differs from the snapshot before.
public struct PropertyChange: Sendable, Hashable {
    /// The property's name.
    public var name: String
    /// Its value before; nil when it was not reported.
    public var before: JSONValue?
    /// Its value now; nil when it is no longer reported.
    public var after: JSONValue?

    /// A change of a property.
    public init(name: String, before: JSONValue?, after: JSONValue?) {
        self.name = name
        self.before = before
        self.after = after
    }

    /// What differs between two snapshots, in the order of names. A number is the same with a fraction of zero as without.
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
    public var answerBytes: Int { 512 }

    /// Writes the device; what is not known is null.
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
    /// Writes what the device reported, the latest first; what is not known is null.
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
