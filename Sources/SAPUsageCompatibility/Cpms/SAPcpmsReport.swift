// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayWire

/// Turns records, in their order, into what the format's encoder takes.
///
/// A record belongs to the session that began last before it. The format demands a session's id, an application and a device of
/// every report; a record of which these are not known cannot be sent.
struct SAPcpmsReport {
    private struct Session {
        let start: Date
        let attributes: Attributes
    }

    private var session: Session?
    /// Whether the session that began last has not ended.
    private(set) var isOpen = false
    /// What the start of the open session said.
    private(set) var lastStart: UsageInfo = [:]

    /// What a session's start says, and no record repeats in words.
    private static let startKeys: [(key: String, attribute: String)] = [
        (UsageRecord.sessionIdentifierKey, SAPUsageKey.session),
        (SAPcpmsRecord.applicationIdentifierKey, SAPUsageKey.application),
        (SAPcpmsRecord.applicationVersionKey, SAPUsageKey.applicationVersion),
        (UsageRecord.deviceIdentifierKey, SAPUsageKey.device),
        (UsageRecord.deviceModelKey, SAPUsageKey.deviceModel),
        (UsageRecord.systemNameKey, SAPUsageKey.platform),
        (UsageRecord.systemVersionKey, SAPUsageKey.platformVersion),
    ]

    /// Takes the next record.
    ///
    /// - Returns: the event that the encoder takes; nil when the format's mandatory fields are missing.
    mutating func event(_ record: UsageRecord) -> Event? {
        var reader = UsageInfoReader()
        let info = reader.object(record.info)
        var content = Attributes(info)
        // Attributes know no null: what may hold anything becomes a text here.
        if let others = info[SAPcpmsRecord.othersKey], others.string == nil, others != .null {
            content[SAPcpmsRecord.othersKey] = .string(String(decoding: others.json(), as: UTF8.self))
        }
        switch record.event {
        case .sessionStart:
            isOpen = true
            lastStart = record.info
            session = Self.session(record)
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
            Timestamp.expressible.contains(time)
        else { return nil }
        var attributes = session.attributes
        attributes[SAPUsageKey.key] = .string(record.event.description)
        for (key, value) in content where attributes[key] == nil { attributes[key] = value }
        return Event(
            // The format has no ids of events.
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

/// Records on their way into one request.
struct SAPcpmsBatch {
    /// A record's event, and its place among the snapshot's records.
    struct Item {
        let position: Int
        let event: Event
        let bytes: [UInt8]
    }

    private(set) var items: [Item] = []
    private var bytes = 0

    /// Whether the batch is as large as one request should be.
    func isFull(_ limits: BatchLimits) -> Bool { items.count >= limits.events || bytes >= limits.bytes }

    /// Takes an event in.
    mutating func add(_ event: Event, at position: Int) {
        var limits = EventLimits()
        // What was stored is sent as it is.
        limits.stringBytes = 2 * UsageRecord.maximumBytes
        limits.keyBytes = UsageRecord.maximumBytes
        limits.attributes = UsageInfoReader.maximumValues
        limits.depth = EventLimits.maximumDepth
        limits.eventBytes = 4 * UsageRecord.maximumBytes
        let json = event.json(limits: limits)
        items.append(Item(position: position, event: event, bytes: json))
        bytes += json.count
    }

    /// The batch as an encoder takes it. The same records at the same places make the same batch.
    ///
    /// - Parameter source: names the store and the target.
    func encoded(of source: String) -> EventBatch {
        let hash = SHA256.hash(source.utf8)
        func word(_ place: Int) -> UInt64 { hash[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        var block: [UInt8] = []
        var records: [EventBatch.Record] = []
        var contexts: [EventBatch.Context] = []
        var zones: [Int: UInt32] = [:]
        for item in items {
            let zone = TimeZone.current.secondsFromGMT(for: item.event.time.date)
            if zones[zone] == nil {
                let context = RecordedContext(device: ["zone_offset_seconds": .integer(Int64(zone))]).json()
                let generation = UInt32(zones.count + 1)
                contexts.append(.init(generation: generation, content: block.count..<block.count + context.count))
                block += context
                zones[zone] = generation
            }
            records.append(
                .init(
                    sequence: UInt64(item.position + 1),
                    context: zones[zone] ?? 1,
                    payload: block.count..<block.count + item.bytes.count
                )
            )
            block += item.bytes
        }
        return EventBatch(
            installation: InstallationID(high: word(0), low: word(8)),
            writer: WriterID(high: word(16), low: word(24)),
            first: records.first?.sequence ?? 1,
            last: records.last?.sequence ?? 0,
            recorded: records.last?.sequence ?? 0,
            records: records,
            contexts: contexts,
            bytes: block
        )
    }

    /// The part at these places.
    func part(_ range: Range<Int>) -> SAPcpmsBatch {
        var part = SAPcpmsBatch()
        part.items = Array(items[range])
        part.bytes = part.items.reduce(0) { $0 + $1.bytes.count }
        return part
    }
}

extension Int64 {
    /// The nearest whole number that 64 bits hold.
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e18 ? .max : value <= -9.2e18 ? .min : Int64(value.rounded())
    }
}
