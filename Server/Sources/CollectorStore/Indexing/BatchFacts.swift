// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// What the index reads in a batch beside its events' bytes: decoded by whoever reads the log, so that the index's writer, which
/// has the most to do, need not.
struct BatchFacts: Sendable {
    /// What one event says.
    struct Event: Sendable {
        /// The attributes of a captured event; nothing for any other.
        var captured = JSONValue.Object()
        /// The session that its own attributes name.
        var session: String?
    }

    /// What a context says.
    struct Context: Sendable {
        let facts: ContextFacts
        let device: DeviceFacts
        /// By which the index finds it again.
        let hash: Int64

        /// Reads a context.
        ///
        /// - Complexity: O(bytes).
        init(_ content: UnsafeRawBufferPointer, clock: ClockCorrection?) {
            facts = ContextFacts(context: content, clock: clock)
            device = DeviceFacts(context: content)
            hash = Self.hash(content)
        }

        /// FNV-1a: the same in every process, as the index stores it. Contents with equal hashes are compared byte by byte.
        private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int64 {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            return Int64(bitPattern: hash)
        }
    }

    /// Tells where another context begins among the events of a batch.
    struct Contexts {
        private var last: UnsafeRawPointer?

        /// Whether the event is the first of its context.
        mutating func begins(with event: IntakeEvent) -> Bool {
            guard !event.context.isEmpty, event.context.baseAddress != last else { return false }
            last = event.context.baseAddress
            return true
        }
    }

    /// In the order of the batch's events; nil for those of which there is nothing to say.
    private let events: [Event?]
    /// In the order in which they begin.
    private let contexts: [Context]

    /// Decodes what the index will read of a batch.
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
            // What cannot be taken apart is behind the last event here, and told where the batch is entered.
        }
        self.events = events
        self.contexts = contexts
    }

    /// What one event says.
    ///
    /// - Parameter index: which of the batch's events it is, refused ones included, from 0.
    func event(_ index: Int) -> Event {
        events.indices.contains(index) ? events[index] ?? Event() : Event()
    }

    /// What a context says.
    ///
    /// - Parameters:
    ///   - index: which of those that begin in the batch it is, from 0.
    ///   - content: its bytes.
    ///   - clock: how far the device's clock was off; nil when it was right.
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
