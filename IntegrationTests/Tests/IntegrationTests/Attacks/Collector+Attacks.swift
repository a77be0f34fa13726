// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Glibc
internal import IntegrationTestSupport
internal import TrackwayCore

extension Collector {
    /// The peak resident memory of the collector's process, in MiB.
    var peakMemory: Int {
        get throws {
            let path = "/proc/\(program?.id ?? 0)/status"
            let status = try String(contentsOfFile: path, encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            guard let kibibytes = line?.split(separator: " ").dropLast().last.flatMap({ Int($0) }) else {
                throw TestSupportError("no high water mark in \(path)")
            }
            return kibibytes / 1024
        }
    }

    /// The processor time that the collector's process has used, in seconds.
    var processorTime: Double {
        get throws {
            let path = "/proc/\(program?.id ?? 0)/stat"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            // After the program's name, which may contain spaces: the state, and the times as the 12th and 13th fields
            // after it.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
                throw TestSupportError("no processor times in \(path)")
            }
            return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    /// The disk space used by the collector's folder, in MiB.
    var diskUsage: Int {
        get throws {
            let files = FileManager.default
            let names = try files.subpathsOfDirectory(atPath: data)
            let bytes = names.reduce(0) { sum, name in
                var facts = stat()
                return stat(data + "/" + name, &facts) == 0 ? sum + Int(facts.st_blocks) * 512 : sum
            }
            return bytes >> 20
        }
    }

    /// Creates a key with `trackway keys create` and waits until the collector accepts it.
    func makeKey(_ name: String, _ options: [String]) throws -> String {
        let program = try Program(
            try CollectorBinary.path(),
            ["keys", "create", name, "--data", data, "--json"] + options
        )
        let text = try program.allLines().joined(separator: "\n")
        guard let key = try JSONValue.parse(Array(text.utf8))["key"]?.string else {
            throw TestSupportError("no key in \(text)")
        }
        return key
    }

    /// Sleeps for a twentieth of a second.
    ///
    /// Used to poll where nothing sends a notification.
    func sleepBriefly() {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(50))
    }

    /// Returns one of the collector's metrics.
    func metric(_ name: String) throws -> Int? {
        let text = try send(HTTPMessage(startLine: "GET /metrics HTTP/1.1")).text
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last.flatMap {
            Int($0)
        }
    }

    /// Sends a request with a body and returns the status and the response text; nil without a response.
    func send(_ startLine: String, _ headers: [(String, String)] = [], _ body: [UInt8]) -> (status: Int, text: String)?
    {
        let message = HTTPMessage(
            startLine: "\(startLine) HTTP/1.1",
            headers: headers.map { (name: $0.0, value: $0.1) },
            body: body
        )
        // The attacks do not depend on the reason.
        guard let response = try? send(message) else { return nil }
        return (response.status, response.text)
    }

    /// Sends an event as an uninvolved client and returns the status; 0 without a response.
    func sendUninvolvedEvent() -> Int {
        let key = [("authorization", "Bearer \(Collector.key)")]
        return send("POST /v1/events", key, Array(#"{"name":"honest"}"#.utf8))?.status ?? 0
    }
}
