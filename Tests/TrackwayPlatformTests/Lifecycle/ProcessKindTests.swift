// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayPlatform

@Suite("Process kind")
struct ProcessKindTests {
    private static let container = "/private/var/containers/Bundle/Application/5D0A"

    @Test(
        arguments: [
            ("\(container)/Shop.app", false, .app),
            ("\(container)/Shop.app/PlugIns/Share.appex", false, .appExtension),
            ("\(container)/Shop.app/Extensions/Live.appex", false, .appExtension),
            ("/Library/Developer/CoreSimulator/Runtime/usr/libexec", false, .app),
            ("/Applications/Shop.app", true, .app),
            ("/Applications/Shop.app/Contents/PlugIns/Share.appex", true, .appExtension),
            ("/usr/local/bin", true, .tool),
            ("/Users/somebody/Shop.application", true, .tool),
        ] as [(String, Bool, ProcessKind)]
    )
    func `the bundle determines the process kind, and no process is a tool on systems without tools`(
        _ path: String,
        _ hasTools: Bool,
        _ expected: ProcessKind
    ) {
        #expect(ProcessKind(bundlePath: path, hasTools: hasTools) == expected)
    }
}
