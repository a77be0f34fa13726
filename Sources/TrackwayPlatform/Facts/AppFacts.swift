// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayCore

/// Facts about the running app, without its arguments and environment.
package struct AppFacts: Sendable, Equatable {
    /// The app's id, as the app configured it.
    package var id: String
    /// The system's identifier of the app.
    ///
    /// On Apple systems, it is the bundle's identifier; on Linux, the executable's file name.
    package var package: String?
    /// The app's name: the bundle's, or else the executable's file name.
    package var name: String?
    /// The version that the app configured, or else the bundle's.
    package var version: String?
    /// The bundle's build number.
    package var build: String?
    /// The process id.
    package var processID: Int32

    /// Creates facts.
    package init(
        id: String,
        package: String? = nil,
        name: String? = nil,
        version: String? = nil,
        build: String? = nil,
        processID: Int32
    ) {
        self.id = id
        self.package = package
        self.name = name
        self.version = version
        self.build = build
        self.processID = processID
    }

    /// The facts as the `app` section of an event's context.
    ///
    /// Unknown facts are left out.
    package var attributes: Attributes {
        var section: Attributes = ["id": .string(id)]
        // The two ids are usually equal.
        if let package, package != id { section["package"] = .string(package) }
        if let name { section["name"] = .string(name) }
        if let version { section["version"] = .string(version) }
        if let build { section["build"] = .string(build) }
        section["process"] = .integer(Int64(processID))
        return section
    }
}
