// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayEvents

/// What a collector says when it is ready.
struct ServeBanner: Sendable {
    /// Where its data lies.
    var folder: CollectorFolder
    /// The address it listens on.
    var host: String
    /// The developer's key, if there is one.
    var developmentKey: String?
    /// Whether it keeps nothing.
    var isEphemeral = false
    /// The option that lets this machine read without a key; nil when every reader needs one.
    var opensReading: String?
    /// Where its records are.
    var storage = LocalStorageProvider().summary

    /// The address for a browser and for senders.
    func url(port: Int) -> String {
        switch host {
        // Everywhere is not an address one can go to; this machine is.
        case "0.0.0.0": "http://127.0.0.1:\(port)"
        case "::", "[::]": "http://[::1]:\(port)"
        case _ where host.contains(":") && !host.hasPrefix("["): "http://[\(host)]:\(port)"
        default: "http://\(host):\(port)"
        }
    }

    /// The lines, ready to print.
    func lines(port: Int, style: Style) -> [String] {
        let url = url(port: port)
        var lines = [
            "Page     " + style.bold(url + "/"),
            "Send to  \(url)/v1/events",
            style.faint("         Clickstream /collect, Sensors Analytics /sa, Sift /v3/accounts/ID/mobile_events"),
        ]
        if let developmentKey { lines.append("Key      \(developmentKey)") }
        lines.append(
            "Reading  "
                + (opensReading.map { "on this machine without a key (\($0)); not for use behind a proxy" }
                    ?? "with a key of scope “read”; make one with `trackway keys create NAME --scope read`")
        )
        for line in storage.lines {
            lines.append(line.label + String(repeating: " ", count: max(1, 9 - line.label.count)) + line.value)
        }
        lines.append("Data     \(folder.path)")
        lines.append(
            style.faint(
                isEphemeral
                    ? "Ctrl-C ends it, and nothing is left. On this machine sending needs no key either."
                    : "Press Ctrl-C to stop it; every acknowledged event \(storage.acknowledged)."
            )
        )
        return lines
    }

    /// What a program wants to know, ready to print.
    func json(port: Int, process: Int32) -> JSONValue {
        .members(
            ("url", .string(url(port: port))),
            ("port", .integer(Int64(port))),
            ("pid", .integer(Int64(process))),
            ("durability", .string(isEphemeral ? "memory" : storage.durability)),
            ("read_key", .boolean(opensReading == nil)),
            ("data", .string(folder.path))
        )
    }
}

/// A file that tells programs where a collector is, as long as it runs.
struct AddressFile: Sendable {
    /// The file.
    let path: String

    /// Removes what an earlier collector left: who waits for the file must not find the old address.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate` when the file cannot be had.
    func prepare() throws(CommandFailure) {
        remove()
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(path, F_OK) != 0, access(folder, W_OK) == 0 else {
            throw CommandFailure(
                .cannotCreate,
                "\(path) cannot be written: \(String(cString: strerror(errno)))",
                remedy: "name a file in a folder that you may write with --address-file"
            )
        }
    }

    /// Writes the address and a line's end. The file is there with all of it, or not at all.
    func write(_ address: String) {
        do {
            try Data((address + "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            Console.standard.note("\(path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Removes the file.
    func remove() {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            // It is not there.
        }
    }
}
