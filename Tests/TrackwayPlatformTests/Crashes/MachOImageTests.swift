// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import Testing

/// Synthetic images as Apple's systems load them.
@Suite("Mach-O images")
struct MachOImageTests {
    /// The parts of a synthetic image.
    private struct Image {
        var isWide = true
        var processor: UInt32 = 0x0100_000C
        var kind: UInt32 = 2
        var file: UInt32 = 2
        var flags: UInt32 = 0
        var uuid: [UInt8]? = Array(0x10..<0x20)
        /// The linked and the actual load address.
        var linked: UInt64 = 0x1_0000_0000
        var loaded: UInt64 = 0x1_0400_0000
        /// Distances between successive functions, beginning at the image's start.
        var functions: [UInt64] = [0x1000, 0x40, 0x200]
        var crashInformation: UInt64? = 0x8100

        /// The header and the load commands.
        var header: [UInt8] {
            var commands: [[UInt8]] = [
                segment("__PAGEZERO", 0, linked, 0),
                segment("__TEXT", linked, 0x8000, 0),
                segment(
                    "__DATA",
                    linked + 0x8000,
                    0x4000,
                    0x8000,
                    sections: crashInformation.map { [("__crash_info", linked + $0)] } ?? []
                ),
                segment("__LINKEDIT", linked + 0xC000, 0x1000, 0xA000),
            ]
            if let uuid { commands.append(word(0x1B) + word(24) + uuid) }
            commands.append(word(0x26) + word(16) + word(0xA010) + word(UInt32(starts.count)))
            let bytes = commands.flatMap { $0 }
            return word(isWide ? 0xFEED_FACF : 0xFEED_FACE) + word(processor) + word(kind) + word(file)
                + word(UInt32(commands.count)) + word(UInt32(bytes.count)) + word(flags) + (isWide ? word(0) : [])
                + bytes
        }

        var starts: [UInt8] {
            functions.flatMap { distance in
                var bytes: [UInt8] = []
                var rest = distance
                repeat {
                    bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
                    rest >>= 7
                } while rest > 0
                return bytes
            } + [0]
        }

        func put(into memory: SyntheticMemory) {
            memory.put(bytes: header, at: loaded)
            memory.put(bytes: starts, at: loaded + 0xC000 + 0x10)
        }

        private func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }

        private func long(_ value: UInt64) -> [UInt8] {
            isWide
                ? (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } : word(UInt32(truncatingIfNeeded: value))
        }

        private func name(_ text: String) -> [UInt8] {
            let bytes = Array(text.utf8.prefix(16))
            return bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
        }

        private func segment(
            _ title: String,
            _ address: UInt64,
            _ size: UInt64,
            _ offset: UInt64,
            sections: [(String, UInt64)] = []
        ) -> [UInt8] {
            let rest = sections.flatMap { section in
                name(section.0) + name(title) + long(section.1) + long(0x40)
                    + [UInt8](repeating: 0, count: isWide ? 32 : 28)
            }
            let body =
                name(title) + long(address) + long(size) + long(offset) + long(size) + word(5) + word(5)
                + word(UInt32(sections.count)) + word(0) + rest
            return word(isWide ? 0x19 : 0x1) + word(UInt32(body.count + 8)) + body
        }
    }

    private static func read(_ image: Image) -> (image: ctrackway_image, memory: SyntheticMemory)? {
        let memory = SyntheticMemory()
        image.put(into: memory)
        var found = ctrackway_image()
        guard ctrackway_macho_read(SyntheticMemory.reader, memory.context, image.loaded, &found) else { return nil }
        return (found, memory)
    }

    private static func text<Tuple>(_ tuple: Tuple) -> String {
        withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    @Test
    func `an image's UUID, architecture and code range are read at any load address`() throws {
        let (image, _) = try #require(Self.read(Image()))
        #expect(Self.text(image.build) == "10111213-1415-1617-1819-1A1B1C1D1E1F")
        #expect(Self.text(image.architecture) == "arm64e")
        #expect(image.base == 0x1_0400_0000)
        #expect(image.first == 0x1_0400_0000)
        #expect(image.last == 0x1_0400_8000)
        #expect(image.is_executable)
        #expect(!image.is_system)
        #expect(image.annotations == 0x1_0400_8100)
        #expect(image.functions == 0x1_0400_C010)
    }

    @Test(
        arguments: [
            (0x0100_000C, 0, "arm64"), (0x0100_000C, 1, "arm64"), (0x0100_000C, 0x8000_0002, "arm64e"),
            (0x0200_000C, 1, "arm64_32"), (0x0100_0007, 3, "x86_64"), (0x0100_0007, 8, "x86_64h"), (12, 12, "armv7k"),
            (99, 0, ""),
        ] as [(UInt32, UInt32, String)]
    )
    func `architectures have the names that tools expect`(processor: UInt32, kind: UInt32, name: String) throws {
        var image = Image()
        (image.processor, image.kind) = (processor, kind)
        #expect(Self.text(try #require(Self.read(image)).image.architecture) == name)
    }

    @Test
    func `headers with 32-bit pointers are read`() throws {
        var image = Image(isWide: false, processor: 0x0200_000C, kind: 1)
        (image.linked, image.loaded) = (0x4000, 0x10_4000)
        let (found, memory) = try #require(Self.read(image))
        #expect(Self.text(found.build) == "10111213-1415-1617-1819-1A1B1C1D1E1F")
        #expect(Self.text(found.architecture) == "arm64_32")
        #expect(found.first == 0x10_4000 && found.last == 0x10_C000)
        #expect(found.annotations == 0x10_C100)
        var (first, last) = (UInt64(0), UInt64(0))
        var copy = found
        #expect(ctrackway_macho_function(SyntheticMemory.reader, memory.context, &copy, 0x10_5010, &first, &last))
        #expect(first == 0x10_5000 && last == 0x10_5040)
    }

    @Test
    func `libraries in the system's shared cache are recognized, and an image may lack a UUID`() throws {
        let (image, _) = try #require(Self.read(Image(file: 6, flags: 0x8000_0000, uuid: nil, crashInformation: nil)))
        #expect(image.is_system && !image.is_executable)
        #expect(Self.text(image.build) == "")
        #expect(image.annotations == 0)
    }

    @Test(
        arguments: [
            (0xFFF, nil), (0x1000, 0x1000..<0x1040), (0x103F, 0x1000..<0x1040), (0x1040, 0x1040..<0x1240),
            (0x1240, 0x1240..<0x8000), (0x7FFF, 0x1240..<0x8000), (0x8000, nil),
        ] as [(UInt64, Range<UInt64>?)]
    )
    func `an address resolves to the range of its function`(offset: UInt64, expected: Range<UInt64>?) throws {
        let base = Image().loaded
        var (image, memory) = try #require(Self.read(Image()))
        var (first, last) = (UInt64(0), UInt64(0))
        let isFound = ctrackway_macho_function(
            SyntheticMemory.reader,
            memory.context,
            &image,
            base + offset,
            &first,
            &last
        )
        #expect(isFound == (expected != nil))
        if let expected { #expect(first == base + expected.lowerBound && last == base + expected.upperBound) }
    }

    @Test
    func `a long function list is read in pieces, and no function is found in an unreadable one`() throws {
        var source = Image()
        source.functions = [0x1000] + [UInt64](repeating: 8, count: 3_000)
        var (image, memory) = try #require(Self.read(source))
        var (first, last) = (UInt64(0), UInt64(0))
        let address = source.loaded + 0x1000 + 2_500 * 8 + 4
        #expect(ctrackway_macho_function(SyntheticMemory.reader, memory.context, &image, address, &first, &last))
        #expect(first == address - 4 && last == address + 4)
        memory.remove(image.functions + 1_000..<image.functions + 1_001)
        #expect(!ctrackway_macho_function(SyntheticMemory.reader, memory.context, &image, address, &first, &last))
    }

    @Test
    func `unrelated bytes are rejected, and a partial image is not read past its end`() {
        let memory = SyntheticMemory()
        var image = ctrackway_image()
        #expect(!ctrackway_macho_read(SyntheticMemory.reader, memory.context, 0x1000, &image))
        memory.put(bytes: [UInt8](repeating: 0xCF, count: 64), at: 0x1000)
        #expect(!ctrackway_macho_read(SyntheticMemory.reader, memory.context, 0x1000, &image))
        let whole = Image().header
        for count in stride(from: 0, to: whole.count, by: 3) {
            let half = SyntheticMemory()
            half.put(bytes: Array(whole[..<count]), at: 0x1000)
            // The parser must not read past the end.
            _ = ctrackway_macho_read(SyntheticMemory.reader, half.context, 0x1000, &image)
        }
    }

    @Test(arguments: 0..<80 as Range<UInt64>)
    func `damaged headers end the read after a bounded number of accesses`(seed: UInt64) {
        var state = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var header = Image().header
        for _ in 0..<12 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            header[4 + Int(state >> 33) % (header.count - 4)] = UInt8(truncatingIfNeeded: state >> 20)
        }
        let memory = SyntheticMemory()
        memory.put(bytes: header, at: 0x1000)
        var image = ctrackway_image()
        var (first, last) = (UInt64(0), UInt64(0))
        if ctrackway_macho_read(SyntheticMemory.reader, memory.context, 0x1000, &image) {
            _ = ctrackway_macho_function(SyntheticMemory.reader, memory.context, &image, image.first + 8, &first, &last)
        }
        #expect(memory.readCount < 20_000)
    }
}
