// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import TrackwayCore

/// The arguments that name a person: a user's id, or a visitor's installation.
struct PersonArguments: ParsableArguments {
    @Argument(help: "Id with which the user signed in.")
    var id: String?

    @Option(help: "Installation of a visitor who did not sign in, instead of an id.")
    var visitor: String?

    /// Checks that exactly one of them is given, and its format.
    func validate() throws {
        guard (id == nil) != (visitor == nil) else { throw ValidationError("pass a user id or --visitor") }
        if let id, id.isEmpty { throw ValidationError("the id is empty") }
        if let visitor, InstallationID(visitor) == nil {
            throw ValidationError("“\(visitor)” is not an installation id: ids have 36 characters")
        }
    }

    /// The path of the person at the collector.
    var path: String {
        id.map { "/v1/users/" + CollectorAddress.escape($0) } ?? "/v1/visitors/" + (visitor ?? "").lowercased()
    }
}
