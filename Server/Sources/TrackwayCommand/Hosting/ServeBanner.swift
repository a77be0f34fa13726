// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import TrackwayCore

/// The message that a collector prints when it is ready.
struct ServeBanner: Sendable {
    /// The data folder.
    var folder: CollectorFolder
    /// The address that the collector listens on.
    var host: String
    /// The developer key, if any.
    var developmentKey: String?
    /// Whether the collector keeps no data.
    var isEphemeral = false
    /// The option that lets this machine read without a key; nil if every reader needs a key.
    var openReadOption: String?
    /// The description of the storage.
    var storage = LocalStorageProvider().summary

    /// Returns the address for browsers and senders.
    func url(port: Int) -> String {
        switch host {
        // A wildcard address cannot be opened; use the loopback address.
        case "0.0.0.0": "http://127.0.0.1:\(port)"
        case "::", "[::]": "http://[::1]:\(port)"
        case _ where host.contains(":") && !host.hasPrefix("["): "http://[\(host)]:\(port)"
        default: "http://\(host):\(port)"
        }
    }

    /// Returns the lines to print.
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
                + (openReadOption.map { "on this machine without a key (\($0)); not for use behind a proxy" }
                    ?? "with a key of scope “read”; create one with `trackway keys create NAME --scope read`")
        )
        for line in storage.lines {
            lines.append(line.label + String(repeating: " ", count: max(1, 9 - line.label.count)) + line.value)
        }
        lines.append("Data     \(folder.path)")
        lines.append(
            style.faint(
                isEphemeral
                    ? "Press Ctrl-C to stop it; no data is left behind. On this machine, sending needs no key either."
                    : "Press Ctrl-C to stop it; every acknowledged event \(storage.acknowledged)."
            )
        )
        return lines
    }

    /// Returns the message as JSON, for programs.
    func json(port: Int, process: Int32) -> JSONValue {
        .members(
            ("url", .string(url(port: port))),
            ("port", .integer(Int64(port))),
            ("pid", .integer(Int64(process))),
            ("durability", .string(isEphemeral ? "memory" : storage.durability)),
            ("read_key", .boolean(openReadOption == nil)),
            ("data", .string(folder.path))
        )
    }
}

/// A file with the collector's address, which exists while the collector runs.
struct AddressFile: Sendable {
    /// The path of the file.
    let path: String

    /// Removes the file of an earlier collector.
    ///
    /// A program that waits for the file must not find the old address.
    ///
    /// - Throws: ``CommandFailure`` `cannotCreate` when the file cannot be created.
    func prepare() throws(CommandFailure) {
        remove()
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard access(path, F_OK) != 0, access(folder, W_OK) == 0 else {
            throw CommandFailure(
                .cannotCreate,
                "\(path) cannot be written: \(String(cString: strerror(errno)))",
                remedy: "pass a file in a writable folder with --address-file"
            )
        }
    }

    /// Writes the address and a line feed, atomically.
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
            // Ignore the error, because the file may not exist.
        }
    }
}
