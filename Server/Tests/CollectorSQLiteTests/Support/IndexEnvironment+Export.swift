// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

extension IndexEnvironment {
    /// Prepares the export of a person; nil for an unknown person.
    func preparedExport(_ person: PersonKey, pageEvents: Int) async throws -> PersonExport? {
        try await PersonExport.prepare(
            of: person,
            store: store,
            record: { [folder] position in
                let start = LogPosition(segment: position.segment, offset: position.offset)
                var reader = LogReader(folder: folder + "/intake", from: start)
                guard let entry = try reader.next(), entry.start == start else { return nil }
                return (entry.kind, reader.payload(of: entry))
            },
            limits: AdmissionLimits(),
            erasures: erasures.plans,
            clock: SystemClock(),
            pageEvents: pageEvents
        )
    }

    /// Exports a person.
    func export(
        _ person: PersonKey,
        pageEvents: Int
    ) async throws -> (archive: [UInt8], counts: PersonExport.Counts) {
        let archive = try await preparedExport(person, pageEvents: pageEvents)?.archive() ?? []
        let comment = ZipWriter.comment(ofArchiveEndingWith: archive) ?? ""
        return (archive, PersonExport.Counts(comment: comment) ?? PersonExport.Counts())
    }
}

extension PersonExport {
    /// Returns the whole archive.
    func archive() async throws -> [UInt8] {
        let archive = Locked<[UInt8]>([])
        try await write { bytes in archive.withLock { $0 += bytes } }
        return archive.withLock { $0 }
    }
}
