// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayJournal

// The profile, the devices and the erasures.
extension PersonExport {
    @concurrent
    func writeProfile(_ archive: inout ZipWriter) async throws {
        archive.begin("profile.json")
        archive.write(
            JSONWriter.withThreadBuffer { writer in
                var person = profile.person
                person.attributes = []
                person.hasMoreAttributes = false
                person.installations = installations.map(\.id)
                person.write(to: &writer)
                return writer.array() + Array("\n".utf8)
            }
        )
        var page = profile
        var attributes: [StoredUser.Attribute] = []
        while true {
            attributes += page.person.attributes
            guard page.person.hasMoreAttributes, let last = page.person.attributes.last else { break }
            let query = ProfileQuery(person, afterAttribute: last.name, attributes: 1_000)
            guard let next = try await store.profile(query) else { throw PersonExportError.erased }
            page = next
        }
        var json = ExportTable("attributes", .json, in: &archive)
        for attribute in attributes {
            json.add(
                JSONWriter.withThreadBuffer { writer in
                    writer.beginObject()
                    writer.member("name", attribute.name)
                    writer.key("value")
                    writer.raw(attribute.value)
                    writer.member("set", attribute.set)
                    if let installation = attribute.installation { writer.member("installation", installation) }
                    writer.endObject()
                    return writer.array()
                },
                to: &archive
            )
        }
        json.finish(&archive)
        var csv = ExportTable("attributes", .csv, heading: ["name", "value", "set", "installation"], in: &archive)
        for attribute in attributes {
            let cells = [
                attribute.name, Self.text(json: attribute.value), attribute.set.iso8601,
                attribute.installation?.description ?? "",
            ]
            csv.add(Array(ExportTable.line(cells).utf8), to: &archive)
        }
        csv.finish(&archive)
    }

    @concurrent
    func writeInstallations(_ archive: inout ZipWriter) async throws {
        let own = Dictionary(profile.devices.map { ($0.installation, $0) }) { first, _ in first }
        var rows: [(PersonInstallation, DeviceHistory?, PersonProfile.Device?)] = []
        var erasures: [StoredErasure] = []
        for installation in installations {
            // The properties of a device that other people used may be theirs.
            let history = installation.isShared ? nil : try await store.device(installation.id, limit: 1_000)
            rows.append((installation, history, own[installation.id]))
            erasures += try await store.erasures(installation: installation.id, limit: 1_000)
        }
        var json = ExportTable("devices", .json, in: &archive)
        for (installation, history, device) in rows {
            json.add(
                JSONWriter.withThreadBuffer { writer in
                    writer.beginObject()
                    writer.member("installation", installation.id)
                    writer.member("shared", installation.isShared)
                    if let device {
                        writer.member("first", device.first)
                        writer.member("last", device.last)
                        writer.member("events", device.events)
                        writer.member("sessions", device.sessions)
                        device.facts.writeMembers(to: &writer)
                    }
                    if let history {
                        writer.key("history")
                        history.write(to: &writer)
                    }
                    writer.endObject()
                    return writer.array()
                },
                to: &archive
            )
        }
        json.finish(&archive)
        let heading = [
            "installation", "shared", "first", "last", "events", "sessions", "app", "version", "model", "system",
        ]
        var csv = ExportTable("devices", .csv, heading: heading, in: &archive)
        for (installation, _, device) in rows {
            let facts = device?.facts
            let cells = [
                installation.id.description, installation.isShared ? "true" : "false", device?.first.iso8601,
                device?.last.iso8601, device.map { String($0.events) }, device.map { String($0.sessions) }, facts?.app,
                facts?.version, facts?.model, facts?.system,
            ]
            csv.add(Array(ExportTable.line(cells.map { $0 ?? "" }).utf8), to: &archive)
        }
        csv.finish(&archive)
        writeErasures(erasures, &archive)
    }

    private func writeErasures(_ erasures: [StoredErasure], _ archive: inout ZipWriter) {
        var json = ExportTable("erasures", .json, in: &archive)
        for erasure in erasures {
            json.add(
                JSONWriter.withThreadBuffer { writer in
                    erasure.write(to: &writer)
                    return writer.array()
                },
                to: &archive
            )
        }
        for plan in pending {
            json.add(
                JSONWriter.withThreadBuffer { writer in
                    plan.writeStatus(to: &writer)
                    return writer.array()
                },
                to: &archive
            )
        }
        json.finish(&archive)
        let heading = ["subject", "installation", "requested", "by", "state"]
        var csv = ExportTable("erasures", .csv, heading: heading, in: &archive)
        for erasure in erasures {
            let by = erasure.isByOperator ? "operator" : "installation"
            let cells = ["installation", erasure.installation.description, erasure.time.iso8601, by, "complete"]
            csv.add(Array(ExportTable.line(cells).utf8), to: &archive)
        }
        for plan in pending {
            let by = plan.isByOperator ? "operator" : "installation"
            let cells = [plan.subject.rawValue, "", plan.requested.iso8601, by, "pending"]
            csv.add(Array(ExportTable.line(cells).utf8), to: &archive)
        }
        csv.finish(&archive)
    }

    /// Returns a JSON value as text, without the quotes of a string.
    static func text(json bytes: [UInt8]) -> String {
        // The store has only valid JSON; anything else is shown as it is.
        (try? JSONValue.parse(bytes))?.string ?? String(decoding: bytes, as: UTF8.self)
    }
}

// The sessions, the events and the consent decisions.
extension PersonExport {
    @concurrent
    func writeSessions(_ archive: inout ZipWriter, _ output: @concurrent ([UInt8]) async throws -> Void) async throws
        -> Int
    {
        var json = ExportTable("sessions", .json, in: &archive)
        try await eachSession(output, &archive) { session, archive in
            json.add(
                JSONWriter.withThreadBuffer { writer in
                    session.write(to: &writer)
                    return writer.array()
                },
                to: &archive
            )
        }
        json.finish(&archive)
        let heading = ["start", "last", "id", "number", "installation", "events", "engagement", "foreground"]
        var csv = ExportTable("sessions", .csv, heading: heading, in: &archive)
        try await eachSession(output, &archive) { session, archive in
            let cells = [
                session.start.iso8601, session.last.iso8601, session.id, session.number.map { String($0) } ?? "",
                session.installation?.description ?? "", String(session.events), String(session.engagement),
                String(session.foreground),
            ]
            csv.add(Array(ExportTable.line(cells).utf8), to: &archive)
        }
        csv.finish(&archive)
        return json.rows
    }

    /// Reads the person's sessions, latest first.
    ///
    /// A session in which other people signed in, too, has no screens and launches, because they may be theirs.
    @concurrent
    private func eachSession(
        _ output: @concurrent ([UInt8]) async throws -> Void,
        _ archive: inout ZipWriter,
        _ body: (StoredSession, inout ZipWriter) -> Void
    ) async throws {
        var query = SessionQuery(limit: 200)
        switch person {
        case .user(let id): query.user = id
        case .visitor(let id): query.installation = id
        }
        while true {
            let page = try await store.sessions(matching: query)
            for var session in page {
                let others = session.users.filter { user in
                    if case .user(let id) = person { return ByteText(id) != ByteText(user) }
                    return true
                }
                if !others.isEmpty {
                    // A visitor's installation lists the sessions of its users, too.
                    if case .visitor = person { continue }
                    session.users.removeAll { user in others.contains { ByteText($0) == ByteText(user) } }
                    (session.screens, session.launches) = ([], [])
                }
                body(session, &archive)
            }
            try await output(archive.takeBytes())
            guard page.isFull(limit: query.limit), let last = page.last else { return }
            query.after = last.place
        }
    }

    @concurrent
    func writeEvents(
        _ archive: inout ZipWriter,
        _ decisions: inout Int,
        _ output: @concurrent ([UInt8]) async throws -> Void
    ) async throws -> Int {
        var identifiers = ExportedIdentifiers(limit: Self.maximumIdentifiers)
        var json = ExportTable("events", .json, in: &archive)
        var found = 0
        try await eachEvent(names: [], output, &archive) { entry, archive in
            if entry.event.name == CapturedName.consent { found += 1 }
            identifiers.add(context: entry.event.context)
            json.add(Self.json(entry), to: &archive)
        }
        json.finish(&archive)
        try await writeEventTable("events", names: [], &archive, output)
        identifiers.write(to: &archive)
        // The name is rare, and reading events with it reads no bodies of other events.
        let names = [CapturedName.consent]
        var consent = ExportTable("consent", .json, in: &archive)
        if found > 0 {
            try await eachEvent(names: names, output, &archive) { consent.add(Self.json($0), to: &$1) }
        }
        consent.finish(&archive)
        try await writeEventTable("consent", names: found > 0 ? names : nil, &archive, output)
        decisions = found
        return json.rows
    }

    private static func json(_ entry: Timeline.Entry) -> [UInt8] {
        JSONWriter.withThreadBuffer { writer in
            writer.beginObject()
            if entry.isVisit { writer.member("visit", true) }
            entry.event.writeMembers(to: &writer)
            writer.endObject()
            // A line is a row.
            return writer.bytes.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        }
    }

    /// Writes events as comma-separated values.
    ///
    /// - Parameter names: The names to match; empty for any name, nil for no events.
    @concurrent
    private func writeEventTable(
        _ table: String,
        names: [String]?,
        _ archive: inout ZipWriter,
        _ output: @concurrent ([UInt8]) async throws -> Void
    ) async throws {
        let heading = ["time", "name", "id", "visit", "user", "session", "installation", "attributes", "context"]
        var csv = ExportTable(table, .csv, heading: heading, in: &archive)
        if let names {
            try await eachEvent(names: names, output, &archive) { entry, archive in
                let event = entry.event
                // Admission checked the event; one without attributes has an empty cell.
                let attributes =
                    (try? event.json.withUnsafeBytes { bytes in
                        try JSONScanner.member("attributes", of: bytes).map { Array(bytes[$0]) }
                    }) ?? []
                let cells = [
                    event.time.iso8601, event.name, event.id.description, entry.isVisit ? "true" : "false",
                    event.user ?? "", event.session ?? "", event.installation?.description ?? "",
                    String(decoding: attributes, as: UTF8.self), String(decoding: event.context, as: UTF8.self),
                ]
                csv.add(Array(ExportTable.line(cells).utf8), to: &archive)
            }
        }
        csv.finish(&archive)
    }

    /// Reads the person's events that had arrived when the export began, latest first.
    @concurrent
    private func eachEvent(
        names: [String],
        _ output: @concurrent ([UInt8]) async throws -> Void,
        _ archive: inout ZipWriter,
        _ body: (Timeline.Entry, inout ZipWriter) -> Void
    ) async throws {
        let events = events.restarted(names: names)
        while true {
            guard let page = try await events.next() else { throw PersonExportError.erased }
            for entry in page.entries { body(entry, &archive) }
            try await output(archive.takeBytes())
            if page.isLast { return }
        }
    }
}

// The rejected events.
extension PersonExport {
    /// The number of rejected events read at once.
    private static let pageRejected = 200

    /// Writes the rejected events that an erasure of the person would remove.
    @concurrent
    func writeRejected(_ archive: inout ZipWriter, _ output: @concurrent ([UInt8]) async throws -> Void) async throws
        -> Int
    {
        var positions: [RejectedPosition] = []
        // The same code as in an erasure finds the events, so that both always agree.
        var finder = RecordRedactor(
            plan: person,
            merged: profile.person.mergedIDs,
            installations,
            limits: limits
        )
        var before: EventPosition? = end
        while true {
            let page = try await store.failed(before: before, limit: Self.pageRejected)
            var record: EventPosition?
            var found: (ordinals: Set<Int>, isBatch: Bool) = ([], false)
            for event in page {
                if record?.segment != event.position.segment || record?.offset != event.position.offset {
                    record = event.position
                    found = try await erasedFailures(at: event.position, &finder)
                }
                if found.ordinals.contains(event.position.ordinal) {
                    positions.append(RejectedPosition(event: event.position, isBatch: found.isBatch))
                }
            }
            try await output(archive.takeBytes())
            guard page.isFull(limit: Self.pageRejected), let last = page.last else { break }
            before = last.position
        }
        var json = ExportTable("rejected", .json, in: &archive)
        try await eachRejected(positions, output, &archive) { event, archive in
            json.add(
                JSONWriter.withThreadBuffer { writer in
                    event.write(to: &writer)
                    return writer.array()
                },
                to: &archive
            )
        }
        json.finish(&archive)
        let heading = ["received", "name", "code", "field", "message", "content"]
        var csv = ExportTable("rejected", .csv, heading: heading, in: &archive)
        try await eachRejected(positions, output, &archive) { event, archive in
            let cells = [
                event.received.iso8601, event.name ?? "", event.code, event.field, event.message,
                String(decoding: event.content, as: UTF8.self),
            ]
            csv.add(Array(ExportTable.line(cells).utf8), to: &archive)
        }
        csv.finish(&archive)
        return json.rows
    }

    @concurrent
    private func erasedFailures(
        at position: EventPosition,
        _ finder: inout RecordRedactor
    ) async throws -> (ordinals: Set<Int>, isBatch: Bool) {
        guard let record = try await self.record(position) else { return ([], false) }
        let start = LogPosition(segment: position.segment, offset: position.offset)
        do throws(ErasureError) {
            _ = try record.payload.withUnsafeBytes { bytes in
                Result { () throws(ErasureError) in try finder.redact(record.kind, bytes, at: start) }
            }.get()
        } catch {
            // The record cannot be rewritten, but its events were found.
        }
        return (Set(finder.erasedFailures), record.kind == .quarantine)
    }

    @concurrent
    private func eachRejected(
        _ positions: [RejectedPosition],
        _ output: @concurrent ([UInt8]) async throws -> Void,
        _ archive: inout ZipWriter,
        _ body: (FailedEvent, inout ZipWriter) -> Void
    ) async throws {
        for position in positions {
            guard var event = try await store.failed(at: position.event) else { continue }
            // A batch that was rejected as a whole mentions the person, and may have events of other people.
            if position.isBatch { event.content = [] }
            body(event, &archive)
            try await output(archive.takeBytes())
        }
    }
}

/// The position of a rejected event or batch.
private struct RejectedPosition {
    var event: EventPosition
    var isBatch: Bool
}

/// The error of an export that cannot be completed.
enum PersonExportError: Error, CustomStringConvertible {
    /// Data of the person was erased during the export.
    case erased

    var description: String { "Data of the person was erased during the export." }
}

/// The further identifiers in the contexts of events, each once.
private struct ExportedIdentifiers {
    private struct Identifier: Hashable {
        var type: String
        var value: String
    }

    private var known: Set<Identifier> = []
    private var lastContext: [UInt8] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    mutating func add(context: [UInt8]) {
        // Events of one batch have the same context.
        guard !context.isEmpty, context != lastContext, known.count < limit else { return }
        lastContext = context
        // Admission checked the context; one that is not an object has no identifiers.
        guard let json = try? JSONValue.parse(context), let user = json["user"] else { return }
        for key in ["unique_id", "anonymous_id"] {
            if let value = user[key]?.string { known.insert(Identifier(type: key, value: value)) }
        }
        for member in user["identities"]?.object?.members ?? [] {
            let value = member.value.string ?? String(decoding: member.value.json(), as: UTF8.self)
            known.insert(Identifier(type: member.key, value: value))
        }
    }

    func write(to archive: inout ZipWriter) {
        let sorted = known.sorted { ($0.type, $0.value) < ($1.type, $1.value) }
        var json = ExportTable("identifiers", .json, in: &archive)
        for identifier in sorted {
            json.add(
                JSONWriter.withThreadBuffer { writer in
                    writer.beginObject()
                    writer.member("type", identifier.type)
                    writer.member("value", identifier.value)
                    writer.endObject()
                    return writer.array()
                },
                to: &archive
            )
        }
        json.finish(&archive)
        var csv = ExportTable("identifiers", .csv, heading: ["type", "value"], in: &archive)
        for identifier in sorted {
            csv.add(Array(ExportTable.line([identifier.type, identifier.value]).utf8), to: &archive)
        }
        csv.finish(&archive)
    }
}
