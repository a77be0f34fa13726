// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("What /proc/cpuinfo says")
struct CPUInfoTests {
    @Test(
        "the frequency a processor is sold with is in its name, or nowhere",
        arguments: [
            ("Intel(R) Xeon(R) Processor @ 2.50GHz", 2_500_000_000), ("Pentium III @ 933MHz", 933_000_000),
            ("AMD Ryzen 7 5800X 8-Core Processor", nil), ("x @ GHz", nil), ("x @ nanGHz", nil), ("x @ -1GHz", nil),
            ("x @ 1e300GHz", nil), ("@", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func soldFrequency(_ name: String, _ expected: Int64?) {
        #expect(CPUInfo("model name\t: \(name)\n").soldFrequency == expected)
    }

    @Test(
        "abilities are known only where the file speaks of them",
        arguments: [
            ("fpu\t: yes\nflags\t: fpu lm", true, true), ("fpu\t: no\nflags\t: vme", false, false),
            ("Features\t: half thumb", nil, false), ("Features\t: vfpv4", nil, true), ("hart\t: 0", nil, nil),
            ("", nil, nil),
        ] as [(String, Bool?, Bool?)]
    )
    func abilities(_ text: String, _ is64Bit: Bool?, _ hasFloatingPoint: Bool?) {
        #expect(CPUInfo(text).is64Bit == is64Bit)
        #expect(CPUInfo(text).hasFloatingPoint == hasFloatingPoint)
    }

    @Test("lists of processors are read as the kernel writes them, and nothing else is one")
    func ranges() {
        #expect(NumberRanges("0-3,6").map { Array($0.numbers) } == [0, 1, 2, 3, 6])
        #expect(NumberRanges("6,0-1")?.lowest == 0)
        for text in ["", ",", "-", "3-", "-3", "a", "3-1", "1-2-3", "0-99999999"] { #expect(NumberRanges(text) == nil) }
    }
}
