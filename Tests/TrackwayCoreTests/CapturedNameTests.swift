// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore

@Suite("Names of captured events")
struct CapturedNameTests {
    @Test
    func `the list of all names contains every name that is declared`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/TrackwayCore/Vocabulary/CapturedName.swift")
        let declared = try String(contentsOf: file, encoding: .utf8)
            .matches(of: #/static let \w+ = "(\w+)"/#)
            .map { String($0.output.1) }
        #expect(declared.count == Set(declared).count && declared.contains(CapturedName.consent))
        #expect(CapturedName.all == Set(declared))
    }
}
