// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// What a snapshot says of its device, as it stands in a row.
struct DeviceSnapshot {
    /// The kinds of snapshots, as rows number them.
    enum Kind: UInt8 {
        /// Device properties.
        case properties = 0
        /// An app state.
        case state = 1

        /// The kind of an event by its name; nil for events that are no snapshots.
        init?(_ name: String) {
            switch name {
            case CapturedName.deviceProperties: self = .properties
            case CapturedName.appState: self = .state
            default: return nil
            }
        }
    }

    let kind: Kind
    /// The name of the context's screen, as a value of a column; empty for none.
    let screen: [UInt8]
    /// The event's attributes as they were received; empty for none.
    let body: [UInt8]

    /// What an event says.
    ///
    /// - Parameter context: The content of its context.
    init(_ kind: Kind, _ event: ReceivedEvent, context: [UInt8]?) {
        self.kind = kind
        body = event.attributes.map { Array($0) } ?? []
        let name = kind == .state ? context.flatMap { Self.screen(of: $0) } : nil
        screen = name.map { QuestionValue.text(Array($0.utf8)).columnBytes } ?? []
    }

    private static func screen(of context: [UInt8]) -> String? {
        // Admission checked the text: what cannot be read says nothing.
        (try? JSONValue.parse(context))?["screen"]?["name"]?.string
    }
}

/// What the contexts of a block say of app and device, in the order in which they are met.
struct ContextDescriptions {
    /// What one context says.
    struct Entry {
        /// Which of the block's contexts it is.
        let number: UInt32
        let facts: DeviceFacts
        /// The app's version, as what events do not keep to is grouped by it; empty for none.
        let release: String
    }

    private(set) var entries: [BlockBuilder.ContextKey: Entry] = [:]
    private var met: Set<BlockBuilder.ContextKey> = []
    private var count: UInt32 = 0

    /// Nothing yet.
    init() {}

    /// A context is met; what it says counts the first time.
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

    /// Forgets what the contexts of an installation say.
    mutating func remove(_ installation: InstallationID) {
        entries = entries.filter { $0.key.installation != installation }
    }
}
