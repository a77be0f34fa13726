// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

/// A crash that is reported by its process and by the system.
@Suite("Duplicate crash reports")
struct ReportedCrashesTests {
    private static let noon: Int64 = 1_700_000_000_000

    private static func own(
        _ signal: Int? = 11,
        process: Int? = nil,
        at time: Int64 = noon,
        executable: String? = "AAAA"
    ) -> CrashFingerprint {
        CrashFingerprint(
            isFromSystem: false,
            signal: signal,
            process: process,
            began: time,
            ended: time,
            executable: executable
        )
    }

    private static func system(
        _ signal: Int? = 11,
        process: Int? = nil,
        from began: Int64 = noon - 3_600_000,
        to ended: Int64 = noon + 3_600_000,
        images: Set<String> = ["AAAA", "BBBB"]
    ) -> CrashFingerprint {
        CrashFingerprint(
            isFromSystem: true,
            signal: signal,
            process: process,
            began: began,
            ended: ended,
            images: images
        )
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let one: CrashFingerprint
        let other: CrashFingerprint
        let isDuplicate: Bool

        init(_ description: String, _ one: CrashFingerprint, _ other: CrashFingerprint, _ isDuplicate: Bool) {
            (testDescription, self.one, self.other, self.isDuplicate) = (description, one, other, isDuplicate)
        }
    }

    @Test(arguments: [
        Case("signal, time and executable are the same", own(), system(), true),
        Case("different signals", own(6), system(), false),
        Case("one signal is unknown", own(), system(nil), false),
        Case("both signals are unknown", own(nil), system(nil), false),
        Case("a different executable, from an earlier build", own(executable: "CCCC"), system(), false),
        Case("the executable is unknown", own(executable: nil), system(), true),
        Case("no images are reported", own(), system(images: []), true),
        Case("the same process", own(process: 42), system(process: 42), true),
        Case("a different process", own(process: 42), system(process: 43), false),
        Case("one process is unknown", own(process: 42), system(), true),
        Case("a minute before the system's time range", own(at: noon - 3_660_000), system(), true),
        Case("a minute and a millisecond before it", own(at: noon - 3_660_001), system(), false),
        Case("a minute after it", own(at: noon + 3_660_000), system(), true),
        Case("a minute and a millisecond after it", own(at: noon + 3_660_001), system(), false),
        Case("both from the process", own(), own(), false),
        Case("both from the system", system(), system(), false),
    ])
    func `signal, time, process and executable decide whether two reports are of one crash`(_ example: Case) {
        #expect(example.one.isDuplicate(of: example.other) == example.isDuplicate)
        #expect(example.other.isDuplicate(of: example.one) == example.isDuplicate)
        var reported = ReportedCrashes()
        reported.note(example.one)
        #expect((reported.removeDuplicate(of: example.other) != nil) == example.isDuplicate)
    }

    @Test
    func `two crashes with two reports each stay two, in any order`() {
        for order in [[0, 1], [1, 0]] {
            var reported = ReportedCrashes()
            for index in order { reported.note(Self.own(at: Self.noon + Int64(index) * 10_000)) }
            #expect(reported.removeDuplicate(of: Self.system()) != nil)
            #expect(reported.removeDuplicate(of: Self.system()) != nil)
            #expect(reported.removeDuplicate(of: Self.system()) == nil)
            #expect(reported.crashes.isEmpty)
        }
    }

    @Test
    func `of several candidates, the nearest in time matches`() {
        var reported = ReportedCrashes()
        reported.note(Self.own(at: Self.noon - 50_000))
        reported.note(Self.own(at: Self.noon - 1_000))
        let match = reported.removeDuplicate(of: Self.system(from: Self.noon - 60_000, to: Self.noon))
        #expect(match?.ended == Self.noon - 1_000)
        #expect(reported.crashes.map(\.ended) == [Self.noon - 50_000])
    }

    @Test
    func `a hang matches no report`() {
        var reported = ReportedCrashes()
        reported.note(Self.system(nil))
        #expect(reported.crashes.isEmpty)
    }

    @Test
    func `remembered crashes are bounded in number and age`() {
        var reported = ReportedCrashes()
        for index in 0..<100 as Range<Int64> { reported.note(Self.own(at: Self.noon + index)) }
        #expect(reported.crashes.count == 32)
        #expect(reported.crashes.first?.ended == Self.noon + 68)
        reported.note(Self.own(at: Self.noon + 9 * 86_400_000))
        #expect(reported.crashes.count == 1)
    }

    @Test
    func `remembered crashes survive a round trip through their file format`() {
        var reported = ReportedCrashes()
        reported.note(Self.own(process: 42))
        reported.note(Self.system(9, process: 43))
        reported.note(Self.own(6, executable: nil))
        #expect(ReportedCrashes(reported.bytes) == reported)
        #expect(ReportedCrashes(ReportedCrashes().bytes) == ReportedCrashes())
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a damaged file never traps`(seed: UInt64) {
        var reported = ReportedCrashes()
        reported.note(Self.own(process: 42))
        reported.note(Self.system(9, process: 43))
        var bytes = reported.bytes
        var state = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        for _ in 0..<6 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Digits produce extreme times.
            bytes[16 + Int(state >> 33) % (bytes.count - 16)] = UInt8(ascii: "9")
        }
        var read = ReportedCrashes(bytes)
        _ = read.removeDuplicate(of: Self.system())
        read.note(Self.own(at: .max))
        read.note(Self.own(at: .min))
        _ = read.removeDuplicate(of: Self.system(from: .min, to: .max))
    }
}

@Suite("Handler chain")
struct HandlerChainTests {
    private static let ours: UInt = 7

    @Test
    func `the first observer installs the handler, and the last one restores the previous handler`() {
        var chain = HandlerChain()
        let installs = [chain.begin(under: 3), chain.begin(under: Self.ours)]
        #expect(installs == [true, false])
        #expect(chain.previous == 3)
        #expect(chain.end(under: Self.ours, ours: Self.ours) == nil)
        #expect(chain.isWanted)
        #expect(chain.end(under: Self.ours, ours: Self.ours) == 3)
        #expect(!chain.isWanted)
    }

    @Test
    func `a handler below a later one stays in place, passes calls on and is not installed twice`() {
        var chain = HandlerChain()
        let installs = chain.begin(under: 0)
        #expect(installs)
        #expect(chain.end(under: 9, ours: Self.ours) == nil)
        #expect(!chain.isWanted)
        #expect(chain.previous == 0)
        // The later handler may call ours, so installing ours again would create a loop.
        let installsAgain = chain.begin(under: 9)
        #expect(!installsAgain)
        #expect(chain.isWanted)
        #expect(chain.previous == 0)
        #expect(chain.end(under: Self.ours, ours: Self.ours) == 0)
    }

    @Test
    func `a removed handler can be installed again, over the current one`() {
        var chain = HandlerChain()
        var installs = chain.begin(under: 3)
        #expect(installs)
        #expect(chain.end(under: Self.ours, ours: Self.ours) == 3)
        installs = chain.begin(under: 4)
        #expect(installs)
        #expect(chain.previous == 4)
    }
}
