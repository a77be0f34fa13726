// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// The application and device of a report.
///
/// A report contains them once for all sessions.
struct SAPUsageSource: Hashable {
    /// The application's id.
    let application: String
    /// The device's id, never empty.
    let deviceID: String
    private let applicationVersion: String?
    private let platform: String?
    private let platformVersion: String?
    private let deviceModel: String?

    /// Creates a source from a context; attributes of the event take precedence.
    init(
        _ context: RecordedContext,
        application: String,
        installation: InstallationID,
        overrides: Attributes = [:]
    ) {
        func text(_ key: String, _ section: Attributes, _ name: String) -> String? {
            let text = overrides[key]?.string ?? section[name]?.string
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
        self.application = text(SAPUsageKey.application, [:], "") ?? application
        applicationVersion = text(SAPUsageKey.applicationVersion, context.app, "version")
        platform = text(SAPUsageKey.platform, context.device, "platform")
        platformVersion = text(SAPUsageKey.platformVersion, context.device, "os_version")
        deviceModel = text(SAPUsageKey.deviceModel, context.device, "model")
        let id = text(SAPUsageKey.device, context.device, "id") ?? installation.description
        deviceID = InstallationID(id)?.description.uppercased() ?? id
    }

    /// Writes both sections as members of the report.
    func write(into writer: inout JSONWriter) {
        func section(_ name: String, _ members: [(String, String?)]) {
            writer.key(name)
            writer.beginObject()
            for case (let key, let text?) in members {
                writer.key(key)
                writer.string(text)
            }
            writer.endObject()
        }
        section("appInfo", [("application", application), ("appVersion", applicationVersion)])
        section(
            "deviceInfo",
            [
                ("platform", platform), ("platformVersion", platformVersion), ("deviceModel", deviceModel),
                ("deviceID", deviceID),
            ]
        )
    }
}

/// Reads the records of a batch up to the first event from another source.
struct SAPUsageBatchReader {
    /// The source of the report.
    ///
    /// Nil if the batch contains no event that can be sent.
    private(set) var source: SAPUsageSource?
    /// The records, in the order of recording.
    private(set) var records: [SAPUsageRecord] = []
    /// Events that cannot be sent.
    private(set) var omitted: [Rejection] = []
    /// The number of leading events that one report can contain.
    private(set) var leadingEventCount = 0

    /// Reads a batch.
    ///
    /// - Parameters:
    ///   - application: The destination's application, which is the default for events that do not specify one.
    ///   - isBound: Whether the address contains the application, so that events of other applications cannot be sent.
    /// - Complexity: O(bytes of the batch).
    init(_ batch: EventBatch, application: String, isBound: Bool) {
        let sessionlessID = SAPUsageID.sessionlessID(batch.installation, batch.writer)
        var contexts: [UInt32: RecordedContext] = [:]
        for (index, record) in batch.records.enumerated() {
            let event: Event
            do throws(JSONError) {
                event = try batch.event(record)
            } catch {
                reject(index, "unreadable", "The record is not an event: \(error)")
                continue
            }
            let context = contexts[record.context] ?? batch.recordedContext(record.context) ?? RecordedContext()
            contexts[record.context] = context
            let found = SAPUsageSource(
                context,
                application: application,
                installation: batch.installation,
                overrides: event.attributes
            )
            guard !isBound || found.application == application else {
                reject(
                    index,
                    "application_mismatch",
                    "The event belongs to application “\(found.application.prefix(128))”, but reports are for "
                        + "“\(application.prefix(128))”. Start sessions with that application."
                )
                continue
            }
            guard let written = SAPUsageRecord(event, in: context, sessionlessID: sessionlessID) else {
                reject(index, "time_out_of_range", "The format supports only the years 0000 to 9999.")
                continue
            }
            guard source == nil || source == found else { return }
            source = found
            records.append(written)
            leadingEventCount = index + 1
        }
    }

    /// Adds an event that cannot be sent.
    ///
    /// The event counts as part of the same report as the events around it.
    private mutating func reject(_ index: Int, _ code: String, _ message: String) {
        omitted.append(Rejection(index: index, code: code, message: message))
        leadingEventCount = index + 1
    }
}

/// Encodes a report.
enum SAPUsageReport {
    /// Returns the complete body.
    ///
    /// Sessions are in the order of their first events, and their events in the order of recording. The report's id is
    /// derived from all other content and the events' sequence numbers. The same batch therefore always has the same
    /// id; a batch that was divided differently, for example with one more event, has a different id.
    static func json(of records: [SAPUsageRecord], from source: SAPUsageSource, in batch: EventBatch) -> [UInt8] {
        var sessions: [(id: String, records: [SAPUsageRecord])] = []
        var indices: [String: Int] = [:]
        for record in records {
            if let index = indices[record.session] {
                sessions[index].records.append(record)
            } else {
                indices[record.session] = sessions.count
                sessions.append((record.session, [record]))
            }
        }
        var writer = JSONWriter()
        source.write(into: &writer)
        writer.key("sessions")
        writer.beginArray()
        for session in sessions {
            writer.element()
            writer.beginObject()
            writer.key("sessionInfo")
            writer.beginObject()
            writer.key("sessionId")
            writer.string(session.id)
            writer.endObject()
            writer.key("events")
            writer.beginArray()
            for record in session.records {
                writer.element()
                record.write(into: &writer)
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        let content = writer.array()
        let place =
            "\(batch.installation)/\(batch.writer)/\(batch.records.first?.sequence ?? 0)-\(batch.records.last?.sequence ?? 0)/"
        let id = SAPUsageID.make(of: Array(place.utf8) + content)
        return Array("{\"report\":\"\(id)\",".utf8) + content + [UInt8(ascii: "}")]
    }
}
