// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The values of a batch that the index needs besides the events' bytes.
///
/// The reader of the log decodes the values, because the index's writer has the most work.
struct BatchFacts: Sendable {
    /// The values of one event.
    struct Event: Sendable {
        /// The attributes of a captured event; empty for all other events.
        var captured = JSONValue.Object()
        /// The session named by the event's attributes.
        var session: String?
    }

    /// The values of a context.
    struct Context: Sendable {
        let facts: ContextFacts
        let device: DeviceFacts
        /// The hash by which the index looks up the context.
        let hash: Int64

        /// Decodes a context.
        ///
        /// - Complexity: O(bytes).
        init(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) {
            facts = ContextFacts(context: content, clock: clock)
            device = DeviceFacts(context: content)
            hash = Self.hash(content)
        }

        /// Returns the FNV-1a hash, which is the same in every process because the index stores it.
        ///
        /// Contents with equal hashes are compared byte by byte.
        private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int64 {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return Int64(bitPattern: hash)
        }
    }

    /// Detects the events of a batch at which another context begins.
    struct Contexts {
        private var last: UnsafeRawPointer?

        /// Returns whether an event is the first of its context.
        mutating func begins(with event: IntakeEvent) -> Bool {
            guard !event.context.isEmpty, event.context.baseAddress != last else { return false }
            last = event.context.baseAddress
            return true
        }
    }

    /// The values of the events, in the order of the batch; nil for events without decoded values.
    private let events: [Event?]
    /// The contexts, in the order in which they begin.
    private let contexts: [Context]

    /// Decodes the values of a batch that the index will read.
    ///
    /// - Complexity: O(bytes of the contexts and of the captured events).
    init(_ record: InflatedRecord) {
        var events: [Event?] = []
        var contexts: [Context] = []
        var places = Contexts()
        events.reserveCapacity(record.events)
        do {
            try record.visit(event: { event in
                if places.begins(with: event) { contexts.append(Context(event.context, clock: event.clock)) }
                events.append(Self.facts(of: event))
            })
        } catch {
            // The undecodable part follows the last decoded event; the error is reported when the batch is indexed.
        }
        self.events = events
        self.contexts = contexts
    }

    /// Returns the values of one event.
    ///
    /// - Parameter index: The event's index in the batch, from 0; rejected events count too.
    func event(_ index: Int) -> Event {
        events.indices.contains(index) ? events[index] ?? Event() : Event()
    }

    /// Returns the values of a context.
    ///
    /// - Parameters:
    ///   - index: The context's index among the contexts that begin in the batch, from 0.
    ///   - content: The bytes of the context.
    ///   - clock: The error of the device's clock; nil if it was correct.
    func context(_ index: Int, _ content: UnsafeRawBufferPointer, clock: ClockCorrection?) -> Context {
        contexts.indices.contains(index) ? contexts[index] : Context(content, clock: clock)
    }

    private static func facts(of event: IntakeEvent) -> Event? {
        guard let scan = event.scan else { return nil }
        let received = ReceivedEvent(event.json, scan)
        let (captured, session) = (captured(received), received.session)
        if captured == nil, session == nil { return nil }
        return Event(captured: captured ?? .init(), session: session)
    }

    private static func captured(_ received: ReceivedEvent) -> JSONValue.Object? {
        // The names of captured events begin with an underscore; almost no other names do.
        guard let name = received.plainName, name.first == UInt8(ascii: "_"),
            CapturedKind(String(decoding: name, as: UTF8.self)) != nil
        else { return received.plainName == nil ? escaped(received) : nil }
        return CapturedKind.values(received.attributes)
    }

    /// Decodes an event whose name contains escape sequences; it may still be a captured event.
    private static func escaped(_ event: ReceivedEvent) -> JSONValue.Object? {
        // An unreadable name is reported when the event is indexed.
        guard let name = try? event.name(), CapturedKind(name) != nil else { return nil }
        return CapturedKind.values(event.attributes)
    }
}
