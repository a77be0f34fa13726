// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing

extension DataMap {
    /// Expects each of the sent fields in the map.
    func expectAll(_ sent: Set<SentField>) {
        let unknown = Dictionary(grouping: sent.filter { row($0.path, in: $0.format) == nil }) {
            "\($0.format.rawValue) \($0.path)"
        }
        for (field, values) in unknown.sorted(by: { $0.key < $1.key }) {
            Issue.record("\(field) is not in Scripts/data-map, such as \(values.first?.value.prefix(80) ?? "")")
        }
    }

    /// Expects that each of the map's rows for certain systems was sent.
    func expectRowsSent(_ sent: Set<SentField>, for systems: Set<String>, isSendable: (Row) -> Bool = { _ in true }) {
        for format in Format.allCases {
            let paths = Set(sent.filter { $0.format == format }.map(\.path))
            let unsent = rows(of: format).filter {
                systems.contains($0.systems) && isSendable($0) && !paths.contains($0.path)
            }
            #expect(unsent.isEmpty, "\(format.rawValue): no app sent \(unsent.map(\.path).joined(separator: ", "))")
        }
    }
}
