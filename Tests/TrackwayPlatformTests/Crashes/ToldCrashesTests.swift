// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import TrackwayPlatform

/// One crash, told from within and from without.
@Suite("Crashes told twice")
struct ToldCrashesTests {
    private static let noon: Int64 = 1_700_000_000_000

    private static func own(
        _ signal: Int? = 11,
        process: Int? = nil,
        at time: Int64 = noon,
        executable: String? = "AAAA"
    ) -> CrashTraits {
        CrashTraits(
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
    ) -> CrashTraits {
        CrashTraits(isFromSystem: true, signal: signal, process: process, began: began, ended: ended, images: images)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let one: CrashTraits
        let other: CrashTraits
        let isTwin: Bool

        init(_ description: String, _ one: CrashTraits, _ other: CrashTraits, _ isTwin: Bool) {
            (testDescription, self.one, self.other, self.isTwin) = (description, one, other, isTwin)
        }
    }

    @Test(
        "what is the same crash, and what another",
        arguments: [
            Case("signal, time and executable are the same", own(), system(), true),
            Case("another signal", own(6), system(), false),
            Case("no signal is known of one", own(), system(nil), false),
            Case("no signal is known of either", own(nil), system(nil), false),
            Case("another executable: a build before", own(executable: "CCCC"), system(), false),
            Case("the executable is not known", own(executable: nil), system(), true),
            Case("no image is told", own(), system(images: []), true),
            Case("the same process", own(process: 42), system(process: 42), true),
            Case("another process", own(process: 42), system(process: 43), false),
            Case("one process is not known", own(process: 42), system(), true),
            Case("a minute before the system's time", own(at: noon - 3_660_000), system(), true),
            Case("a millisecond earlier", own(at: noon - 3_660_001), system(), false),
            Case("a minute after it", own(at: noon + 3_660_000), system(), true),
            Case("a millisecond later", own(at: noon + 3_660_001), system(), false),
            Case("both from within", own(), own(), false),
            Case("both from without", system(), system(), false),
        ]
    )
    func twins(_ example: Case) {
        #expect(example.one.isTwin(of: example.other) == example.isTwin)
        #expect(example.other.isTwin(of: example.one) == example.isTwin)
        var told = ToldCrashes()
        told.note(example.one)
        #expect((told.meet(example.other) != nil) == example.isTwin)
    }

    @Test("of two crashes told twice each, two remain, in any order")
    func inPairs() {
        for order in [[0, 1], [1, 0]] {
            var told = ToldCrashes()
            for index in order { told.note(Self.own(at: Self.noon + Int64(index) * 10_000)) }
            #expect(told.meet(Self.system()) != nil)
            #expect(told.meet(Self.system()) != nil)
            #expect(told.meet(Self.system()) == nil)
            #expect(told.crashes.isEmpty)
        }
    }

    @Test("of several that fit, the nearest in time is met")
    func nearest() {
        var told = ToldCrashes()
        told.note(Self.own(at: Self.noon - 50_000))
        told.note(Self.own(at: Self.noon - 1_000))
        let met = told.meet(Self.system(from: Self.noon - 60_000, to: Self.noon))
        #expect(met?.ended == Self.noon - 1_000)
        #expect(told.crashes.map(\.ended) == [Self.noon - 50_000])
    }

    @Test("a hang is met by nothing")
    func hangs() {
        var told = ToldCrashes()
        told.note(Self.system(nil))
        #expect(told.crashes.isEmpty)
    }

    @Test("what is remembered is bounded, in number and age")
    func bounded() {
        var told = ToldCrashes()
        for index in 0..<100 as Range<Int64> { told.note(Self.own(at: Self.noon + index)) }
        #expect(told.crashes.count == 32)
        #expect(told.crashes.first?.ended == Self.noon + 68)
        told.note(Self.own(at: Self.noon + 9 * 86_400_000))
        #expect(told.crashes.count == 1)
    }

    @Test("what is remembered is the same after it was written and read")
    func roundTrip() {
        var told = ToldCrashes()
        told.note(Self.own(process: 42))
        told.note(Self.system(9, process: 43))
        told.note(Self.own(6, executable: nil))
        #expect(ToldCrashes(told.bytes) == told)
        #expect(ToldCrashes(ToldCrashes().bytes) == ToldCrashes())
    }

    @Test("a damaged memory never traps", arguments: 0..<40 as Range<UInt64>)
    func damaged(seed: UInt64) {
        var told = ToldCrashes()
        told.note(Self.own(process: 42))
        told.note(Self.system(9, process: 43))
        var bytes = told.bytes
        var state = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        for _ in 0..<6 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // Digits make times that are far away.
            bytes[16 + Int(state >> 33) % (bytes.count - 16)] = UInt8(ascii: "9")
        }
        var read = ToldCrashes(bytes)
        _ = read.meet(Self.system())
        read.note(Self.own(at: .max))
        read.note(Self.own(at: .min))
        _ = read.meet(Self.system(from: .min, to: .max))
    }
}

@Suite("A handler among others")
struct HandlerChainTests {
    private static let ours: UInt = 7

    @Test("goes in with the first, out with the last, and gives the place back to whom it had")
    func alone() {
        var chain = HandlerChain()
        let installs = [chain.begin(under: 3), chain.begin(under: Self.ours)]
        #expect(installs == [true, false])
        #expect(chain.previous == 3)
        #expect(chain.end(under: Self.ours, ours: Self.ours) == nil)
        #expect(chain.isWanted)
        #expect(chain.end(under: Self.ours, ours: Self.ours) == 3)
        #expect(!chain.isWanted)
    }

    @Test("stays beneath one that was put on top, passes on, and is not put in a second time")
    func beneath() {
        var chain = HandlerChain()
        let installs = chain.begin(under: 0)
        #expect(installs)
        #expect(chain.end(under: 9, ours: Self.ours) == nil)
        #expect(!chain.isWanted)
        #expect(chain.previous == 0)
        // Whoever is on top may call us: a circle otherwise.
        let installsAgain = chain.begin(under: 9)
        #expect(!installsAgain)
        #expect(chain.isWanted)
        #expect(chain.previous == 0)
        #expect(chain.end(under: Self.ours, ours: Self.ours) == 0)
    }

    @Test("after it went out it may go in again, under whoever is there then")
    func again() {
        var chain = HandlerChain()
        var installs = chain.begin(under: 3)
        #expect(installs)
        #expect(chain.end(under: Self.ours, ours: Self.ours) == 3)
        installs = chain.begin(under: 4)
        #expect(installs)
        #expect(chain.previous == 4)
    }
}
