// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

/// Converts records, in order, to events for the format's encoder.
///
/// A record belongs to the last session that began before it. The format requires a session ID, an application, and a
/// device in every report; a record without these cannot be sent.
struct SAPcpmsReport {
    private struct Session {
        let start: Date
        let attributes: Attributes
        var application: String? { attributes[SAPUsageKey.application]?.string }
    }

    /// The application in the address; nil if any application may be reported.
    private let application: String?
    private var session: Session?
    /// The start of the session in effect, as JSON.
    ///
    /// Nil before the first session.
    private(set) var start: String?
    /// Whether the last session has not ended.
    private(set) var isOpen = false
    /// The info of the last session's start.
    private(set) var lastStart: UsageInfo = [:]

    /// Whether events in the session in effect can be sent.
    var canSend: Bool { session != nil }

    /// Creates a report that begins in a session.
    ///
    /// - Parameters:
    ///   - session: the session in effect at the first record; nil for none.
    ///   - application: the application in the address; nil if any application may be reported.
    init(in session: UsageSession? = nil, of application: String? = nil) {
        self.application = application
        guard let session, let record = session.record else { return }
        begin(record, session.start)
        isOpen = session.isOpen
    }

    private mutating func begin(_ record: UsageRecord, _ text: String?) {
        isOpen = true
        lastStart = record.info
        start = text
        session = Self.session(record)
        if let application, session?.application != application { session = nil }
    }

    /// The session in effect after the last record.
    ///
    /// Its start is marked as sent. Nil before the first session.
    var currentSession: UsageSession? {
        start.map { UsageSession(start: $0, isSent: true, isOpen: isOpen) }
    }

    /// The info keys for a session start.
    ///
    /// Their values become attributes of every event instead.
    private static let startKeys: [(key: String, attribute: String)] = [
        (UsageRecord.sessionIdentifierKey, SAPUsageKey.session),
        (SAPcpmsRecord.applicationIdentifierKey, SAPUsageKey.application),
        (SAPcpmsRecord.applicationVersionKey, SAPUsageKey.applicationVersion),
        (UsageRecord.deviceIdentifierKey, SAPUsageKey.device),
        (UsageRecord.deviceModelKey, SAPUsageKey.deviceModel),
        (UsageRecord.systemNameKey, SAPUsageKey.platform),
        (UsageRecord.systemVersionKey, SAPUsageKey.platformVersion),
    ]

    /// Converts the next record.
    ///
    /// - Parameter text: the record as JSON.
    /// - Returns: the event for the encoder, or nil if the record was withheld, its time is out of range, or the
    ///   format's mandatory fields are missing.
    mutating func event(_ record: UsageRecord, _ text: String) -> Event? {
        var reader = UsageInfoReader()
        let info = reader.object(record.info)
        var content = Attributes(info)
        // Attributes cannot contain null, so any JSON value other than a string becomes a string here.
        if let others = info[SAPcpmsRecord.othersKey], others.string == nil, others != .null {
            content[SAPcpmsRecord.othersKey] = .string(String(decoding: others.json(), as: UTF8.self))
        }
        switch record.event {
        case .sessionStart:
            begin(record, text)
            for (key, _) in Self.startKeys { content[key] = nil }
        case .sessionEnd:
            isOpen = false
            if let session, content[SAPcpmsRecord.durationKey] == nil {
                content[SAPcpmsRecord.durationKey] = .double(max(0, record.date.timeIntervalSince(session.start)))
            }
        case .event: break
        }
        let time = Timestamp(milliseconds: Int64(clamping: record.date.timeIntervalSince1970 * 1_000))
        guard let session, record.info[SAPcpmsUsageUploader.withheldKey] == nil,
            Timestamp.representableRange.contains(time)
        else { return nil }
        var attributes = session.attributes
        attributes[SAPUsageKey.key] = .string(record.event.description)
        for (key, value) in content where attributes[key] == nil { attributes[key] = value }
        return Event(
            // The format has no event IDs.
            id: EventID(high: 0x7000, low: 0x8000_0000_0000_0000),
            name: "usage",
            time: time,
            monotonic: MonotonicTime(milliseconds: 0),
            attributes: attributes
        )
    }

    private static func session(_ record: UsageRecord) -> Session? {
        var attributes = Attributes()
        for (key, attribute) in startKeys {
            if let text = record.info[key] as? String, !text.isEmpty { attributes[attribute] = .string(text) }
        }
        guard attributes[SAPUsageKey.session] != nil, attributes[SAPUsageKey.application] != nil,
            attributes[SAPUsageKey.device] != nil
        else { return nil }
        return Session(start: record.date, attributes: attributes)
    }
}

/// The records to send, in order.
struct SAPcpmsBatch {
    /// A record and the event created from it.
    struct Item {
        let item: UploadItem
        let event: Event
        let bytes: [UInt8]
        /// The entries before this record that are not sent.
        ///
        /// These entries were read after the previous record.
        fileprivate(set) var before: [UploadedEntry]
        /// The session in effect after the record.
        let sessionAfter: UsageSession?

        /// The start of the record's session, as JSON.
        ///
        /// Nil for a session start.
        var start: String? {
            if item.isWithheld { return item.start }
            return item.event == .sessionStart ? nil : sessionAfter?.start
        }

        /// The ID of the event's session.
        var session: String { event.attributes[SAPUsageKey.session]?.string ?? "" }
        /// The event's time, in milliseconds since 1970.
        var time: Int64 { event.time.milliseconds }
    }

    /// The attribute that distinguishes equal events in different reports.
    static let occurrenceKey = "_occurrence"

    private(set) var items: [Item] = []
    private(set) var bytes = 0

    /// Whether the batch is large enough for one request.
    func isFull(_ limits: BatchLimits) -> Bool { items.count >= limits.events || bytes >= limits.bytes }

    /// Returns the number of items for one request.
    ///
    /// If possible without halving the request, the last item of the request and the first item after it have
    /// different times, because receivers count equal events in one report.
    func requestCount(_ limits: BatchLimits) -> Int {
        var count = 0
        var size = 0
        for item in items {
            if count > 0, count >= limits.events || size >= limits.bytes { break }
            count += 1
            size += item.bytes.count
        }
        guard count < items.count else { return count }
        let boundary = (count / 2 + 1...max(count / 2 + 1, count)).last { place in
            place <= count && items[place].time != items[place - 1].time
        }
        return boundary ?? count
    }

    /// Adds an item.
    mutating func add(_ item: Item) {
        items.append(item)
        bytes += item.bytes.count
    }

    /// Removes the first items.
    mutating func removeFirst(_ count: Int) {
        bytes -= items.prefix(count).reduce(0) { $0 + $1.bytes.count }
        items.removeFirst(count)
    }

    /// Inserts entries before the first item.
    mutating func prepend(_ entries: [UploadedEntry]) {
        items[0].before = entries + items[0].before
    }

    /// Removes and returns the last item.
    mutating func removeLast() -> Item {
        let item = items.removeLast()
        bytes -= item.bytes.count
        return item
    }

    /// Returns an event as JSON.
    ///
    /// The limits are high enough that stored values are sent unchanged.
    static func json(_ event: Event) -> [UInt8] {
        var limits = EventLimits()
        limits.stringBytes = 2 * UsageRecord.maximumBytes
        limits.keyBytes = UsageRecord.maximumBytes
        limits.attributes = UsageInfoReader.maximumValues
        limits.depth = EventLimits.maximumDepth
        limits.eventBytes = 4 * UsageRecord.maximumBytes
        return event.json(limits: limits)
    }

    /// Returns a key that identifies the first items and their order.
    func key(of count: Int) -> String {
        let keys = items.prefix(count).map(\.item.key).joined(separator: " ")
        return SHA256.hash(keys.utf8).prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }

    /// Returns the first items as a batch for an encoder.
    ///
    /// The same records produce the same batch.
    ///
    /// - Parameters:
    ///   - count: the number of items.
    ///   - source: the name of the store and the target.
    ///   - zone: the time zone for records without one.
    ///   - sent: the latest event time of each session in earlier reports. An event that is not later may equal an
    ///     event in those reports, so it includes its origin.
    func encoded(
        _ count: Int,
        of source: String,
        in zone: TimeZone,
        after sent: [String: Int64]
    ) -> EventBatch {
        let hash = SHA256.hash("\(source) \(key(of: count))".utf8)
        func word(_ place: Int) -> UInt64 { hash[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        var block: [UInt8] = []
        var records: [EventBatch.Record] = []
        var contexts: [EventBatch.Context] = []
        var zones: [Int: UInt32] = [:]
        for (index, item) in items.prefix(count).enumerated() {
            let zone = item.item.zone ?? zone.secondsFromGMT(for: item.event.time.date)
            if zones[zone] == nil {
                let context = RecordedContext(device: ["zone_offset_seconds": .integer(Int64(zone))]).json()
                let generation = UInt32(zones.count + 1)
                contexts.append(.init(generation: generation, content: block.count..<block.count + context.count))
                block += context
                zones[zone] = generation
            }
            let bytes = Self.bytes(item, after: sent)
            records.append(
                .init(
                    sequence: UInt64(index + 1),
                    context: zones[zone] ?? 1,
                    payload: block.count..<block.count + bytes.count
                )
            )
            block += bytes
        }
        return EventBatch(
            installation: InstallationID(high: word(0), low: word(8)),
            writer: WriterID(high: word(16), low: word(24)),
            first: 1,
            last: UInt64(records.count),
            recorded: UInt64(records.count),
            records: records,
            contexts: contexts,
            bytes: block
        )
    }

    private static func bytes(_ item: Item, after sent: [String: Int64]) -> [UInt8] {
        guard case .event = item.item.event, let last = sent[item.session], item.time <= last else { return item.bytes }
        var event = item.event
        event.attributes[occurrenceKey] = .string(item.item.key)
        return json(event)
    }
}

extension Int64 {
    /// The nearest 64-bit integer.
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value.rounded())
    }
}
