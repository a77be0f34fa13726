// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The attributes of a batch's captured events, decoded: by whoever reads the log, so that the index's writer need not.
struct CapturedValues: Sendable {
    /// By the order of the batch's events; nil for those that are not captured.
    private let values: [JSONValue.Object?]

    /// Decodes what the index will read of a batch.
    ///
    /// - Complexity: O(bytes of the captured events).
    init(_ record: InflatedRecord) {
        var values: [JSONValue.Object?] = []
        values.reserveCapacity(record.events)
        do {
            try record.visit(event: { values.append(Self.values(of: $0)) })
        } catch {
            // What cannot be taken apart is behind the last event here, and told where the batch is entered.
        }
        self.values = values
    }

    /// What one event says; nothing for one that is not captured.
    ///
    /// - Parameter index: which of the batch's events it is, refused ones included, from 0.
    subscript(_ index: Int) -> JSONValue.Object {
        values.indices.contains(index) ? values[index] ?? .init() : .init()
    }

    private static func values(of event: IntakeEvent) -> JSONValue.Object? {
        guard let scan = event.scan else { return nil }
        let received = ReceivedEvent(event.json, scan)
        // What is captured begins so, and nearly nothing else does.
        guard let name = received.plainName, name.first == UInt8(ascii: "_"),
            CapturedKind(String(decoding: name, as: UTF8.self)) != nil
        else { return received.plainName == nil ? escaped(received) : nil }
        return CapturedKind.values(received.attributes)
    }

    /// A name may be written with escapes, and be that of a captured event.
    private static func escaped(_ event: ReceivedEvent) -> JSONValue.Object? {
        // A name that cannot be read is told where the event is entered.
        guard let name = try? event.name(), CapturedKind(name) != nil else { return nil }
        return CapturedKind.values(event.attributes)
    }
}
