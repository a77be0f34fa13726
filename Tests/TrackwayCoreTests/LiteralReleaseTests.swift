// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Release of a literal's values")
struct LiteralReleaseTests {
    /// A value that counts its deallocations.
    private final class Token: AttributeConvertible, Sendable {
        let ends: Locked<Int>

        init(_ ends: Locked<Int>) { self.ends = ends }

        deinit { ends.withLock { $0 += 1 } }

        var attributeValue: AttributeValue? { "token" }
    }

    @Test
    func `values are released when the attributes are deallocated, changed, converted, merged or compared`() {
        let ends = Locked(0)
        for round in 0..<100 {
            var attributes: Attributes = ["first": Token(ends), "second": [Token(ends)], "round": round]
            let copy = attributes
            #expect(copy["first"] == "token")
            #expect(copy == attributes)
            attributes["third"] = 3
            attributes.merge(["fourth": Token(ends)])
            #expect(attributes.count == 5)
            _ = copy.converted
        }
        #expect(ends.withLock { $0 } == 300)
    }
}
