// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayLifecycle

@testable import TrackwayPlatform

@Suite("Crash reports")
struct CrashReportTests {
    private static let whole = """
        trackway-crash 1
        process 42
        boot boot-1
        module 1000 2000 3000 abcdef01 /opt/shop/bin/shop
        module 70000 70000 90000 - /lib/a b/libc.so.6
        ready
        signal 4 SIGILL
        wall 1700000000123
        monotonic 5000
        code 2
        address 2345
        thread 42
        message shop.swift:6: Fatal error: no  shoes
        frame 2345
        maybe 70010
        frame 999999
        deeper
        end

        """

    private static func report(_ text: String, name: String = "one") -> CrashReport? {
        CrashReport(Array(text.utf8), name: name)
    }

    @Test
    func `a complete report is parsed`() throws {
        let report = try #require(Self.report(Self.whole))
        #expect(report.message == "SIGILL: shop.swift:6: Fatal error: no  shoes")
        #expect(
            report.stack == """
                0 shop + 0x1345
                1 libc.so.6 + 0x10 (perhaps)
                2 0x999999
                and deeper
                in the main thread
                shop is /opt/shop/bin/shop, build abcdef01
                libc.so.6 is /lib/a b/libc.so.6, build -
                """
        )
        #expect(report.at.wall == Timestamp(milliseconds: 1_700_000_000_123))
        #expect(report.at.monotonic == MonotonicTime(milliseconds: 5_000))
        #expect(report.at.boot == "boot-1")
        #expect(report.id.time == report.at.wall)
    }

    @Test(arguments: [
        ("/opt/shop/bin/shop", "/opt/shop/bin/shop"), ("/usr/lib/libc.so.6", "/usr/lib/libc.so.6"), ("shop", "shop"),
        ("/home/ada/bin/shop", "~/bin/shop"), ("/var/home/ada/shop", "~/shop"),
        ("/Users/ada/Shop.app/Shop", "~/Shop.app/Shop"),
        ("/System/Volumes/Data/Users/ada/Shop", "~/Shop"), ("/home/shop", "/home/shop"), ("/home", "/home"),
        ("/opt/a/b/c/d/home/x/shop", "/opt/a/b/c/d/home/x/shop"), ("", ""), ("/", "/"),
        (
            "/private/var/containers/Bundle/Application/6C1D7A52-0F5B-3A0E-9C41-4D0E3D1B7A11/Shop.app/Shop",
            "/private/var/containers/Bundle/Application/…/Shop.app/Shop"
        ),
    ])
    func `the path of an image contains no user name and no container id`(_ path: String, _ expected: String)
        throws
    {
        #expect(CrashReport.withoutUser(path) == expected)
        let text = Self.whole.replacingOccurrences(of: "/opt/shop/bin/shop", with: path)
        guard path.hasPrefix("/home/ada") else { return }
        let stack = try #require(Self.report(text)).stack
        #expect(stack.contains("shop is ~/bin/shop, build abcdef01"))
        #expect(!stack.contains("ada"))
    }

    @Test
    func `a report's ID is stable across reads and unique to the report`() throws {
        let one = try #require(Self.report(Self.whole))
        let again = try #require(Self.report(Self.whole))
        let other = try #require(Self.report(Self.whole, name: "two"))
        #expect(one.id == again.id)
        #expect(one.id != other.id)
    }

    @Test
    func `a truncated report is parsed up to the cut or rejected, without a trap`() throws {
        let bytes = Array(Self.whole.utf8)
        for count in 0..<bytes.count {
            guard let report = CrashReport(Array(bytes[..<count]), name: "cut") else { continue }
            #expect(report.message.hasPrefix("SIG"))
            #expect(report.stack.split(separator: "\n").count <= 7)
        }
        let upToWall = try #require(Self.whole.range(of: "monotonic"))
        let early = try #require(Self.report(String(Self.whole[..<upToWall.lowerBound])))
        #expect(early.message == "SIGILL")
        #expect(early.stack == "")
        // The boot of the monotonic time is unknown.
        #expect(early.at.boot == "")
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a damaged report is parsed as far as possible, without a trap`(seed: UInt64) throws {
        var bytes = Array(Self.whole.utf8)
        var state = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        for _ in 0..<30 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 25)
        }
        if let report = CrashReport(bytes, name: "bad") { #expect(report.message.utf8.count <= 4_096) }
    }

    @Test(arguments: [
        "", "\n", "trackway-crash 1\n", "trackway-crash 2\nsignal 4 SIGILL\nwall 1\n", "signal 4 SIGILL\nwall 1\n",
        "trackway-crash 1\nready\n", "trackway-crash 1\nsignal 4 SIGILL\n",
        "trackway-crash 1\nsignal\nwall -\n",
    ])
    func `text that is not a report is rejected`(_ text: String) {
        #expect(Self.report(text) == nil)
    }

    /// A report from an Apple system.
    ///
    /// The executable is listed twice; the system's library was added during the crash.
    private static let apple = """
        trackway-crash 1
        process 42
        boot boot-1
        module 100000000 100000000 100008000 10111213-1415-1617-1819-1A1B1C1D1E1F /Shop.app/Shop
        image 100000000 arm64e executable
        ready
        signal 6 SIGABRT
        wall 1700000000123
        monotonic 5000
        thread 259
        main 1
        message Shop/Cart.swift:6: Fatal error: no shoes
        also abort() called
        exception NSRangeException: index 5 beyond bounds
        thrown 180001010
        thrown 100001020
        frame 180002000
        frame 100001040
        awaiting 100002000
        module 100000000 100000000 100008000 10111213-1415-1617-1819-1A1B1C1D1E1F /Shop.app/Shop
        image 100000000 arm64e executable
        module 180000000 180000000 180100000 2F2F2F2F-0000-0000-0000-000000000000 /usr/lib/libobjc.A.dylib
        image 180000000 arm64e library
        end

        """

    @Test
    func `an Apple system's report contains the data to symbolicate its addresses`() throws {
        let report = try #require(Self.report(Self.apple))
        #expect(report.message == "SIGABRT: NSRangeException: index 5 beyond bounds")
        #expect(
            report.stack == """
                0 libobjc.A.dylib + 0x1010
                1 Shop + 0x1020
                uncaught, and ended in
                0 libobjc.A.dylib + 0x2000
                1 Shop + 0x1040
                2 Shop + 0x2000 (awaiting)
                in the main thread
                abort() called
                libobjc.A.dylib is /usr/lib/libobjc.A.dylib, build 2F2F2F2F-0000-0000-0000-000000000000, arm64e, at 0x180000000
                Shop is /Shop.app/Shop, build 10111213-1415-1617-1819-1A1B1C1D1E1F, arm64e, at 0x100000000
                """
        )
        #expect(report.isOwn)
        #expect(report.fingerprint.executable == "10111213-1415-1617-1819-1A1B1C1D1E1F")
        #expect(report.fingerprint.signal == 6 && report.fingerprint.process == 42)
        for count in stride(from: 0, to: Self.apple.utf8.count, by: 7) {
            _ = CrashReport(Array(Self.apple.utf8.prefix(count)), name: "cut")
        }
    }

    @Test
    func `a fault without a message reports the accessed address`() throws {
        let report = try #require(Self.report("trackway-crash 1\nsignal 11 SIGSEGV\nwall 1\naddress 8\n"))
        #expect(report.message == "SIGSEGV at 0x8")
    }
}
