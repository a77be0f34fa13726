// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a collector says when it is ready.
struct ServeBanner: Sendable {
    /// Where its data lies.
    var folder: CollectorFolder
    /// The address it listens on.
    var host: String
    /// The developer's key, if there is one.
    var developmentKey: String?

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
        lines.append("Data     \(folder.path)")
        lines.append(style.faint("Ctrl-C ends it; what was answered is on disk."))
        return lines
    }
}
