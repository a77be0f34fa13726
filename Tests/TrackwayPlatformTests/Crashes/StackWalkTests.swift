// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
internal import Testing

/// Synthetic stacks and the calls found on them.
@Suite("Stack walks")
struct StackWalkTests {
    /// A simulated process: its memory, its code, and the calls that were found.
    private final class Process {
        let memory = SyntheticMemory()
        var code: [(range: Range<UInt64>, isFrameless: Bool)] = []
        var functions: [Range<UInt64>] = []
        var calls: [String] = []

        func walk(
            _ registers: ctrackway_registers,
            mask: UInt64 = .max,
            flags: UInt64 = 0,
            hasLink: Bool = true,
            limit: Int32 = 128
        ) -> Bool {
            var walk = ctrackway_walk()
            walk.context = Unmanaged.passUnretained(self).toOpaque()
            walk.read = { context, address, to, count in
                SyntheticMemory.reader(Process.of(context).memory.context, address, to, count)
            }
            walk.code = { context, address in
                guard let place = Process.of(context).code.first(where: { $0.range.contains(address) }) else {
                    return ctrackway_code_none
                }
                return place.isFrameless ? ctrackway_code_frameless : ctrackway_code_framed
            }
            walk.function = { context, address, first, last in
                guard let function = Process.of(context).functions.first(where: { $0.contains(address) }) else {
                    return false
                }
                first?.pointee = function.lowerBound
                last?.pointee = function.upperBound
                return true
            }
            walk.frame = { context, kind, address in
                let mark = kind == ctrackway_frame_guess ? "?" : kind == ctrackway_frame_awaiting ? "~" : ""
                Process.of(context).calls.append(mark + String(address, radix: 16))
            }
            walk.address_mask = mask
            walk.frame_flags = flags
            walk.has_link = hasLink
            walk.limit = limit
            return ctrackway_walk_stack(&walk, registers)
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> Process {
            Unmanaged.fromOpaque(context ?? UnsafeMutableRawPointer(bitPattern: 1)!).takeUnretainedValue()
        }
    }

    /// `main` (0x10000) called `middle` (0x11000), which called `leaf` (0x12000): frames at 0x7f00 and 0x7f40.
    private static func process() -> Process {
        let process = Process()
        process.code = [(0x10000..<0x20000, false)]
        process.functions = [0x10000..<0x10100, 0x11000..<0x11100, 0x12000..<0x12100]
        process.memory.put([0x7f40, 0x10050], at: 0x7f00)
        process.memory.put([0, 0x9999_9999], at: 0x7f40)
        return process
    }

    private static func registers(
        pc: UInt64,
        frame: UInt64 = 0x7f00,
        stack: UInt64 = 0x7e00,
        link: UInt64 = 0
    ) -> ctrackway_registers {
        ctrackway_registers(pc: pc, frame: frame, stack: stack, link: link)
    }

    @Test
    func `a framed function's callers come from the frame records, not from the link register`() {
        let process = Self.process()
        // In `middle`, after a call that has returned.
        #expect(!process.walk(Self.registers(pc: 0x11030, link: 0x11020)))
        #expect(process.calls == ["11030", "10050"])
    }

    @Test
    func `a framed function that has made no call yet reports its caller once`() {
        let process = Self.process()
        _ = process.walk(Self.registers(pc: 0x11030, link: 0x10050))
        #expect(process.calls == ["11030", "10050"])
    }

    @Test
    func `a leaf function's caller comes from the link register`() {
        let process = Self.process()
        _ = process.walk(Self.registers(pc: 0x12004, link: 0x11040))
        #expect(process.calls == ["12004", "11040", "10050"])
    }

    @Test
    func `a return address past the function's end, from a last call that does not return, adds no caller`() {
        let process = Self.process()
        _ = process.walk(Self.registers(pc: 0x11030, link: 0x11100))
        #expect(process.calls == ["11030", "10050"])
    }

    @Test
    func `without known functions, the link register is ignored`() {
        let process = Self.process()
        process.functions = []
        _ = process.walk(Self.registers(pc: 0x12004, link: 0x11040))
        #expect(process.calls == ["12004", "10050"])
    }

    @Test
    func `after a call to an invalid address, the caller comes from the link register`() {
        let process = Self.process()
        _ = process.walk(Self.registers(pc: 0x10, link: 0x11040))
        #expect(process.calls == ["10", "11040", "10050"])
    }

    @Test
    func `signatures are removed from addresses in registers and on the stack`() {
        let process = Self.process()
        process.memory.put([0x7f40, 0x5a5a_8000_0001_0050], at: 0x7f00)
        process.memory.put([0x7f80, 0xa5a5_0000_0001_0060], at: 0x7f40)
        process.memory.put([0, 0], at: 0x7f80)
        _ = process.walk(Self.registers(pc: 0x2222_0000_0001_2004, link: 0x7b7b_0000_0001_1040), mask: 0x7f_ffff_ffff)
        #expect(process.calls == ["12004", "11040", "10050", "10060"])
        let without = Self.process()
        without.memory.put([0x7f40, 0x5a5a_8000_0001_0050], at: 0x7f00)
        _ = without.walk(Self.registers(pc: 0x12004, link: 0x11040))
        #expect(without.calls == ["12004", "11040"])
    }

    @Test
    func `a mark in the saved frame pointer identifies an async frame, whose context contains the awaiting calls`() {
        let process = Self.process()
        let mark: UInt64 = 1 << 60
        process.memory.put([0x5000, 0x7f40 | mark, 0x10050], at: 0x7ef8)
        process.memory.put([0x7f80, 0x10060], at: 0x7f40)
        process.memory.put([0, 0], at: 0x7f80)
        // Two contexts, each with its parent and resume address.
        process.memory.put([0x5100, 0x10070], at: 0x5000)
        process.memory.put([0, 0x10080], at: 0x5100)
        let registers = Self.registers(pc: 0x11030, frame: 0x7f00 | mark, link: 0x11020)
        _ = process.walk(registers, flags: 0xF << 60)
        #expect(process.calls == ["11030", "10050", "10060", "~10070", "~10080"])
        let without = Self.process()
        without.memory.put([0x7f40 | mark, 0x10050], at: 0x7f00)
        without.memory.put([0, 0x10060], at: 0x7f40)
        _ = without.walk(Self.registers(pc: 0x11030, link: 0x11020))
        #expect(without.calls == ["11030", "10050"])
    }

    @Test
    func `a context that is its own parent or unreadable ends the search`() {
        for context: UInt64 in [0x5000, 0x5001, 0, 0x6000] {
            let process = Self.process()
            process.memory.put([context, 0x7f40 | 1 << 60, 0x10050], at: 0x7ef8)
            process.memory.put([0x5000, 0x10070], at: 0x5000)
            _ = process.walk(Self.registers(pc: 0x11030, link: 0x11020), flags: 0xF << 60)
            #expect(process.calls == ["11030", "10050"] + (context == 0x5000 ? ["~10070"] : []))
        }
    }

    @Test
    func `no calls are guessed on processors with a link register`() {
        let process = Self.process()
        process.code.append((0x20000..<0x21000, true))
        process.memory.put([0x10010, 0x10020, 0x10030], at: 0x7e00)
        _ = process.walk(Self.registers(pc: 0x20010, link: 0x11040))
        #expect(process.calls == ["20010", "10050"])
    }

    @Test
    func `on x86, only words after a call instruction are reported as guesses`() {
        let process = Self.process()
        process.code.append((0x20000..<0x21000, true))
        process.memory.put([0x10010, 0x10020, 0x555], at: 0x7e00)
        process.memory.put(bytes: [0xE8, 0, 0, 0, 0], at: 0x10020 - 5)
        process.memory.put(bytes: [0x90, 0x90], at: 0x10020 - 7)
        process.memory.put(bytes: [0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90], at: 0x10010 - 7)
        _ = process.walk(Self.registers(pc: 0x20010), hasLink: false)
        #expect(process.calls == ["20010", "?10020", "10050"])
    }

    @Test
    func `a frame that loops, points backward, is misaligned or is unreadable ends the walk`() {
        for next: UInt64 in [0x7f00, 0x7ef0, 0x7f08, 0x7f43, 0xdead_0000, .max, .max - 7] {
            let process = Self.process()
            process.memory.put([next, 0x10050], at: 0x7f00)
            _ = process.walk(Self.registers(pc: 0x11030))
            #expect(process.calls == ["11030", "10050"], "\(next)")
        }
        let half = Self.process()
        half.memory.remove(0x7f0a..<0x7f0c)
        _ = half.walk(Self.registers(pc: 0x11030))
        #expect(half.calls == ["11030"])
        let nothing = Process()
        _ = nothing.walk(Self.registers(pc: 0, frame: 0, stack: 0))
        #expect(nothing.calls == ["0"])
    }

    @Test
    func `a deep stack is truncated and reported as such`() {
        let process = Self.process()
        for frame in 0..<500 as Range<UInt64> {
            process.memory.put([0x8000 + (frame + 1) * 16, 0x10050], at: 0x8000 + frame * 16)
        }
        #expect(process.walk(Self.registers(pc: 0x11030, frame: 0x8000), limit: 100))
        #expect(process.calls.count == 100)
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `a walk over arbitrary stack contents is bounded`(seed: UInt64) {
        var state = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 11
        }
        let process = Self.process()
        for word in 0..<400 as Range<UInt64> {
            // Words that look like frames or code, and random ones.
            let value =
                switch next() % 4 {
                case 0: 0x7000 + next() % 400 * 8
                case 1: 0x10000 + next() % 0x3000
                case 2: (0x7000 + next() % 400 * 8) | 1 << 60
                default: next()
                }
            process.memory.put([value], at: 0x7000 + word * 8)
        }
        for hasLink in [true, false] {
            let registers = Self.registers(pc: 0x11030, frame: 0x7000, stack: 0x7000, link: 0x10050)
            _ = process.walk(registers, flags: seed % 2 == 0 ? 0xF << 60 : 0, hasLink: hasLink)
        }
        #expect(process.calls.count <= 400)
        #expect(process.memory.readCount < 10_000)
    }

    @Test
    func `the address mask preserves this machine's code addresses`() {
        let mask = ctrackway_address_mask()
        let address = UInt64(UInt(bitPattern: dlsymAddress()))
        #expect(address & mask == address)
    }

    private func dlsymAddress() -> UnsafeRawPointer {
        let function: @convention(c) () -> UInt64 = ctrackway_address_mask
        return unsafeBitCast(function, to: UnsafeRawPointer.self)
    }
}
