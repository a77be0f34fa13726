// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CTrackway
import Testing

/// The values that replace the boot ID and the time since boot.
///
/// They are used where neither original may leave the device.
@Suite("Disguised boot ID")
struct BootObfuscationTests {
    private func obfuscate(_ boot: String, _ place: String) -> (id: String, shift: Int64) {
        var id = [CChar](repeating: 0, count: 37)
        var shift: Int64 = 0
        ctrackway_disguise_boot(boot, place, &id, &shift)
        return (String(decoding: id.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), shift)
    }

    private let boot = "6D0B6C3E-2E5C-4F38-8F3B-9B3E0A6F1C55"

    @Test
    func `the disguise is the same for one boot and app, and differs for another boot or app`() {
        let one = obfuscate(boot, "/apps/A")
        #expect(one == obfuscate(boot, "/apps/A"))
        #expect(one.id != obfuscate(boot, "/apps/B").id)
        #expect(one.shift != obfuscate(boot, "/apps/B").shift)
        #expect(one.id != obfuscate("6D0B6C3E-2E5C-4F38-8F3B-9B3E0A6F1C56", "/apps/A").id)
    }

    @Test
    func `the disguise is a UUID without the boot ID, and the shift is decades at most`() {
        for number in 0..<500 {
            let (id, shift) = obfuscate(boot, "/apps/\(number)")
            #expect(id.count == 36 && id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
            #expect(!id.uppercased().contains("6D0B6C3E"))
            #expect(shift >= 0 && shift < 1 << 39)
        }
    }

    @Test
    func `the path may be long or empty`() {
        #expect(obfuscate(boot, "").id.count == 36)
        #expect(obfuscate(boot, String(repeating: "x", count: 5_000)).id.count == 36)
    }

    @Test
    func `the keyed hash matches the published one`() {
        let key: [UInt64] = [0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908]
        let input = (0..<64).map { UInt8($0) }
        // The reference's table, for inputs of 0, 1, 7, 8, 15 and 63 bytes.
        let expected: [(Int, UInt64)] = [
            (0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (7, 0xAB02_00F5_8B01_D137),
            (8, 0x93F5_F579_9A93_2462), (15, 0xA129_CA61_49BE_45E5), (63, 0x958A_324C_EB06_4572),
        ]
        for (count, hash) in expected { #expect(ctrackway_keyed_hash(key, input, count) == hash, "\(count) bytes") }
    }
}
