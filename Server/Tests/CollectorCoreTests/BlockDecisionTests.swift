// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing

@Suite("Block decisions")
struct BlockDecisionTests {
    @Test
    func `a decision is read back as written, and unknown members are ignored`() {
        let decision = BlockDecision(block: 3, first: 17, last: 40, version: 1)
        #expect(String(decoding: decision.json, as: UTF8.self) == #"{"block":3,"first":17,"last":40,"version":1}"#)
        #expect(BlockDecision(json: decision.json) == decision)
        let newer = #"{"block":3,"first":17,"last":40,"version":1,"by":"somebody"}"#
        #expect(BlockDecision(json: Array(newer.utf8)) == decision)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"block":0,"first":1,"last":1,"version":1}"#,
        #"{"block":1,"first":0,"last":1,"version":1}"#,
        #"{"block":1,"first":2,"last":1,"version":1}"#, #"{"block":1,"first":1,"last":1,"version":0}"#,
        #"{"block":-1,"first":1,"last":1,"version":1}"#, #"{"block":"1","first":1,"last":1,"version":1}"#,
    ])
    func `an invalid decision is rejected`(text: String) {
        #expect(BlockDecision(json: Array(text.utf8)) == nil)
    }
}
