// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

@testable import CollectorCore

/// Bodies of other formats for tests, and the results of their admission.
enum VendorEnvironment {
    static let grant = KeyGrant(name: "shop", scopes: [.write])
    static let received = Timestamp(milliseconds: 1_718_000_010_000)

    static func clickstream(
        _ body: [UInt8],
        encoding: ContentEncoding = .identity,
        app: String = "shop_ios",
        hashCode: String? = nil,
        limits: AdmissionLimits = AdmissionLimits()
    ) throws -> VendorBatch {
        try ClickstreamIntake(limits: limits).admit(
            body,
            encoding: encoding,
            app: app,
            hashCode: hashCode,
            grant: grant,
            received: received
        )
    }

    static func sensors(
        _ body: [UInt8],
        project: String = "production",
        limits: AdmissionLimits = AdmissionLimits()
    ) throws -> VendorBatch {
        try SensorsIntake(limits: limits).admit(
            body,
            encoding: .identity,
            project: project,
            allows: { $0 == "other" },
            grant: grant,
            received: received
        )
    }

    static func sift(
        _ body: [UInt8],
        account: String = "acct_1",
        received: Timestamp = VendorEnvironment.received
    ) throws -> VendorBatch {
        try SiftIntake().admit(body, account: account, grant: grant, received: received)
    }

    /// Returns a form as sent by the format's clients.
    ///
    /// Its checksum is correct unless `crc` is given.
    static func form(_ json: String, gzip: Int = 1, field: String = "data_list", crc: Int32? = nil) -> [UInt8] {
        let packed = gzip == 1 ? base64(GzipCompressor().compress(Array(json.utf8))) : json
        let sum = crc ?? SensorsForm.checksum(of: Array(packed.utf8))
        return Array("crc=\(sum)&gzip=\(gzip)&\(field)=\(escaped(packed))".utf8)
    }

    static func base64(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes), as: UTF8.self)
    }

    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// Returns all events stored for a batch, as the index reads them.
    static func visit(_ batch: VendorBatch) throws -> [StoredVendorEvent] {
        var kept: [StoredVendorEvent] = []
        for bytes in batch.records {
            let record = try bytes.withUnsafeBytes { try IntakeRecord(payload: $0) }
            var installation: InstallationID?
            try record.visit(
                header: { installation = $0.installation },
                event: { event in
                    kept.append(
                        StoredVendorEvent(
                            installation: installation,
                            json: try JSONValue.parse(event.json),
                            context: event.context.isEmpty ? nil : try JSONValue.parse(event.context),
                            fault: event.fault?.code,
                            field: event.fault?.field
                        )
                    )
                }
            )
        }
        return kept
    }
}

/// A copy of a visited event.
struct StoredVendorEvent: Hashable {
    var installation: InstallationID?
    var json: JSONValue
    var context: JSONValue?
    var fault: String?
    var field: String?

    var name: String? { json["name"]?.string }
    var id: String? { json["id"]?.string }
    var attributes: JSONValue? { json["attributes"] }
}
