// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

/// A batch as the format's list of records, before it is packed.
struct SensorsAnalyticsEncoding {
    /// The records, a JSON array.
    private(set) var json: [UInt8] = []
    /// How many records there are.
    private(set) var count = 0
    /// Events that cannot be expressed at all.
    private(set) var leftOut: [Rejection] = []
    /// What was left out of events that travel.
    private(set) var trimmed: [Rejection] = []

    /// Encodes a batch.
    ///
    /// - Complexity: O(bytes of the batch).
    init(_ batch: EventBatch, options: SensorsAnalyticsOptions, sentAt: Timestamp) {
        var contexts: [UInt32: SensorsAnalyticsContext] = [:]
        var writer = JSONWriter()
        writer.beginArray()
        batch.bytes.withUnsafeBytes { bytes in
            for (index, record) in batch.records.enumerated() {
                let event: Event
                do throws(JSONError) {
                    event = try Event(json: UnsafeRawBufferPointer(rebasing: bytes[record.payload]))
                } catch {
                    leftOut.append(Rejection(index: index, code: "unreadable", message: "\(error)"))
                    continue
                }
                let context =
                    contexts[record.context]
                    ?? SensorsAnalyticsContext(
                        Self.context(record.context, of: batch, bytes),
                        installation: batch.installation,
                        options: options
                    )
                contexts[record.context] = context
                let translated = SensorsAnalyticsRecord(event, in: context, options: options)
                writer.element()
                translated.write(sentAt: sentAt, into: &writer)
                count += 1
                trimmed += translated.remarks.map { remark, field in
                    Rejection(index: index, code: remark.rawValue, message: "\(remark.sentence) (\(field.prefix(128)))")
                }
            }
        }
        writer.endArray()
        json = writer.array()
    }

    private static func context(
        _ generation: UInt32,
        of batch: EventBatch,
        _ bytes: UnsafeRawBufferPointer
    ) -> RecordedContext {
        guard let content = batch.context(generation)?.content else { return RecordedContext() }
        // A context that cannot be read is an empty one: the event itself is worth more.
        return (try? RecordedContext(json: UnsafeRawBufferPointer(rebasing: bytes[content]))) ?? RecordedContext()
    }
}

extension SensorsAnalyticsRules.Remark {
    /// What happened, and what helps.
    package var sentence: String {
        switch self {
        case .nameInvalid:
            "A property was left out: its name must begin with a letter, _ or $, go on with these or digits, and be no "
                + "name of the format's own."
        case .nameLong: "A property's name has more than \(SensorsAnalyticsRules.longestName) characters."
        case .valueUnsupported: "A property was left out: its value is no text, number, truth, date or list."
        case .valueNotFinite: "A property was left out: its value is no number."
        case .valueCut: "A text was cut."
        case .elementsLeftOut: "Elements of a list were left out: they are no text, number, truth or date."
        case .notANumber: "A property was left out: only numbers can be added."
        case .notAList: "A property was left out: only lists can be appended."
        case .timeInvalid: "The time was ignored: give a date after May 2015."
        case .limitBroken:
            "A part of the event broke a limit as it was recorded, and was left out or cut; the format has no word for that."
        case .itemsUnsupported: "The items were left out: the format has no place for them."
        case .itemInvalid: "The item's type must be a name, and its id a text."
        case .identityInvalid: "The identity's kind and its id must be texts."
        case .eventNameInvalid:
            "The event's name should begin with a letter, _ or $, and go on with these or digits."
        }
    }
}
