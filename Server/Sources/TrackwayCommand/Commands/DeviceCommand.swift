// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Trackway
internal import TrackwayCore

/// Shows the data that the SDK collects about this machine.
struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Show this machine's device properties and state.",
        discussion: """
            Takes one snapshot with the SDK, as an app with `Configuration.snapshots`
            does when it opens, and prints it. Values that this machine does not provide
            are omitted. Nothing is sent, and no files remain. Sensors, if any, are read
            for about five seconds.

            The network addresses and names shown here are personal data, as they are in
            an app.

            EXAMPLES
              # Show the snapshot as tables.
              trackway device
              # Print the attributes of the two events.
              trackway device --json | jq .attributes
              # Print the body of the Sift request that carries them.
              trackway device --sift
              # Read another device's /etc, /proc, and /sys, copied into ./phone.
              trackway device --root ./phone
            """
    )

    @Option(help: "App id; the device identity differs for each app.")
    var app = "trackway"

    @Option(help: "Folder to read in place of “/”.")
    var root = "/"

    @Flag(help: "Print the events as JSON, one per line.")
    var json = false

    @Flag(help: "Print the body of the Sift request instead.")
    var sift = false

    /// Checks the option values.
    func validate() throws {
        if json, sift { throw ValidationError("choose --json or --sift") }
        if app.isEmpty || app.utf8.count > 256 { throw ValidationError("--app takes 1 to 256 bytes") }
    }

    /// Takes the snapshot and prints it.
    func run() async throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root, isDirectory: &isFolder), isFolder.boolValue else {
            throw CommandFailure(
                .inputMissing,
                "“\(root)” is not a folder",
                remedy: "pass a folder with copies of /etc, /proc, and /sys, or omit --root for this machine"
            )
        }
        let console = Console.standard
        let sources = SnapshotSources.system(
            appID: app,
            root: URL(fileURLWithPath: root).standardizedFileURL.path,
            recognizesDevice: true
        )
        if sources.motion?.hasRawSensors == true || sources.motion?.hasDeviceMotion == true
            || sources.heading?.isAvailable == true
        {
            console.note(
                console.messageStyle.faint("Reading sensors for about five seconds, as the SDK does.")
            )
        }
        let folder = try Self.makeFolder(in: FileManager.default.temporaryDirectory)
        // Remove the files even if Ctrl-C is pressed while sensors are read.
        let interrupted = Task {
            await Interruption.wait()
            // If the removal fails, the system clears its temporary folder.
            try? FileManager.default.removeItem(at: folder)
            Foundation.exit(130)
        }
        defer { interrupted.cancel() }
        let snapshot = try await DeviceSnapshot.take(from: sources, appID: app, folder: folder, console: console)
        if sift {
            console.write(bytes: snapshot.siftBody)
        } else if json {
            console.write(json: snapshot.events)
        } else {
            console.write(SnapshotText(style: console.style).lines(snapshot.events))
        }
    }

    /// Creates a folder that only the current user can read.
    static func makeFolder(in parent: URL) throws(CommandFailure) -> URL {
        var path = Array(parent.appending(path: "trackway-device-XXXXXX").path.utf8CString)
        guard mkdtemp(&path) != nil else {
            throw CommandFailure(
                .cannotCreate,
                "cannot create a folder in “\(parent.path)”: \(String(cString: strerror(errno)))",
                remedy: "make the temporary folder writable, or set TMPDIR to another one"
            )
        }
        return URL(fileURLWithPath: String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}

/// Formats a snapshot as one table per event.
struct SnapshotText: Sendable {
    /// The text style.
    var style: Style

    /// The maximum length of a value in characters; longer values are truncated.
    private static let longestValue = 96

    /// Returns the lines of the tables, one table below the other.
    func lines(_ events: [JSONValue]) -> [String] {
        let properties = attributes("_device_properties", in: events)
        let state = attributes("_app_state", in: events)
        return section("Device properties", properties) + [""] + section("App state", state)
    }

    private func section(_ title: String, _ attributes: [(name: String, value: JSONValue)]) -> [String] {
        guard !attributes.isEmpty else { return [style.bold(title), "no values"] }
        var table = Table([("name", .left), ("value", .left)])
        for (name, value) in attributes { table.append([EventLineFormat.plain(name), text(value)]) }
        return [style.bold(title) + style.faint(" (\(attributes.count))")] + table.lines(style: style)
    }

    private func attributes(_ name: String, in events: [JSONValue]) -> [(name: String, value: JSONValue)] {
        let event = events.last { $0["name"]?.string == name }
        return event?["attributes"]?.object?.members.map { ($0.key, $0.value) } ?? []
    }

    private func text(_ value: JSONValue) -> String {
        switch value {
        case .array(let values) where values.contains(where: { $0.object != nil }):
            let last = values.last.map { ", latest: " + inlineText($0) } ?? ""
            return (values.count == 1 ? "1 reading" : "\(values.count) readings") + last
        case .array(let values):
            return values.isEmpty ? "none" : values.map(inlineText).joined(separator: ", ")
        default:
            return inlineText(value)
        }
    }

    private func inlineText(_ value: JSONValue) -> String {
        if let object = value.object {
            return object.members.map { "\($0.key) \(inlineText($0.value))" }.joined(separator: ", ")
        }
        let text = value.string ?? String(decoding: value.json(), as: UTF8.self)
        let plain = EventLineFormat.plain(text)
        return plain.count > Self.longestValue ? plain.prefix(Self.longestValue - 1) + "…" : plain
    }
}
