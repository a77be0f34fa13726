// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// A snapshot's device data, as stored in a row.
struct DeviceSnapshot {
    /// The kinds of snapshots, as numbered in rows.
    enum Kind: UInt8 {
        /// Device properties.
        case properties = 0
        /// An app state.
        case state = 1

        /// Returns the kind of an event by its name; nil unless it is a snapshot.
        init?(_ name: String) {
            switch name {
            case CapturedName.deviceProperties: self = .properties
            case CapturedName.appState: self = .state
            default: return nil
            }
        }
    }

    let kind: Kind
    /// The name of the context's screen, as a column value; empty for none.
    let screen: [UInt8]
    /// The event's attributes as received; empty for none.
    let body: [UInt8]

    /// Reads the device data of an event.
    ///
    /// - Parameter context: The content of its context.
    init(_ kind: Kind, _ event: ReceivedEvent, context: [UInt8]?) {
        self.kind = kind
        body = event.attributes.map { Array($0) } ?? []
        let name = kind == .state ? context.flatMap { Self.screen(of: $0) } : nil
        screen = name.map { QueryValue.text(Array($0.utf8)).columnBytes } ?? []
    }

    private static func screen(of context: [UInt8]) -> String? {
        // Admission checked the text. Unreadable content has no screen.
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
    private var met: Set<BlockBuilder.ContextKey> = []
    private var count: UInt32 = 0

    /// Creates an empty list.
    init() {}

    /// Reads a context, unless it was read before.
    ///
    /// - Complexity: O(bytes) the first time, else O(1).
    mutating func meet(_ key: BlockBuilder.ContextKey, _ content: UnsafeRawBufferPointer, _ facts: ContextFacts) {
        guard met.insert(key).inserted else { return }
        count += 1
        let told = key.installation == nil ? DeviceFacts() : DeviceFacts(context: content)
        let release = (facts.version ?? "").cut(toBytes: PlanLimits.versionBytes)
        if told == DeviceFacts(), release.isEmpty { return }
        entries[key] = Entry(number: count, facts: told, release: release)
    }

    /// Removes the facts from an installation's contexts.
    mutating func remove(_ installation: InstallationID) {
        entries = entries.filter { $0.key.installation != installation }
    }
}
