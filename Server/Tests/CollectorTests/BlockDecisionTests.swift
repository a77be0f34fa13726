// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Testing

@Suite("A decision about a block")
struct BlockDecisionTests {
    @Test("it is read as it was written, with what it does not know passed over")
    func roundTrip() {
        let decision = BlockDecision(block: 3, first: 17, last: 40, version: 1)
        #expect(String(decoding: decision.json, as: UTF8.self) == #"{"block":3,"first":17,"last":40,"version":1}"#)
        #expect(BlockDecision(json: decision.json) == decision)
        let newer = #"{"block":3,"first":17,"last":40,"version":1,"by":"somebody"}"#
        #expect(BlockDecision(json: Array(newer.utf8)) == decision)
    }

    @Test(
        "what is none is taken for none",
        arguments: [
            "", "[]", "{}", #"{"block":0,"first":1,"last":1,"version":1}"#,
            #"{"block":1,"first":0,"last":1,"version":1}"#,
            #"{"block":1,"first":2,"last":1,"version":1}"#, #"{"block":1,"first":1,"last":1,"version":0}"#,
            #"{"block":-1,"first":1,"last":1,"version":1}"#, #"{"block":"1","first":1,"last":1,"version":1}"#,
        ]
    )
    func strange(text: String) {
        #expect(BlockDecision(json: Array(text.utf8)) == nil)
    }
}
