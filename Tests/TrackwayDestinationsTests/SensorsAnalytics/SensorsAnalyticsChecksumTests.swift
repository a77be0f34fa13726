// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayDestinations

@Suite("Checksum of a Sensors Analytics body")
struct SensorsAnalyticsChecksumTests {
    @Test(arguments: [("", 0), ("hello", 99_162_322), ("H4sIAAAAAAAA", -1_372_898_654), (#"[{"a":1}]"#, 1_268_267_898)])
    func `known texts have known checksums`(text: String, checksum: Int32) {
        #expect(SensorsAnalyticsChecksum.of(text) == checksum)
    }
}
