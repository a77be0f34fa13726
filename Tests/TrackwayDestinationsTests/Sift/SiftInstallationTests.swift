// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinations

@Suite("Sift installation ID")
struct SiftInstallationTests {
    @Test(arguments: [
        ("0123456789abcdef0123456789abcdef", "01234567-89AB-CDEF-0123-456789ABCDEF"),
        ("9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2F", "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2F"),
        ("9f1c7b52-6e0a-4d0b-9f3e-2a7e3b0c1d2f", "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2F"),
        ("a-vendor's own", "a-vendor's own"),
        ("0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcdeg"),
        ("０123456789abcdef0123456789abcdef", "０123456789abcdef0123456789abcdef"),
        ("", "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E"),
    ])
    func `the device ID is sent as Sift's clients write it, or the installation ID if the device has none`(
        id: String,
        expected: String
    ) throws {
        let context = RecordedContext(device: ["id": .string(id)])
        let sent = try SiftSample.sent(SiftSample.event("a"), in: context)
        #expect(sent.json["installation_id"]?.string == expected)
    }

    @Test(arguments: [AttributeValue.integer(7), true, ["a"]])
    func `a device ID that is not text is ignored`(id: AttributeValue) throws {
        let sent = try SiftSample.sent(SiftSample.event("a"), in: RecordedContext(device: SiftSample.only("id", id)))
        #expect(sent.json["installation_id"]?.string == "9F1C7B52-6E0A-4D0B-9F3E-2A7E3B0C1D2E")
    }

    @Test
    func `an event's own installation takes precedence`() throws {
        let context = RecordedContext(device: ["id": "0123456789abcdef0123456789abcdef"])
        let sent = try SiftSample.sent(SiftSample.event("a", ["_installation": "another"]), in: context)
        #expect(sent.json["installation_id"]?.string == "another")
    }
}
