// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension SiftDestination {
    /// What the format calls an installation: the device, as the apps of its vendor know it. Every app of a vendor on a device
    /// says the same, and so does every storage folder of one app.
    ///
    /// - Parameters:
    ///   - device: what the context says about the device: its `id` is the one that Apple's systems give a vendor, or the
    ///     hash of a machine's id with the app's.
    ///   - installation: what counts while the device has no such id.
    /// - Returns: A UUID in capitals, as the format's clients write it; an id of another form as it is.
    package static func installation(on device: Attributes, else installation: InstallationID) -> String {
        guard let id = device["id"]?.string, !id.isEmpty else { return installation.description.uppercased() }
        let digits = id.filter { $0 != "-" }
        guard digits.utf8.count == 32, digits.allSatisfy({ $0.isHexDigit && $0.isASCII }) else { return id }
        var text = ""
        for (place, digit) in digits.uppercased().enumerated() {
            if [8, 12, 16, 20].contains(place) { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
