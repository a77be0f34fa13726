// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing

@Suite("The document's app sample")
struct AppSampleTests {
    @Test("an app of scenes makes its delegate, which starts the SDK, before it shows anything")
    func runs() throws {
        let folder = Bundle.main.bundleURL
        let process = Process()
        process.executableURL = folder.appendingPathComponent("ClickstreamAppSample")
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = text.split(separator: "\n").map(String.init)
        // The program has no configuration file; the SDK says so instead of stopping it.
        #expect(lines.first?.hasPrefix("did not start: incomplete: appId and endpoint are required") == true)
        #expect(lines.last == "shows YourView()")
    }
}
