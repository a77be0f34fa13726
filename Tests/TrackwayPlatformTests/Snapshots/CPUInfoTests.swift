// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

@Suite("Parser of /proc/cpuinfo")
struct CPUInfoTests {
    @Test(
        arguments: [
            ("Intel(R) Xeon(R) Processor @ 2.50GHz", 2_500_000_000), ("Pentium III @ 933MHz", 933_000_000),
            ("AMD Ryzen 7 5800X 8-Core Processor", nil), ("x @ GHz", nil), ("x @ nanGHz", nil), ("x @ -1GHz", nil),
            ("x @ 1e300GHz", nil), ("@", nil), ("", nil),
        ] as [(String, Int64?)]
    )
    func `the nominal frequency is read only from the processor's name`(_ name: String, _ expected: Int64?) {
        #expect(CPUInfo("model name\t: \(name)\n").nominalFrequency == expected)
    }

    @Test(
        arguments: [
            ("fpu\t: yes\nflags\t: fpu lm", true, true), ("fpu\t: no\nflags\t: vme", false, false),
            ("Features\t: half thumb", nil, false), ("Features\t: vfpv4", nil, true), ("hart\t: 0", nil, nil),
            ("", nil, nil),
        ] as [(String, Bool?, Bool?)]
    )
    func `CPU capabilities are unknown unless the file lists them`(
        _ text: String,
        _ is64Bit: Bool?,
        _ hasFloatingPoint: Bool?
    ) {
        #expect(CPUInfo(text).is64Bit == is64Bit)
        #expect(CPUInfo(text).hasFloatingPoint == hasFloatingPoint)
    }

    @Test
    func `processor lists in the kernel's format are parsed, and other text is rejected`() {
        #expect(NumberRanges("0-3,6").map { Array($0.numbers) } == [0, 1, 2, 3, 6])
        #expect(NumberRanges("6,0-1")?.lowest == 0)
        for text in ["", ",", "-", "3-", "-3", "a", "3-1", "1-2-3", "0-99999999"] { #expect(NumberRanges(text) == nil) }
    }
}
