// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A snapshot's device data, as stored in a row.
struct DeviceSnapshot {
    /// The kinds of snapshots; the raw values are their numbers in rows.
    enum Kind: UInt8 {
        /// Device properties.
        case properties = 0
        /// An app state.
        case state = 1

        /// Creates the kind for an event name; nil for other events.
        init?(_ name: String) {
            switch name {
            case CapturedName.deviceProperties: self = .properties
            case CapturedName.appState: self = .state
            default: return nil
            }
        }
    }

    let kind: Kind
    /// The screen name in the event's context, as a column value; empty for none.
    let screen: [UInt8]
    /// The event's attributes as received; empty for none.
    let body: [UInt8]

    /// Reads the device data from an event.
    ///
    /// - Parameter context: The content of the event's context.
    init(_ kind: Kind, _ event: ReceivedEvent, context: [UInt8]?) {
        self.kind = kind
        body = event.attributes.map { Array($0) } ?? []
        let name = kind == .state ? context.flatMap { Self.screen(of: $0) } : nil
        screen = name.map { QueryValue.text(Array($0.utf8)).columnBytes } ?? []
    }

    private static func screen(of context: [UInt8]) -> String? {
        // Admission validated the text. Content that cannot be parsed has no screen.
        (try? JSONValue.parse(context))?["screen"]?["name"]?.string
    }
}

/// The app and device facts in a block's contexts, in order of first occurrence.
struct ContextDescriptions {
    /// The facts in one context.
    struct Entry {
        /// The number of the context within the block.
        let number: UInt32
        let facts: DeviceFacts
        /// The app's version, by which plan violations are grouped; empty for none.
        let release: String
    }

    private(set) var entries: [BlockBuilder.ContextKey: Entry] = [:]
    private var seen: Set<BlockBuilder.ContextKey> = []
    private var count: UInt32 = 0

    /// Creates an empty list.
    init() {}

    /// Reads a context, unless it was read before.
    ///
    /// - Complexity: O(bytes) the first time, otherwise O(1).
    mutating func add(_ key: BlockBuilder.ContextKey, _ content: UnsafeRawBufferPointer, _ facts: ContextFacts) {
        guard seen.insert(key).inserted else { return }
        count += 1
        let deviceFacts = key.installation == nil ? DeviceFacts() : DeviceFacts(context: content)
        let release = (facts.version ?? "").truncated(toUTF8Count: PlanLimits.versionBytes)
        if deviceFacts == DeviceFacts(), release.isEmpty { return }
        entries[key] = Entry(number: count, facts: deviceFacts, release: release)
    }

    /// Removes the facts that came from an installation's contexts.
    mutating func remove(_ installation: InstallationID) {
        entries = entries.filter { $0.key.installation != installation }
    }
}
