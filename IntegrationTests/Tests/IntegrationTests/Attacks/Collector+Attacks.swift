// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Glibc
internal import Stage
internal import TrackwayEvents

extension Collector {
    /// The most memory its process ever had resident, in MiB.
    var highWater: Int {
        get throws {
            let path = "/proc/\(program?.id ?? 0)/status"
            let status = try String(contentsOfFile: path, encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            guard let kibibytes = line?.split(separator: " ").dropLast().last.flatMap({ Int($0) }) else {
                throw StageError("no high water mark in \(path)")
            }
            return kibibytes / 1024
        }
    }

    /// The processor time that its process has used, in seconds.
    var processorTime: Double {
        get throws {
            let path = "/proc/\(program?.id ?? 0)/stat"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            // Behind the program's name, which may have spaces: the state, and the times as the twelfth and thirteenth field from there.
            let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
                throw StageError("no times in \(path)")
            }
            return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        }
    }

    /// Bytes of all files in its folder, as they take room on the disk, in MiB.
    var diskUse: Int {
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

    /// Makes a key with `trackway keys create`, and waits until it counts.
    func makeKey(_ name: String, _ options: [String]) throws -> String {
        let program = try Program(
            try CollectorBinary.path(),
            ["keys", "create", name, "--data", data, "--json"] + options
        )
        let text = try program.allLines().joined(separator: "\n")
        guard let key = try JSONValue.parse(Array(text.utf8))["key"]?.string else {
            throw StageError("no key in \(text)")
        }
        return key
    }

    /// A twentieth of a second, where there is nothing to be told by.
    func moment() {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(50))
    }

    /// One of its figures.
    func figure(_ name: String) throws -> Int? {
        let text = try ask(HTTPMessage(startLine: "GET /metrics HTTP/1.1")).text
        return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last.flatMap {
            Int($0)
        }
    }

    /// Sends a request with a body; the status and the answer's text. Nil when the connection ends without an answer.
    func tell(_ start: String, _ headers: [(String, String)] = [], _ body: [UInt8]) -> (status: Int, text: String)? {
        let message = HTTPMessage(
            startLine: "\(start) HTTP/1.1",
            headers: headers.map { (name: $0.0, value: $0.1) },
            body: body
        )
        // An attacker does not care why.
        guard let answer = try? ask(message) else { return nil }
        return (answer.status, answer.text)
    }

    /// What becomes of an event that somebody sends who has nothing to do with an attack: the status, 0 without an answer.
    func sendHonestly() -> Int {
        let key = [("authorization", "Bearer \(Collector.key)")]
        return tell("POST /v1/events", key, Array(#"{"name":"honest"}"#.utf8))?.status ?? 0
    }
}
