// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// Encodes a batch as the array of events in a request.
struct ClickstreamEncoder: ~Copyable {
    private let appID: String
    private let allUserAttributes: Bool
    private let batch: EventBatch
    private var contexts: [UInt32: ClickstreamContext] = [:]
    private var writer = JSONWriter()
    /// Records that the format cannot express.
    ///
    /// They are replaced by an error event, or skipped if unreadable.
    private(set) var omitted: [Rejection] = []
    /// Records with parts that were left out.
    private(set) var trimmed: [Rejection] = []

    init(_ batch: EventBatch, appID: String, allUserAttributes: Bool) {
        self.batch = batch
        self.appID = appID
        self.allUserAttributes = allUserAttributes
    }

    /// Returns the platform of the batch.
    mutating func platform() -> String {
        context(of: batch.records.first?.context ?? 0).platform
    }

    /// Returns the array as JSON text.
    mutating func body() -> [UInt8] {
        writer.beginArray()
        for (index, record) in batch.records.enumerated() {
            let event: Event
            do throws(JSONError) {
                event = try batch.event(record)
            } catch {
                omitted.append(Rejection(index: index, code: "unreadable", message: "Not an event: \(error)"))
                continue
            }
            write(event, at: index, in: context(of: record.context))
        }
        writer.endArray()
        return writer.array()
    }

    /// Whether the array contains no event.
    var isEmpty: Bool { omitted.filter { $0.code == "unreadable" }.count == batch.records.count }

    private mutating func write(_ recorded: Event, at index: Int, in context: ClickstreamContext) {
        let event = ClickstreamEvent(recorded, in: context)
        if let fault = event.replacementFault {
            omitted.append(Rejection(index: index, code: "\(fault.code.rawValue)", message: fault.message))
        }
        if event.replacementFault == nil {
            trimmed += event.faults.map {
                Rejection(index: index, code: "\($0.code.rawValue)", message: $0.message)
            }
        }
        trimmed += event.warnings.map { Rejection(index: index, code: "not_expressible", message: $0) }
        writer.element()
        writer.beginObject()
        writer.raw(context.head)
        writer.key("attributes")
        writer.clickstreamObject(event.attributes.lazy.map { (key: $0.key, value: $0.value) })
        writer.byte(UInt8(ascii: ","))
        writer.raw(context.middle)
        writer.key("event_id")
        writer.string(recorded.id.description.uppercased())
        writer.key("event_type")
        writer.string(event.name)
        if !event.items.isEmpty {
            writer.key("items")
            writer.beginArray()
            for item in event.items {
                writer.element()
                writer.clickstreamObject(item)
            }
            writer.endArray()
        }
        writer.byte(UInt8(ascii: ","))
        writer.raw(context.tail)
        writer.key("timestamp")
        writer.integer(recorded.time.milliseconds)
        writer.key("unique_id")
        writer.string(context.uniqueID)
        let isProfile = recorded.name == CapturedName.profileSet
        if let user = allUserAttributes || isProfile ? context.user : context.briefUser {
            writer.key("user")
            writer.raw(user)
        }
        writer.key("zone_offset")
        writer.integer(context.zoneOffset)
        writer.endObject()
    }

    /// Returns the context of a generation, building it on first use.
    ///
    /// If the recorded context was lost, the result is empty.
    private mutating func context(of generation: UInt32) -> ClickstreamContext {
        if let known = contexts[generation] { return known }
        let recorded = batch.recordedContext(generation) ?? RecordedContext()
        let made = ClickstreamContext(recorded, appID: appID, installation: batch.installation)
        contexts[generation] = made
        return made
    }
}

extension AttributeValue {
    /// The value as a string in this format.
    ///
    /// Nil for numbers and Booleans.
    ///
    /// The format supports only strings, numbers and Booleans: a date becomes its ISO 8601 form, and arrays and objects
    /// become JSON.
    var clickstreamText: String? {
        switch self {
        case .string(let text): text
        case .date(let date): date.iso8601
        case .array, .object: String(decoding: json.json(), as: UTF8.self)
        case .integer, .double, .boolean: nil
        }
    }

    /// Writes the value in this format.
    func writeClickstream(into writer: inout JSONWriter) {
        switch self {
        case .integer(let number): writer.integer(number)
        case .double(let number): writer.double(number)
        case .boolean(let flag): writer.boolean(flag)
        case .string(let text): writer.string(text)
        case .date, .array, .object: writer.string(clickstreamText ?? "")
        }
    }
}

extension JSONWriter {
    /// Writes members, sorted by the bytes of their keys.
    mutating func clickstreamObject(_ members: some Sequence<(key: String, value: AttributeValue)>) {
        beginObject()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            key(name)
            value.writeClickstream(into: &self)
        }
        endObject()
    }
}
