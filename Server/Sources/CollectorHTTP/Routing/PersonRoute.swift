// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// What is asked about one person: `/v1/users/{id}` or `/v1/visitors/{installation}`, and either with `/events`.
struct PersonRoute: Sendable, Hashable {
    /// What is wanted.
    enum Part: Sendable, Hashable {
        /// Who it is.
        case profile
        /// What they did.
        case events
    }

    /// Whom it is about, as the path spells it.
    let name: String
    /// Whether that is an installation, whose visitor is meant.
    let isVisitor: Bool
    /// What is wanted.
    let part: Part

    /// Reads a path; nil when it asks for something else.
    init?(_ path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4 || parts.count == 5, parts[0].isEmpty, parts[1] == "v1", !parts[3].isEmpty else {
            return nil
        }
        switch parts[2] {
        case "users": isVisitor = false
        case "visitors": isVisitor = true
        default: return nil
        }
        switch parts.dropFirst(4).first {
        case nil: part = .profile
        case "events": part = .events
        default: return nil
        }
        name = String(parts[3])
    }

    /// Whom it is about.
    ///
    /// - Throws: ``RequestFailure`` when a visitor is asked for by something that is no installation's id.
    func person() throws(RequestFailure) -> PersonKey {
        let text = String(decoding: PercentText.decode(Array(name.utf8), plusIsSpace: false), as: UTF8.self)
        guard isVisitor else { return .user(text) }
        guard let installation = InstallationID(text) else {
            throw .malformed("installation", "“\(text.prefix(64))” is not an installation's id.")
        }
        return .visitor(installation)
    }
}
