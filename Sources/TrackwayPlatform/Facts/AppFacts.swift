// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
package import TrackwayEvents

/// What is known about the running app. Its arguments and environment are not among the facts.
package struct AppFacts: Sendable, Hashable {
    /// The id the app gave itself.
    package var id: String
    /// What the system knows the app by: the bundle's identifier, on Linux the executable's file name.
    package var package: String?
    /// The app's name: the bundle's, else the executable's file name.
    package var name: String?
    /// The version the app gave, else the bundle's.
    package var version: String?
    /// The bundle's build number.
    package var build: String?
    /// The process's id.
    package var processID: Int32

    /// Makes facts.
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

    /// The facts as the `app` section of an event's context; an absent fact has no key.
    package var attributes: Attributes {
        var section: Attributes = ["id": .string(id)]
        // Usually they are the same.
        if let package, package != id { section["package"] = .string(package) }
        if let name { section["name"] = .string(name) }
        if let version { section["version"] = .string(version) }
        if let build { section["build"] = .string(build) }
        section["process"] = .integer(Int64(processID))
        return section
    }
}
