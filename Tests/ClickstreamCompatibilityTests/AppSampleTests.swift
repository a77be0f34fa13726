// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Testing

@Suite("App sample in Clickstream's document")
struct AppSampleTests {
    @Test
    func `a scene-based app creates its delegate, which starts the SDK, before it shows anything`() throws {
        let path = Bundle.main.bundleURL.appendingPathComponent("ClickstreamAppSample").path
        let program = try #require(popen("exec '\(path)'", "r"))
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while case let got = fread(&chunk, 1, chunk.count, program), got > 0 { bytes += chunk.prefix(got) }
        #expect(pclose(program) == 0)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        // The program has no configuration file; the SDK reports an error instead of stopping the program.
        #expect(lines.first?.hasPrefix("did not start: incomplete: appId and endpoint are required") == true)
        #expect(lines.last == "shows YourView()")
    }
}
