// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

/// Writes a batch as the array of events that a request carries.
struct ClickstreamEncoder: ~Copyable {
    private let appID: String
    private let allUserAttributes: Bool
    private let batch: EventBatch
    private var contexts: [UInt32: ClickstreamContext] = [:]
    private var writer = JSONWriter()
    /// Records that stand in the array as an error event.
    private(set) var leftOut: [Rejection] = []
    /// Records of which something was left out.
    private(set) var trimmed: [Rejection] = []

    init(_ batch: EventBatch, appID: String, allUserAttributes: Bool) {
        self.batch = batch
        self.appID = appID
        self.allUserAttributes = allUserAttributes
    }

    /// The kind of system the batch comes from.
    mutating func platform() -> String {
        context(of: batch.records.first?.context ?? 0).platform
    }

    /// The array as JSON text.
    mutating func body() -> [UInt8] {
        writer.beginArray()
        for (index, record) in batch.records.enumerated() {
            let event: Event
            do throws(JSONError) {
                event = try batch.event(record)
            } catch {
                leftOut.append(Rejection(index: index, code: "unreadable", message: "The record is no event: \(error)"))
                continue
            }
            write(event, at: index, in: context(of: record.context))
        }
        writer.endArray()
        return writer.array()
    }

    /// True when the array would hold no event at all.
    var isEmpty: Bool { leftOut.filter { $0.code == "unreadable" }.count == batch.records.count }

    private mutating func write(_ recorded: Event, at index: Int, in context: ClickstreamContext) {
        let event = ClickstreamEvent(recorded, in: context)
        if let fault = event.replacing {
            leftOut.append(Rejection(index: index, code: "\(fault.code.rawValue)", message: fault.message))
        }
        if event.replacing == nil {
            trimmed += event.faults.map {
                Rejection(index: index, code: "\($0.code.rawValue)", message: $0.message)
            }
        }
        trimmed += event.remarks.map { Rejection(index: index, code: "not_expressible", message: $0) }
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

    /// The context of a generation, made when first asked for. One that was lost is an empty one.
    private mutating func context(of generation: UInt32) -> ClickstreamContext {
        if let known = contexts[generation] { return known }
        let recorded = batch.recordedContext(generation) ?? RecordedContext()
        let made = ClickstreamContext(recorded, appID: appID, installation: batch.installation)
        contexts[generation] = made
        return made
    }
}

extension AttributeValue {
    /// The text a value has in this dialect, which knows text, numbers and truth only: a date is its ISO 8601 form, lists
    /// and objects their JSON. nil for numbers and truth.
    var clickstreamText: String? {
        switch self {
        case .string(let text): text
        case .date(let date): date.iso8601
        case .array, .object: String(decoding: json.json(), as: UTF8.self)
        case .integer, .double, .boolean: nil
        }
    }

    /// Writes the value as this dialect has it.
    func writeClickstream(into writer: inout JSONWriter) {
        switch self {
        case .integer(let number): writer.integer(number)
        case .double(let number): writer.double(number)
        case .boolean(let truth): writer.boolean(truth)
        case .string(let text): writer.string(text)
        case .date, .array, .object: writer.string(clickstreamText ?? "")
        }
    }
}

extension JSONWriter {
    /// Writes members in the order of their keys' bytes.
    mutating func clickstreamObject(_ members: some Sequence<(key: String, value: AttributeValue)>) {
        beginObject()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            key(name)
            value.writeClickstream(into: &self)
        }
        endObject()
    }
}
